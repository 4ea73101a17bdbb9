package importer

import (
	"io"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A ReferenceRow item is one of a file of calibration items.
type ReferenceRow struct {
	project.Item
	labeling.Reference
}

// ReadReferences reads calibration items with their reference answers, as
// ReadItems reads items. Beside an item's own columns stand the answers: in
// JSONL "reference" is an object by field and "why" a text or an object by
// field; in CSV each field has a column of its key, and "why.KEY" one for the
// reason. "note" is a text; "observations" and "unsure" are lists, in CSV keys
// apart by blanks.
func ReadReferences(p protocol.Protocol, name string, r io.Reader) ([]ReferenceRow, error) {
	var references []labeling.Reference
	items, err := readItems(p, name, r, func(b *builder, before int) {
		if len(b.items) == before+1 {
			references = append(references, b.readReference(&b.items[before]))
		} else if len(b.items) > before {
			b.addError(nil, "This line holds %d items. Write each on a line of its own, with its reference answers.", len(b.items)-before)
		}
	})
	if err != nil {
		return nil, err
	}
	all := make([]ReferenceRow, len(items))
	for i, item := range items {
		all[i] = ReferenceRow{item, references[i]}
	}
	return all, nil
}

// readReference returns the reference answers of the row at hand, and takes them
// out of its item's metadata.
func (b *builder) readReference(item *project.Item) labeling.Reference {
	r := labeling.Reference{Reasons: map[string]string{}, Answers: protocol.Answers{
		Values: map[string]int{}, Observations: b.readKeys("observations"), Unsure: b.readKeys("unsure"), Note: b.readOptionalText(b.row.members, "note", nil)}}
	answers, loc := b.row.members, (*location)(nil)
	if v, ok := b.row.get("reference"); ok {
		answers, loc = v.members, topLocation("reference")
	}
	for _, m := range answers {
		if _, isField := b.protocol.Field(m.key); isField {
			b.readAnswer(m, loc, r.Answers.Values)
		} else if loc != nil {
			b.addError(loc.child(m.key), "“%s” is no question of this protocol.", sanitizeName(m.key))
		}
	}
	b.readReasons(r.Reasons)
	r, problems := r.Check(b.protocol, item.Facts)
	for _, problem := range problems {
		b.addError(b.referenceLocation(problem.Key, loc), "%s", problem.Message)
	}
	for _, m := range b.row.members {
		if _, isField := b.protocol.Field(m.key); isField || isReferenceColumn(m.key) {
			delete(item.Meta, m.key)
		}
	}
	return r
}

func isReferenceColumn(column string) bool {
	switch column {
	case "reference", "why", "note", "observations", "unsure":
		return true
	}
	return strings.HasPrefix(column, labeling.ReferenceReasonKey(""))
}

// referenceLocation is where a file holds what a form has under key.
func (b *builder) referenceLocation(key string, loc *location) *location {
	if _, isField := b.protocol.Field(key); isField {
		return loc.child(key)
	}
	if field, ok := strings.CutPrefix(key, labeling.ReferenceReasonKey("")); ok && (loc != nil || field == protocol.NoteKey) {
		return topLocation("why")
	}
	return topLocation(key)
}

// readAnswer reads an answer.
func (b *builder) readAnswer(m member, loc *location, into map[string]int) {
	text := m.text
	if m.is('0') {
		text = string(m.raw)
	}
	if m.is('n') || m.is('"') && !protocol.HasText(text) {
		return
	}
	n, err := strconv.Atoi(strings.Trim(text, protocol.BlankChars))
	if err != nil {
		b.addError(loc.child(m.key), "This is no whole number. Write one of the points of the scale.")
		return
	}
	into[m.key] = n
}

// readOptionalText returns the text under key, or "".
func (b *builder) readOptionalText(members []member, key string, loc *location) string {
	v, ok := findMember(members, key)
	switch {
	case !ok || v.is('n'):
		return ""
	case !v.is('"'):
		b.addError(loc.child(key), "This is %s. Write a text here.", v.describe())
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

// readReasons reads why the answers are right.
func (b *builder) readReasons(into map[string]string) {
	if v, ok := b.row.get("why"); ok && v.is('{') {
		for _, m := range v.members {
			into[m.key] = b.readOptionalText(v.members, m.key, topLocation("why"))
		}
	} else if ok {
		into[protocol.NoteKey] = b.readOptionalText(b.row.members, "why", nil)
	}
	for _, m := range b.row.members {
		if field, ok := strings.CutPrefix(m.key, labeling.ReferenceReasonKey("")); ok {
			into[field] = b.readOptionalText(b.row.members, m.key, nil)
		}
	}
}
