package sheet

import (
	"io"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Docket is what a file of decisions may speak of.
type Docket struct {
	Items map[string]labeling.Dispute // by their own ids
	Leads map[string]Lead             // by e-mail address, in small letters
}

// A Lead is somebody who may decide.
type Lead struct {
	ID     int64
	Closed map[int64]bool // items of open batches in which they label themselves
}

// An Adjudicated item is one of a file of decisions.
type Adjudicated struct {
	ItemID int64
	By     int64 // an account; 0: nobody is named
	labeling.Decision
}

// sourceLimit is how many characters an item's own id may have in a project.
const sourceLimit = 400

// ReadAdjudications reads what leads settled items on: a row for each item, of
// CSV with a header or JSONL. "item" is the item's own id. The answers stand in
// columns of their fields' keys, or in JSONL under "answers"; "note" is a text,
// "observations" and "unsure" are lists, in CSV keys apart by blanks. "reason",
// "cause" (one of labeling.Causes) and "by", the e-mail address of a lead, may be
// left out where none is owed. A column that is a field's is read as the field's.
func ReadAdjudications(p protocol.Protocol, d Docket, name string, r io.Reader) ([]Adjudicated, error) {
	b := newBuilder(p, &ledger{file: name})
	b.known = []string{"item", "answers", "note", "observations", "unsure", "reason", "cause", "by"}
	for _, f := range p.Fields {
		b.known = append(b.known, f.Key)
	}
	var all []Adjudicated
	b.only = func(b *builder) { all = append(all, b.decision(d)) }
	if err := b.read(r); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, Faults{{File: name, Says: "The file holds no decisions. Write one a row."}}
	}
	return all, nil
}

// decision reads the row at hand.
func (b *builder) decision(d Docket) Adjudicated {
	answers, at := b.row.members, (*place)(nil)
	if v, ok := b.row.get("answers"); ok {
		answers, at = v.members, top("answers")
	}
	b.onlyKnown(answers, at)
	one := Adjudicated{Decision: labeling.Decision{
		Answers: protocol.Answers{Values: map[string]int{}, Observations: b.keys("observations"), Unsure: b.keys("unsure"), Note: b.own("note")},
		Cause:   labeling.Cause(strings.Trim(b.own("cause"), protocol.Blank)), Reason: b.own("reason")}}
	for _, m := range answers {
		if _, isField := b.p.Field(m.key); isField {
			b.whole(m, at, one.Answers.Values)
		}
	}
	item, known := b.disputed(d)
	by, named := b.decider(d)
	if !known || named && b.closed(by, item) {
		return one
	}
	one.ItemID, one.By = item.ItemID, by.ID
	decision, problems := one.Check(b.p, item)
	for _, problem := range problems {
		b.tell(b.decisionPlace(problem.Key, at), "%s", problem.Says)
	}
	one.Decision = decision
	return one
}

// own returns the text of a column that is not a field's.
func (b *builder) own(column string) string {
	if _, isField := b.p.Field(column); isField {
		return ""
	}
	return b.words(b.row.members, column, nil)
}

// onlyKnown tells columns that mean nothing here: once, where they stand in a
// header.
func (b *builder) onlyKnown(answers []member, at *place) {
	tell := func(m member, at *place) {
		if place := at.at(m.key); !b.table || b.same[m.key] == 0 {
			b.same[m.key]++
			b.tell(place, "“%s” means nothing here. Take it out, or write it as one of %s.", shown(m.key), strings.Join(b.known, ", "))
		}
	}
	for _, m := range b.row.members {
		if !slices.Contains(b.known, m.key) {
			tell(m, nil)
		}
	}
	for _, m := range answers {
		if _, isField := b.p.Field(m.key); !isField && at != nil {
			tell(m, at)
		}
	}
}

// disputed returns the item that the row names.
func (b *builder) disputed(d Docket) (labeling.Dispute, bool) {
	v, ok := b.row.get("item")
	if !ok {
		b.tell(top("item"), "This is missing. Name the item by its own id.")
		return labeling.Dispute{}, false
	}
	id := b.name(v, top("item"), sourceLimit)
	if id == "" {
		return labeling.Dispute{}, false
	}
	if line, twice := b.ids[id]; twice {
		b.tell(top("item"), "The item “%s” is settled in line %d already. Keep one of the two.", shown(id), line)
		return labeling.Dispute{}, false
	}
	b.ids[id] = b.row.line
	item, known := d.Items[id]
	if !known {
		b.tell(top("item"), "There is no item “%s” in the project.", shown(id))
		return item, false
	}
	if err := item.Takes(); err != nil {
		b.tell(top("item"), "%s", fault.Message(err))
		return item, false
	}
	return item, true
}

// decider returns the lead that the row names, if one.
func (b *builder) decider(d Docket) (Lead, bool) {
	address := strings.ToLower(strings.Trim(b.own("by"), protocol.Blank))
	if address == "" {
		return Lead{}, false
	}
	lead, known := d.Leads[address]
	if !known {
		b.tell(top("by"), "“%s” is the address of nobody who leads this project.", shown(address))
	}
	return lead, known
}

func (b *builder) closed(by Lead, item labeling.Dispute) bool {
	if !by.Closed[item.ItemID] {
		return false
	}
	b.tell(top("by"), "They label in this item's batch themselves, and it is still open. Close it first, or let another lead settle the item.")
	return true
}

// decisionPlace is where a file holds what a form has under key.
func (b *builder) decisionPlace(key string, at *place) *place {
	if _, isField := b.p.Field(key); isField {
		return at.at(key)
	}
	if _, isObservation := b.p.Observation(key); isObservation {
		return top("observations")
	}
	switch key {
	case labeling.ReasonKey:
		return top("reason")
	case labeling.CauseKey:
		return top("cause")
	}
	return top(key)
}
