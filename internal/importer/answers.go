package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// answerMembers returns the members that hold the answers of a row: those of the object
// under key, or the row's columns (a nil location).
func (b *builder) answerMembers(key string) ([]member, *location) {
	if v, ok := b.row.get(key); ok {
		return v.members, topLocation(key)
	}
	return b.row.members, nil
}

// readAnswers reads the answers in members, and the row's observations, unsure fields
// and note. invalid holds the fields whose answer has been reported as an error.
func (b *builder) readAnswers(members []member, loc *location) (answers protocol.Answers, invalid map[string]bool) {
	answers = protocol.Answers{Values: map[string]int{}, Observations: b.readKeys("observations"),
		Unsure: b.readKeys("unsure"), Note: b.readColumn("note")}
	invalid = map[string]bool{}
	for _, m := range members {
		f, isField := b.protocol.Field(m.key)
		text := answerText(m)
		switch value, err := strconv.Atoi(text); {
		case !isField || text == "":
		case err != nil || !slices.Contains(f.Scale.Values(), value):
			invalid[m.key] = true
			b.addError(loc.child(m.key), "%s", describeOffScale(text, f.Scale))
		default:
			answers.Values[m.key] = value
		}
	}
	return answers, invalid
}

// answerText returns an answer as text; "" means unanswered.
func answerText(m member) string {
	switch {
	case m.is('"'):
		return plaintext.Trim(m.text)
	case m.is('n'):
		return ""
	}
	return string(m.raw)
}

// readColumn returns the text of a column, or "" if the column belongs to a field.
func (b *builder) readColumn(column string) string {
	if _, isField := b.protocol.Field(column); isField {
		return ""
	}
	return b.readOptionalText(b.row.members, column, nil)
}

// readOptionalText returns the text under key, or "".
func (b *builder) readOptionalText(members []member, key string, loc *location) string {
	v, ok := findMember(members, key)
	switch {
	case !ok || v.is('n'):
		return ""
	case !v.is('"'):
		b.addError(loc.child(key), "This is %s. Write text here.", v.describe())
	}
	return v.text
}

// readKeys returns a list of keys, which in CSV is one text.
func (b *builder) readKeys(column string) []string {
	v, ok := b.row.get(column)
	keys := []string{}
	switch {
	case !ok || v.is('n'):
	case v.is('['):
		for i, key := range v.list {
			if !key.is('"') {
				b.addError(topLocation(column).element(i), "This is %s. Write a key in quotes.", key.describe())
			}
			keys = append(keys, key.text)
		}
	case v.is('"'):
		keys = append(keys, strings.FieldsFunc(v.text, func(r rune) bool { return strings.ContainsRune(" ,;", r) })...)
	default:
		b.addError(topLocation(column), "This is %s. Write a list of keys.", v.describe())
	}
	return keys
}

func fieldKeys(p protocol.Protocol) (keys []string) {
	for _, f := range p.Fields {
		keys = append(keys, f.Key)
	}
	return keys
}

func describeUnknownField(key string, p protocol.Protocol) string {
	return fmt.Sprintf("“%s” is not a field of %s. The fields are %s.", plaintext.Shorten(key), p.Name(),
		strings.Join(fieldKeys(p), ", "))
}

func describeOffScale(text string, scale protocol.Scale) string {
	return fmt.Sprintf("%s is not on the scale %s.", plaintext.Shorten(text), formatScale(scale))
}

// formatScale returns the values of a scale for messages: "1–5" or "0, 2, 4".
func formatScale(s protocol.Scale) string {
	values := s.Values()
	if first, last := values[0], values[len(values)-1]; last-first == len(values)-1 {
		return fmt.Sprintf("%d–%d", first, last)
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.Itoa(v)
	}
	return strings.Join(texts, ", ")
}
