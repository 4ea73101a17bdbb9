package report_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// addRated adds items with labels by three annotators: the sum of an item, an annotator and an error. It returns the
// values.
func addRated(d *dataBuilder, r *rand.Rand, items int) [][]float64 {
	values := make([][]float64, items)
	for i := range values {
		id, truth := d.addItem(nil), 3+1.1*r.NormFloat64()
		for a, name := range []string{"ada", "bo", "cy"} {
			v := int(math.Round(min(5, max(1, truth+0.6*float64(a-1)+0.7*r.NormFloat64()))))
			values[i] = append(values[i], float64(v))
			d.addLabel(id, name, study.Work, v, v, 3, 3, 3)
		}
	}
	return values
}

// analyzeVariance returns the reliability of the mean of k labels by the mean squares of a complete table of items and
// annotators (Shrout & Fleiss 1979, Psychological Bulletin 86, ICC(2, k)).
func analyzeVariance(values [][]float64, k float64) float64 {
	n, m := float64(len(values)), float64(len(values[0]))
	grand, byAnnotator := 0.0, make([]float64, len(values[0]))
	for _, row := range values {
		for a, v := range row {
			grand, byAnnotator[a] = grand+v/(n*m), byAnnotator[a]+v/n
		}
	}
	items, annotators, total := 0.0, 0.0, 0.0
	for _, row := range values {
		mean := 0.0
		for _, v := range row {
			mean += v / m
			total += (v - grand) * (v - grand)
		}
		items += m * (mean - grand) * (mean - grand)
	}
	for _, mean := range byAnnotator {
		annotators += n * (mean - grand) * (mean - grand)
	}
	msi, msa := items/(n-1), annotators/(m-1)
	mse := (total - items - annotators) / ((n - 1) * (m - 1))
	item, annotator := (msi-mse)/m, (msa-mse)/n
	return item / (item + (annotator+mse)/k)
}

// In a complete table, variances by restricted maximum likelihood are those of an analysis of variance.
func TestReliability_CompleteTable_EqualsAnalysisOfVariance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		d := newDataBuilder(t, "empathy")
		values := addRated(d, rand.New(rand.NewPCG(seed, 1)), 60)
		r := d.build()
		f := d.mustField(r, "emotion")
		if len(f.Reliability) != 4 {
			t.Fatalf("reliability %+v", f.Reliability)
		}
		for _, got := range f.Reliability {
			if want := analyzeVariance(values, float64(got.Labels)); math.Abs(got.Value-want) > 1e-3 {
				t.Errorf("seed %d: %d labels: %.4f, want %.4f", seed, got.Labels, got.Value, want)
			}
		}
		if constant := d.mustField(r, "safety"); len(constant.Reliability) != 0 {
			t.Errorf("answers that do not vary have a reliability: %+v", constant.Reliability)
		}
	}
}

// TestHardItems_LargestSpreadFirst has items on which annotators differ, and one annotator who is a point stricter on
// all.
func TestHardItems_LargestSpreadFirst(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 60 {
		low, high := 2+i%3, 2+i%3
		switch i {
		case 20:
			low, high = 1, 5
		case 40:
			low, high = 2, 4
		}
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, low, 3, 3, 3, 3)
		d.addLabel(id, "bo", study.Work, high, 3, 3, 3, 3)
		d.addLabel(id, "cy", study.Work, max(1, low-1), 3, 3, 3, 3) // stricter
	}
	r := d.build()
	if len(r.HardItems) != 10 || r.HardItems[0].Item != "i021" || r.HardItems[1].Item != "i041" ||
		r.HardItems[0].Field != "emotion" {
		t.Fatalf("hardest items %+v", r.HardItems)
	}
	if rest := r.HardItems[2].Spread; rest > r.HardItems[1].Spread/3 {
		t.Errorf("a stricter annotator makes items difficult: %v next to %v", rest, r.HardItems[1].Spread)
	}
	text, err := r.MarshalSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	if restored := mustRestore(t, text); restored.HardItems[0] != r.HardItems[0] {
		t.Errorf("restored %+v, want %+v", restored.HardItems[0], r.HardItems[0])
	}
}
