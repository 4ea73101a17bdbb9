package labeling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Cause says what a disagreement came from.
type Cause string

// The causes that a lead can name; it may also stay open.
const (
	UnclearGuideline Cause = "unclear_guideline"
	AnnotatorMistake Cause = "annotator_mistake"
	AmbiguousItem    Cause = "ambiguous_item"
	BadData          Cause = "bad_data"
)

// Causes lists every cause, as forms show them.
var Causes = []Cause{UnclearGuideline, AnnotatorMistake, AmbiguousItem, BadData}

// Says returns c as leads read it; "" of what is no cause.
func (c Cause) Says() string {
	return map[Cause]string{
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

// A Dispute is an item that somebody would settle, with what people said of it.
type Dispute struct {
	ItemID      int64
	Facts       protocol.Facts
	Values      []map[string]int // of each annotator
	Settled     bool             // a lead has decided before
	Calibration bool             // it has reference answers instead
	Blind       bool             // whoever would settle it labels in its batch, which is open
}

// Blinded is what meets a lead who labels in a batch that is still open.
var Blinded = fault.Forbidden.Says("You label in this batch yourself, so the others' answers stay closed to you until it is done. Close the batch first, or let another lead settle it.")

// Takes reports why d can be settled by nobody, or not by whoever asks.
func (d Dispute) Takes() error {
	switch {
	case d.Calibration:
		return fault.Conflict.Says("This item is one of calibration: its reference answers say what is right.")
	case d.Blind:
		return Blinded
	case len(d.Values) == 0:
		return fault.Conflict.Says("Nobody has labelled this item yet, so there is nothing to settle.")
	}
	return nil
}

// consensus is what the annotators come to on f by themselves.
func (d Dispute) consensus(f protocol.Field) stats.Consensus {
	var values []int
	for _, v := range d.Values {
		if value, answered := v[f.Key]; answered {
			values = append(values, value)
		}
	}
	return stats.Settle(values, !f.Scale.Binary())
}

// Consensus returns the answers that the annotators come to by themselves; a
// field on which they are tied has none.
func (d Dispute) Consensus(p protocol.Protocol) map[string]int {
	settled := map[string]int{}
	for _, f := range p.Asked(d.Facts) {
		if c := d.consensus(f); c.How != stats.Tied {
			settled[f.Key] = c.Value
		}
	}
	return settled
}

// Expected returns the answers to f that need no reason: what all or most of
// the annotators say; where they have no majority, whatever one of them says.
func (d Dispute) Expected(f protocol.Field) (values []int) {
	switch c := d.consensus(f); c.How {
	case stats.Single, stats.Unanimous, stats.Majority:
		return []int{c.Value}
	}
	for _, value := range f.Scale.Values() {
		if slices.ContainsFunc(d.Values, func(v map[string]int) bool { given, ok := v[f.Key]; return ok && given == value }) {
			values = append(values, value)
		}
	}
	return values
}

// Against returns the fields on which a goes against what the annotators say.
func (d Dispute) Against(p protocol.Protocol, a protocol.Answers) (fields []protocol.Field) {
	for _, f := range p.Asked(d.Facts) {
		value, given := a.Values[f.Key]
		if offered := slices.Contains(f.Scale.Values(), value); given && offered && !slices.Contains(d.Expected(f), value) {
			fields = append(fields, f)
		}
	}
	return fields
}

// A Decision is what a lead settles an item on.
type Decision struct {
	Answers protocol.Answers
	Cause   Cause  // empty: not said
	Reason  string // in the lead's words
}

// Check returns d tidied of what is blank, or what is wrong with it: answers
// that no annotator could give, or no word on why where one is owed.
func (d Decision) Check(p protocol.Protocol, item Dispute) (Decision, protocol.Problems) {
	d.Reason = strings.Trim(d.Reason, protocol.Blank)
	problems := p.Check(item.Facts, d.Answers)
	tell := func(key, rule, says string) {
		problems = append(problems, protocol.Problem{Key: key, Rule: rule, Says: says})
	}
	against := item.Against(p, d.Answers)
	if d.Cause == "" && len(against) > 0 {
		tell(CauseKey, "cause_given", "Please choose what the disagreement came from.")
	}
	if d.Cause != "" && d.Cause.Says() == "" {
		tell(CauseKey, "cause_known", "Please choose one of the causes offered.")
	}
	switch {
	case utf8.RuneCountInString(d.Reason) > whyLimit:
		tell(ReasonKey, "reason_length", "Please keep the reason under 1,000 characters.")
	case d.Reason != "":
	case len(against) > 0:
		tell(ReasonKey, "reason_given", "You decide "+titlesOf(against)+" against what was said: please say why.")
	case item.Settled:
		tell(ReasonKey, "reason_given", "This item was settled before: please say why you decide it anew.")
	}
	return d, problems
}

func titlesOf(fields []protocol.Field) string {
	titles := make([]string, len(fields))
	for i, f := range fields {
		titles[i] = "“" + f.Title + "”"
	}
	if last := len(titles) - 1; last > 0 {
		return strings.Join(titles[:last], ", ") + " and " + titles[last]
	}
	return titles[0]
}
