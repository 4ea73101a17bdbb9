package sheet

import (
	"io"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Referenced item is one of a file of calibration items.
type Referenced struct {
	project.Item
	labeling.Reference
}

// ReadReferences reads calibration items with their reference answers, as
// ReadItems reads items. Beside an item's own columns stand the answers: in
// JSONL "reference" is an object by field and "why" a text or an object by
// field; in CSV each field has a column of its key, and "why.KEY" one for the
// reason. "note" is a text; "observations" and "unsure" are lists, in CSV keys
// apart by blanks.
func ReadReferences(p protocol.Protocol, name string, r io.Reader) ([]Referenced, error) {
	var references []labeling.Reference
	items, err := readItems(p, name, r, func(b *builder, before int) {
		if len(b.items) == before+1 {
			references = append(references, b.reference(&b.items[before]))
		} else if len(b.items) > before {
			b.tell(nil, "This line holds %d items. Write each on a line of its own, with its reference answers.", len(b.items)-before)
		}
	})
	if err != nil {
		return nil, err
	}
	all := make([]Referenced, len(items))
	for i, item := range items {
		all[i] = Referenced{item, references[i]}
	}
	return all, nil
}

// reference returns the reference answers of the row at hand, and takes them
// out of its item's metadata.
func (b *builder) reference(item *project.Item) labeling.Reference {
	r := labeling.Reference{Why: map[string]string{}, Answers: protocol.Answers{
		Values: map[string]int{}, Observations: b.keys("observations"), Unsure: b.keys("unsure"), Note: b.words(b.row.members, "note", nil)}}
	answers, at := b.row.members, (*place)(nil)
	if v, ok := b.row.get("reference"); ok {
		answers, at = v.members, top("reference")
	}
	for _, m := range answers {
		if _, isField := b.p.Field(m.key); isField {
			b.whole(m, at, r.Answers.Values)
		} else if at != nil {
			b.tell(at.at(m.key), "“%s” is no question of this protocol.", shown(m.key))
		}
	}
	b.reasons(r.Why)
	r, problems := r.Check(b.p, item.Facts)
	for _, problem := range problems {
		b.tell(b.referencePlace(problem.Key, at), "%s", problem.Says)
	}
	for _, m := range b.row.members {
		if _, isField := b.p.Field(m.key); isField || ofReference(m.key) {
			delete(item.Meta, m.key)
		}
	}
	return r
}

func ofReference(column string) bool {
	switch column {
	case "reference", "why", "note", "observations", "unsure":
		return true
	}
	return strings.HasPrefix(column, labeling.WhyOf(""))
}

// referencePlace is where a file holds what a form has under key.
func (b *builder) referencePlace(key string, at *place) *place {
	if _, isField := b.p.Field(key); isField {
		return at.at(key)
	}
	if field, ok := strings.CutPrefix(key, labeling.WhyOf("")); ok && (at != nil || field == protocol.Note) {
		return top("why")
	}
	return top(key)
}

// whole reads an answer.
func (b *builder) whole(m member, at *place, into map[string]int) {
	text := m.text
	if m.is('0') {
		text = string(m.raw)
	}
	if m.is('n') || m.is('"') && !protocol.Written(text) {
		return
	}
	n, err := strconv.Atoi(strings.Trim(text, protocol.Blank))
	if err != nil {
		b.tell(at.at(m.key), "This is no whole number. Write one of the points of the scale.")
		return
	}
	into[m.key] = n
}

// words returns the text under key, or "".
func (b *builder) words(members []member, key string, at *place) string {
	v, ok := find(members, key)
	switch {
	case !ok || v.is('n'):
		return ""
	case !v.is('"'):
		b.tell(at.at(key), "This is %s. Write a text here.", v.noun())
	}
	return v.text
}

// keys returns a list of keys, which in CSV is one text.
func (b *builder) keys(column string) []string {
	v, ok := b.row.get(column)
	keys := []string{}
	switch {
	case !ok || v.is('n'):
	case v.is('['):
		for i, key := range v.list {
			if !key.is('"') {
				b.tell(top(column).nth(i), "This is %s. Write a key in quotes.", key.noun())
			}
			keys = append(keys, key.text)
		}
	case v.is('"'):
		keys = append(keys, strings.FieldsFunc(v.text, func(r rune) bool { return strings.ContainsRune(" ,;", r) })...)
	default:
		b.tell(top(column), "This is %s. Write a list of keys.", v.noun())
	}
	return keys
}

// reasons reads why the answers are right.
func (b *builder) reasons(into map[string]string) {
	if v, ok := b.row.get("why"); ok && v.is('{') {
		for _, m := range v.members {
			into[m.key] = b.words(v.members, m.key, top("why"))
		}
	} else if ok {
		into[protocol.Note] = b.words(b.row.members, "why", nil)
	}
	for _, m := range b.row.members {
		if field, ok := strings.CutPrefix(m.key, labeling.WhyOf("")); ok {
			into[field] = b.words(b.row.members, m.key, nil)
		}
	}
}
