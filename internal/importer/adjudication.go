package importer

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An AdjudicationScope holds the items and adjudicators that a file of decisions may
// name.
type AdjudicationScope struct {
	Items        map[string]labeling.Adjudicable // by source id
	Adjudicators map[string]Adjudicator          // by email address in lowercase
	Default      string                          // address of the adjudicator of rows that name none; empty: a command
}

// An Adjudicator is an account that may decide.
type Adjudicator struct {
	ID           account.ID
	BlindedItems map[project.ItemID]bool // items of open batches that the account labels
}

// An AdjudicationRow is the decision on one item.
type AdjudicationRow struct {
	ItemID    project.ItemID
	AccountID account.ID // 0: the row names no adjudicator
	labeling.Decision
}

// sourceIDLimit is the maximum length of a source id in a project. It exceeds idLimit
// because the id of an item of a record is made of two ids.
const sourceIDLimit = 400

// ReadAdjudications reads decisions from CSV or JSONL, one row per item.
//
// "item" is the source id. Answers are in columns with their field's key, or in JSONL
// also under "answers". "note" is a text; "observations" and "unsure" are lists, in CSV
// keys separated by spaces. "reason", "cause" (one of labeling.DisagreementCauses) and
// "adjudicator" (the email address of a lead) are optional if nothing requires them. A
// column with the name of a field belongs to the field.
func ReadAdjudications(p protocol.Protocol, scope AdjudicationScope, name string, r io.Reader) ([]AdjudicationRow,
	error) {
	b := newBuilder(p, name)
	b.knownNames = append([]string{"item", "answers", "note", "observations", "unsure", "reason", "cause",
		"adjudicator"}, fieldKeys(p)...)
	b.requiredColumns = []string{"item"}
	var rows []AdjudicationRow
	b.handleRow = func() { rows = append(rows, b.readDecision(scope)) }
	if err := b.readFile(context.Background(), r); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, FileErrors{{File: name, Message: "The file has no decisions. Write one per row."}}
	}
	return rows, nil
}

// readDecision reads the current row.
func (b *builder) readDecision(scope AdjudicationScope) AdjudicationRow {
	members, loc := b.answerMembers("answers")
	b.rejectUnknownColumns()
	b.rejectUnknownAnswers(members, loc)
	answers, invalid := b.readAnswers(members, loc)
	row := AdjudicationRow{Decision: labeling.Decision{Answers: answers, Reason: b.readColumn("reason"),
		Cause: labeling.DisagreementCause(plaintext.Trim(b.readColumn("cause")))}}
	item, isFound := b.findItem(scope)
	adjudicator, isNamed := b.findAdjudicator(scope)
	if !isFound || isNamed && b.rejectBlinded(adjudicator, item) {
		return row
	}
	row.ItemID, row.AccountID = item.ItemID, adjudicator.ID
	decision, problems := row.Check(b.protocol, item)
	for _, problem := range problems {
		if !invalid[problem.Key] {
			b.addError(b.decisionLocation(problem.Key, loc), "%s", decisionMessage(problem, row.Cause))
		}
	}
	row.Decision = decision
	return row
}

// decisionMessage returns the message of a problem. One about the cause names the causes: a file
// has no list to choose from.
func decisionMessage(problem protocol.Problem, cause labeling.DisagreementCause) string {
	causes := make([]string, len(labeling.DisagreementCauses))
	for i, c := range labeling.DisagreementCauses {
		causes[i] = string(c)
	}
	list := strings.Join(causes, ", ")
	switch problem.Rule {
	case "cause_given":
		return "The decision overrides the annotators. Give the cause of the disagreement: " + list + "."
	case "cause_known":
		return "“" + plaintext.Shorten(string(cause)) + "” is not a cause. Use one of " + list + "."
	}
	return problem.Message
}

func (b *builder) rejectUnknownColumns() {
	for _, m := range b.row.members {
		if !slices.Contains(b.knownNames, m.key) {
			b.addColumnError(m.key, nil, "“%s” is not a column of this file. Remove it, or rename it to one of %s.",
				plaintext.Shorten(m.key), strings.Join(b.knownNames, ", "))
		}
	}
}

// findItem returns the item that the row names, if it can be adjudicated.
func (b *builder) findItem(scope AdjudicationScope) (labeling.Adjudicable, bool) {
	id, ok := b.readItemID()
	if !ok {
		return labeling.Adjudicable{}, false
	}
	if line, isRepeated := b.idLines.line(id); isRepeated {
		b.addError(topLocation("item"), "Line %d has a decision on the item “%s”. Keep one of the two.", line,
			plaintext.Shorten(id))
		return labeling.Adjudicable{}, false
	}
	b.idLines.add(id, b.row.line)
	item, isFound := scope.Items[id]
	if !isFound {
		b.addError(topLocation("item"), "%s", describeUnknownItem(id))
		return item, false
	}
	if err := item.CheckAllowed(); err != nil {
		b.addError(topLocation("item"), "%s", fault.Message(err))
		return item, false
	}
	return item, true
}

// findAdjudicator returns the lead that the row names, if any.
func (b *builder) findAdjudicator(scope AdjudicationScope) (Adjudicator, bool) {
	address := cmp.Or(strings.ToLower(plaintext.Trim(b.readColumn("adjudicator"))), scope.Default)
	if address == "" {
		return Adjudicator{}, false
	}
	adjudicator, isFound := scope.Adjudicators[address]
	if !isFound {
		b.addError(topLocation("adjudicator"), "“%s” is not the email address of a lead of this project.",
			plaintext.Shorten(address))
	}
	return adjudicator, isFound
}

func (b *builder) rejectBlinded(adjudicator Adjudicator, item labeling.Adjudicable) bool {
	if !adjudicator.BlindedItems[item.ItemID] {
		return false
	}
	b.addError(topLocation("adjudicator"),
		"This lead labels the item's batch, which is open. Close the batch or name another lead.")
	return true
}

// decisionLocation returns the location of what a form has under key.
func (b *builder) decisionLocation(key string, answers *location) *location {
	if _, isField := b.protocol.Field(key); isField {
		return answers.child(key)
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
