package stats

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readRow takes one record, or names every fault in it.
func (l *longReader) readRow(line int, record []string) {
	if len(record) != l.columnCount {
		l.addError(line, min(len(record), l.columnCount), fmt.Sprintf("the row has %d values and the first row %d", len(record), l.columnCount))
		return
	}
	errorsBefore := len(l.cellErrors.Errors) + l.cellErrors.Omitted
	for index, text := range record {
		if message := l.checkText(index, text); message != "" && l.isKnownColumn[index] {
			l.addError(line, index, message)
		}
	}
	if len(l.cellErrors.Errors)+l.cellErrors.Omitted > errorsBefore {
		return
	}
	value := trimNumeral(record[l.value])
	if message := l.checkValue(value, record[l.dimension]); message != "" {
		l.addError(line, l.value, message)
		return
	}
	l.addRating(line, record, value)
}

func (l *longReader) addRating(line int, record []string, value string) {
	dimension := record[l.dimension]
	a := l.dimensionsByName[dimension]
	if a == nil {
		a = &dimensionBuilder{tableBuilder: newTableBuilder(), values: nameIndex{numbers: map[string]int32{}, copiesNames: true}}
		l.dimensionsByName[strings.Clone(dimension)] = a
	}
	r := Rating{Item: record[l.item], Annotator: record[l.annotator], Value: int(a.values.assignNumber(value))}
	if l.cluster >= 0 {
		r.Cluster = record[l.cluster]
	}
	if !a.add(r, line) {
		l.addError(line, l.cluster, fmt.Sprintf("%s stands in another cluster further up; an item belongs to one", truncate(r.Item)))
	}
}

const notUTF8Message = "this is not UTF-8; save the file as UTF-8"

// checkText says what is wrong with a value as text. Names are matched letter by
// letter, so that what cannot be seen would make two people of one.
func (l *longReader) checkText(index int, text string) string {
	switch {
	case !utf8.ValidString(text):
		return notUTF8Message
	case strings.ContainsFunc(text, unicode.IsControl):
		return "this holds a character that cannot be seen, such as NUL or a line break; take it out"
	case text == "" && index == l.value:
		return "the value is empty; a missing judgement is a missing row"
	case text == "" && index != l.cluster:
		return "this is empty; every row needs an item, an annotator and a dimension"
	case strings.TrimSpace(text) != text:
		return "this begins or ends with a space; names are matched letter by letter"
	}
	return ""
}

// checkValue says what is wrong with a value, plainly written: a number that is
// none, or one off the declared scale.
func (l *longReader) checkValue(text, dimension string) string {
	declared, isDeclared := l.scales.For(dimension)
	switch {
	case isDeclared && declared.contains(text):
		return ""
	case strings.EqualFold(text, "nan"):
		return fmt.Sprintf("the value %q stands for none; a missing judgement is a missing row", text)
	case isNonNumeric(text) && looksLikeNumber(text):
		return fmt.Sprintf("the value %q is a number written in another way; write it as 3, -1 or 2.5", truncate(text))
	case !isNonNumeric(text) && isTooLarge(text):
		return fmt.Sprintf("the value %s is beyond ±%d", truncate(text), maxValue)
	case isDeclared:
		return fmt.Sprintf("the value %s is not on the scale %s of %s", truncate(text), declared, truncate(dimension))
	}
	return ""
}

// looksLikeNumber tells +3, 007 and 1e3 from words.
func looksLikeNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && strings.ContainsAny(text[:1], "+-.0123456789")
}

func isTooLarge(number string) bool {
	v, err := strconv.ParseFloat(number, 64)
	return err != nil || math.Abs(v) > maxValue
}
