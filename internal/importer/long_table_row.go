package importer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/stats"
)

// dimensionBuilder collects the ratings of one dimension. Rating.Value is an index of values.
type dimensionBuilder struct {
	*stats.TableBuilder
	values     []string // as written, without redundant zeros
	valueIndex map[string]int
}

func (b *dimensionBuilder) indexOf(value string) int {
	index, ok := b.valueIndex[value]
	if !ok {
		value = strings.Clone(value) // the reader reuses the row
		index = len(b.values)
		b.valueIndex[value], b.values = index, append(b.values, value)
	}
	return index
}

// observedScale returns the scale of the values in use, and whether it is nominal.
func (b *dimensionBuilder) observedScale() (stats.NamedScale, bool, error) {
	if !slices.ContainsFunc(b.values, stats.IsNonNumeric) {
		scale, err := stats.NewScaleFromNumerals(b.values)
		return scale, false, cmp.Or(err, scale.Scale.Validate())
	}
	scale := stats.NamedScale{Scale: stats.NewRangeScale(1, len(b.values)),
		Names: slices.Sorted(slices.Values(b.values))}
	return scale, true, scale.Scale.Validate()
}

// readRow adds one record, or reports every problem in it.
func (l *longReader) readRow(line int, record []string) {
	if len(record) != len(l.header) {
		l.errs.add(line, "", "The row has %s, the first row has %d. Give every row the same number.",
			countNoun(len(record), "value"), len(l.header))
		return
	}
	errorsBefore := l.errs.count()
	for index, text := range record {
		if message := l.checkCell(index, text); message != "" && l.isKnownColumn[index] {
			l.addError(line, index, "%s", message)
		}
	}
	if l.current >= 0 {
		l.checkExportRow(line, record)
	}
	if l.errs.count() > errorsBefore || l.isLeftOut(record) {
		return
	}
	value := stats.TrimNumeral(record[l.value])
	if declared, isDeclared := l.scales.For(record[l.dimension]); isMissingValue(value) &&
		!(isDeclared && declared.Contains(value)) {
		return
	}
	if l.checkValue(line, value, record[l.dimension]) {
		l.addRating(line, record, value)
	}
}

// exportKinds are the kinds of labels in an export. Only the first counts.
var exportKinds = []string{"work", "duplicate", "calibration"}

// checkExportRow reports what decides whether the row of an export counts: an unknown kind, a current
// that is not true or false, and an annotation of two items or annotators.
func (l *longReader) checkExportRow(line int, record []string) {
	if !slices.Contains(exportKinds, record[l.kind]) {
		l.addError(line, l.kind, "“%s” is no kind of label. Write work, duplicate or calibration.",
			plaintext.Shorten(record[l.kind]))
	}
	if _, err := strconv.ParseBool(strings.ToLower(record[l.current])); err != nil {
		l.addError(line, l.current, "“%s” is neither true nor false. Write TRUE for the latest answers to an item, FALSE for those that were replaced.", plaintext.Shorten(record[l.current]))
	}
	if l.annotation < 0 || record[l.annotation] == "" {
		return
	}
	first, isKnown := l.annotations[record[l.annotation]]
	switch {
	case !isKnown:
		l.annotations[strings.Clone(record[l.annotation])] = annotationPlace{strings.Clone(record[l.item]),
			strings.Clone(record[l.annotator]), line}
	case first.item != record[l.item] || first.annotator != record[l.annotator]:
		l.addError(line, l.annotation, "Annotation %s belongs to %s by %s, in row %d. Give each annotation its own id.",
			plaintext.Shorten(record[l.annotation]), plaintext.Shorten(first.item), plaintext.Shorten(first.annotator),
			first.row)
	}
}

// isLeftOut reports whether a row of an export is no current answer to a work item: it was
// replaced, belongs to calibration or a hidden duplicate, or the field was not answered.
func (l *longReader) isLeftOut(record []string) bool {
	if l.current < 0 {
		return false
	}
	isCurrent, _ := strconv.ParseBool(strings.ToLower(record[l.current])) // checked before
	return !isCurrent || record[l.kind] != exportKinds[0] || record[l.value] == ""
}

func (l *longReader) addRating(line int, record []string, value string) {
	dimension := record[l.dimension]
	b := l.dimensionsByName[dimension]
	if b == nil {
		b = &dimensionBuilder{TableBuilder: stats.NewTableBuilder(), valueIndex: map[string]int{}}
		l.dimensionsByName[strings.Clone(dimension)] = b
	}
	r := stats.Rating{Item: record[l.item], Annotator: record[l.annotator], Value: b.indexOf(value)}
	if l.cluster >= 0 {
		r.Cluster = record[l.cluster]
	}
	if !b.Add(r, line) {
		l.addError(line, l.cluster, "%s is in another cluster in an earlier row. Give an item one cluster.",
			plaintext.Shorten(r.Item))
	}
}

const notUTF8Message = "The text is not UTF-8. Save the file as UTF-8, or name its encoding, such as windows-1252."

// checkCell returns what is wrong with a cell as text. Names are compared byte by byte,
// so an invisible difference would turn one annotator into two.
func (l *longReader) checkCell(index int, text string) string {
	switch {
	case !utf8.ValidString(text):
		if l.errs.encoding != "" {
			return fmt.Sprintf("The text is not valid %s, the encoding that the file was read with. Save the file as UTF-8, or name the encoding that it has.",
				strings.ToUpper(l.errs.encoding))
		}
		return notUTF8Message
	case strings.ContainsFunc(text, unicode.IsControl):
		return "The text has an invisible character, such as NUL or a line break. Remove it."
	case text == "" && index == l.value && l.current >= 0: // not answered
		return ""
	case text == "" && index == l.value:
		return "The value is empty. Leave the row out if there is no label."
	case text == "" && index == l.annotation:
		return "The cell is empty. Every row of an export needs the id of its annotation."
	case text == "" && index != l.cluster && index != l.kind && index != l.current:
		return "The cell is empty. Every row needs an item, an annotator and a dimension."
	case strings.TrimSpace(text) != text:
		return "The text starts or ends with a space. Remove it: names must match exactly."
	}
	return ""
}

// isMissingValue reports whether a text stands for no value, as R, pandas and spreadsheets write it.
func isMissingValue(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "na", "n/a", "#n/a", "null", "nan", "inf", "infinity":
		return true
	}
	return false
}

// checkValue reports an invalid value: a number in another notation, out of range, or
// not on the declared scale.
func (l *longReader) checkValue(line int, text, dimension string) bool {
	declared, isDeclared := l.scales.For(dimension)
	quoted := plaintext.Shorten(text)
	switch {
	case isDeclared && declared.Contains(text):
		return true
	case stats.IsNonNumeric(text) && looksLikeNumber(text):
		l.addError(line, l.value, "“%s” is a number in another notation. Write it like 3, -1 or 2.5.", quoted)
	case !stats.IsNonNumeric(text) && isTooLarge(text):
		l.addError(line, l.value, "%s is too large. The limit is ±%s.", quoted, formatCount(stats.MaxScaleValue))
	case isDeclared:
		l.addError(line, l.value, "%s is not on the scale %s of %s. Correct the value or the declared scale.", quoted,
			declared, plaintext.Shorten(dimension))
	default:
		return true
	}
	return false
}

// looksLikeNumber reports whether a word is a number such as +3, 007 or 1e3.
func looksLikeNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && strings.ContainsAny(text[:1], "+-.0123456789")
}

func isTooLarge(number string) bool {
	v, err := strconv.ParseFloat(number, 64)
	return err != nil || math.Abs(v) > stats.MaxScaleValue
}
