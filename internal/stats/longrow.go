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

// row takes one record, or names every fault in it.
func (l *long) row(line int, record []string) {
	if len(record) != l.width {
		l.fault(line, min(len(record), l.width), fmt.Sprintf("the row has %d values and the first row %d", len(record), l.width))
		return
	}
	before := len(l.faults.List) + l.faults.More
	for at, text := range record {
		if says := l.wrongText(at, text); says != "" && l.known[at] {
			l.fault(line, at, says)
		}
	}
	if len(l.faults.List)+l.faults.More > before {
		return
	}
	value := plain(record[l.value])
	if says := l.wrongValue(value, record[l.dimension]); says != "" {
		l.fault(line, l.value, says)
		return
	}
	l.add(line, record, value)
}

func (l *long) add(line int, record []string, value string) {
	dimension := record[l.dimension]
	a := l.by[dimension]
	if a == nil {
		a = &asked{builder: newBuilder(), values: index{of: map[string]int32{}, clones: true}}
		l.by[strings.Clone(dimension)] = a
	}
	r := Rating{Item: record[l.item], Annotator: record[l.annotator], Value: int(a.values.number(value))}
	if l.cluster >= 0 {
		r.Cluster = record[l.cluster]
	}
	if !a.add(r, line) {
		l.fault(line, l.cluster, fmt.Sprintf("%s stands in another cluster further up; an item belongs to one", short(r.Item)))
	}
}

const notUTF8 = "this is not UTF-8; save the file as UTF-8"

// wrongText says what is wrong with a value as text. Names are matched letter by
// letter, so that what cannot be seen would make two people of one.
func (l *long) wrongText(at int, text string) string {
	switch {
	case !utf8.ValidString(text):
		return notUTF8
	case strings.ContainsFunc(text, unicode.IsControl):
		return "this holds a character that cannot be seen, such as NUL or a line break; take it out"
	case text == "" && at == l.value:
		return "the value is empty; a missing judgement is a missing row"
	case text == "" && at != l.cluster:
		return "this is empty; every row needs an item, an annotator and a dimension"
	case strings.TrimSpace(text) != text:
		return "this begins or ends with a space; names are matched letter by letter"
	}
	return ""
}

// wrongValue says what is wrong with a value, plainly written: a number that is
// none, or one off the declared scale.
func (l *long) wrongValue(text, dimension string) string {
	declared, is := l.scales.For(dimension)
	switch {
	case is && declared.has(text):
		return ""
	case strings.EqualFold(text, "nan"):
		return fmt.Sprintf("the value %q stands for none; a missing judgement is a missing row", text)
	case isWord(text) && looksLikeNumber(text):
		return fmt.Sprintf("the value %q is a number written in another way; write it as 3, -1 or 2.5", short(text))
	case !isWord(text) && tooLarge(text):
		return fmt.Sprintf("the value %s is beyond ±%d", short(text), maxValue)
	case is:
		return fmt.Sprintf("the value %s is not on the scale %s of %s", short(text), declared, short(dimension))
	}
	return ""
}

// looksLikeNumber tells +3, 007 and 1e3 from words.
func looksLikeNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && strings.ContainsAny(text[:1], "+-.0123456789")
}

func tooLarge(number string) bool {
	v, err := strconv.ParseFloat(number, 64)
	return err != nil || math.Abs(v) > maxValue
}
