package labeling

import (
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A DisagreementCause is why annotators disagree on an item.
type DisagreementCause string

// The causes.
const (
	UnclearGuideline DisagreementCause = "unclear_guideline"
	AnnotatorMistake DisagreementCause = "annotator_mistake"
	AmbiguousItem    DisagreementCause = "ambiguous_item"
	BadData          DisagreementCause = "bad_data"
)

// DisagreementCauses lists the causes in the order of the form.
var DisagreementCauses = []DisagreementCause{UnclearGuideline, AnnotatorMistake, AmbiguousItem, BadData}

// The keys of a decision's reason and cause in forms and problems. Field keys contain no dot.
const (
	ReasonKey = "decision.reason"
	CauseKey  = "decision.cause"
)

// An Adjudicable is an item to adjudicate, with its labels.
type Adjudicable struct {
	ItemID        project.ItemID
	Facts         protocol.Facts
	Values        []map[string]int // by annotator
	Adjudicated   bool             // it has a decision already
	IsCalibration bool             // it has reference answers, and is not adjudicated
	Ties          stats.TieRule
	Blinded       bool // the adjudicator labels in its batch, which is open
}

// ErrBlinded reports that an account must not see other annotators' answers yet,
// because it labels the same items.
var ErrBlinded = fault.Forbidden.Errorf(
	"You label in a batch of this project, so other annotators' answers are hidden from you. Finish your items and close the batch, or ask another lead.")

// CheckAllowed reports why the item cannot be adjudicated.
func (d Adjudicable) CheckAllowed() error {
	switch {
	case d.IsCalibration:
		return fault.Conflict.Errorf("This is a calibration item. It has reference answers and needs no adjudication.")
	case d.Blinded:
		return ErrBlinded
	case len(d.Values) == 0:
		return fault.Conflict.Errorf("This item has no labels yet, so there is nothing to adjudicate.")
	}
	return nil
}

func (d Adjudicable) fieldConsensus(f protocol.Field) stats.ItemConsensus {
	var values []int
	for _, v := range d.Values {
		if value, answered := v[f.Key]; answered {
			values = append(values, value)
		}
	}
	return project.FindConsensus(f, d.Ties, values, nil)
}

// Consensus returns the annotators' consensus by field, without fields that are tied.
func (d Adjudicable) Consensus(p protocol.Protocol) map[string]int {
	return d.findValues(p, stats.ItemConsensus.IsResolved)
}

// Majority returns the answers that a majority of the annotators gave, by field.
func (d Adjudicable) Majority(p protocol.Protocol) map[string]int {
	return d.findValues(p, func(c stats.ItemConsensus) bool { return c.Method == stats.Majority })
}

func (d Adjudicable) findValues(p protocol.Protocol, isFound func(stats.ItemConsensus) bool) map[string]int {
	values := map[string]int{}
	for _, f := range p.ApplicableFields(d.Facts) {
		if c := d.fieldConsensus(f); isFound(c) {
			values[f.Key] = c.Value
		}
	}
	return values
}

// ExpectedValues returns the answers to f that need no reason: the majority answer, or
// without a majority every answer that was given.
func (d Adjudicable) ExpectedValues(f protocol.Field) (values []int) {
	if c := d.fieldConsensus(f); c.Method == stats.Majority {
		return []int{c.Value}
	}
	return d.GivenValues(f)
}

// GivenValues returns every answer that an annotator gave to f.
func (d Adjudicable) GivenValues(f protocol.Field) (values []int) {
	for _, value := range f.Scale.Values() {
		if slices.ContainsFunc(d.Values, func(v map[string]int) bool {
			answer, ok := v[f.Key]
			return ok &&
				answer == value
		}) {
			values = append(values, value)
		}
	}
	return values
}

// OverriddenFields returns the fields on which a differs from the expected values.
func (d Adjudicable) OverriddenFields(p protocol.Protocol, a protocol.Answers) (fields []protocol.Field) {
	for _, f := range p.ApplicableFields(d.Facts) {
		value, isAnswered := a.Values[f.Key]
		if isOnScale := slices.Contains(f.Scale.Values(), value); isAnswered && isOnScale &&
			!slices.Contains(d.ExpectedValues(f), value) {
			fields = append(fields, f)
		}
	}
	return fields
}

// A Decision is the final answers for an item.
type Decision struct {
	Answers protocol.Answers
	Cause   DisagreementCause // empty: not given
	Reason  string
}

// Check returns d without surrounding spaces, and its problems: invalid answers, no cause although it gives an answer
// that no annotator gave, or no reason although it overrides the annotators or revises an earlier decision.
func (d Decision) Check(p protocol.Protocol, item Adjudicable) (Decision, protocol.Problems) {
	reason, invalid := readReason(ReasonKey, d.Reason)
	d.Reason = reason
	problems := append(p.Check(item.Facts, d.Answers), invalid...)
	addProblem := func(key, rule, message string) {
		problems = append(problems, protocol.Problem{Key: key, Rule: rule, Message: message})
	}
	overridden := item.OverriddenFields(p, d.Answers)
	isNew := func(f protocol.Field) bool { return !slices.Contains(item.GivenValues(f), d.Answers.Values[f.Key]) }
	if d.Cause == "" && slices.ContainsFunc(overridden, isNew) {
		addProblem(CauseKey, "cause_given", "Choose the cause of the disagreement.")
	}
	if d.Cause != "" && d.Cause.Text() == "" {
		addProblem(CauseKey, "cause_known", "Choose one of the listed causes.")
	}
	switch {
	case d.Reason != "":
	case len(overridden) > 0:
		addProblem(ReasonKey, "reason_given", "Your answer to "+joinTitles(overridden)+
			" overrides the annotators. Give a reason.")
	case item.Adjudicated:
		addProblem(ReasonKey, "reason_given", "This item has a decision already. Give a reason for changing it.")
	}
	return d, problems
}

func joinTitles(fields []protocol.Field) string {
	titles := make([]string, len(fields))
	for i, f := range fields {
		titles[i] = "“" + f.Title + "”"
	}
	if last := len(titles) - 1; last > 0 {
		return strings.Join(titles[:last], ", ") + " and " + titles[last]
	}
	return titles[0]
}
