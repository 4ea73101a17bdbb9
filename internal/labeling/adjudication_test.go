package labeling

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// itemWithValues is what annotators say of an item of the empathy protocol, on validation;
// on all else they are of one mind.
func itemWithValues(validation ...int) Adjudicable {
	var item Adjudicable
	for _, v := range validation {
		item.Values = append(item.Values, map[string]int{"emotion": 3, "validation": v, "helpfulness": 3, "safety": 3, "overall": 3})
	}
	return item
}

// decideValidation is a decision on that item.
func decideValidation(validation int) Decision {
	answers := itemWithValues(validation).Values[0]
	return Decision{Answers: protocol.Answers{Values: answers, Note: "as it is"}}
}

func TestDecision_Override_NeedsReason(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said    []int
		decided int
		owed    bool
	}{
		"with all":                          {[]int{4, 4}, 4, false},
		"against all":                       {[]int{4, 4}, 3, true},
		"with most":                         {[]int{2, 4, 4}, 4, false},
		"with the one whom most outvote":    {[]int{2, 4, 4}, 2, true},
		"between two who are tied":          {[]int{2, 4}, 3, true},
		"with one of two who are tied":      {[]int{2, 4}, 2, false},
		"with the middle one of three":      {[]int{2, 3, 5}, 3, false},
		"with another of three":             {[]int{2, 3, 5}, 5, false},
		"against each of three":             {[]int{2, 3, 5}, 4, true},
		"with the only one who answered":    {[]int{4}, 4, false},
		"against the only one who answered": {[]int{4}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, item, d := builtin(t, "empathy"), itemWithValues(tt.said...), decideValidation(tt.decided)
			_, problems := d.Check(p, item)
			if isRequired := len(problems.MessagesFor(ReasonKey)) > 0; isRequired != tt.owed || isRequired != (len(problems.MessagesFor(CauseKey)) > 0) {
				t.Errorf("the problems are %v; a reason is owed: %v", problems, tt.owed)
			}
			d.Cause, d.Reason = AmbiguousItem, "  The second half turns it around.\n"
			cleaned, problems := d.Check(p, item)
			if problems != nil || cleaned.Reason != "The second half turns it around." {
				t.Errorf("with a reason: %q, %v", cleaned.Reason, problems)
			}
		})
	}
}

func TestDecision_InvalidAnswers(t *testing.T) {
	t.Parallel()
	p, item := builtin(t, "empathy"), itemWithValues(2, 4)
	for message, change := range map[string]func(*Decision){
		"Choose an answer.":                 func(d *Decision) { delete(d.Answers.Values, "safety") },
		"Choose one of the listed answers.": func(d *Decision) { d.Answers.Values["safety"] = 6 },
		"Please choose one of the causes":   func(d *Decision) { d.Cause = "weather" },
		"under 1,000 characters":            func(d *Decision) { d.Reason = strings.Repeat("ä", 1001) },
		"Please say in a few words why":     func(d *Decision) { d.Answers.Values["overall"], d.Answers.Note = 5, "" },
	} {
		d := decideValidation(4)
		change(&d)
		if _, problems := d.Check(p, item); !slices.ContainsFunc(problems, func(q protocol.Problem) bool { return strings.Contains(q.Message, message) }) {
			t.Errorf("want %q among %v", message, problems)
		}
	}
}

func TestDecision_Revision_NeedsReason(t *testing.T) {
	t.Parallel()
	p, item := builtin(t, "empathy"), itemWithValues(2, 4)
	item.Adjudicated = true
	if _, problems := decideValidation(4).Check(p, item); len(problems) != 1 || problems[0].Key != ReasonKey {
		t.Errorf("decided anew without a word: %v", problems)
	}
}

func TestAdjudicable_Consensus(t *testing.T) {
	t.Parallel()
	want := map[string]int{"emotion": 3, "helpfulness": 3, "safety": 3, "overall": 3}
	if got := itemWithValues(2, 4).Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("of two who are tied on validation: %v", got)
	}
	want["validation"] = 4
	if got := itemWithValues(2, 4, 4).Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("of three: %v", got)
	}
}

func TestAdjudicable_CheckAllowed(t *testing.T) {
	t.Parallel()
	values := itemWithValues(3).Values
	for name, tt := range map[string]struct {
		item Adjudicable
		kind fault.Kind
	}{
		"one that somebody labelled":   {Adjudicable{Values: values}, ""},
		"one that nobody labelled":     {Adjudicable{}, fault.Conflict},
		"one of calibration":           {Adjudicable{Values: values, IsCalibration: true}, fault.Conflict},
		"one of a batch of one's own":  {Adjudicable{Values: values, Blinded: true}, fault.Forbidden},
		"one's own that nobody began":  {Adjudicable{Blinded: true}, fault.Forbidden},
		"calibration in one's own set": {Adjudicable{IsCalibration: true, Blinded: true}, fault.Conflict},
	} {
		if err := tt.item.CheckAllowed(); fault.KindOf(err) != tt.kind || err != nil && !errors.Is(err, tt.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
