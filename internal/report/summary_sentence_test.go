package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A sentenceCase is a sentence of the summary and the condition under which it is true. The
// sentence is in the text if and only if the condition holds.
type sentenceCase struct {
	part      string // of the sentence
	text      func(Findings) string
	condition func(Report) bool
}

// joinFinding returns all texts of a finding but the next step.
func joinFinding(f Finding) string { return strings.Join(append([]string{f.Text}, f.Notes...), " ") }

func agreementText(s Findings) string  { return s.Agreement.Text }
func annotatorText(s Findings) string  { return joinFinding(s.Annotators) }
func metricText(s Findings) string     { return joinFinding(s.Metrics) }
func judgeText(s Findings) string      { return s.Judges.Text }
func judgeNext(s Findings) string      { return s.Judges.Next.Text }
func agreementNext(s Findings) string  { return s.Agreement.Next.Text }
func metricNext(s Findings) string     { return s.Metrics.Next.Text }
func comparedText(s Findings) string   { return joinFinding(s.Comparison) }
func comparisonNext(s Findings) string { return s.Comparison.Next.Text }

func annotatorNext(s Findings) string { return s.Annotators.Next.Text }

// countDetectedEffects counts the effects of which another annotator can be the one who is wrong, or all others.
func countDetectedEffects(a Annotator, isOpen bool) (n int) {
	for _, e := range a.RaterEffects {
		n += study.BoolToInt(e.IsEither == isOpen)
	}
	return n
}

// isOpenPairOf reports whether there are two annotators, one or both with effects of which either can be wrong.
func isOpenPairOf(r Report) bool {
	n := countDetected(r)
	return n > 0 && len(r.Annotators) == 2 && len(r.loweredBy("a-0"))+len(r.loweredBy("a-1")) == 0 && countDetectedEffects(r.Annotators[0], false)+countDetectedEffects(r.Annotators[1], false) == 0
}

func countOutcomes(r Report, holds func(Verdict) bool) (n int) {
	for _, f := range r.Fields {
		if holds(f.Verdict) {
			n++
		}
	}
	return n
}

func hasOutcome(holds func(Verdict) bool) func(Report) bool {
	return func(r Report) bool { return countOutcomes(r, holds) > 0 }
}

func isGo(v Verdict) bool { return v.Outcome == Go }

// countDetected returns the number of annotators with rater effects.
func countDetected(r Report) (annotators int) {
	for _, a := range r.Annotators {
		annotators += study.BoolToInt(len(a.RaterEffects) > 0)
	}
	return annotators
}

// hasTested reports whether a judge is tested on a field.
func hasTested(r Report) bool {
	return slices.ContainsFunc(r.Judges[0].Fields, func(f JudgeField) bool { return f.Use != JudgeUntested })
}

// hasUnlabeled reports whether a judge has answered an item without labels of two annotators.
func hasUnlabeled(r Report) bool {
	return slices.ContainsFunc(r.Judges[0].Fields, func(f JudgeField) bool { return f.HumanHuman.Items < f.Estimate.Labels })
}

// hasUntested reports whether there is a field that is not tested enough, with an obstacle or not, and a number of answers.
func hasUntested(o judge.Obstacle, answers int) func(Report) bool {
	return func(r Report) bool {
		return slices.ContainsFunc(r.Judges[0].Fields, func(f JudgeField) bool {
			return f.Use == JudgeUntested && f.Alternative.Obstacle == o && f.Estimate.Labels == answers
		})
	}
}

func hasUse(u JudgeUse) func(Report) bool {
	return func(r Report) bool {
		for _, j := range r.Judges {
			for _, f := range j.Fields {
				if f.Use == u {
					return true
				}
			}
		}
		return false
	}
}

func mainRate(r Report) (Rate, bool) {
	_, rate, ok := r.MainRates()
	return rate, ok
}

var sentenceCases = []sentenceCase{
	{"meets the target on all", agreementText, func(r Report) bool { return countOutcomes(r, isGo) == len(r.Fields) && len(r.Fields) > 1 }},
	{"meets the target", agreementText, hasOutcome(isGo)},
	{"is far below the target", agreementText, hasOutcome(func(v Verdict) bool { return v.Outcome == Rewrite })},
	{"is below the target", agreementText, hasOutcome(func(v Verdict) bool { return v.Outcome == Revise && v.IsConclusive || isUncertain(v, false, true) })},
	{"is below the target, and perhaps far below", agreementText, hasOutcome(func(v Verdict) bool { return isUncertain(v, false, true) })},
	{"is most likely below the target, but not far below", agreementText, hasOutcome(func(v Verdict) bool { return isUncertain(v, false, false) })},
	{"is close to the target", agreementText, hasOutcome(func(v Verdict) bool { return isUncertain(v, true, false) })},
	{"here is not enough data for a verdict on", agreementText, hasOutcome(func(v Verdict) bool { return v.Outcome == NotEnoughData && !v.hasAnnotatorCause() })},
	{"κ cannot decide on", agreementText, hasOutcome(func(v Verdict) bool {
		return v.Outcome == NoVariation || v.Outcome == DominantAnswer || v.Outcome == ConstantAnnotator || v.Outcome == NotEnoughData && v.hasAnnotatorCause()
	})},
	{"export the dataset", func(s Findings) string { return strings.ToLower(agreementNext(s)) }, func(r Report) bool { return countOutcomes(r, isGo) == len(r.Fields) && r.countTies() == 0 }},
	{"without a majority", agreementNext, func(r Report) bool { return countOutcomes(r, isGo) == len(r.Fields) && r.countTies() > 0 }},
	{"then rewrite the question", agreementNext, func(r Report) bool {
		f, ok := worstField(r)
		return ok && f.Verdict.Outcome == Rewrite && !f.hasOtherCause()
	}},
	{"ask the annotators how they read the ends", agreementNext, func(r Report) bool {
		f, ok := worstField(r)
		return ok && len(f.Verdict.Causes) > 0 && f.Verdict.Causes[0].Kind == SwappedScale && f.Verdict.Causes[0].Annotator == ""
	}},
	{"Look at the answers of", agreementNext, func(r Report) bool {
		f, ok := worstField(r)
		return ok && len(f.Verdict.Causes) > 0 && f.Verdict.Causes[0].Annotator != ""
	}},
	{"Read the disagreement on r-1 before", agreementNext, func(r Report) bool {
		f, ok := worstField(r)
		return ok && len(f.Verdict.Causes) > 0 && f.Verdict.Causes[0].Kind == OneRecord
	}},
	{"a look: a-", annotatorText, func(r Report) bool { n := countDetected(r); return n > 0 && !isOpenPairOf(r) }},
	{"the two annotators differ: a-", annotatorText, isOpenPairOf},
	{"whether a-0 or a-1 is right", annotatorText, isOpenPairOf},
	{"Nothing shows yet whether a-", annotatorText, func(r Report) bool {
		return slices.ContainsFunc(r.Annotators, func(a Annotator) bool {
			return countDetectedEffects(a, true) > 0 && countDetectedEffects(a, false) == 0
		})
	}},
	{"Look together at items on which the annotators differ.", annotatorNext, func(r Report) bool {
		n := countDetected(r)
		return n > 0 && !slices.ContainsFunc(r.Annotators, func(a Annotator) bool { return countDetectedEffects(a, false) > 0 })
	}},
	{"No rater effect found. What would have been found: 30% random answers.", annotatorText, func(r Report) bool {
		return countDetected(r) == 0 && len(r.RaterEffects.Powers) > 0
	}},
	{"too few shared items to look for rater effects", annotatorText, func(r Report) bool { return len(r.RaterEffects.Powers) == 0 }},
	{"decided one way or the other", metricText, func(r Report) bool {
		rate, ok := mainRate(r)
		return ok && rate.Ties > 0 && *rate.Lowest < *rate.Highest
	}},
	{"95% CI", metricText, func(r Report) bool {
		m, rate, ok := r.MainRates()
		return ok && rate.Low != nil && (m.Name != ObservationMetrics || *rate.Value > 0)
	}},
	{"No observation was ticked in", metricText, func(r Report) bool {
		m, rate, ok := r.MainRates()
		return ok && m.Name == ObservationMetrics && *rate.Value == 0
	}},
	{"Most frequent: Often", metricText, func(r Report) bool {
		m, rate, ok := r.MainRates()
		return ok && m.Name == ObservationMetrics && *rate.Value > 0
	}},
	{"not enough labels yet for a metric", metricText, func(r Report) bool { _, ok := mainRate(r); return !ok }},
	{"Adjudicate the ties", metricNext, func(r Report) bool {
		m, rate, ok := r.MainRates()
		return ok && rate.Ties > 0 && *rate.Lowest < *rate.Highest && m.incompleteQueries() == 0
	}},
	{"Label the remaining chunks", metricNext, func(r Report) bool { m, _, ok := r.MainRates(); return ok && m.incompleteQueries() > 0 }},
	{"” may replace an annotator on", judgeText, hasUse(JudgeReplaces)},
	{"supports estimates on", judgeText, hasUse(JudgeSupports)},
	{"cannot be used on", judgeText, hasUse(JudgeFails)},
	{"and whether it supports estimates is not known", judgeText, hasUse(JudgeNoReplacement)},
	{"is not tested enough on", judgeText, hasUntested("", 1)},
	{"gave no answers on", judgeText, hasUntested("", 0)},
	{"needs more records to show whether it may replace an annotator on", judgeText, hasUntested(judge.FewRecords, 1)},
	{"Label items of more records that the judge has answered, with two annotators.", judgeNext, func(r Report) bool {
		return hasUntested(judge.FewRecords, 1)(r) && !hasTested(r) && hasUnlabeled(r)
	}},
	{"Label items that the judge has answered, with two annotators.", judgeNext, func(r Report) bool {
		return !hasUntested(judge.FewRecords, 1)(r) && !hasTested(r) && hasUnlabeled(r)
	}},
	{"Let the judge answer items of more records, and have two annotators label them.", judgeNext, func(r Report) bool {
		return hasUntested(judge.FewRecords, 1)(r) && !hasTested(r) && !hasUnlabeled(r)
	}},
	{"Let the judge answer more items, and have two annotators label them.", judgeNext, func(r Report) bool {
		return !hasUntested(judge.FewRecords, 1)(r) && !hasTested(r) && !hasUnlabeled(r)
	}},
	{"“1” scores higher than “0” on “Field 0”.", comparedText, func(r Report) bool { return len(r.Breakdown.Groups) > 1 && isHigher(r, 1) }},
	{"“4” scores higher than “0” on “Field 0”.", comparedText, func(r Report) bool {
		return len(r.Breakdown.Groups) > 4 && isHigher(r, 4) && r.Breakdown.MainGroup() == 4
	}},
	{"more group", comparedText, func(r Report) bool { return len(r.Breakdown.Groups) > 3 }},
	{"same annotators label all groups", comparisonNext, func(r Report) bool {
		return len(r.Breakdown.Groups) > 1 && hasConfounded(r)
	}},
	{"hidden while a batch is open", comparedText, func(r Report) bool { return len(r.Breakdown.Groups) < 2 && r.Breakdown.HiddenGroups > 0 }},
	{"Read the differences", comparisonNext, func(r Report) bool {
		return len(r.Breakdown.Groups) > 1 && !hasConfounded(r)
	}},
	{"another column", comparisonNext, func(r Report) bool { return len(r.Breakdown.Groups) < 2 && len(r.Columns) > 1 }},
}

// worstField returns the field that the next step is about: the first one of the most severe outcome.
func worstField(r Report) (FieldReport, bool) {
	_, groups := r.groupByOutcome()
	if len(groups) == 0 {
		return FieldReport{}, false
	}
	return groups[0].fields[0], true
}

// hasOtherCause reports whether something other than the question comes first.
func (f FieldReport) hasOtherCause() bool {
	return len(f.Verdict.Causes) > 0 && f.Verdict.Causes[0].Kind != PrevalenceEffect
}

// No sentence of the summary is false: each is there if and only if its condition holds, and
// the random reports are on both sides of every condition.
func TestSummarize_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 0))
	holds, fails := make([]int, len(sentenceCases)), make([]int, len(sentenceCases))
	for range 2000 {
		report := randomReport(r)
		s := report.Summarize()
		for i, c := range sentenceCases {
			want := c.condition(report)
			if want {
				holds[i]++
			} else {
				fails[i]++
			}
			if got := strings.Contains(c.text(s), c.part); got != want {
				t.Fatalf("%q in %q: %v, want %v", c.part, c.text(s), got, want)
			}
		}
	}
	for i, c := range sentenceCases {
		if holds[i] < 20 || fails[i] < 20 {
			t.Errorf("%q: its condition holds in %d reports and fails in %d", c.part, holds[i], fails[i])
		}
	}
}

// Every field is in exactly one sentence on agreement, unless it is counted.
func TestSummarize_FewFields_NamesEach(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 0))
	for range 300 {
		report := randomReport(r)
		if len(report.Fields) > 2 {
			continue
		}
		text := report.Summarize().Agreement.Text
		for _, f := range report.Fields {
			if n := strings.Count(text, f.Title); n != 1 && !strings.Contains(text, "on all") {
				t.Fatalf("%s is named %d times: %s", f.Title, n, text)
			}
		}
	}
}

func TestChooseUse_Limits(t *testing.T) {
	t.Parallel()
	of := func(ω, equivalent *float64) JudgeUse {
		f := JudgeField{Alternative: AlternativeTest{WinningRate: ω, Undefined: "few"}, Estimate: JudgeEstimate{Labels: 100, EquivalentLabels: equivalent}}
		f.Use = f.chooseUse()
		return f.Use
	}
	value := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		ω, equivalent *float64
		want          JudgeUse
	}{
		{value(0.5), nil, JudgeReplaces}, {value(0.49), value(111), JudgeSupports}, {value(0.49), value(109), JudgeFails}, {value(0), nil, JudgeNoReplacement},
		{nil, value(111), JudgeSupports}, {nil, value(109), JudgeUntested}, {nil, nil, JudgeUntested},
	} {
		if got := of(tt.ω, tt.equivalent); got != tt.want {
			t.Errorf("ω %v, %v labels: %s, want %s", tt.ω, tt.equivalent, got, tt.want)
		}
	}
}

func isHigher(r Report, group int) bool {
	return r.Breakdown.Groups[group].Fields[0].Difference.Conclusion == comparison.Higher
}

func hasConfounded(r Report) bool {
	return slices.ContainsFunc(r.Breakdown.Differences(), func(d *comparison.Difference) bool { return d.Reason == "confounded" })
}
