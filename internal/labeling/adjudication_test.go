package labeling

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// itemWithValues returns an item of the empathy protocol whose annotators answer validation
// as given and agree on all other fields.
func itemWithValues(validation ...int) Adjudicable {
	var item Adjudicable
	for _, v := range validation {
		item.Values = append(item.Values, map[string]int{"emotion": 3, "validation": v, "helpfulness": 3, "safety": 3,
			"overall": 3})
	}
	return item
}

// decideValidation returns a decision on such an item.
func decideValidation(validation int) Decision {
	answers := itemWithValues(validation).Values[0]
	return Decision{Answers: protocol.Answers{Values: answers, Note: "as given"}}
}

func TestDecision_Override_NeedsReason(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers     []int
		decided     int
		needsReason bool
		needsCause  bool // no annotator gave the answer
	}{
		"unanimous":               {[]int{4, 4}, 4, false, false},
		"overrides unanimous":     {[]int{4, 4}, 3, true, true},
		"majority":                {[]int{2, 4, 4}, 4, false, false},
		"minority":                {[]int{2, 4, 4}, 2, true, false},
		"between two tied":        {[]int{2, 4}, 3, true, true},
		"one of two tied":         {[]int{2, 4}, 2, false, false},
		"middle of three":         {[]int{2, 3, 5}, 3, false, false},
		"other of three":          {[]int{2, 3, 5}, 5, false, false},
		"none of three":           {[]int{2, 3, 5}, 4, true, true},
		"single answer":           {[]int{4}, 4, false, false},
		"overrides single answer": {[]int{4}, 3, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, item, d := builtin(t, "empathy"), itemWithValues(tt.answers...), decideValidation(tt.decided)
			_, problems := d.Check(p, item)
			if isRequired := len(problems.MessagesFor(ReasonKey)) > 0; isRequired != tt.needsReason ||
				tt.needsCause != (len(problems.MessagesFor(CauseKey)) > 0) {
				t.Errorf("got problems %v, want a reason: %v", problems, tt.needsReason)
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
	for rule, change := range map[string]func(*Decision){
		"safety_given":            func(d *Decision) { delete(d.Answers.Values, "safety") },
		"safety_scale":            func(d *Decision) { d.Answers.Values["safety"] = 6 },
		"cause_known":             func(d *Decision) { d.Cause = "weather" },
		"reason_text":             func(d *Decision) { d.Reason = strings.Repeat("ä", 1001) },
		"note_on_extreme_overall": func(d *Decision) { d.Answers.Values["overall"], d.Answers.Note = 5, "" },
	} {
		d := decideValidation(4)
		change(&d)
		if _, problems := d.Check(p, item); !slices.ContainsFunc(problems, func(q protocol.Problem) bool {
			return q.Rule == rule && q.Message != ""
		}) {
			t.Errorf("got %v, want a problem of rule %s", problems, rule)
		}
	}
}

func TestDecision_Revision_NeedsReason(t *testing.T) {
	t.Parallel()
	p, item := builtin(t, "empathy"), itemWithValues(2, 4)
	item.Adjudicated = true
	if _, problems := decideValidation(4).Check(p, item); len(problems) != 1 || problems[0].Key != ReasonKey {
		t.Errorf("got %v, want a problem at the reason", problems)
	}
}

func TestAdjudicable_Consensus(t *testing.T) {
	t.Parallel()
	want := map[string]int{"emotion": 3, "helpfulness": 3, "safety": 3, "overall": 3}
	if got := itemWithValues(2, 3).Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("tied on validation: got %v", got)
	}
	if got := itemWithValues(2, 4).Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("a point between two that nobody gave: got %v", got)
	}
	ruled := itemWithValues(2, 3)
	want["validation"], ruled.Ties = 3, stats.HigherValue
	if got := ruled.Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("tie rule: got %v", got)
	}
	want["validation"] = 4
	if got := itemWithValues(2, 4, 4).Consensus(builtin(t, "empathy")); !maps.Equal(got, want) {
		t.Errorf("majority of three: got %v", got)
	}
	delete(want, "validation")
	for _, answers := range [][]int{{2, 3, 5}, {2, 3}} { // a median, and a tie that a rule resolves
		item := itemWithValues(answers...)
		item.Ties = stats.HigherValue
		if got := item.Majority(builtin(t, "empathy")); !maps.Equal(got, want) {
			t.Errorf("no majority of %v: got %v", answers, got)
		}
	}
}

func TestAdjudicable_CheckAllowed(t *testing.T) {
	t.Parallel()
	values := itemWithValues(3).Values
	for name, tt := range map[string]struct {
		item Adjudicable
		kind fault.Kind
	}{
		"labeled":                  {Adjudicable{Values: values}, ""},
		"not labeled":              {Adjudicable{}, fault.Conflict},
		"calibration item":         {Adjudicable{Values: values, IsCalibration: true}, fault.Conflict},
		"blinded":                  {Adjudicable{Values: values, Blinded: true}, fault.Forbidden},
		"blinded, not labeled":     {Adjudicable{Blinded: true}, fault.Forbidden},
		"blinded calibration item": {Adjudicable{IsCalibration: true, Blinded: true}, fault.Conflict},
	} {
		if err := tt.item.CheckAllowed(); fault.KindOf(err) != tt.kind || err != nil && !errors.Is(err, tt.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
