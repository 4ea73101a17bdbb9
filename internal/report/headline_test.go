package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestHeadline_Sentences_AreTrue checks that each part of the headline is there if and only if its
// condition holds, with random reports on both sides of every condition.
func TestHeadline_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	cases := []struct {
		part      string
		condition func(Report) bool
	}{
		{"meets the target", hasOutcome(isGo)},
		{"on all", func(r Report) bool {
			return len(r.Fields) > 1 && (countOutcomes(r, isGo) == len(r.Fields) || countOutcomes(r, func(v Verdict) bool { return v.Outcome == Rewrite }) == len(r.Fields) ||
				countOutcomes(r, func(v Verdict) bool { return v.Outcome == Revise && v.IsConclusive }) == len(r.Fields) ||
				countOutcomes(r, func(v Verdict) bool { return isUncertain(v, true, false) }) == len(r.Fields) ||
				countOutcomes(r, func(v Verdict) bool { return isUncertain(v, false, true) }) == len(r.Fields) ||
				countOutcomes(r, func(v Verdict) bool { return isUncertain(v, false, false) }) == len(r.Fields) || len(r.loweredBy("a-0")) == len(r.Fields))
		}},
		{"ithout a-0, agreement on", func(r Report) bool { return len(r.loweredBy("a-0")) > 0 }},
		{"need a look", func(r Report) bool { return countLooks(r) > 1 && !isOpenPairOf(r) }},
		{"needs a look", func(r Report) bool { return countLooks(r) == 1 && !isOpenPairOf(r) }},
		{"The two annotators label differently, and either can be right.", isOpenPairOf},
		{"scores higher than “0”", func(r Report) bool { return countDifferent(r) > 0 }},
		{"more groups differ from “0”", func(r Report) bool { return countDifferent(r) > 3 }},
		{"1 more group differs from “0”", func(r Report) bool { return countDifferent(r) == 3 }},
		{"“judge 1”", func(r Report) bool {
			return slices.ContainsFunc(r.Judges[0].Fields, func(f JudgeField) bool { return f.Use != JudgeUntested })
		}},
	}
	r := rand.New(rand.NewPCG(26, 0))
	holds := make([]int, len(cases))
	const reports = 3000
	for range reports {
		report := randomReport(r)
		for i, f := range report.Fields {
			if f.Verdict.Outcome != Go && r.IntN(3) == 0 {
				report.Fields[i].Verdict.Causes = []Cause{{Kind: OneAnnotator, Annotator: "a-0"}}
			}
		}
		text := strings.Join(report.headline(), " ")
		for i, c := range cases {
			want := c.condition(report)
			holds[i] += study.BoolToInt(want)
			if got := strings.Contains(text, c.part); got != want {
				t.Fatalf("%q in %q: %t, want %t", c.part, text, got, want)
			}
		}
	}
	for i, c := range cases {
		if holds[i] < 15 || holds[i] > reports-15 {
			t.Errorf("%q: its condition holds for %d of %d reports", c.part, holds[i], reports)
		}
	}
}

func countDifferent(r Report) (groups int) {
	for group := range r.Breakdown.Groups {
		groups += study.BoolToInt(inEnglish.ShownGroup(&r.Breakdown.Result, group, r.titleOf) != "")
	}
	return groups
}

// countLooks returns the number of annotators with a rater effect who do not lower agreement.
func countLooks(r Report) (n int) {
	for _, a := range r.Annotators {
		n += study.BoolToInt(len(a.RaterEffects) > 0 && len(r.loweredBy(a.Name)) == 0)
	}
	return n
}

// An annotator who lowers agreement comes before others, however many rater effects these have.
func TestSummarize_LoweredAgreement_ComesFirst(t *testing.T) {
	t.Parallel()
	effects := []ratereffect.FoundEffect{{Effect: ratereffect.Halo}, {Effect: ratereffect.DifferentStandard}}
	r := Report{Annotators: []Annotator{{Name: "a-1", RaterEffects: effects}, {Name: "a-2", RaterEffects: effects[:1]}},
		Fields: []FieldReport{{Title: "Tone", Verdict: Verdict{Causes: []Cause{{Kind: OneAnnotator, Annotator: "a-2"}}}}, {Title: "Safety"}}}
	f := r.Summarize().Annotators
	if want := "2 of 2 annotators need a look: a-2 (lowers agreement on “Tone”; halo effect) and a-1 (halo effect; different standard)."; f.Text != want || f.Next.Subject != "a-2" {
		t.Errorf("%q, then %s; want %q", f.Text, f.Next.Subject, want)
	}
}

// The probability that an outcome rests on is stated where the interval alone does not show it.
func TestChanceText_WideInterval_StatesProbability(t *testing.T) {
	t.Parallel()
	newVerdict := func(outcome Outcome, low, high, reaches, below float64) Verdict {
		v := Verdict{Outcome: outcome, IsConclusive: true, Target: 0.4, GoProbability: &reaches, RewriteProbability: &below}
		v.Kappa.Low, v.Kappa.High = &low, &high
		return v
	}
	for want, v := range map[string]Verdict{
		"93% probable to reach 0.40":           newVerdict(Go, 0.03, 0.87, 0.939, 0.02),
		"more than 99% probable to reach 0.40": newVerdict(Go, 0.399, 0.87, 0.996, 0.001),
		"91% probable to be below 0.25":        newVerdict(Rewrite, -0.1, 0.3, 0.001, 0.914),
		"92% probable between 0.25 and 0.40":   newVerdict(Revise, 0.24, 0.39, 0.02, 0.055),
	} {
		if got := v.ChanceText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	undecided := newVerdict(NotEnoughData, 0.1, 0.8, 0.6, 0.2)
	undecided.IsConclusive = false
	for _, v := range []Verdict{newVerdict(Go, 0.41, 0.87, 0.99, 0), newVerdict(Revise, 0.26, 0.39, 0.02, 0.05), newVerdict(Rewrite, 0, 0.2, 0, 0.99), undecided, {Outcome: NotEnoughData, IsConclusive: true}} {
		if got := v.ChanceText(); got != "" {
			t.Errorf("%s: %q", v.Outcome, got)
		}
	}
}

// TestHeadline_WithoutAnnotator_StatesTheRise checks that agreement without an annotator is said to meet the
// target if and only if it does on every field that the annotator lowers.
func TestHeadline_WithoutAnnotator_StatesTheRise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		meets [2]bool
		want  string
	}{
		{[2]bool{true, true}, "Without a-1, agreement on all 2 fields meets the target."},
		{[2]bool{true, false}, "Without a-1, agreement on all 2 fields is higher."},
		{[2]bool{false, false}, "Without a-1, agreement on all 2 fields is higher."},
	} {
		r := Report{Annotators: []Annotator{{Name: "a-1"}}}
		for _, meets := range c.meets {
			r.Fields = append(r.Fields, FieldReport{Title: "Tone", Verdict: Verdict{Causes: []Cause{{Kind: OneAnnotator, Annotator: "a-1", MeetsTarget: meets}}}})
		}
		if got := r.annotatorHeadline(); got != c.want {
			t.Errorf("%v: %q, want %q", c.meets, got, c.want)
		}
	}
}
