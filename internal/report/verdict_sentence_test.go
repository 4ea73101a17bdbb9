package report

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A verdictCase is a part of the message or the advice of a verdict, and the condition under which it
// is true.
type verdictCase struct {
	part      string
	text      func(Verdict) string
	condition func(Verdict) bool
}

func verdictMessage(v Verdict) string { return v.Message }
func overlapAdvice(v Verdict) string  { return v.OverlapAdvice }

func isUndecidedOf(v Verdict) bool { return v.shared >= minSharedItems && v.Kappa.Low != nil }

// isUncertain reports whether the outcome to revise is uncertain because κ may, or may not, meet the target or be far below it.
func isUncertain(v Verdict, mayMeet, mayBeFar bool) bool {
	return v.Outcome == Revise && !v.IsConclusive && (*v.GoProbability > 0.1) == mayMeet && (mayMeet || (*v.RewriteProbability > 0.1) == mayBeFar)
}

var verdictCases = []verdictCase{
	{"labels from at least two annotators", verdictMessage, func(v Verdict) bool { return v.shared < minSharedItems }},
	{"No verdict.", verdictMessage, func(v Verdict) bool { return v.Outcome == NoVariation }},
	{"meets the target", verdictMessage, func(v Verdict) bool { return isUndecidedOf(v) && *v.GoProbability >= stats.CommittedProbability }},
	{"is far below the target", verdictMessage, func(v Verdict) bool { return isUndecidedOf(v) && *v.RewriteProbability >= stats.CommittedProbability }},
	{"is below the target of 0.40:", verdictMessage, func(v Verdict) bool { return v.Outcome == Revise && v.IsConclusive }},
	{"is close to the target of 0.40:", verdictMessage, func(v Verdict) bool { return isUncertain(v, true, false) }},
	{"is below the target of 0.40, and perhaps below 0.25:", verdictMessage, func(v Verdict) bool { return isUncertain(v, false, true) }},
	{"is most likely between 0.25 and the target of 0.40:", verdictMessage, func(v Verdict) bool { return isUncertain(v, false, false) }},
	{"Not enough data for a verdict:", verdictMessage, Verdict.IsUndecided},
	{"and the whole interval is above", verdictMessage, func(v Verdict) bool { return v.Outcome == Go && *v.Kappa.Low >= v.Target }},
	{"and the whole interval is below", verdictMessage, func(v Verdict) bool { return v.Outcome == Rewrite && *v.Kappa.High < study.RewriteLimit }},
	{"and the whole interval is between", verdictMessage, func(v Verdict) bool {
		return v.Outcome == Revise && v.IsConclusive && *v.Kappa.Low >= study.RewriteLimit && *v.Kappa.High < v.Target
	}},
	{"and the probability that it is between", verdictMessage, func(v Verdict) bool {
		return v.Outcome == Revise && v.IsConclusive && (*v.Kappa.Low < study.RewriteLimit || *v.Kappa.High >= v.Target)
	}},
	{"Go ahead.", verdictMessage, func(v Verdict) bool { return v.Outcome == Go }},
	{"make the anchors more specific", verdictMessage, func(v Verdict) bool { return v.Outcome == Revise }},
	{"rewrite it", verdictMessage, func(v Verdict) bool { return v.Outcome == Rewrite }},
	{"Enough overlap", overlapAdvice, func(v Verdict) bool { return v.IsConclusive }},
	{"whether agreement meets the target", overlapAdvice, func(v Verdict) bool { return isUncertain(v, true, false) }},
	{"whether agreement is below 0.25", overlapAdvice, func(v Verdict) bool { return isUncertain(v, false, true) }},
	{"most likely below the target, but not far below, and more overlap", overlapAdvice, func(v Verdict) bool { return isUncertain(v, false, false) }},
	{"more shared item", overlapAdvice, func(v Verdict) bool { return v.MoreItems != nil }},
	{"or many more", overlapAdvice, func(v Verdict) bool { return v.MoreItems != nil && v.MoreItems.High == nil }},
	{"would decide it, at the agreement", overlapAdvice, func(v Verdict) bool {
		return v.MoreItems != nil && v.MoreItems.High != nil && *v.MoreItems.High > v.MoreItems.Low
	}},
	{"Get labels of two annotators on at least", overlapAdvice, func(v Verdict) bool { return v.shared < minSharedItems }},
	{"answers can differ", overlapAdvice, func(v Verdict) bool { return v.Outcome == NoVariation }},
}

// sentenceEnd matches the end of a sentence.
var sentenceEnd = regexp.MustCompile(`\.( |$)`)

// TestVerdict_Sentences_AreTrue checks that each part of a verdict's text is there if and only if its
// condition holds, and that it has at most two sentences, with random κ, intervals and numbers of items on both sides of every condition.
func TestVerdict_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(24, 0))
	holds, fails := make([]int, len(verdictCases)), make([]int, len(verdictCases))
	for range 3000 {
		κ, width, shared := 0.9*r.Float64()-0.05, 0.4*math.Pow(r.Float64(), 2)+0.02, 10+r.IntN(300)
		if r.IntN(20) == 0 {
			κ, width = 0.325, 0.085+0.01*r.Float64()
		}
		v := verdictOf(κ, κ-width*(0.8+0.4*r.Float64()), κ+width, shared)
		if r.IntN(20) == 0 {
			percent := study.AgreementFigure{Coefficient: "percent_agreement", Items: shared}
			v = newVerdict(FieldReport{Figures: []study.AgreementFigure{percent, {Coefficient: "shared_kappa", Variant: "linear", Number: study.MissingNumber(stats.NoVariation)}}}, 0.4)
		}
		if n := len(sentenceEnd.FindAllString(v.Message, -1)); n > 2 {
			t.Fatalf("%d sentences: %s", n, v.Message)
		}
		for i, c := range verdictCases {
			want := c.condition(v)
			if want {
				holds[i]++
			} else {
				fails[i]++
			}
			if got := strings.Contains(c.text(v), c.part); got != want {
				t.Fatalf("%q in %q (%s, %s): %t, want %t", c.part, c.text(v), v.Outcome, v.Overlap, got, want)
			}
		}
	}
	for i, c := range verdictCases {
		if holds[i] < 15 || fails[i] < 15 {
			t.Errorf("%q: its condition holds for %d verdicts and fails for %d", c.part, holds[i], fails[i])
		}
	}
}

// TestJudgeField_Sentences_AreTrue does the same for what a judge can be used for.
func TestJudgeField_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	loses := func(f JudgeField) bool {
		return f.Alternative.WinningRate != nil && !f.Alternative.isWon() && f.Alternative.Obstacle == ""
	}
	cases := []struct {
		part      string
		condition func(JudgeField) bool
	}{
		{"may replace an annotator: it wins", func(f JudgeField) bool { return f.Use == JudgeReplaces }},
		{"may not replace an annotator: it wins", func(f JudgeField) bool { return loses(f) }},
		{"Whether the judge may replace an annotator is not known: 3 of 30 items.", func(f JudgeField) bool { return f.Alternative.WinningRate == nil && f.Use == JudgeSupports }},
		{"Whether the judge may replace an annotator is not known: it wins", func(f JudgeField) bool { return f.Alternative.Obstacle.LacksData() }},
		{"but more items are needed. Label more items before the judge replaces an annotator; with its judgments of 900 further items", func(f JudgeField) bool { return f.Alternative.Obstacle.LacksData() && f.Use == JudgeSupports }},
		{"but more items are needed. Label more items before the judge replaces an annotator.", func(f JudgeField) bool { return f.Alternative.Obstacle.LacksData() && f.Use == JudgeUntested }},
		{"Not enough data: 3 of 30 items.", func(f JudgeField) bool {
			return f.Alternative.WinningRate == nil && f.Use == JudgeUntested && f.Estimate.Labels > 0
		}},
		{"Not judged: the judge gave no answers.", func(f JudgeField) bool { return f.Estimate.Labels == 0 }},
		{"give the precision of", func(f JudgeField) bool {
			return f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels >= 1.1*float64(f.Estimate.Labels)
		}},
		{"The judge adds nothing: the labels alone are about as precise.", func(f JudgeField) bool {
			return f.Use == JudgeFails && f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels > 100/1.1
		}},
		{"The judge adds nothing: the labels alone are more precise.", func(f JudgeField) bool {
			return f.Use == JudgeFails && f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels < 100/1.1
		}},
		{"Whether it supports estimates is not known: no item is labeled.", func(f JudgeField) bool {
			return loses(f) && f.Estimate.EquivalentLabels == nil
		}},
	}
	r, holds := rand.New(rand.NewPCG(25, 0)), make([]int, len(cases))
	const fields = 2000
	for range fields {
		f := JudgeField{Alternative: AlternativeTest{Undefined: "3 of 30 items", Annotators: make([]AlternativeResult, 3)}, Estimate: JudgeEstimate{Labels: 100, Judgments: 900, Undefined: "no item is labeled"}}
		if r.IntN(3) > 0 {
			f.Alternative.WinningRate = new(float64(r.IntN(4)) / 3)
		}
		if r.IntN(3) > 0 {
			f.Estimate.EquivalentLabels = new(80 + 60*r.Float64())
		}
		if !f.Alternative.isWon() && f.Alternative.WinningRate != nil && r.IntN(3) == 0 {
			f.Alternative.Obstacle, f.Alternative.Reason, f.Alternative.NextAction = judge.FewItems, "more items are needed", judge.FewItems.NextAction()
		}
		if f.Alternative.WinningRate == nil && f.Estimate.EquivalentLabels == nil && r.IntN(2) == 0 {
			f.Estimate.Labels, f.Estimate.Judgments = 0, 0
		}
		f.Use = f.chooseUse()
		text := f.describe()
		for i, c := range cases {
			want := c.condition(f)
			holds[i] += study.BoolToInt(want)
			if got := strings.Contains(text, c.part); got != want {
				t.Fatalf("%q in %q (%s): %t, want %t", c.part, text, f.Use, got, want)
			}
		}
	}
	for i, c := range cases {
		if holds[i] < 15 || holds[i] > fields-15 {
			t.Errorf("%q: its condition holds for %d of %d fields", c.part, holds[i], fields)
		}
	}
}
