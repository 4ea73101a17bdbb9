package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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
				countOutcomes(r, func(v Verdict) bool { return v.Outcome == Revise && !v.IsConclusive }) == len(r.Fields) || len(r.loweredBy("a-0")) == len(r.Fields))
		}},
		{"ithout a-0, agreement on", func(r Report) bool { return len(r.loweredBy("a-0")) > 0 }},
		{"need a look", func(r Report) bool { return countLooks(r) > 1 }},
		{"needs a look", func(r Report) bool { return countLooks(r) == 1 }},
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
			holds[i] += boolToInt(want)
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
	for _, g := range r.Breakdown.Groups {
		groups += boolToInt(g.isShownToDiffer())
	}
	return groups
}

// countLooks returns the number of annotators with a rater effect who do not lower agreement.
func countLooks(r Report) (n int) {
	for _, a := range r.Annotators {
		hasEffect := slices.ContainsFunc(a.RaterEffects, func(e RaterEffect) bool { return e.Detected })
		n += boolToInt(hasEffect && len(r.loweredBy(a.Name)) == 0)
	}
	return n
}
