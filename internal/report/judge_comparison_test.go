package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A twoSystemStudy is a study of two systems in records, of which a judge has answered all items and
// annotators have labeled some.
type twoSystemStudy struct {
	*dataBuilder
	r         *rand.Rand
	judgments map[project.ItemID]map[string]int
}

// newTwoSystemStudy adds n items of each system. The tuned one is better by the difference; the judge errs
// by one point now and then, and favors it.
func newTwoSystemStudy(t *testing.T, n int, difference float64) twoSystemStudy {
	d := twoSystemStudy{newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(12, 0)), map[project.ItemID]map[string]int{}}
	for i := range 2 * n {
		id := d.addItem(func(item *study.ItemData) {
			item.Meta, item.RecordID = map[string]string{"system": []string{"base", "tuned"}[i%2]}, fmt.Sprintf("r%d", i/2)
		})
		value := d.quality(id, difference)
		if d.r.Float64() < 0.3 {
			value = min(value+1+i%2, 5)
		}
		d.judgments[id] = map[string]int{"emotion": value}
		d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "judge 1", Values: d.judgments[id]})
	}
	return d
}

// quality returns the true score of an item. Items of a record share a part of it.
func (d twoSystemStudy) quality(id project.ItemID, difference float64) int {
	i := int(id) - 1
	r := rand.New(rand.NewPCG(13, uint64(i)))
	shared := rand.New(rand.NewPCG(14, uint64(i/2))).NormFloat64()
	return min(max(int(math.Round(2.5+difference*float64(i%2)+0.6*shared+0.8*r.NormFloat64())), 1), 5)
}

// label has annotators label items.
func (d twoSystemStudy) label(ids []project.ItemID, difference float64, annotators ...string) {
	for _, id := range ids {
		for _, name := range annotators {
			d.addLabel(id, name, study.Work, d.quality(id, difference))
		}
	}
}

func (d twoSystemStudy) comparison() *report.JudgeComparison {
	d.t.Helper()
	return d.build().Judges[0].Comparison
}

// of returns the difference in the judged field.
func of(c *report.JudgeComparison) report.JudgeDifference {
	return c.Differences[slices.IndexFunc(c.Differences, func(d report.JudgeDifference) bool { return d.Field == "emotion" })]
}

// itemIDs returns n ids from the first one on.
func itemIDs(first, n int) (ids []project.ItemID) {
	for i := range n {
		ids = append(ids, project.ItemID(first+i))
	}
	return ids
}

// TestJudgeComparison_ShowsMoreThanLabels plants a difference that is too small for the labels alone.
func TestJudgeComparison_ShowsMoreThanLabels(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 600, 0.3)
	s.label(itemIDs(1, 160), 0.3, "ada", "bo")
	r := s.build()
	c := r.Judges[0].Comparison
	d := of(c)
	if c.Column != "system" || d.Baseline != "base" || d.Value != "tuned" || d.Weighted || d.GroupItems != (report.JudgedCount{Labels: 80, Judgments: 520}) || d.BaselineItems != d.GroupItems {
		t.Errorf("comparison %+v", d)
	}
	all := r.Breakdown.Groups[1].Fields[0].Difference.AllItems
	checkNear(t, "difference of the labels", d.LabelsAlone.Value, *all.Value)
	if d.LabelsAlone.P == nil || d.WithJudge.P == nil || *d.WithJudge.P >= *d.LabelsAlone.P || *d.WithJudge.High-*d.WithJudge.Low >= *d.LabelsAlone.High-*d.LabelsAlone.Low || *d.EquivalentLabels < 200 {
		t.Errorf("with the judge %+v, labels alone %+v, as precise as %v", d.WithJudge, d.LabelsAlone, valueOrMissing(d.EquivalentLabels))
	}
	if d.Conclusion != report.Higher || *d.WithJudge.Low > 0.3 || *d.WithJudge.High < 0.3 {
		t.Errorf("%s: %+v", d.Conclusion, d.WithJudge)
	}
	for _, part := range []string{"With the judge, “tuned” scores higher than “base” on “Emotion recognition”.", "The labels alone do not show this difference."} {
		if text := strings.Join(append([]string{c.Message}, c.Notes...), " "); !strings.Contains(text, part) {
			t.Errorf("no %q in %q", part, text)
		}
	}
	for _, other := range c.Differences { // the judge has not answered the other fields
		if other.Field != "emotion" && (other.Conclusion != report.NoInterval || other.Undefined == "" || other.WithJudge.HolmP != nil) {
			t.Errorf("%s: %+v", other.Field, other)
		}
	}
	if *d.WithJudge.P != *d.WithJudge.HolmP {
		t.Errorf("p %v is adjusted to %v for a single estimate", *d.WithJudge.P, *d.WithJudge.HolmP)
	}
}

// TestJudgeComparison_Records_VaryTogether checks that items of a record are compared within it.
func TestJudgeComparison_Records_VaryTogether(t *testing.T) {
	t.Parallel()
	shared := newTwoSystemStudy(t, 400, 0.3)
	shared.label(itemIDs(1, 120), 0.3, "ada")
	together := of(shared.comparison())
	for i := range shared.Items {
		shared.Items[i].RecordID = ""
		shared.Items[i].MatchKey = ""
	}
	apart := of(shared.comparison())
	checkNear(t, "the difference", apart.WithJudge.Value, *together.WithJudge.Value)
	if width, wider := *together.LabelsAlone.High-*together.LabelsAlone.Low, *apart.LabelsAlone.High-*apart.LabelsAlone.Low; width > 0.95*wider {
		t.Errorf("width %.3f in records, %.3f without", width, wider)
	}
}

// TestJudgeComparison_DifferentAnnotators_Confounded has each system labeled by another annotator.
func TestJudgeComparison_DifferentAnnotators_Confounded(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 400, 0.8)
	for _, id := range itemIDs(1, 200) {
		s.label([]project.ItemID{id}, 0.8, []string{"ada", "bo"}[id%2])
	}
	if d := of(s.comparison()); d.Conclusion != report.Confounded || !strings.Contains(d.Message, "no annotators link the groups") {
		t.Errorf("%s: %s", d.Conclusion, d.Message)
	}
	s.label(itemIDs(1, 1), 0.8, "ada")
	if d := of(s.comparison()); d.Conclusion != report.Confounded || !strings.Contains(d.Message, "annotators labeled different shares of the groups") {
		t.Errorf("with one label that links the systems: %s: %s", d.Conclusion, d.Message)
	}
	for _, id := range itemIDs(3, 198) {
		s.label([]project.ItemID{id}, 0.8, []string{"bo", "ada"}[id%2])
	}
	if d := of(s.comparison()); d.Conclusion != report.Higher {
		t.Errorf("with the same annotators: %s: %s", d.Conclusion, d.Message)
	}
}

// TestJudgeComparison_Drawn_IsWeighted draws items of one system at other probabilities.
func TestJudgeComparison_Drawn_IsWeighted(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 300, 0.3)
	draw := study.LabelDraw{Batch: "next", Judge: "judge 1"}
	want := [2][2]float64{} // by system: weighted sum and weights
	for i, id := range itemIDs(1, 600) {
		probability := 0.2
		if s.judgments[id]["emotion"] == 1 {
			probability = 0.8
		}
		isDrawn := s.r.Float64() < probability
		draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: probability, IsDrawn: isDrawn})
		if isDrawn {
			s.label([]project.ItemID{id}, 0.3, "ada")
			want[i%2][0] += float64(s.quality(id, 0.3)) / probability
			want[i%2][1] += 1 / probability
		}
	}
	s.Draws = []study.LabelDraw{draw}
	d := of(s.comparison())
	if !d.Weighted || d.Undefined != "" {
		t.Fatalf("difference %+v", d)
	}
	checkNear(t, "the weighted difference", d.LabelsAlone.Value, want[1][0]/want[1][1]-want[0][0]/want[0][1])

	none := newTwoSystemStudy(t, 300, 0.3) // only items of one system were drawn
	none.label(itemIDs(1, 60), 0.3, "ada")
	for i := range draw.Items[60:] {
		draw.Items[60+i].IsDrawn = i%2 == 0
	}
	none.Draws = []study.LabelDraw{{Batch: "next", Judge: "judge 1", Items: draw.Items[60:]}}
	none.label([]project.ItemID{61, 63, 65, 67}, 0.3, "ada")
	if d := of(none.comparison()); d.Weighted || d.Conclusion == report.NoInterval {
		t.Errorf("with 4 labels of drawn items, %s: %s", d.Conclusion, d.Message)
	}
	for id := project.ItemID(69); id <= 129; id += 2 {
		none.label([]project.ItemID{id}, 0.3, "ada")
	}
	if d := of(none.comparison()); d.Conclusion != report.NoInterval || !strings.Contains(d.Message, "none of its drawn items has a label yet") {
		t.Errorf("%s: %s", d.Conclusion, d.Message)
	}
}

// TestJudge_Drawn_AllEstimatesAreWeighted computes the test against annotators, the bias at a consensus value
// and the confusion from the sampling probabilities.
func TestJudge_Drawn_AllEstimatesAreWeighted(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 300, 0.3)
	draw, sums := study.LabelDraw{Batch: "next", Judge: "judge 1"}, map[string]float64{}
	for _, id := range itemIDs(1, 600) {
		probability, value, judged := 0.3, s.quality(id, 0.3), s.judgments[id]["emotion"]
		if judged == 5 {
			probability = 0.9
		}
		isDrawn := s.r.Float64() < probability
		draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: probability, IsDrawn: isDrawn})
		if !isDrawn {
			continue
		}
		s.label([]project.ItemID{id}, 0.3, "ada", "bo") // they agree, so the judge wins if it agrees with them
		sums["all"] += 1 / probability
		if judged == value {
			sums["agrees"] += 1 / probability
		}
		if value == 4 {
			sums["at 4"] += 1 / probability
			sums["bias at 4"] += float64(judged-value) / probability
		}
	}
	s.Draws = []study.LabelDraw{draw}
	f := s.build().Judges[0].Fields[0]
	checkNear(t, "ρ", f.Alternative.AdvantageProbability, sums["agrees"]/sums["all"])
	checkNear(t, "the bias at 4", f.Bias[3].Value, sums["bias at 4"]/sums["at 4"])
	share := 0.0
	for i, row := range f.Weighted {
		share += row[i] / 600
	}
	checkNear(t, "the diagonal of the confusion", &share, sums["agrees"]/sums["all"])
	if f.Alternative.Annotators[0].Items != f.Estimate.Design.Drawn {
		t.Errorf("tested on %d of %d drawn items", f.Alternative.Annotators[0].Items, f.Estimate.Design.Drawn)
	}
}

// TestJudgeComparison_SmallGroup_IsHidden hides groups in which single answers could be recognized.
func TestJudgeComparison_SmallGroup_IsHidden(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 100, 0.3)
	s.label(itemIDs(1, 40), 0.3, "ada", "bo")
	s.Judgments = s.Judgments[34:] // three labeled items of each system have a judgment
	hidden := func(hide bool) report.JudgeDifference {
		r, err := report.Build(s.Data, report.BuildOptions{Resamples: 50, Seed: 1, HideSmallGroups: hide})
		if err != nil {
			t.Fatal(err)
		}
		return of(r.Judges[0].Comparison)
	}
	if d := hidden(true); d.LabelsAlone.Value != nil || d.WithJudge.Value != nil || !strings.Contains(d.Undefined, "too few labels") {
		t.Errorf("hidden: %+v", d)
	}
	if d := hidden(false); d.LabelsAlone.Value == nil {
		t.Errorf("not hidden: %+v", d)
	}
}

// TestJudgeComparison_ThreeGroups_ComparesAllPairs adjusts p for all pairs in both lists.
func TestJudgeComparison_ThreeGroups_ComparesAllPairs(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 300, 0.4)
	for i := range s.Items {
		if i%4 == 1 {
			s.Items[i].Meta["system"] = "other"
		}
	}
	s.label(itemIDs(1, 200), 0.4, "ada", "bo")
	c := s.comparison()
	count := func(list []report.JudgeDifference) (n int) {
		for _, d := range list {
			if d.Field == "emotion" {
				n++
			}
		}
		return n
	}
	if count(c.Differences) != 2 || count(c.AllPairs) != 3 || len(c.Groups()) != 2 {
		t.Fatalf("%d differences, %d pairs, groups %q", count(c.Differences), count(c.AllPairs), c.Groups())
	}
	for _, d := range c.AllPairs {
		if d.Field == "emotion" && d.Baseline == "base" && *d.WithJudge.HolmP < *d.WithJudge.P {
			t.Errorf("p %v is adjusted to %v", *d.WithJudge.P, *d.WithJudge.HolmP)
		}
		if d.Baseline == "base" && !slices.ContainsFunc(c.Differences, func(other report.JudgeDifference) bool {
			return other.Field == d.Field && other.Value == d.Value && reflect.DeepEqual(other, d)
		}) {
			t.Errorf("the difference from the first group is another one in the list of pairs: %+v", d)
		}
	}
}

// TestJudge_EqualLabels_HaveNoInterval checks that a report of labels without variation can be written.
func TestJudge_EqualLabels_HaveNoInterval(t *testing.T) {
	t.Parallel()
	s := newTwoSystemStudy(t, 50, 0)
	for _, id := range itemIDs(1, 40) {
		s.addLabel(id, "ada", study.Work, 3)
	}
	r := s.build()
	e, d := r.Judges[0].Fields[0].Estimate, of(r.Judges[0].Comparison)
	if e.LabelsAlone.Value == nil || e.LabelsAlone.Low != nil || e.EquivalentLabels != nil || !strings.Contains(e.Undefined, "the labels do not vary") || d.Conclusion != report.NoInterval {
		t.Errorf("estimate %+v, difference %+v", e, d)
	}
	if _, err := r.MarshalSnapshot(); err != nil {
		t.Error(err)
	}
}

// TestJudge_NoAnswers_IsSaid has a judge that answers one of two fields, and on the second one items of one group or of none.
func TestJudge_NoAnswers_IsSaid(t *testing.T) {
	t.Parallel()
	for groups := range 2 {
		d := newDataBuilder(t, "rag-generation")
		d.Protocol.Fields = d.Protocol.Fields[:2]
		for i := range 80 {
			id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": []string{"base", "new"}[i%2]} })
			d.addLabel(id, "ada", study.Work, i/2%2, i/2%2)
			values := map[string]int{d.Protocol.Fields[0].Key: i / 2 % 2}
			if i%2 < groups {
				values[d.Protocol.Fields[1].Key] = i / 2 % 2
			}
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: values})
		}
		judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1, Column: "system"})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range judges[0].Fields {
			const none, ofGroup = "the judge gave no answers", "the judge gave no answers to items of a group"
			wants := i == 1 && groups == 0
			if got := f.Estimate.Undefined; (got == none) != wants || strings.Contains(f.Message, none) != wants || f.Estimate.Note() != got {
				t.Errorf("%d groups, field %d: %q, %s", groups, i, got, f.Message)
			}
			if f.UseText() == report.NotJudged != wants || (f.Estimate.LabelsText() == report.NotJudged) != wants || !wants && f.Estimate.LabelsText() == "0" {
				t.Errorf("%d groups, field %d: %s, %s labeled", groups, i, f.UseText(), f.Estimate.LabelsText())
			}
			d := judges[0].Comparison.Differences[i]
			if want := []string{"40 and 40", map[int]string{0: "Not judged", 1: "– and 40"}[groups]}[i]; d.LabelCounts() != want {
				t.Errorf("%d groups, field %d: %q labeled, want %q", groups, i, d.LabelCounts(), want)
			}
			if with, alone := judges[0].Comparison.CountTested(); with != 0 || alone != 1 {
				t.Errorf("%d groups: %d comparisons with the judge, %d of labels", groups, with, alone)
			}
			if got := d; (got.Undefined == ofGroup) != (i == 1) || strings.Contains(got.Message, ofGroup) != (i == 1) {
				t.Errorf("%d groups, field %d: %q, %s", groups, i, got.Undefined, got.Message)
			}
		}
	}
}
