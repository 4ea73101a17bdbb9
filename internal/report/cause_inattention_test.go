package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// newInattentiveStudy returns 80 items on which annotators do not agree on all five fields. The last one can
// repeat the same random answer in every field, and can take a second for each item; all others are careful.
func newInattentiveStudy(t *testing.T, r *rand.Rand, annotators int, isStraightLined, isFast bool) *dataBuilder {
	d := newDataBuilder(t, "empathy")
	for range 80 {
		id := d.addItem(nil)
		for g := range annotators {
			values, isLast := make([]int, 5), g == annotators-1
			for f := range values {
				values[f] = 1 + r.IntN(5)
			}
			if isLast && isStraightLined {
				values = slices.Repeat(values[:1], 5)
			}
			l := d.addLabel(id, fmt.Sprint("a-", g+1), study.Work, values...)
			if isLast && isFast {
				l.ActiveMS = 1_000
			}
		}
	}
	return d
}

// TestInattention_OfTwo_ComesBeforeQuestion checks that of two annotators those with straight-lining or speeding
// are named, and asked about before the question, in the report and in the outcomes of a batch alike.
func TestInattention_OfTwo_ComesBeforeQuestion(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(93, 0))
	for _, c := range []struct {
		annotators              int
		isStraightLined, isFast bool
		want                    string // the advice; empty: to rewrite the question
	}{
		{2, true, false, "a-2 shows straight-lining: look at the answers of a-2 before you change the question."},
		{2, false, true, "a-2 shows speeding: look at the answers of a-2 before you change the question."},
		{2, true, true, "a-2 shows straight-lining and speeding: look at the answers of a-2 before you change the question."},
		{2, false, false, ""},
		{3, true, false, ""},
	} {
		d := newInattentiveStudy(t, r, c.annotators, c.isStraightLined, c.isFast)
		built := d.build()
		outcomes, err := report.ComputeOutcomes(d.Data, report.BuildOptions{Resamples: 200, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		isFound := slices.ContainsFunc(built.Annotators[c.annotators-1].RaterEffects, func(e report.RaterEffect) bool {
			return e.Detected && (e.Name == ratereffect.StraightLining || e.Name == ratereffect.Speeding)
		})
		if isFound != (c.isStraightLined || c.isFast) {
			t.Fatalf("%+v: the effect is found: %t", c, isFound)
		}
		for i, f := range built.Fields {
			v, isNamed := f.Verdict, c.want != ""
			if v.Outcome != report.Rewrite || strings.Contains(v.Message, "Annotators read this question differently: rewrite it.") == isNamed || !strings.HasSuffix(v.Message, c.want) {
				t.Errorf("%+v: %s: %s", c, v.Outcome, v.Message)
			}
			if (v.ShortText() == "Check one annotator") != isNamed || (v.OverlapAdvice == "Talk to a-2 before more items are labeled.") != isNamed || len(f.BoundaryTexts()) > 0 && isNamed {
				t.Errorf("%+v: %s, %s, %q", c, v.ShortText(), v.OverlapAdvice, f.BoundaryTexts())
			}
			if outcomes[i].Outcome != v.Outcome || outcomes[i].AnnotatorsFirst != isNamed {
				t.Errorf("%+v: outcome %+v", c, outcomes[i])
			}
		}
		s := built.Summarize()
		if got := s.Agreement.Next.Text == "Look at the answers of a-2."; got != (c.want != "") {
			t.Errorf("%+v: next %s", c, s.Agreement.Next.Text)
		}
		if strings.Contains(s.Annotators.Text, "lowers agreement") || c.want != "" && !strings.Contains(s.Annotators.Text, " a look: a-2 (") {
			t.Errorf("%+v: %s", c, s.Annotators.Text)
		}
	}
}
