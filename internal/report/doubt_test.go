package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A carelessStudy is a study of two systems in which some annotators give every item the same answer.
type carelessStudy struct {
	annotators, careless int
	difference           float64
	judgeError           float64 // of a judge; 0: none
	seed                 uint64
}

// build simulates 120 items with labels by all annotators in five fields.
func (s carelessStudy) build(t *testing.T) report.Report {
	t.Helper()
	d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(91, s.seed))
	quality := 0.0
	for i := range 120 {
		if i%2 == 0 {
			quality = 2 + 1.6*r.Float64() // of both systems
		} else {
			quality += s.difference
		}
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": []string{"base", "new"}[i%2]} })
		answer := func(deviation float64) int { return min(5, max(1, int(quality+deviation*r.NormFloat64()+0.5))) }
		answers := func(deviation float64) []int {
			return []int{answer(deviation), answer(deviation), answer(deviation), answer(deviation), answer(deviation)}
		}
		for n := range s.annotators {
			values := answers(0.3)
			if n < s.careless {
				values = []int{3, 3, 3, 3, 3}
			}
			d.addLabel(id, fmt.Sprintf("a-%d", n+1), study.Work, values...)
		}
		if s.judgeError > 0 {
			j := study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{}}
			for f, v := range answers(s.judgeError) {
				j.Values[d.Protocol.Fields[f].Key] = v
			}
			d.Judgments = append(d.Judgments, j)
		}
	}
	return d.build()
}

// TestComparison_CarelessAnnotator_IsLeftOut checks that the difference is also given without the answers of an
// annotator who is in question, that it is the planted one, and that a conclusion rests on both.
func TestComparison_CarelessAnnotator_IsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		study carelessStudy
		want  report.Conclusion
		text  string
	}{
		{carelessStudy{annotators: 3, careless: 1, difference: 1}, report.Higher, "; without a-1 +"},
		{carelessStudy{annotators: 2, careless: 1, difference: 1}, report.Higher, "; without a-1 +"},
		{carelessStudy{annotators: 3, careless: 1}, report.NoDifferenceShown, ", without a-1 "},
		{carelessStudy{annotators: 3, difference: 1}, report.Higher, "items)."},
	} {
		sum, with, n := 0.0, 0.0, 0.0
		for seed := range uint64(8) {
			c.study.seed = seed
			b := c.study.build(t).Breakdown
			for _, f := range b.Groups[1].Fields {
				d := f.Difference
				if (d.Without != nil) != (c.study.careless > 0) || d.Conclusion != c.want || !strings.Contains(strings.ReplaceAll(d.Message, "; without", ", without"), strings.ReplaceAll(c.text, "; without", ", without")) {
					t.Errorf("%+v: %s: %s", c.study, d.Conclusion, d.Message)
				}
				if n, with = n+1, with+*d.AllItems.Value; d.Without != nil {
					sum += *d.Without.AllItems.Value
				}
			}
		}
		if sum, with = sum/n, with/n; c.study.careless > 0 && (sum < c.study.difference-0.1 || sum > c.study.difference+0.1 || c.study.difference > 0 && with > 0.75*c.study.difference) {
			t.Errorf("%+v: without %.2f, with %.2f", c.study, sum, with)
		}
	}
}

// TestComparison_DifferenceOfOneAnnotator_IsNotShown has an annotator in question who alone prefers one system.
func TestComparison_DifferenceOfOneAnnotator_IsNotShown(t *testing.T) {
	t.Parallel()
	d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(92, 0))
	for i := range 120 {
		quality := 1 + r.IntN(5)
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": []string{"base", "new"}[i%2]} })
		for _, name := range []string{"ada", "bo"} {
			value := min(5, max(1, quality+r.IntN(5)/4))
			d.addLabel(id, name, study.Work, value, value, value, value, 1+(value+i)%5)
		}
		d.addLabel(id, "cy", study.Work, 1+4*(i%2), 1+4*(i%2), 1+4*(i%2), 1+4*(i%2), 1+4*(i%2))
	}
	built := d.build()
	f := built.Breakdown.Groups[1].Fields[0].Difference
	if f.Conclusion != report.DependsOnAnnotators || !strings.Contains(f.Message, "“new” scores higher than “base” with the answers of cy, but not clearly without them: over all items +") || !strings.HasSuffix(f.Message, " Look at the answers of cy before you draw a conclusion.") {
		t.Errorf("%s: %s", f.Conclusion, f.Message)
	}
	findings := built.Summarize()
	if !strings.Contains(findings.Comparison.Text, "depends on the answers of cy whether “new” and “base” differ on") || findings.Comparison.Next.Subject != "cy" || !strings.Contains(strings.Join(findings.Headline, " "), "t depends on the answers of cy") {
		t.Errorf("%+v\n%v", findings.Comparison, findings.Headline)
	}
}

// TestJudge_CarelessAnnotator_IsNoStandard checks that a judge may replace an annotator only if it meets the test without
// the answers of annotators in question, too.
func TestJudge_CarelessAnnotator_IsNoStandard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		study carelessStudy
		use   report.JudgeUse
		text  string
	}{
		{carelessStudy{annotators: 3, careless: 1, judgeError: 0.2, seed: 2}, report.JudgeReplaces, "; without the answers of a-1 it wins against 2 of 2."},
		{carelessStudy{annotators: 2, careless: 1, judgeError: 0.3}, report.JudgeUntested, "but without the answers of a-1 the test cannot be done"},
		{carelessStudy{annotators: 3, judgeError: 0.3}, report.JudgeReplaces, "it wins against 3 of 3 annotators (ω = 1.00, ε = 0.20)."},
	} {
		built := c.study.build(t)
		for _, f := range built.Judges[0].Fields[:3] { // not safety, which needs more risks
			if f.Use != c.use || !strings.Contains(f.Message, c.text) || (f.Alternative.Obstacle == judge.DependsOnAnnotators) != (c.use == report.JudgeUntested) {
				t.Errorf("%+v: %s: %s", c.study, f.Use, f.Message)
			}
		}
		findings := built.Summarize()
		if isOpen := c.use == report.JudgeUntested; isOpen == strings.Contains(findings.Judges.Text, "“critic” may replace an annotator on “Emotion recognition”") || isOpen && findings.Judges.Next.Subject != "a-1" {
			t.Errorf("%+v: %+v", c.study, findings.Judges)
		}
	}
}
