package importer

import (
	"io"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A AdjudicationScope is what a file of decisions may speak of.
type AdjudicationScope struct {
	Items        map[string]labeling.Adjudicable // by their own ids
	Adjudicators map[string]Adjudicator          // by e-mail address, in small letters
}

// A Adjudicator is somebody who may decide.
type Adjudicator struct {
	ID           account.ID
	BlindedItems map[project.ItemID]bool // items of open batches in which they label themselves
}

// An AdjudicationRow item is one of a file of decisions.
type AdjudicationRow struct {
	ItemID    project.ItemID
	AccountID account.ID // an account; 0: nobody is named
	labeling.Decision
}

// sourceIDLimit is how many characters an item's own id may have in a project.
const sourceIDLimit = 400

// ReadAdjudications reads what leads settled items on: a row for each item, of
// CSV with a header or JSONL. "item" is the item's own id. The answers stand in
// columns of their fields' keys, or in JSONL under "answers"; "note" is a text,
// "observations" and "unsure" are lists, in CSV keys apart by blanks. "reason",
// "cause" (one of labeling.DisagreementCauses) and "by", the e-mail address of a lead, may be
// left out where none is owed. A column that is a field's is read as the field's.
func ReadAdjudications(p protocol.Protocol, scope AdjudicationScope, name string, r io.Reader) ([]AdjudicationRow, error) {
	b := newBuilder(p, &errorList{file: name})
	b.knownNames = []string{"item", "answers", "note", "observations", "unsure", "reason", "cause", "by"}
	b.knownNames, b.requiredColumns = append(b.knownNames, fieldKeys(p)...), []string{"item"}
	var rows []AdjudicationRow
	b.handleRow = func(b *builder) { rows = append(rows, b.readDecision(scope)) }
	if err := b.readFile(r); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, FileErrors{{File: name, Message: "The file holds no decisions. Write one a row."}}
	}
	return rows, nil
}

// readDecision reads the row at hand.
func (b *builder) readDecision(scope AdjudicationScope) AdjudicationRow {
	answers, loc := b.row.members, (*location)(nil)
	if v, ok := b.row.get("answers"); ok {
		answers, loc = v.members, topLocation("answers")
	}
	b.rejectUnknownColumns(answers, loc)
	result := AdjudicationRow{Decision: labeling.Decision{
		Answers: protocol.Answers{Values: map[string]int{}, Observations: b.readKeys("observations"), Unsure: b.readKeys("unsure"), Note: b.readColumn("note")},
		Cause:   labeling.DisagreementCause(strings.Trim(b.readColumn("cause"), protocol.BlankChars)), Reason: b.readColumn("reason")}}
	for _, m := range answers {
		if _, isField := b.protocol.Field(m.key); isField {
			b.readAnswer(m, loc, result.Answers.Values)
		}
	}
	item, isFound := b.findItem(scope)
	adjudicator, isNamed := b.findAdjudicator(scope)
	if !isFound || isNamed && b.rejectBlinded(adjudicator, item) {
		return result
	}
	result.ItemID, result.AccountID = item.ItemID, adjudicator.ID
	decision, problems := result.Check(b.protocol, item)
	for _, problem := range problems {
		b.addError(b.decisionLocation(problem.Key, loc), "%s", problem.Message)
	}
	result.Decision = decision
	return result
}

// readColumn returns the text of a column that is not a field's.
func (b *builder) readColumn(column string) string {
	if _, isField := b.protocol.Field(column); isField {
		return ""
	}
	return b.readOptionalText(b.row.members, column, nil)
}

// rejectUnknownColumns tells columns that mean nothing here: once, where they stand in a
// header.
func (b *builder) rejectUnknownColumns(answers []member, loc *location) {
	reject := func(m member, loc *location) {
		b.addColumnError(m.key, loc, "“%s” is not a column of this file. Remove it, or rename it to one of %s.", sanitizeName(m.key), strings.Join(b.knownNames, ", "))
	}
	for _, m := range b.row.members {
		if !slices.Contains(b.knownNames, m.key) {
			reject(m, nil)
		}
	}
	for _, m := range answers {
		if _, isField := b.protocol.Field(m.key); !isField && loc != nil {
			reject(m, loc)
		}
	}
}

// findItem returns the item that the row names.
func (b *builder) findItem(scope AdjudicationScope) (labeling.Adjudicable, bool) {
	id, ok := b.readItemID()
	if !ok {
		return labeling.Adjudicable{}, false
	}
	if line, isRepeated := b.idLines[id]; isRepeated {
		b.addError(topLocation("item"), "The item “%s” is settled in line %d already. Keep one of the two.", sanitizeName(id), line)
		return labeling.Adjudicable{}, false
	}
	b.idLines[id] = b.row.line
	item, isFound := scope.Items[id]
	if !isFound {
		b.addError(topLocation("item"), "There is no item “%s” in the project.", sanitizeName(id))
		return item, false
	}
	if err := item.CheckAllowed(); err != nil {
		b.addError(topLocation("item"), "%s", fault.Message(err))
		return item, false
	}
	return item, true
}

// readItemID returns the source id of the item that the row names.
func (b *builder) readItemID() (id string, ok bool) {
	v, exists := b.row.get("item")
	switch {
	case exists:
		id = b.readName(v, topLocation("item"), sourceIDLimit)
	case !b.isCSV: // reported in the header otherwise
		b.addError(topLocation("item"), "This is missing. Add the id of the item.")
	}
	return id, id != ""
}

// findAdjudicator returns the lead that the row names, if one.
func (b *builder) findAdjudicator(scope AdjudicationScope) (Adjudicator, bool) {
	address := strings.ToLower(strings.Trim(b.readColumn("by"), protocol.BlankChars))
	if address == "" {
		return Adjudicator{}, false
	}
	adjudicator, isFound := scope.Adjudicators[address]
	if !isFound {
		b.addError(topLocation("by"), "“%s” is the address of nobody who leads this project.", sanitizeName(address))
	}
	return adjudicator, isFound
}

func (b *builder) rejectBlinded(adjudicator Adjudicator, item labeling.Adjudicable) bool {
	if !adjudicator.BlindedItems[item.ItemID] {
		return false
	}
	b.addError(topLocation("by"), "They label in this item's batch themselves, and it is still open. Close it first, or let another lead settle the item.")
	return true
}

// decisionLocation is where a file holds what a form has under key.
func (b *builder) decisionLocation(key string, loc *location) *location {
	if _, isField := b.protocol.Field(key); isField {
		return loc.child(key)
	}
	if _, isObservation := b.protocol.Observation(key); isObservation {
		return topLocation("observations")
	}
	switch key {
	case labeling.ReasonKey:
		return topLocation("reason")
	case labeling.CauseKey:
		return topLocation("cause")
	}
	return topLocation(key)
}
