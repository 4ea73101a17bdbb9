package stats

import (
	"fmt"
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
	v, says := l.number(record[l.value], record[l.dimension])
	if says != "" {
		l.fault(line, l.value, says)
		return
	}
	l.add(line, record, v)
}

func (l *long) add(line int, record []string, value int) {
	dimension := record[l.dimension]
	b := l.by[dimension]
	if b == nil {
		b = newBuilder()
		l.by[strings.Clone(dimension)] = b
	}
	r := Rating{Item: record[l.item], Annotator: record[l.annotator], Value: value}
	if l.cluster >= 0 {
		r.Cluster = record[l.cluster]
	}
	if !b.add(r, line) {
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

// number reads a value as a whole number on the scale, or says what is wrong. A
// whole number written as 3.0, as programs do where a column has gaps, is one.
func (l *long) number(text, dimension string) (int, string) {
	whole, zeros, point := strings.Cut(text, ".")
	v, err := strconv.Atoi(whole)
	if err != nil || strconv.Itoa(v) != whole || point && (zeros == "" || strings.Trim(zeros, "0") != "") {
		return 0, fmt.Sprintf("the value %q is not a whole number; write it as 3 or -1, and words as numbers of their own", short(text))
	}
	if v < -maxValue || v > maxValue {
		return 0, fmt.Sprintf("the value %d is beyond ±%d", v, maxValue)
	}
	scale, declared := l.scales.For(dimension)
	if _, on := scale.Index(v); declared && !on {
		return 0, fmt.Sprintf("the value %d is not on the scale %s of %s", v, scale, short(dimension))
	}
	return v, ""
}
