package report_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A story is a study with one planted effect.
type story struct {
	careless   bool    // the third annotator gives every item the answer 3
	unclear    bool    // the annotators decide by chance between 3 and 4 in safety
	weak       bool    // the same, but only where the answer is 3 or 4
	difference int     // of every second item, in points
	judgeNoise float64 // probability of a random judgment in safety; 0: no judge
}

// build simulates 120 items with labels by three annotators in five fields.
func (s story) build(t *testing.T) report.Report {
	t.Helper()
	d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(7, 0))
	near := func(quality int, error float64) int {
		if r.Float64() < error {
			quality += 2*r.IntN(2) - 1
		}
		return min(max(quality, 1), 5)
	}
	for i := range 240 {
		quality := 1 + r.IntN(4)
		if i%2 == 1 {
			quality = min(quality+s.difference, 5)
		}
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"condition": []string{"base", "tuned"}[i%2]}
		})
		answers := func(error float64) []int {
			values := make([]int, 5)
			for f := range values {
				values[f] = near(quality, error)
			}
			return values
		}
		if i < 120 {
			for n, name := range []string{"ada", "bo", "cy"} {
				values := answers(0.2)
				if s.unclear {
					values[3] = 3 + r.IntN(2)
				}
				if s.weak && (quality == 3 || quality == 4) {
					values[3] = 3 + r.IntN(2)
				}
				if s.careless && n == 2 {
					values = []int{3, 3, 3, 3, 3}
				}
				d.addLabel(id, name, study.Work, values...)
			}
		}
		if s.judgeNoise > 0 {
			values := answers(0.2)
			if r.Float64() < s.judgeNoise {
				values[3] = 1 + r.IntN(5)
			}
			j := study.Judgment{ItemID: id, Judge: "judge 1", Values: map[string]int{}}
			for f, v := range values[:4] {
				j.Values[d.Protocol.Fields[f].Key] = v
			}
			d.Judgments = append(d.Judgments, j)
		}
	}
	return d.build()
}

// The first page alone shows each of five planted stories.
func TestSummarize_Stories_AreTold(t *testing.T) {
	t.Parallel()
	check := func(what, text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("%s: no %q in: %s", what, p, text)
			}
		}
	}
	good := story{}.build(t).Summarize()
	check("good study", good.Agreement.Text, "Agreement meets the target on all 5 fields.")
	if headline := strings.Join(good.Headline, " "); headline != "Agreement meets the target on all 5 fields." {
		t.Errorf("good study: %q", headline)
	}
	check("good study", good.Annotators.Text, "No rater effect found. What would have been found: ")
	check("good study", good.Comparison.Text, "No difference between “tuned” and “base” is shown.")
	check("good study", strings.Join(good.Comparison.Notes, " "), "Differences of −0.", " points remain possible")

	unclear := story{unclear: true}.build(t).Summarize()
	check("unclear boundary", unclear.Agreement.Text, "meets the target on 4 of 5 fields", "“Safety and boundaries” is far below the target")
	check("unclear boundary", strings.Join(unclear.Headline, " "), "on 4 of 5 fields; agreement on “Safety and boundaries” is far below the target.")
	check("unclear boundary", unclear.Notes[0].Text, "across the boundary between 3 and 4")
	check("unclear boundary", unclear.Agreement.Next.Text, "then rewrite the question")

	weak := story{weak: true}.build(t).Summarize()
	check("weak boundary", strings.Join(weak.Headline, " "), "Agreement meets the target on all 5 fields. Annotators hardly tell 3 from 4 on “Safety and boundaries”.")
	check("weak boundary", weak.Agreement.Next.Text, "then make the boundary between 3 and 4 clearer.")
	if len(weak.Notes) != 1 || len(weak.Notes[0].Titles) != 1 || weak.Notes[0].Titles[0] != "Safety and boundaries" {
		t.Errorf("weak boundary: %+v", weak.Notes)
	} else {
		check("weak boundary", weak.Notes[0].Text, "Agreement meets the target, but annotators choose between 3 and 4", "better than by chance")
	}

	careless := story{careless: true}.build(t).Summarize()
	check("careless annotator", careless.Annotators.Text, "1 of 3 annotators needs a look: cy (", "equal answers")
	check("careless annotator", strings.Join(careless.Headline, " "), "Agreement on all 5 fields is below the target. Without cy, agreement on all 5 fields meets the target.")
	check("careless annotator", careless.Annotators.Text, "lowers agreement on all 5 fields")
	if len(careless.Notes) != 1 || len(careless.Notes[0].Titles) != 5 {
		t.Errorf("careless annotator: %+v", careless.Notes)
	} else {
		check("careless annotator", careless.Notes[0].Text, "Without cy, κ is 0.", " instead of 0.2", "a significant rise on each. cy gave every shared item the same answer.")
	}
	if careless.Annotators.Next.Subject != "cy" {
		t.Errorf("next step %+v", careless.Annotators.Next)
	}

	better := story{difference: 1}.build(t).Summarize()
	check("better condition", better.Comparison.Text, "“tuned” scores higher than “base” on all 5 fields.")
	check("better condition", strings.Join(better.Headline, " "), "“tuned” scores higher than “base” on all 5 fields.")

	both := story{careless: true, difference: 1}.build(t).Summarize()
	check("better condition and careless annotator", strings.Join(both.Headline, " "), "Without cy, agreement on all 5 fields meets the target.", "“tuned” scores higher than “base” on all 5 fields.")
	check("better condition and careless annotator", strings.Join(both.Comparison.Notes, " "), "Without the answers of cy, the differences are +0.64 to +0.84 instead of +0.43 to +0.56.")

	unclearToo := story{unclear: true, difference: 1, judgeNoise: 1e-9}.build(t)
	check("better condition and unclear boundary", unclearToo.Summarize().Comparison.Text, "“tuned” scores higher than “base” on “Emotion recognition”, “Validation and warmth” and 2 other fields.")
	check("better condition and unclear boundary", strings.Join(unclearToo.Summarize().Comparison.Notes, " "), "On “Safety and boundaries” the answers are too unreliable to compare “tuned” and “base”.")
	check("judge and unclear boundary", unclearToo.Summarize().Judges.Text, "may replace an annotator on “Emotion recognition”, “Validation and warmth” and “Helpfulness and actionability”; it cannot be tested yet on “Safety and boundaries”, where annotators agree too little")
	if f := unclearToo.Judges[0].Fields[3]; f.Use != report.JudgeUntested || !strings.Contains(f.Message, "so there is no standard that it could meet. Clarify the guide, and test") {
		t.Errorf("judge and unclear boundary: %s: %s", f.Use, f.Message)
	}

	judge := story{judgeNoise: 1}.build(t)
	check("judge", judge.Summarize().Judges.Text, "“judge 1” may replace an annotator on", "on “Safety and boundaries”")
	check("judge", strings.Join(judge.Summarize().Headline, " "), "“judge 1” may replace an annotator on", "cannot be used on “Safety and boundaries”")
	for i, f := range judge.Judges[0].Fields[:4] {
		if got := f.Use == report.JudgeReplaces; got != (i < 3) {
			t.Errorf("%s: %s: %s", f.Field, f.Use, f.Message)
		}
	}
	if f := judge.Judges[0].Fields[4]; f.Use != report.JudgeUntested || f.SharedItems != 0 {
		t.Errorf("without judgments: %+v", f)
	}
}

// The test and the estimates use the annotators' work only.
func TestJudge_Duplicates_ChangeNothing(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 40 {
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, 1+i%4, 3, 3, 3, 3)
		d.addLabel(id, "bo", study.Work, 1+i%3, 3, 3, 3, 3)
		d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "j", Values: map[string]int{"emotion": 1 + i%4}})
	}
	before := d.build().Judges[0].Fields[0]
	for i := range 20 {
		d.addLabel(d.Items[i].ID, "ada", study.Duplicate, 5, 5, 5, 5, 5)
	}
	after := d.build()
	if f := after.Judges[0].Fields[0]; *f.Alternative.AdvantageProbability != *before.Alternative.AdvantageProbability || f.Estimate.Labels != 40 || *f.Estimate.LabelsAlone.Value != *before.Estimate.LabelsAlone.Value {
		t.Errorf("with duplicates %+v, without %+v", f.Alternative, before.Alternative)
	}
	if len(after.Annotators) != 2 {
		t.Errorf("%d annotators", len(after.Annotators))
	}
}
