package comparison

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// newStudy returns labels of items of two groups in turn, two of some annotators each. Items of a pair have one record.
func newStudy(items, annotators int, difference float64, arePaired bool, r *rand.Rand) Data {
	d := Data{Annotators: annotators, Step: 1}
	for i := range items {
		record := i
		if arePaired {
			record = i / 2
			d.PairOf = append(d.PairOf, int32(record))
		}
		quality := 3 + difference*float64(i%2) + 0.8*r.NormFloat64()
		for _, g := range r.Perm(annotators)[:2] {
			d.Labels = append(d.Labels, mixed.Label{Value: quality + 0.5*r.NormFloat64(), Record: int32(record),
				Item: int32(i), Annotator: int32(g), Condition: int32(i % 2)})
		}
	}
	return d
}

func TestCompare_Design_ChoosesBasis(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	half := newStudy(80, 4, 1, true, r)
	for i := range 40 {
		half.PairOf[i] = -1
	}
	oneRecord := newStudy(80, 4, 1, false, r)
	for i, l := range oneRecord.Labels {
		oneRecord.Labels[i].Record = l.Condition
	}
	for name, tt := range map[string]struct {
		data   Data
		basis  Basis
		reason Reason
	}{
		"pairs":                    {newStudy(80, 4, 1, true, r), Paired, ""},
		"half in pairs":            {half, Adjusted, ""},
		"different shares":         {newStudy(80, 4, 1, false, r), Adjusted, ""},
		"all annotators label all": {newStudy(80, 2, 1, false, r), AllItems, ""},
		"four items in a group":    {newStudy(8, 2, 1, false, r), "", TooFew},
		"one record in a group":    {oneRecord, "", TooFew},
		"each group has an annotator": {Data{Annotators: 2, Step: 1,
			Labels: separate(newStudy(80, 2, 1, false, r).Labels)}, "", Confounded},
	} {
		got := Compare(tt.data)
		if got.Reason != tt.reason || got.Primary.Basis != tt.basis {
			t.Errorf("%s: %q by %q, want %q by %q", name, got.Reason, got.Primary.Basis, tt.reason, tt.basis)
		}
		if e := got.Primary; tt.reason == "" && (math.Abs(e.Value-1) > 3*e.Error || e.PValue > 0.01) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// separate returns the labels of which each annotator labels one group.
func separate(labels []mixed.Label) (list []mixed.Label) {
	for _, l := range labels {
		if l.Annotator == l.Condition {
			list = append(list, l)
		}
	}
	return list
}

// Answers that do not vary give an interval that allows for one other item in each group.
func TestCompare_EqualAnswers_HasInterval(t *testing.T) {
	t.Parallel()
	d := newStudy(40, 2, 0, false, rand.New(rand.NewPCG(1, 2)))
	for i := range d.Labels {
		d.Labels[i].Value = float64(d.Labels[i].Condition)
	}
	if e := Compare(d).Primary; math.Abs(e.Value-1) > 1e-9 || e.Low > 0.9 || e.Low < 0.8 || e.PValue > 0.001 {
		t.Errorf("%+v", e)
	}
}

// A planned difference is shown in about 80% of studies, and the planned items are the fewest.
func TestPlan_Items_GivePower(t *testing.T) {
	t.Parallel()
	a := Assumptions{Kappa: 0.64 / 0.89, Deviation: math.Sqrt(0.89)}
	items := a.PlanItems(0.5, 2)
	if a.PlanDetectable(items, 2) > 0.5 || a.PlanDetectable(items-2, 2) < 0.5 {
		t.Errorf("%d items detect %.3f", items, a.PlanDetectable(items, 2))
	}
	r, shown, studies := rand.New(rand.NewPCG(3, 4)), 0, 300
	for range studies {
		if Compare(newStudy(items, 3, 0.5, false, r)).Primary.PValue < level {
			shown++
		}
	}
	if share := float64(shown) / float64(studies); share < 0.73 || share > 0.87 {
		t.Errorf("shown in %.3f of studies with %d items", share, items)
	}
}

const level = 0.05
