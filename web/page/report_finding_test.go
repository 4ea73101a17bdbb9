package page

import (
	"strconv"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/ui"
)

// The titles of pictures state figures of the picture, on both sides of each condition.
func TestFinding_StatesFigures(t *testing.T) {
	t.Parallel()
	fields := func(outcomes ...report.Outcome) (list []report.FieldReport) {
		for _, o := range outcomes {
			list = append(list, report.FieldReport{Title: "Tone", Verdict: report.Verdict{Outcome: o, IsConclusive: true}})
		}
		return list
	}
	values := func(texts ...string) (list []ui.Period) {
		for _, text := range texts {
			p := ui.Period{Text: text}
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				p.Value, p.Low, p.High = &v, new(v-0.2), new(v+0.2)
			}
			list = append(list, p)
		}
		return list
	}
	withoutInterval := values("0.31", "0.72")
	withoutInterval[1].Low, withoutInterval[1].High = nil, nil
	pair := func(first, second string, κ *float64) report.AnnotatorPair {
		return report.AnnotatorPair{First: first, Second: second, Kappa: study.AgreementFigure{Number: study.Number{Value: κ}}}
	}
	sharing := func(items int, p report.AnnotatorPair) report.AnnotatorPair {
		p.Kappa.Items = items
		return p
	}
	shown := func(at int, value, margin float64, items int) report.PointBias {
		return report.PointBias{Point: at, Items: items, Number: study.Number{Value: &value, Low: new(value - margin), High: new(value + margin)}}
	}
	point := func(at int, v *float64) report.PointBias {
		return report.PointBias{Point: at, Number: study.Number{Value: v}}
	}
	differences := func(conclusions ...report.Conclusion) (list []report.JudgeDifference) {
		for _, c := range conclusions {
			list = append(list, report.JudgeDifference{Value: "new", Baseline: "base", Conclusion: c})
		}
		return list
	}
	for _, tt := range []struct{ got, want string }{
		{goFinding(fields(report.Go)), "Tone: Go ahead"},
		{goFinding(fields(report.Go, report.Go)), "Go ahead with all 2 fields"},
		{goFinding(fields(report.Go, report.NotEnoughData, report.Rewrite)), "Go ahead with 1 of 3 fields"},
		{goFinding(fields(report.Revise, report.NotEnoughData)), "Go ahead with none of 2 fields"},
		{goFinding(fields(report.NotEnoughData, report.NotEnoughData)), "Not enough data for a verdict on any of 2 fields"},
		{equalFinding([][]int{{4, 1}, {1, 6}}, true, "pairs of answers are equal"), "5 of 6 pairs of answers are equal"},
		{equalFinding([][]int{{4, 1}, {1, 6}}, false, "answers are equal"), "10 of 12 answers are equal"},
		{equalFinding([][]int{{0, 0}, {0, 0}}, false, "answers are equal"), "there are no answers to compare"},
		{trendFinding("κ", values("0.31", "–", "0.72")), "κ rises from 0.31 in the first period to 0.72 in the last"},
		{trendFinding("κ", values("0.72", "0.5", "0.31")), "κ falls from 0.72 in the first period to 0.31 in the last"},
		{trendFinding("κ", values("0.31", "0.72", "–")), "κ rises from 0.31 in the first period to 0.72 in the last with a value"},
		{trendFinding("κ", values("–", "0.31", "0.72")), "κ rises from 0.31 in the first period with a value to 0.72 in the last"},
		{trendFinding("κ", values("0.31", "0.95", "0.70")), "no clear change of κ over time"},
		{trendFinding("κ", withoutInterval), "no clear change of κ over time"},
		{trendFinding("κ", values("–", "0.31")), "κ is 0.31 in the only period with a value"},
		{trendFinding("κ", values("–", "–")), "no period has a value"},
		{histogramFinding([]int{1, 2, 3}, []int{1, 5, 2}), "most often 2, in 5 of 8 answers"},
		{histogramFinding([]int{1, 2, 3}, []int{5, 1, 5}), "most often 1 and 3, each in 5 of 11 answers"},
		{histogramFinding([]int{1, 2, 3}, []int{0, 0, 0}), "no answers"},
		{driftFinding([]report.DriftSegment{{Mean: 3}, {Mean: 2.5}, {Mean: 4}}), "means from 2.50 to 4.00"},
		{driftFinding([]report.DriftSegment{{Mean: 3}, {Mean: 3.001}}), "every mean is 3.00"},
		{pairFinding([]report.AnnotatorPair{pair("a", "b", new(0.5)), pair("a", "c", nil), pair("b", "c", new(-0.1))}, 0), "lowest κ −0.10, b and c (no items)"},
		{pairFinding([]report.AnnotatorPair{sharing(20, pair("a", "b", new(0.5))), sharing(19, pair("b", "c", new(-1.0)))}, 20), "lowest κ 0.50, a and b (20 items)"},
		{pairFinding([]report.AnnotatorPair{sharing(19, pair("b", "c", new(-1.0)))}, 20), "no pair has a κ of 20 shared items or more"},
		{pairFinding([]report.AnnotatorPair{pair("a", "b", nil)}, 0), "no pair has a κ"},
		{pointFinding([]report.PointBias{shown(1, 0.5, 0.3, 10), point(2, nil), shown(3, -0.4, 0.2, 10), shown(4, 0.9, 0.1, 9), shown(5, -0.8, 0.8, 50)}), "largest clear difference +0.50, at 1, among values with 10 or more items"},
		{pointFinding([]report.PointBias{shown(1, 0.5, 0.3, 10), point(2, nil), shown(5, -0.8, 0.8, 50)}), "largest clear difference +0.50, at 1"},
		{pointFinding([]report.PointBias{shown(4, 0.9, 0.1, 9), shown(5, -0.8, 0.8, 50), point(3, new(-0.4))}), "no clear difference at any value with 10 or more items"},
		{pointFinding([]report.PointBias{shown(5, -0.8, 0.8, 50), point(3, new(-0.4))}), "no clear difference at any value"},
		{pointFinding([]report.PointBias{point(1, nil)}), "no clear difference at any value"},
		{judgeDifferenceFinding(differences(report.Higher, report.Lower, report.Higher)), "With the judge, “new” scores higher on 2 and lower on 1 of 3 fields than “base”"},
		{judgeDifferenceFinding(differences(report.NoDifferenceShown, report.Confounded)), "With the judge, “new” is not shown to differ from “base” on any of 2 fields"},
		{isolate("base"), "base"},
		{isolate("الأساس"), "\u2068الأساس\u2069"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
