package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// firstConclusive returns the number of shared items, 20, 40, 80, …, at which the whole interval of κ
// first was on one side of the limits, and the outcome; 0 if there is none.
func firstConclusive(t *testing.T, answers [][2]int, target float64) (items int, outcome report.Outcome) {
	t.Helper()
	outcomeOf := func(κ float64) report.Outcome {
		switch {
		case κ >= target:
			return report.Go
		case κ >= study.RewriteLimit:
			return report.Revise
		}
		return report.Rewrite
	}
	for n, items := 1, 20; items <= len(answers); n, items = n+1, 2*items {
		var ratings []stats.Rating
		for i, pair := range answers[:items] {
			for g, v := range pair {
				ratings = append(ratings, stats.Rating{Item: fmt.Sprintf("i%03d", i), Annotator: []string{"ada", "bo"}[g], Value: v})
			}
		}
		table, err := stats.CollectRatingTable(stats.NewRangeScale(1, 5), slices.Values(ratings))
		if err != nil {
			t.Fatal(err)
		}
		i := stats.ComputeEstimates(table, stats.IntervalOptions{Level: stats.InterimConfidenceLevel(n)}, stats.SharedKappa(stats.Linear))[0].Interval
		if i.Defined() && outcomeOf(i.Low) == outcomeOf(i.High) {
			return items, outcomeOf(i.Low)
		}
	}
	return 0, ""
}

// An interimCase is a sentence on repeated checks, and the condition under which it is true: items and
// outcome are those of the first conclusive check.
type interimCase struct {
	text      func(v report.Verdict, items, shared int, outcome report.Outcome) string
	condition func(v report.Verdict, items int, outcome report.Outcome) bool
}

var interimCases = []interimCase{
	{func(_ report.Verdict, items, _ int, _ report.Outcome) string {
		return fmt.Sprintf("Enough overlap: this verdict was clear at %d shared items already", items)
	}, func(v report.Verdict, items int, outcome report.Outcome) bool {
		return items > 0 && v.IsConclusive && v.Outcome == outcome && areEndsEqual(v)
	}},
	{func(_ report.Verdict, items, _ int, _ report.Outcome) string {
		return fmt.Sprintf("this verdict was clear at %d shared items, but is less certain with the labels since then.", items)
	}, func(v report.Verdict, items int, outcome report.Outcome) bool {
		return items > 0 && v.IsConclusive && v.Outcome == outcome && !areEndsEqual(v)
	}},
	{func(_ report.Verdict, items, _ int, outcome report.Outcome) string {
		return fmt.Sprintf("At %d shared items the verdict was “%s”, but with the labels since then it is uncertain again.", items, outcome.Text())
	}, func(v report.Verdict, items int, outcome report.Outcome) bool {
		return items > 0 && !v.IsConclusive && (v.Outcome == report.NotEnoughData || v.Outcome == outcome)
	}},
	{func(_ report.Verdict, items, _ int, outcome report.Outcome) string {
		return fmt.Sprintf("At %d shared items the verdict was “%s”, and it has changed since.", items, outcome.Text())
	}, func(v report.Verdict, items int, outcome report.Outcome) bool {
		return items > 0 && v.IsInterpretable() && v.Outcome != outcome
	}},
	{func(_ report.Verdict, _, shared int, _ report.Outcome) string {
		next := 20
		for next <= shared {
			next *= 2
		}
		return fmt.Sprintf("repeated checks need more certainty. The next check is at %d shared items.", next)
	}, func(v report.Verdict, items int, _ report.Outcome) bool {
		return items == 0 && v.IsConclusive && v.Outcome == report.Go
	}},
	{func(report.Verdict, int, int, report.Outcome) string {
		return "repeated checks need more certainty. Read the disagreements first."
	}, func(v report.Verdict, items int, _ report.Outcome) bool {
		return items == 0 && v.IsConclusive && v.Outcome != report.Go
	}},
}

// areEndsEqual reports whether both ends of the interval have one outcome.
func areEndsEqual(v report.Verdict) bool {
	outcomeOf := func(κ *float64) string {
		switch {
		case κ == nil:
			return ""
		case *κ >= v.Target:
			return "go"
		case *κ >= study.RewriteLimit:
			return "revise"
		}
		return "rewrite"
	}
	return outcomeOf(v.Kappa.Low) == outcomeOf(v.Kappa.High)
}

// TestInterim_Sentences_AreTrue checks that the advice says what repeated checks show if and only if
// it is so, in random studies whose agreement changes after some items.
func TestInterim_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, holds := rand.New(rand.NewPCG(36, 0)), make([]int, len(interimCases))
	const studies = 150
	for n := range studies {
		d := newDataBuilder(t, "empathy")
		d.Protocol.Fields = d.Protocol.Fields[:1]
		shared, change, errors := 15+r.IntN(80), 20+r.IntN(40), [2]float64{r.Float64(), r.Float64()}
		var answers [][2]int
		for i := range shared {
			id, pair := d.addItem(nil), [2]int{1 + r.IntN(5)}
			if pair[1] = pair[0]; r.Float64() < errors[boolToInt(i >= change)] {
				pair[1] = 1 + r.IntN(5)
			}
			answers = append(answers, pair)
			d.addLabel(id, "ada", study.Work, pair[0])
			d.addLabel(id, "bo", study.Work, pair[1])
		}
		v := d.mustField(d.build(), "emotion").Verdict
		items, outcome := firstConclusive(t, answers, v.Target)
		for i, c := range interimCases {
			want := c.condition(v, items, outcome)
			if got := strings.Contains(v.OverlapAdvice, c.text(v, items, shared, outcome)); got != want {
				t.Fatalf("study %d: %q in %q is %t, want %t (%s, %d of %d items)", n, c.text(v, items, shared, outcome), v.OverlapAdvice, got, want, v.Outcome, items, shared)
			}
			if want && items >= shared && i == 1 {
				t.Fatalf("study %d: no labels since %d items: %s", n, items, v.OverlapAdvice)
			}
			holds[i] += boolToInt(want)
		}
	}
	for i, c := range interimCases {
		if holds[i] == 0 || holds[i] == studies {
			t.Errorf("%q holds in %d of %d studies; want some", c.text(report.Verdict{}, 20, 20, report.Go), holds[i], studies)
		}
	}
}
