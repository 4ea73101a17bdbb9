package dataset

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A cell is one value of an export. The zero cell is absent: null in JSONL and Parquet,
// empty in CSV.
type cell struct {
	kind cellKind
	text string // of cellText, cellNumber and cellJSON
	n    int64  // of the others
}

type cellKind uint8

const (
	cellAbsent    cellKind = iota
	cellText               // any text
	cellInteger            // n
	cellNumber             // text, as JSON
	cellBoolean            // n is 0 or 1
	cellDate               // n days since 1970
	cellTimestamp          // n microseconds since 1970
	cellJSON               // text: a list, an object or another value as JSON
)

func textCell(text string) cell { return cell{kind: cellText, text: text} }

// optionalTextCell returns an absent cell for an empty text.
func optionalTextCell(text string) cell {
	if text == "" {
		return cell{}
	}
	return textCell(text)
}

func numberCell(n int64) cell { return cell{kind: cellInteger, n: n} }

func decimalCell(value float64) cell {
	return cell{kind: cellNumber, text: strconv.FormatFloat(value, 'g', -1, 64)}
}

func boolCell(b bool) cell { return cell{kind: cellBoolean, n: bit(b)} }

func bitCell(b bool) cell { return numberCell(bit(b)) }

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

const secondsPerDay = 24 * 60 * 60

// dateCell returns the day of t in UTC; the zero time is absent.
func dateCell(t time.Time) cell {
	if t.IsZero() {
		return cell{}
	}
	days := t.Unix() / secondsPerDay
	if t.Unix()%secondsPerDay < 0 {
		days--
	}
	return cell{kind: cellDate, n: days}
}

// timeCell returns t in microseconds; the zero time is absent.
func timeCell(t time.Time) cell {
	if t.IsZero() {
		return cell{}
	}
	return cell{kind: cellTimestamp, n: t.UnixMicro()}
}

// metaCell returns a cell of imported JSON in a column of a type. null is absent.
func metaCell(columnType string, raw json.RawMessage) cell {
	if len(raw) == 0 || string(raw) == "null" {
		return cell{}
	}
	switch columnType {
	case typeText:
		if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
			return textCell(string(text))
		}
	case typeInteger:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return numberCell(n)
		}
	case typeNumber:
		return cell{kind: cellNumber, text: string(raw)}
	case typeBoolean:
		return boolCell(string(raw) == "true")
	}
	var compacted bytes.Buffer
	if json.Compact(&compacted, raw) != nil {
		return textCell(string(raw))
	}
	return textCell(compacted.String())
}

// jsonCell returns v as JSON without HTML escapes.
func jsonCell(v any) (cell, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return cell{kind: cellJSON, text: strings.TrimSuffix(written.String(), "\n")}, err
}

// appendJSON appends c to a line of JSONL.
func (c cell) appendJSON(line []byte) ([]byte, error) {
	switch c.kind {
	case cellAbsent:
		return append(line, "null"...), nil
	case cellText:
		return jsontext.AppendQuote(line, c.text)
	case cellBoolean:
		return strconv.AppendBool(line, c.n == 1), nil
	case cellDate, cellTimestamp:
		return append(c.appendPlain(append(line, '"')), '"'), nil
	}
	return c.appendPlain(line), nil
}

// appendCSV appends c to a row of CSV. Formulas in texts are escaped. TRUE and FALSE are
// booleans for R, pandas, Polars and DuckDB.
func (c cell) appendCSV(row []byte) []byte {
	switch c.kind {
	case cellAbsent:
		return row
	case cellText:
		if isPlain(c.text) {
			return append(row, c.text...)
		}
		return appendCSVCell(row, EscapeFormula(c.text))
	case cellJSON:
		return appendCSVCell(row, c.text)
	case cellBoolean:
		return append(row, [2]string{"FALSE", "TRUE"}[c.n]...)
	}
	return c.appendPlain(row)
}

// appendPlain appends the text of c.
func (c cell) appendPlain(b []byte) []byte {
	switch c.kind {
	case cellInteger:
		return strconv.AppendInt(b, c.n, 10)
	case cellDate:
		return time.Unix(c.n*secondsPerDay, 0).UTC().AppendFormat(b, time.DateOnly)
	case cellTimestamp:
		return time.UnixMicro(c.n).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
	}
	return append(b, c.text...)
}

// isPlain reports whether a text is no formula and needs no quotes in CSV. It decides most
// texts at a glance; others are not plain.
func isPlain(text string) bool {
	if text == "" {
		return true
	}
	first, last := text[0]|0x20, text[len(text)-1] // letters in lower case
	if (first < 'a' || first > 'z') && (text[0] < '0' || text[0] > '9') || last <= ' ' || last >= utf8.RuneSelf {
		return false
	}
	for i := range len(text) {
		switch text[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return true
}

// appendCSVCell appends a cell (RFC 4180) with its line ends unchanged.
func appendCSVCell(row []byte, text string) []byte {
	if !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text {
		return append(row, text...)
	}
	row = append(row, '"')
	row = append(row, strings.ReplaceAll(text, `"`, `""`)...)
	return append(row, '"')
}

// EscapeFormula puts an apostrophe before text that a spreadsheet might run as a
// formula. It is reversible: remove the apostrophe if a formula follows it. A negative number is none.
func EscapeFormula(text string) string {
	if isFormula(text) && !isNegativeNumber(text) {
		return "'" + text
	}
	return text
}

// isNegativeNumber reports whether a text is what a cell with a negative number holds.
func isNegativeNumber(text string) bool {
	const maxLength = 100
	return strings.HasPrefix(text, "-") && len(text) < maxLength && strings.TrimSpace(text) == text &&
		jsontext.Value(text).IsValid()
}

// isFormula reports whether text starts like a formula after spaces and quotes, which
// some programs remove first.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, ` '"`))
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}
