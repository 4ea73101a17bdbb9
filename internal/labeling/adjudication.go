package labeling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A DisagreementCause says what a disagreement came from.
type DisagreementCause string

// The causes that a lead can name; it may also stay open.
const (
	UnclearGuideline DisagreementCause = "unclear_guideline"
	AnnotatorMistake DisagreementCause = "annotator_mistake"
	AmbiguousItem    DisagreementCause = "ambiguous_item"
	BadData          DisagreementCause = "bad_data"
)

// DisagreementCauses lists every cause, as forms show them.
var DisagreementCauses = []DisagreementCause{UnclearGuideline, AnnotatorMistake, AmbiguousItem, BadData}

// Text returns c as leads read it; "" of what is no cause.
func (c DisagreementCause) Text() string {
	return map[DisagreementCause]string{
		UnclearGuideline: "Unclear guideline",
		AnnotatorMistake: "Annotator's mistake",
		AmbiguousItem:    "Ambiguous item",
		BadData:          "Bad data",
	}[c]
}

// The keys under which forms and problems speak of a decision's own parts. No
// question of a protocol can have a dot in its key.
const (
	ReasonKey = "decision.reason"
	CauseKey  = "decision.cause"
)

// A Adjudicable is an item that somebody would settle, with what people said of it.
type Adjudicable struct {
	ItemID        project.ItemID
	Facts         protocol.Facts
	Values        []map[string]int // of each annotator
	Adjudicated   bool             // a lead has decided before
	IsCalibration bool             // it has reference answers instead
	Blinded       bool             // whoever would settle it labels in its batch, which is open
}

// ErrBlinded reports that an account must not see other annotators' answers yet,
// because it labels the same items.
var ErrBlinded = fault.Forbidden.Errorf("You label in a batch of this project, so other annotators' answers are hidden from you. Finish your items and close the batch, or ask another lead.")

// CheckAllowed reports why d can be settled by nobody, or not by whoever asks.
func (a Adjudicable) CheckAllowed() error {
	switch {
	case a.IsCalibration:
		return fault.Conflict.Errorf("This item is one of calibration: its reference answers say what is right.")
	case a.Blinded:
		return ErrBlinded
	case len(a.Values) == 0:
		return fault.Conflict.Errorf("Nobody has labelled this item yet, so there is nothing to settle.")
	}
	return nil
}

// fieldConsensus is what the annotators come to on f by themselves.
func (a Adjudicable) fieldConsensus(f protocol.Field) stats.ItemConsensus {
	var values []int
	for _, v := range a.Values {
		if value, answered := v[f.Key]; answered {
			values = append(values, value)
		}
	}
	return stats.FindConsensus(values, !f.Scale.IsBinary())
}

// Consensus returns the answers that the annotators come to by themselves; a
// field on which they are tied has none.
func (a Adjudicable) Consensus(p protocol.Protocol) map[string]int {
	values := map[string]int{}
	for _, f := range p.ApplicableFields(a.Facts) {
		if c := a.fieldConsensus(f); c.Method != stats.Tie {
			values[f.Key] = c.Value
		}
	}
	return values
}

// ExpectedValues returns the answers to f that need no reason: what all or most of
// the annotators say; where they have no majority, whatever one of them says.
func (a Adjudicable) ExpectedValues(f protocol.Field) (values []int) {
	switch c := a.fieldConsensus(f); c.Method {
	case stats.SingleAnswer, stats.Unanimous, stats.Majority:
		return []int{c.Value}
	}
	for _, value := range f.Scale.Values() {
		if slices.ContainsFunc(a.Values, func(v map[string]int) bool { answer, ok := v[f.Key]; return ok && answer == value }) {
			values = append(values, value)
		}
	}
	return values
}

// OverriddenFields returns the fields on which a goes against what the annotators say.
func (item Adjudicable) OverriddenFields(p protocol.Protocol, a protocol.Answers) (fields []protocol.Field) {
	for _, f := range p.ApplicableFields(item.Facts) {
		value, isAnswered := a.Values[f.Key]
		if isOnScale := slices.Contains(f.Scale.Values(), value); isAnswered && isOnScale && !slices.Contains(item.ExpectedValues(f), value) {
			fields = append(fields, f)
		}
	}
	return fields
}

// A Decision is what a lead settles an item on.
type Decision struct {
	Answers protocol.Answers
	Cause   DisagreementCause // empty: not said
	Reason  string            // in the lead's words
}

// Check returns d tidied of what is blank, or what is wrong with it: answers
// that no annotator could give, or no word on why where one is owed.
func (d Decision) Check(p protocol.Protocol, item Adjudicable) (Decision, protocol.Problems) {
	d.Reason = strings.Trim(d.Reason, protocol.BlankChars)
	problems := p.Check(item.Facts, d.Answers)
	addProblem := func(key, rule, message string) {
		problems = append(problems, protocol.Problem{Key: key, Rule: rule, Message: message})
	}
	overridden := item.OverriddenFields(p, d.Answers)
	if d.Cause == "" && len(overridden) > 0 {
		addProblem(CauseKey, "cause_given", "Please choose what the disagreement came from.")
	}
	if d.Cause != "" && d.Cause.Text() == "" {
		addProblem(CauseKey, "cause_known", "Please choose one of the causes offered.")
	}
	switch {
	case utf8.RuneCountInString(d.Reason) > reasonLimit:
		addProblem(ReasonKey, "reason_length", "Please keep the reason under 1,000 characters.")
	case d.Reason != "":
	case len(overridden) > 0:
		addProblem(ReasonKey, "reason_given", "You decide "+joinTitles(overridden)+" against what was said: please say why.")
	case item.Adjudicated:
		addProblem(ReasonKey, "reason_given", "This item was settled before: please say why you decide it anew.")
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
