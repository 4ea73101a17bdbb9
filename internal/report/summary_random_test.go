package report

import (
	"fmt"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	difference "github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

func anyOf[T any](r *rand.Rand, options ...T) T { return options[r.IntN(len(options))] }

// randomReport returns a report with random findings; the conditions that some of them need
// together hold in some reports and not in others.
func randomReport(r *rand.Rand) Report {
	report := Report{Counts: Counts{Work: 40}}
	isGood := r.IntN(2) == 0
	outcomes := []Outcome{Go, Revise, Rewrite, NotEnoughData, NoVariation, DominantAnswer}
	if isGood {
		outcomes = outcomes[:1]
	}
	for i := range 1 + r.IntN(6) {
		f := FieldReport{Key: fmt.Sprintf("f%d", i), Title: fmt.Sprintf("Field %d", i), Scale: []int{1, 2, 3}, Verdict: Verdict{Outcome: anyOf(r, outcomes...), IsConclusive: r.IntN(2) == 0, Overlap: OverlapMoreItems, Message: "No."}}
		if f.Verdict.Outcome == Go {
			f.Verdict.IsConclusive = true
		}
		if f.Verdict.Outcome == Revise {
			above, below := r.Float64()/2, r.Float64()/2
			f.Verdict.GoProbability, f.Verdict.RewriteProbability = &above, &below
			if r.IntN(4) == 0 {
				above, below = above/5, below/5
			}
		}
		if r.IntN(3) == 0 {
			f.ConsensusCounts = []ConsensusCount{{Method: stats.Tie, Items: 1 + r.IntN(3)}}
		}
		if f.Verdict.Outcome != Go && r.IntN(3) == 0 {
			f.Verdict.Causes = []Cause{anyOf(r, Cause{Kind: PrevalenceEffect}, Cause{Kind: OneRecord, Record: "r-1"}, Cause{Kind: SwappedScale}, Cause{Kind: SwappedScale, Annotator: "b-1"})}
		}
		report.Fields = append(report.Fields, f)
	}
	if r.IntN(4) > 0 {
		report.RaterEffects.Powers = []ratereffect.Power{{Effect: ratereffect.Careless, Annotators: 3, Detectable: 0.3}}
	}
	for i := range 1 + r.IntN(5) {
		a := Annotator{Name: fmt.Sprintf("a-%d", i)}
		for _, effect := range []ratereffect.Effect{ratereffect.DifferentStandard, ratereffect.MissedRisks} {
			if len(report.RaterEffects.Powers) > 0 && r.IntN(4) == 0 {
				a.RaterEffects = append(a.RaterEffects, ratereffect.FoundEffect{Effect: effect, IsEither: effect == ratereffect.DifferentStandard && r.IntN(4) > 0})
			}
		}
		report.Annotators = append(report.Annotators, a)
	}
	report.Metrics = []MetricGroup{randomMetrics(r)}
	report.Judges = []Judge{{Name: "judge 1"}}
	hasTested, areShared := r.IntN(2) == 0, r.IntN(2) == 0
	for _, f := range report.Fields {
		field := JudgeField{Field: f.Key, Use: JudgeUntested, Estimate: JudgeEstimate{Labels: r.IntN(2)}}
		if areShared {
			field.HumanHuman.Items = field.Estimate.Labels
		}
		if hasTested && r.IntN(2) == 0 {
			field.Use = anyOf(r, JudgeReplaces, JudgeSupports, JudgeNoReplacement, JudgeFails)
		} else if field.Estimate.Labels > 0 && r.IntN(2) == 0 {
			field.Alternative.Obstacle, field.Alternative.ShortReason = judge.FewRecords, "more records are needed"
		}
		report.Judges[0].Fields = append(report.Judges[0].Fields, field)
	}
	report.Breakdown = &Breakdown{Result: comparison.Result{Column: "condition", HiddenGroups: r.IntN(3)}}
	report.Columns = []string{"condition", "topic"}[:1+r.IntN(2)]
	for i := range 1 + r.IntN(6) {
		g := comparison.Group{Value: fmt.Sprint(i), Fields: []comparison.GroupField{{Field: "f0"}}}
		if i > 0 {
			d := &comparison.Difference{Conclusion: anyOf(r, comparison.Higher, comparison.Higher, comparison.NotShown, comparison.CannotBeTold)}
			if g.Fields[0].Difference = d; d.Conclusion == comparison.CannotBeTold {
				d.Reason = anyOf(r, difference.Confounded, difference.TooFew)
			}
		}
		report.Breakdown.Groups = append(report.Breakdown.Groups, g)
	}
	return report
}

func randomMetrics(r *rand.Rand) MetricGroup {
	m := MetricGroup{Name: anyOf(r, RetrievalMetrics, GroundingMetrics, ObservationMetrics), Title: "Metrics"}
	if m.Name == ObservationMetrics {
		often := float64(r.IntN(2)) / 2
		m.Rates = []Rate{{Title: "Rare", SampleSize: 40, Number: study.Number{Value: new(often / 5)}}, {Title: "Often", SampleSize: 40, Number: study.Number{Value: &often, Low: &often, High: &often}}}
		return m
	}
	rate := Rate{Title: "Rate", SampleSize: 40}
	if r.IntN(4) > 0 {
		value, low, high := 0.5, 0.4, 0.6
		rate.Value = &value
		if r.IntN(2) == 0 {
			rate.Low, rate.High = &low, &high
		}
		lowest, highest := 0.5, 0.5
		if rate.Ties = r.IntN(3); rate.Ties > 0 {
			highest = 0.5 + 0.1*float64(r.IntN(2))
		}
		rate.Lowest, rate.Highest = &lowest, &highest
	}
	m.Rates = []Rate{rate}
	if r.IntN(3) == 0 {
		m.exclude(Exclusion{Count: 1 + r.IntN(3), Unit: Queries, Reason: UnlabeledChunks})
	}
	return m
}
