package report_test

import (
	"fmt"
	"syscall"
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

// TestCalibrationBias_ManyAnnotators_TakesLinearTime checks that the biases of all annotators together take one pass
// over the calibration labels, not one for each annotator: eight times as many take eight times as much processor
// time, not 64. It does not run next to other tests, so that the time is its own.
func TestCalibrationBias_ManyAnnotators_TakesLinearTime(t *testing.T) {
	build := func(annotators int) time.Duration {
		d := newDataBuilder(t, "empathy")
		addReferences(d, 2)
		for a := range annotators {
			for i := range 2 {
				d.addLabel(project.ItemID(1000+i), fmt.Sprint("a", a), study.Calibration, 3, 4, -1, -1, -1)
			}
		}
		before := processorTime(t)
		r := d.build()
		used := processorTime(t) - before
		if len(r.Annotators) != annotators || len(r.Annotators[0].CalibrationBias) != 2 {
			t.Fatalf("%d annotators, %d fields", len(r.Annotators), len(r.Annotators[0].CalibrationBias))
		}
		return used
	}
	if few, many := build(1000), build(8000); many > 20*few {
		t.Errorf("%v for 1,000 annotators, %v for 8,000", few, many)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
