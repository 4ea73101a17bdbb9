package dataset

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A cell is one value of an export: a text, or JSON that is written verbatim. The zero
// cell is absent: null in JSONL, empty in CSV.
type cell struct {
	text   string
	isText bool
	json   []byte // a number, true, false, a list or an object
}

func textCell(text string) cell { return cell{text: text, isText: true} }

// optionalTextCell returns an absent cell for an empty text.
func optionalTextCell(text string) cell {
	if text == "" {
		return cell{}
	}
	return textCell(text)
}

func numberCell(n int64) cell { return cell{json: strconv.AppendInt(nil, n, 10)} }

func boolCell(b bool) cell { return cell{json: strconv.AppendBool(nil, b)} }

func bitCell(b bool) cell {
	if b {
		return numberCell(1)
	}
	return numberCell(0)
}

// rawCell returns a cell of imported JSON: strings become texts, null is absent.
func rawCell(raw json.RawMessage) cell {
	var text string
	var compacted bytes.Buffer
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return cell{}
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return textCell(text)
	case json.Compact(&compacted, raw) != nil: // one line, for JSONL
		return textCell(string(raw))
	}
	return cell{json: compacted.Bytes()}
}

// jsonCell returns v as JSON without HTML escapes.
func jsonCell(v any) (cell, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return cell{json: bytes.TrimSuffix(written.Bytes(), []byte("\n"))}, err
}

// appendJSON appends c to a line of JSONL.
func (c cell) appendJSON(line []byte) ([]byte, error) {
	switch {
	case c.isText:
		return jsontext.AppendQuote(line, c.text)
	case c.json == nil:
		return append(line, "null"...), nil
	}
	return append(line, c.json...), nil
}

// appendCSV appends c to a row of CSV. Formulas in texts are escaped.
func (c cell) appendCSV(row []byte) []byte {
	if c.isText {
		return appendCSVCell(row, EscapeFormula(c.text))
	}
	return appendCSVCell(row, string(c.json))
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
// formula. It is reversible: remove the apostrophe if a formula follows it.
func EscapeFormula(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// isFormula reports whether text starts like a formula after spaces and quotes, which
// some programs remove first.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, ` '"`))
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}
