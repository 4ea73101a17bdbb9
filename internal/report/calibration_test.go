package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
)

// addReferences adds n calibration items with a reference of 3 in every field.
func addReferences(d *dataBuilder, n int) {
	d.References = map[project.ItemID]map[string]int{}
	for i := range n {
		d.References[project.ItemID(1000+i)] = map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3,
			"safety": 3, "overall": 3}
	}
}

func TestCalibrationBias_Field_MeanDifference(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 12, 3)
	addReferences(d, 10)
	for i := range 10 {
		d.addLabel(project.ItemID(1000+i), "ada", study.Calibration, 3, 4, 3, 1+i%2*4, 3)
	}
	ada, _ := d.build().Annotator("ada")
	if len(ada.CalibrationBias) != 5 {
		t.Fatalf("%d fields with a bias", len(ada.CalibrationBias))
	}
	validation, safety := ada.CalibrationBias[1], ada.CalibrationBias[3]
	checkNear(t, "bias of validation", validation.Value, 1)
	if validation.Items != 10 || validation.Matches != 0 || validation.LargeDifferences != 0 || validation.Low != nil ||
		validation.Reason == "" {
		t.Errorf("equal differences: %+v", validation)
	}
	checkNear(t, "bias of safety", safety.Value, 0)
	if safety.LargeDifferences != 10 || safety.Low == nil || *safety.Low > -1 || safety.IsOneSided() {
		t.Errorf("half +2 and half −2: %+v", safety)
	}
	if bo, _ := d.build().Annotator("bo"); len(bo.CalibrationBias) != 0 {
		t.Errorf("no calibration: %+v", bo.CalibrationBias)
	}
}

func TestCalibrationBias_Retake_LatestCounts(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 12, 3)
	addReferences(d, 4)
	for _, score := range []int{5, 3} {
		for i := range 4 {
			d.addLabel(project.ItemID(1000+i), "ada", study.Calibration, score, -1, -1, -1, -1)
		}
	}
	ada, _ := d.build().Annotator("ada")
	if len(ada.CalibrationBias) != 1 || ada.CalibrationBias[0].Items != 4 || ada.CalibrationBias[0].Matches != 4 {
		t.Errorf("got %+v, want the second attempt", ada.CalibrationBias)
	}
}

// The differences are −1, 0, 1, 1 and 2: mean 0.6, standard deviation 1.1402. With
// t(0.975, 4) = 2.776 the interval is 0.6 ± 1.416.
func TestCalibrationBias_Interval_IsPaired(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 12, 3)
	addReferences(d, 5)
	for i, score := range []int{2, 3, 4, 4, 5} {
		d.addLabel(project.ItemID(1000+i), "ada", study.Calibration, score, -1, -1, -1, -1)
	}
	ada, _ := d.build().Annotator("ada")
	l := ada.CalibrationBias[0]
	checkNear(t, "bias", l.Value, 0.6)
	if l.Low == nil || *l.Low < -0.83 || *l.Low > -0.80 || *l.High < 2.00 || *l.High > 2.03 || l.LargeDifferences != 1 {
		t.Errorf("interval %s with %d large differences", l.SignedRange(), l.LargeDifferences)
	}
}

// The bias of all annotators together takes one pass over the calibration labels, not one for each
// annotator.
func TestCalibrationBias_ManyAnnotators_TakesLinearTime(t *testing.T) {
	t.Parallel()
	const annotators, items = 12_000, 4
	d := newDataBuilder(t, "empathy")
	addReferences(d, items)
	for a := range annotators {
		for i := range items {
			d.addLabel(project.ItemID(1000+i), fmt.Sprint("a", a), study.Calibration, 3, 4, -1, -1, -1)
		}
	}
	startedAt := time.Now()
	r := d.build()
	took := time.Since(startedAt)
	if len(r.Annotators) != annotators || len(r.Annotators[0].CalibrationBias) != 2 ||
		r.Annotators[0].CalibrationBias[0].Items != items || took > 10*time.Second {
		t.Errorf("%d annotators in %v", len(r.Annotators), took)
	}
}
