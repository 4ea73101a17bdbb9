package report_test

import (
	"encoding/json"
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

// newDrawnStudy returns a study with 300 labeled items of 1,000 that a judge has answered, and labels of items drawn from the others.
func newDrawnStudy(t *testing.T, drawn int) *dataBuilder {
	t.Helper()
	d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(1, 2))
	draw := study.LabelDraw{Batch: "next"}
	for i := range 1000 {
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"condition": fmt.Sprint(i % 2)} })
		quality := 2.5 + float64(i%2)/4 + 0.8*r.NormFloat64()
		answer := func(size float64) int { return min(5, max(1, int(math.Round(quality+size*r.NormFloat64())))) }
		if isDrawn := i >= 300 && i < 300+drawn; i < 300 || isDrawn {
			for a := range 3 {
				d.addLabel(id, fmt.Sprint("a-", a), study.Work, answer(0.5), answer(0.5), answer(0.5), answer(0.5), answer(0.5))
			}
		}
		if i >= 300 && drawn > 0 {
			draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: 0.05 + 0.1*float64(i%3), IsDrawn: i < 300+drawn})
		}
		judged := answer(0.6)
		d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "j", Values: map[string]int{"emotion": judged, "validation": judged, "helpfulness": judged, "safety": judged, "overall": judged}})
	}
	if drawn > 0 {
		d.Draws = []study.LabelDraw{draw}
	}
	return d
}

// TestJudge_FewDrawnLabels_ChangeNothing: fewer than 30 labels of drawn items do not replace the estimates from 300 others.
func TestJudge_FewDrawnLabels_ChangeNothing(t *testing.T) {
	t.Parallel()
	for _, drawn := range []int{0, 1, 29, 30} {
		d := newDrawnStudy(t, drawn)
		f := d.build().Judges[0].Fields[0]
		notes := strings.Join(d.build().Judges[0].DesignNotes(func(key string) string { return key }), " ")
		if isWeighted := drawn >= 30; (f.Estimate.Design != nil) != isWeighted || strings.Contains(notes, "weighted by 1 /") != isWeighted {
			t.Errorf("%d drawn labels: design %+v, %q", drawn, f.Estimate.Design, notes)
		}
		isWaiting := drawn > 0 && drawn < 30
		if want := fmt.Sprintf("Not counted yet: the labels of %d drawn item", drawn); strings.Contains(notes, want) != isWaiting || (f.Estimate.Waiting > 0) != isWaiting {
			t.Errorf("%d drawn labels: waiting %d, %q", drawn, f.Estimate.Waiting, notes)
		}
		if isWaiting && (f.SharedItems != 300 || f.Estimate.Labels != 300 || f.Estimate.Judgments != 700 || f.BlandAltman.Items != 300 || f.Alternative.Annotators[0].Items != 300) {
			t.Errorf("%d drawn labels: %d shared items, %+v", drawn, f.SharedItems, f.Estimate)
		}
		if f.Estimate.WithJudge.Low == nil {
			t.Errorf("%d drawn labels: %+v", drawn, f.Estimate)
		}
	}
}

// TestJudge_Disagreements_AreLargest compares the disagreements and the agreement on each answer with counts of pairs.
func TestJudge_Disagreements_AreLargest(t *testing.T) {
	t.Parallel()
	d := newDrawnStudy(t, 0)
	r := d.build()
	f := r.Judges[0].Fields[0]
	judged, both, either := map[project.ItemID]int{}, map[int]float64{}, map[int]float64{}
	for _, j := range d.Judgments {
		judged[j.ItemID] = j.Values["emotion"]
	}
	sums := map[project.ItemID]float64{}
	for _, l := range d.Labels {
		a, b := l.Values["emotion"], judged[l.ItemID]
		sums[l.ItemID] += float64(a) / 3
		either[a]++
		either[b]++
		if a == b {
			both[a] += 2
		}
	}
	var distances []float64
	for id, mean := range sums {
		if distance := math.Abs(float64(judged[id]) - mean); distance > 1e-9 {
			distances = append(distances, distance)
		}
	}
	slices.Sort(distances)
	slices.Reverse(distances)
	if f.DisagreementCount != len(distances) || len(f.Disagreements) != 20 {
		t.Errorf("%d disagreements, %d listed, want %d", f.DisagreementCount, len(f.Disagreements), len(distances))
	}
	for n, x := range f.Disagreements {
		if math.Abs(x.Distance-distances[n]) > 1e-9 || x.Judge != judged[x.ItemID] || len(x.Answers) != 3 {
			t.Errorf("disagreement %d: %+v, want distance %v", n, x, distances[n])
		}
	}
	for _, a := range f.Specific {
		if want := both[a.Answer] / either[a.Answer]; math.Abs(*a.Agreement.Value-want) > 1e-12 || a.Agreement.Low == nil || *a.Agreement.Low > want || *a.Agreement.High < want {
			t.Errorf("answer %d: %v, want %v", a.Answer, []float64{*a.Agreement.Value, *a.Agreement.Low, *a.Agreement.High}, want)
		}
	}
	text, err := r.MarshalSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	stored, err := report.UnmarshalSnapshot(text)
	if err != nil || !reflect.DeepEqual(stored.Judges[0].Fields[0].Disagreements, f.Disagreements) {
		t.Errorf("stored disagreements differ: %v", err)
	}
}

// TestJudge_Drawn_FiguresStayPossible: no interval of κ or of the agreement on an answer leaves its range, with few weighted labels.
func TestJudge_Drawn_FiguresStayPossible(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		d, r := newDataBuilder(t, "rag-generation"), rand.New(rand.NewPCG(seed, 2))
		draw := study.LabelDraw{Batch: "next"}
		for i := range 60 {
			id, answer := d.addItem(nil), boolToInt(r.IntN(3) == 0)
			if i < 35 {
				for a := range 2 {
					given := answer ^ boolToInt(r.IntN(20) == 0)
					d.addLabel(id, fmt.Sprint("a-", a), study.Work, given, given, given, given, given)
				}
			}
			draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: 0.2 + 0.7*r.Float64(), IsDrawn: i < 35})
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "j", Values: map[string]int{"helpful": answer}})
		}
		d.Draws = []study.LabelDraw{draw}
		text, _ := json.Marshal(d.build().Judges[0])
		for _, f := range d.build().Judges[0].Fields {
			numbers := []study.Number{f.HumanHuman.Number, f.HumanJudge.Number}
			for i := range f.Specific {
				numbers = append(numbers, f.Specific[i].Agreement.Number, f.HumanSpecific[i].Agreement.Number)
			}
			for n, x := range numbers {
				if least := []float64{-1, 0}[boolToInt(n > 1)]; x.Low != nil && (*x.Low < least || *x.High > 1) {
					t.Errorf("seed %d, %s: %v to %v in %.300s", seed, f.Field, *x.Low, *x.High, text)
				}
			}
		}
	}
}
