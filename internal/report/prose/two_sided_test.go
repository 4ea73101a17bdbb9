package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	estimates "github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// pick returns a random value of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomNumber returns a number with or without an interval, or missing.
func randomNumber(r *rand.Rand) study.Number {
	n := study.Number{Reason: pick(r, stats.TooFewItems, stats.NoVariation, stats.NothingToCount, stats.NoOverlap,
		study.NoOtherAnnotator, stats.FewDisagreements,
		stats.NoCompleteQuery, study.ShortScale, study.ManyPairs, study.FewAdjudicatedItems, stats.ConstantDifference)}
	if value := r.Float64()*2 - 1; r.IntN(4) > 0 {
		n.Value = &value
		if r.IntN(3) > 0 {
			n.Low, n.High, n.Reason = new(value-0.2), new(value+0.2), ""
		}
	}
	return n
}

func randomField(r *rand.Rand, title string) agreement.Field {
	f := agreement.Field{Key: title, Title: title, Scale: []int{1, 2, 3}, Target: 0.4, SharedItems: 60,
		Verdict: pick(r, agreement.Verdicts...),
		Advice:  pick(r, agreement.Rewrite, agreement.Revise), Confusion: [][]int{{9, 4, 0}, {4, 9, r.IntN(9)},
			{0, 0, 9}},
		Boundaries: []agreement.Boundary{{Lower: 1, Upper: 2, AdjacentPairs: 4}, {Lower: 2, Upper: 3,
			AdjacentPairs: r.IntN(3)}}}
	value := 0.3 + r.Float64()/5
	if f.Verdict != agreement.Open || r.IntN(3) > 0 {
		f.Kappa.Value = &value
		if f.Verdict != agreement.Open || r.IntN(3) > 0 {
			f.Kappa.Low, f.Kappa.High, f.MeetsProbability = new(value-0.2), new(value+0.2), new(pick(r, 0.3, 0.5, 0.95))
		}
	}
	if r.IntN(2) == 0 {
		f.MoreItems = new(10 + r.IntN(100))
	}
	if f.Verdict == agreement.BelowTarget || f.Verdict == agreement.Open {
		for range r.IntN(3) {
			f.Causes = append(f.Causes, pick(r, agreement.Cause{Kind: agreement.OneAnnotator, Annotator: "a",
				KappaWithout: new(pick(r, 0.5, 0.7))},
				agreement.Cause{Kind: agreement.ConstantAnnotator, Annotator: "b", Answer: new(3)},
				agreement.Cause{Kind: agreement.SwappedScale},
				agreement.Cause{Kind: agreement.SwappedScale, Annotator: "c"},
				agreement.Cause{Kind: agreement.OneAnswer, Answer: new(1), Share: new(0.9)}))
		}
	}
	return f
}

func randomEffect(r *rand.Rand) ratereffect.FoundEffect {
	return ratereffect.FoundEffect{Effect: pick(r, ratereffect.Effects()...), Other: "z", IsEither: r.IntN(2) == 0,
		HasReferences: r.IntN(2) == 0,
		Value:         r.Float64() - 0.5, Low: -0.1, High: 0.1, Items: 40}
}

func randomGroups(r *rand.Rand) *comparison.Result {
	c := &comparison.Result{Column: "system", HiddenGroups: r.IntN(2), PairedBy: pick(r, "", comparison.PairedByColumn,
		comparison.PairedByRecord, comparison.PairedByInput)}
	for i := range 1 + r.IntN(2) {
		g := comparison.Group{Value: string(rune('A' + i)), LaterShare: pick(r, nil, new(0.0), new(0.5), new(1.0))}
		always := pick(r, "", comparison.NotShown)
		for _, field := range []string{"tone", "facts", "style"} {
			f := comparison.GroupField{Field: field, Mean: randomNumber(r)}
			if i > 0 {
				d := &comparison.Difference{IsShare: r.IntN(4) == 0, Conclusion: pick(r, comparison.Higher,
					comparison.Lower, comparison.NotShown, comparison.CannotBeTold),
					Primary: comparison.Estimate{Number: study.Number{Value: new(0.2), Low: new(-0.1), High: new(0.5)},
						Basis: pick(r, estimates.Paired, estimates.Adjusted, estimates.AllItems), Items: 9, Pairs: 9}}
				if always != "" {
					d.Conclusion = always
				}
				switch d.Conclusion {
				case comparison.NotShown:
					d.Detectable = new(0.4)
				case comparison.CannotBeTold:
					d.Reason = pick(r, estimates.TooFew, estimates.Confounded, estimates.LowAgreement)
				}
				f.Difference = d
			}
			g.Fields = append(g.Fields, f)
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}

var rateNames = []string{"topical_precision_at_k", "sufficiency_hit_at_k", "sufficiency_rate_at_k",
	"misleading_context_rate_at_k", "mrr_at_k", "ndcg_at_k", "grounding_presence_rate",
	"unsupported_claim_rate", "contradiction_rate", "citation_presence_rate", "conditional_fabrication_rate",
	"proper_action_rate", "on_topic_rate", "helpfulness_rate",
	"incompleteness_rate", "unsafe_content_rate"}

func randomMetrics(r *rand.Rand) report.MetricGroup {
	m := report.MetricGroup{Name: pick(r, report.RetrievalMetrics, report.GroundingMetrics, report.GenerationMetrics,
		report.VerdictMetrics, report.ObservationMetrics),
		Basis: report.MetricBasis{Count: 9, Unit: pick(r, report.Queries, report.SystemAnswers, report.JudgedItems,
			report.WorkLabels), TopK: r.IntN(2), EmptyQueries: r.IntN(2),
			AdjudicatedItems: r.IntN(2), AdjudicatedLabels: 2}, Sources: report.LabelSources{Single: r.IntN(2),
			Tied: r.IntN(2)}}
	if r.IntN(2) == 0 {
		m.Excluded = []report.Exclusion{{Count: 2, Unit: report.Queries, Reason: pick(r, report.UnlabeledChunks,
			report.UnlabeledFields, report.MissingRanks)}}
	}
	for range 12 * r.IntN(2) {
		rate := report.Rate{Name: pick(r, rateNames...), Number: randomNumber(r), SampleSize: 9, Ties: r.IntN(2)}
		if rate.Value != nil {
			if *rate.Value = max(0, *rate.Value); r.IntN(3) > 0 {
				rate.Lowest, rate.Highest = new(0.1), new(0.4)
			}
		}
		m.Rates = append(m.Rates, rate)
	}
	return m
}

func randomReport(r *rand.Rand) report.Report {
	rep := report.Report{Batch: pick(r, "", "one"), Counts: report.Counts{Work: r.IntN(4), SharedItems: pick(r, 9, 60)},
		Metrics: []report.MetricGroup{randomMetrics(r)}}
	for _, title := range []string{"tone", "facts", "style"}[:1+r.IntN(3)] {
		rep.Fields = append(rep.Fields, report.FieldReport{Field: randomField(r, title),
			ConsensusCounts: []report.ConsensusCount{{Method: stats.Tie, Items: r.IntN(2)}}})
	}
	for i := range pick(r, 0, 2, 7) {
		a := report.Annotator{Name: string(rune('a' + i))}
		for range pick(r, 0, 1) {
			a.RaterEffects = append(a.RaterEffects, randomEffect(r))
		}
		rep.Annotators = append(rep.Annotators, a)
	}
	if r.IntN(2) == 0 {
		rep.Breakdown = &report.Breakdown{Result: *randomGroups(r)}
	}
	if r.IntN(2) == 0 {
		rep.Judges = []judging.Judge{randomJudge(r)}
	}
	return rep
}

// writers write something random; each is called many times.
var writers = map[string]func(w Writer, r *rand.Rand){
	"report": func(w Writer, r *rand.Rand) { _ = w.WriteReport(io.Discard, randomReport(r)) },
	"judges": func(w Writer, r *rand.Rand) {
		judges := []judging.Judge{randomJudge(r)}
		if r.IntN(2) == 0 {
			judges[0].Comparison = &judging.Comparison{Column: "system"}
		}
		_ = w.WriteJudges(io.Discard, judges[:r.IntN(2)])
	},
	"judge field": func(w Writer, r *rand.Rand) { w.JudgeField(randomJudge(r).Fields[0]) },
	"judge reason": func(w Writer, r *rand.Rand) {
		w.JudgeReason(pick(r, "", judge.FewSharedItems, judge.FewLabels, judge.FewUnits, judge.FewUnitsOfGroup,
			judge.FewUnitsForGain, judge.FewRarerLabels,
			judge.SelectedLabels, judge.NoJudgedItems, judge.UnorderedValues, judge.NoVariation))
	},
	"field": func(w Writer, r *rand.Rand) {
		f := randomField(r, "tone")
		w.Field(f)
		w.Boundary(f)
	},
	"cause": func(w Writer, r *rand.Rand) {
		f := randomField(r, "tone")
		f.Kappa.Value = new(0.3)
		for _, c := range f.Causes {
			w.Cause(f, c)
		}
	},
	"effect": func(w Writer, r *rand.Rand) {
		f, e := randomEffect(r), w.Effects(ratereffect.Result{ScaleSpan: pick(r, 0, 4)})
		e.Found(f, f.Other)
		w.EffectAction(f.Effect)
	},
	"nothing found": func(w Writer, r *rand.Rand) {
		powers := []ratereffect.Power{{Effect: pick(r, ratereffect.Effects()...), Annotators: 4, Detectable: 0.4}}
		w.Effects(ratereffect.Result{ScaleSpan: pick(r, 0, 4)}).NothingFound(powers[:r.IntN(2)])
	},
	"groups": func(w Writer, r *rand.Rand) {
		c := randomGroups(r)
		w.GroupOrder(c)
		w.HiddenGroups(c)
		w.Pairing(c.PairedBy)
	},
	"difference": func(w Writer, r *rand.Rand) {
		for _, d := range randomGroups(r).Differences() {
			w.Difference("B", "A", d)
			w.ComparisonConclusion(d.Conclusion)
			return
		}
	},
	"metrics": func(w Writer, r *rand.Rand) {
		m := randomMetrics(r)
		w.Metric(m.Name)
		w.MetricBasis(m)
		w.MetricSources(m)
		w.MainRate(m)
	},
	"rate": func(w Writer, r *rand.Rand) {
		w.Rate(report.Rate{Name: pick(r, rateNames...)})
		w.Ties(report.Rate{Ties: r.IntN(2), Lowest: pick(r, nil, new(0.2)), Highest: new(0.3)})
	},
	"missing": func(w Writer, r *rand.Rand) { w.Missing(randomNumber(r)) },
	"agree": func(w Writer, r *rand.Rand) {
		i := stats.Interval{Units: 20 + r.IntN(20), IsShared: r.IntN(2) == 0, IsClustered: r.IntN(2) == 0,
			Resamples:         99,
			ConstantResamples: r.IntN(2), DroppedResamples: r.IntN(2)}
		i.Undefined = stats.Reason{Code: pick(r, "", stats.NoAnswers, stats.SingleAnnotator, stats.NoOverlap,
			stats.NoSharedItem, stats.UnusedValue, stats.NoVariation, stats.NoSharedVariation, stats.NoPairVariation,
			stats.FewVariedAnswers, stats.TooFewUnits, stats.FewResamples, stats.FewDisagreements,
			stats.ConstantResamples, stats.TooManyPairs), Value: pick(r, "", "2")}
		w.IntervalNote(i)
		w.ScaleNote(stats.AppliedScale{Note: pick(r, "", stats.UnorderedCategories, stats.NumbersInUse,
			stats.PointsInUse), Scale: stats.NamedScale{Names: pick(r, []string{"good"}, []string{"1", "good"})}})
	},
	"consensus": func(w Writer, r *rand.Rand) {
		w.ConsensusMethod(pick(r, append(report.ConsensusMethods, stats.DawidSkene)...))
	},
	"progress": func(w Writer, r *rand.Rand) {
		w.Progress(study.BuildProgress{Step: pick(r, "", study.StepReadLabels, study.StepAgreement, study.StepPairs,
			study.StepDisagreements, study.StepRaterEffects, study.StepAnnotator,
			study.StepGroups, study.StepMetrics)})
	},
	"calibration": func(w Writer, r *rand.Rand) {
		w.CalibrationBias([]report.CalibrationBias{{Field: "tone", Number: randomNumber(r)}}, strings.ToUpper)
	},
}

// TestTexts_EachAppearsAndDoesNot checks that each text of this package is written for some results and not for others
// of the same kind.
func TestTexts_EachAppearsAndDoesNot(t *testing.T) {
	t.Parallel()
	const runs = 1500
	isTwoSided, isSeen := map[string]bool{}, map[string]bool{}
	for name, write := range writers {
		r, seen := rand.New(rand.NewPCG(5, uint64(len(name)))), map[string]int{}
		for range runs {
			now := map[string]bool{}
			write(Writer{Locale: locale.German, onText: func(text string) { now[text] = true }}, r)
			for text := range now {
				seen[text]++
			}
		}
		for text, n := range seen {
			isSeen[text] = true
			isTwoSided[text] = isTwoSided[text] || n < runs
		}
	}
	texts := textsOf(t)
	for text := range texts {
		switch {
		case !isSeen[text]:
			t.Errorf("never written: %q", text)
		case !isTwoSided[text]:
			t.Errorf("always written: %q", text)
		}
	}
	if len(texts) < 150 {
		t.Errorf("only %d texts", len(texts))
	}
}

// textsOf returns the texts in calls of T in this package.
func textsOf(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
				s, isMethod := call.Fun.(*ast.SelectorExpr)
				literal, isLiteral := call.Args[0].(*ast.BasicLit)
				if isMethod && isLiteral && s.Sel.Name == "T" {
					text, _ := strconv.Unquote(literal.Value)
					texts[text] = true
				}
			}
			return true
		})
	}
	return texts
}
