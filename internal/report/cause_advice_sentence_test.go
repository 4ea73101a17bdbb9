package report_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// An adviceCase is a part of the texts on a verdict and its next step, and the condition under which it
// is there.
type adviceCase struct {
	part      string
	text      func(f report.FieldReport, next string) string
	condition func(v report.Verdict) bool
}

func firstCause(v report.Verdict) report.Cause {
	if len(v.Causes) == 0 {
		return report.Cause{}
	}
	return v.Causes[0]
}

func isAboutAnnotators(v report.Verdict) bool {
	c := firstCause(v)
	return c.Annotator != "" || c.Kind == report.SwappedScale
}

func isAboutQuestion(v report.Verdict) bool {
	return !isAboutAnnotators(v) && firstCause(v).Kind != report.OneRecord
}

func adviceMessage(f report.FieldReport, _ string) string { return f.Verdict.Message }
func adviceNext(_ report.FieldReport, next string) string { return next }
func adviceBadge(f report.FieldReport, _ string) string   { return f.Verdict.ShortText() }
func adviceOverlap(f report.FieldReport, _ string) string { return f.Verdict.OverlapAdvice }

func adviceCauses(f report.FieldReport, _ string) (text string) {
	for _, c := range f.Verdict.Causes {
		text += c.Message + " "
	}
	return text
}

var adviceCases = []adviceCase{
	{"rewrite it.", adviceMessage, func(v report.Verdict) bool { return v.Outcome == report.Rewrite && isAboutQuestion(v) }},
	{"make the anchors more specific", adviceMessage, func(v report.Verdict) bool { return v.Outcome == report.Revise && isAboutQuestion(v) }},
	{"Talk to ", adviceMessage, func(v report.Verdict) bool {
		return firstCause(v).Annotator != "" && v.Outcome != report.ConstantAnnotator
	}},
	{"Ask the annotators how they read the ends", adviceMessage, func(v report.Verdict) bool { return isAboutAnnotators(v) && firstCause(v).Annotator == "" }},
	{"Not enough data for a verdict", adviceMessage, func(v report.Verdict) bool { return v.IsUndecided() && !isAboutAnnotators(v) }},
	{"κ cannot decide, because", adviceMessage, func(v report.Verdict) bool {
		return v.Outcome == report.DominantAnswer || v.Outcome == report.ConstantAnnotator || v.IsUndecided() && isAboutAnnotators(v)
	}},
	{" answer against a-3 and a-4: κ between these groups is −", adviceCauses, func(v report.Verdict) bool {
		return isAboutAnnotators(v) && strings.Contains(firstCause(v).Message, "a-4") && firstCause(v).Annotator == ""
	}},
	{"rewrite the question", adviceNext, func(v report.Verdict) bool { return v.Outcome == report.Rewrite && isAboutQuestion(v) }},
	{"Look at the answers of", adviceNext, func(v report.Verdict) bool { return firstCause(v).Annotator != "" }},
	{"ask the annotators how they read the ends", adviceNext, func(v report.Verdict) bool { return isAboutAnnotators(v) && firstCause(v).Annotator == "" }},
	{"dd items on which the answers ", adviceNext, func(v report.Verdict) bool {
		return isAboutQuestion(v) && (v.Outcome == report.DominantAnswer || v.Outcome == report.NoVariation)
	}},
	{"and add items on which the answers should differ.", adviceNext, func(v report.Verdict) bool {
		return isAboutQuestion(v) && v.Outcome == report.DominantAnswer && strings.Contains(v.Message, "Read the disagreements, and add items")
	}},
	{"One annotator", adviceBadge, func(v report.Verdict) bool {
		return countNamedCauses(v) == 1 && (v.IsInterpretable() || v.IsUndecided())
	}},
	{"Swapped scale", adviceBadge, func(v report.Verdict) bool { return isAboutAnnotators(v) && countNamedCauses(v) == 0 }},
	{"Rewrite", adviceBadge, func(v report.Verdict) bool { return v.Outcome == report.Rewrite && !isAboutAnnotators(v) }},
	{"more shared item", adviceOverlap, func(v report.Verdict) bool { return v.MoreItems != nil && v.Overlap != report.OverlapOutcomeChanged }},
	{"nough overlap", adviceOverlap, func(v report.Verdict) bool {
		return !isAboutAnnotators(v) && (v.Overlap == report.OverlapEnough || v.Overlap == report.OverlapAlmostEnough || v.Overlap == report.OverlapMoreItems && v.MoreItems != nil || v.Overlap == report.OverlapUncertainAgain && v.MoreItems != nil)
	}},
	{" before more items are labeled.", adviceOverlap, func(v report.Verdict) bool { return v.Overlap == report.OverlapAskAnnotators }},
}

func countNamedCauses(v report.Verdict) int {
	names := map[string]bool{}
	for _, c := range v.Causes {
		if c.Annotator != "" {
			names[c.Annotator] = true
		}
	}
	return len(names)
}

// An adviceStudy is random answers to one field.
type adviceStudy struct {
	*dataBuilder
	hasSwappedGroup bool // the last two of four annotators
	isClear         bool // the others mostly agree
}

// newAdviceStudy returns random answers to one field by two to four annotators. The last one or two can
// have a swapped scale, the last one can answer at random or always the same, and one answer can dominate.
func newAdviceStudy(t *testing.T, r *rand.Rand) adviceStudy {
	d := adviceStudy{dataBuilder: newDataBuilder(t, "empathy")}
	d.Protocol.Fields = d.Protocol.Fields[:1]
	annotators, pattern := 2+r.IntN(3), r.IntN(5) // 0, 1: none; 2: swapped; 3: random; 4: constant
	noise, dominance := []float64{0.1, 0.3, 0.42, 0.7, 1}[r.IntN(5)], []float64{0, 0, 0.97}[r.IntN(3)]
	d.hasSwappedGroup, d.isClear = annotators == 4 && pattern == 2, noise < 0.4 && dominance == 0
	for range 20 + r.IntN(180) {
		draw := func() int {
			if r.Float64() < dominance {
				return 3
			}
			return 1 + r.IntN(5)
		}
		truth, id := draw(), d.addItem(nil)
		for g := range annotators {
			v, isLast := truth, g == annotators-1
			if r.Float64() < noise {
				v = draw()
			}
			switch {
			case pattern == 2 && (isLast || annotators == 4 && g == 2):
				v = 6 - v
			case pattern == 3 && isLast:
				v = 1 + r.IntN(5)
			case pattern == 4 && isLast:
				v = 3
			}
			d.addLabel(id, fmt.Sprint("a-", g+1), study.Work, v)
		}
	}
	return d
}

// TestAdvice_Sentences_FollowCauses checks that each part of the advice is there if and only if its condition
// holds, in random studies on both sides of every condition.
func TestAdvice_Sentences_FollowCauses(t *testing.T) {
	t.Parallel()
	r, holds, fails := rand.New(rand.NewPCG(91, 0)), make([]int, len(adviceCases)), make([]int, len(adviceCases))
	for n := range 200 {
		d := newAdviceStudy(t, r)
		if n%4 == 0 {
			d = adviceStudy{newRecordStudy(t, r).dataBuilder, false, false}
		}
		built, err := report.Build(d.Data, report.BuildOptions{Resamples: 20, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if isSplit := strings.Contains(adviceCauses(built.Fields[0], ""), "between these groups"); isSplit && (!d.hasSwappedGroup || len(built.Annotators) < 4) || !isSplit && d.hasSwappedGroup && d.isClear {
			t.Fatalf("study %d: groups are named: %t: %+v", n, isSplit, built.Fields[0].Verdict)
		}
		f, next := built.Fields[0], ""
		checkOutcome(t, d.Data, f)
		checkMeetsTarget(t, d.Data, f)
		if f.Verdict.Outcome != report.Go {
			next = built.Summarize().Agreement.Next.Text
		}
		for i, c := range adviceCases {
			want := c.condition(f.Verdict)
			holds[i], fails[i] = holds[i]+boolToInt(want), fails[i]+boolToInt(!want)
			if got := strings.Contains(c.text(f, next), c.part); got != want {
				t.Fatalf("study %d: %q in %q is %t, want %t: %s, %+v", n, c.part, c.text(f, next), got, want, f.Verdict.Outcome, f.Verdict.Causes)
			}
		}
	}
	for i, c := range adviceCases {
		if t.Logf("%q: %d of %d", c.part, holds[i], holds[i]+fails[i]); holds[i] < 3 || fails[i] < 3 {
			t.Errorf("%q: its condition holds in %d studies and fails in %d", c.part, holds[i], fails[i])
		}
	}
}

// checkMeetsTarget checks whether agreement without an annotator is as certain to meet the target as in a
// report without the labels of this annotator.
func checkMeetsTarget(t *testing.T, d study.Data, f report.FieldReport) {
	t.Helper()
	for _, c := range f.Verdict.Causes {
		want := false
		if c.Kind == report.OneAnnotator {
			d.Labels = slices.DeleteFunc(slices.Clone(d.Labels), func(l study.Label) bool { return l.Annotator == c.Annotator })
			built, err := report.Build(d, report.BuildOptions{Resamples: 20, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			want = built.Fields[0].Verdict.Outcome == report.Go
		}
		if c.MeetsTarget != want {
			t.Errorf("without %s the target is met: %t, want %t", c.Annotator, c.MeetsTarget, want)
		}
	}
}

// checkOutcome checks that an outcome is the same without the rest of the report.
func checkOutcome(t *testing.T, d study.Data, f report.FieldReport) {
	t.Helper()
	outcomes, err := report.ComputeOutcomes(d, report.BuildOptions{Resamples: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := f.Verdict
	want := report.FieldOutcome{Key: f.Key, Kappa: v.Kappa.Value, Low: v.Kappa.Low, High: v.Kappa.High, Outcome: v.Outcome, AnnotatorsFirst: isAboutAnnotators(v)}
	if !reflect.DeepEqual(outcomes, []report.FieldOutcome{want}) {
		t.Errorf("%+v, in the report %+v", outcomes, want)
	}
}

// TestAdvice_PlantedCauses_AreFollowed checks the whole advice on one planted cause.
func TestAdvice_PlantedCauses_AreFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		annotators, items int
		answer            func(r *rand.Rand, item, annotator, truth int) int
		message, next     string
		never             []string
	}{
		"random of three": {3, 60, func(r *rand.Rand, _, g, truth int) int {
			if g == 2 {
				return 1 + r.IntN(5)
			}
			return truth
		}, "Talk to a-3 before you change the question.", "Look at the answers of a-3.", []string{"ewrite", "anchors", "Not enough data", "more shared items"}},
		"swapped of three": {3, 60, func(_ *rand.Rand, _, g, truth int) int {
			if g == 2 {
				return 6 - truth
			}
			return truth
		}, "Talk to a-3 before you change the question.", "Look at the answers of a-3.", []string{"ewrite", "anchors", "Not enough data"}},
		"swapped of two": {2, 40, func(_ *rand.Rand, _, g, truth int) int {
			if g == 1 {
				return 6 - truth
			}
			return truth
		}, "Ask the annotators how they read the ends of the scale before you change the question.", "ask the annotators how they read the ends of the scale.", []string{"ewrite", "anchors"}},
		"one of 40 items differs": {2, 40, func(_ *rand.Rand, item, g, _ int) int {
			if item == 7 && g == 1 {
				return 4
			}
			return 3
		}, "Add items on which the answers should differ.", "Add items on which the answers can differ.", []string{"ewrite", "anchors", "Read the disagreement"}},
		"two of four swapped": {4, 60, func(_ *rand.Rand, _, g, truth int) int {
			if g > 1 {
				return 6 - truth
			}
			return truth
		}, "Ask the annotators how they read the ends of the scale before you change the question.", "ask the annotators how they read the ends of the scale.", []string{"ewrite", "anchors"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(92, 0))
			d.Protocol.Fields = d.Protocol.Fields[:1]
			for i := range c.items {
				truth, id := 1+r.IntN(5), d.addItem(nil)
				for g := range c.annotators {
					v := c.answer(r, i, g, truth)
					if r.IntN(8) == 0 && c.items > 40 {
						v = 1 + r.IntN(5)
					}
					d.addLabel(id, fmt.Sprint("a-", g+1), study.Work, v)
				}
			}
			built := d.build()
			v, s := built.Fields[0].Verdict, built.Summarize()
			texts := []string{v.Message, v.ShortText(), v.OverlapAdvice, s.Agreement.Next.Text}
			for _, note := range s.Notes {
				texts = append(texts, note.Text)
			}
			t.Logf("%s: %q", v.Outcome, slices.Concat(s.Headline, texts))
			if !strings.HasSuffix(v.Message, c.message) || !strings.HasSuffix(s.Agreement.Next.Text, c.next) {
				t.Errorf("%q, next %q", v.Message, s.Agreement.Next.Text)
			}
			for _, part := range c.never {
				if text := strings.Join(texts, " "); strings.Contains(text, part) {
					t.Errorf("%q in %s", part, text)
				}
			}
		})
	}
}
