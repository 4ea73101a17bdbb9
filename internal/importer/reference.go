package importer

import (
	"context"
	"io"
	"strings"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A ReferenceRow is a calibration item with its reference answers.
type ReferenceRow struct {
	project.Item
	labeling.Reference
}

// ReadReferences reads calibration items with their reference answers. Items are read
// as by ReadItems.
//
// In JSONL, "reference" is an object of answers by field, and "reason" is a text or an
// object of texts by field. In CSV each field has a column with its key, and its reason
// is in "reason.KEY". "note" is a text; "observations" and "unsure" are lists, in CSV
// keys separated by spaces.
func ReadReferences(p protocol.Protocol, name string, r io.Reader) ([]ReferenceRow, error) {
	b := newBuilder(p, name)
	var references []labeling.Reference
	b.afterRow = func(itemsBefore int) {
		if count := len(b.items) - itemsBefore; count == 1 {
			references = append(references, b.readReference(&b.items[itemsBefore]))
		} else if count > 1 {
			b.addError(nil, "This line has %s. Write one item per line, with its reference answers.",
				countNoun(count, "item"))
		}
	}
	if err := b.readFile(context.Background(), r); err != nil {
		return nil, err
	}
	rows := make([]ReferenceRow, len(b.items))
	for i, item := range b.items {
		rows[i] = ReferenceRow{item, references[i]}
	}
	return rows, nil
}

// readReference returns the reference answers of the current row and removes their
// columns from the item's metadata.
func (b *builder) readReference(item *project.Item) labeling.Reference {
	members, loc := b.answerMembers("reference")
	b.rejectUnknownAnswers(members, loc)
	answers, invalid := b.readAnswers(members, loc)
	reference, problems := labeling.Reference{Answers: answers, Reasons: b.readReasons()}.Check(b.protocol, item.Facts)
	for _, problem := range problems {
		if !invalid[problem.Key] {
			b.addError(b.referenceLocation(problem.Key, loc), "%s", problem.Message)
		}
	}
	for _, m := range b.row.members {
		if _, isField := b.protocol.Field(m.key); isField || isReferenceColumn(m.key) {
			delete(item.Meta, m.key)
		}
	}
	return reference
}

func (b *builder) rejectUnknownAnswers(members []member, loc *location) {
	for _, m := range members {
		if _, isField := b.protocol.Field(m.key); !isField && loc != nil {
			b.addError(loc.child(m.key), "%s", describeUnknownField(m.key, b.protocol))
		}
	}
}

// reasonPrefix starts the name of a column with the reason for the answer to one field.
const reasonPrefix = "reason."

func isReferenceColumn(column string) bool {
	switch column {
	case "reference", "reason", "note", "observations", "unsure":
		return true
	}
	return strings.HasPrefix(column, reasonPrefix)
}

// readReasons reads the reasons for the reference answers, by field and for the item
// as a whole.
func (b *builder) readReasons() map[string]string {
	reasons := map[string]string{}
	if v, ok := b.row.get("reason"); ok && v.is('{') {
		for _, m := range v.members {
			reasons[m.key] = b.readOptionalText(v.members, m.key, topLocation("reason"))
		}
	} else if ok {
		reasons[protocol.NoteKey] = b.readOptionalText(b.row.members, "reason", nil)
	}
	for _, m := range b.row.members {
		if field, ok := strings.CutPrefix(m.key, reasonPrefix); ok {
			reasons[field] = b.readOptionalText(b.row.members, m.key, nil)
		}
	}
	return reasons
}

// referenceLocation returns the location of what a form has under key.
func (b *builder) referenceLocation(key string, answers *location) *location {
	if _, isField := b.protocol.Field(key); isField {
		return answers.child(key)
	}
	field, isReason := strings.CutPrefix(key, labeling.ReferenceReasonKey(""))
	reasons, _ := b.row.get("reason")
	switch {
	case !isReason:
		return topLocation(key)
	case field == protocol.NoteKey:
		return topLocation("reason")
	case reasons.is('{'):
		return topLocation("reason").child(field)
	}
	return topLocation(reasonPrefix + field)
}
