package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

// calibrated lays out calibration items with a reference of 3 everywhere.
func calibrated(d *deck, n int) {
	d.References = map[int64]map[string]int{}
	for i := range n {
		d.References[int64(1000+i)] = map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}
	}
}

func TestALeanIsOwnLessReferenceOverTheCalibrationItems(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 12, 3)
	calibrated(d, 10)
	for i := range 10 {
		d.label(int64(1000+i), "ada", report.Calibration, 3, 4, 3, 1+i%2*4, 3)
	}
	ada, _ := d.report().Annotator("ada")
	if len(ada.Lean) != 5 {
		t.Fatalf("%d fields have a lean", len(ada.Lean))
	}
	validation, safety := ada.Lean[1], ada.Lean[3]
	near(t, "the lean of validation", validation.Value, 1)
	if validation.N != 10 || validation.Equal != 0 || validation.Far != 0 || validation.Low != nil || validation.Missing() == "" {
		t.Errorf("where every difference is the same: %+v", validation)
	}
	near(t, "the lean of safety", safety.Value, 0)
	if safety.Far != 10 || safety.Low == nil || *safety.Low > -1 || safety.Tells() {
		t.Errorf("where half are 2 higher and half 2 lower: %+v", safety)
	}
	if bo, _ := d.report().Annotator("bo"); len(bo.Lean) != 0 {
		t.Errorf("without calibration there is a lean of %+v", bo.Lean)
	}
}

func TestOfACalibrationItemAnsweredAgainTheLatestAnswerCounts(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 12, 3)
	calibrated(d, 4)
	for _, score := range []int{5, 3} {
		for i := range 4 {
			d.label(int64(1000+i), "ada", report.Calibration, score, -1, -1, -1, -1)
		}
	}
	ada, _ := d.report().Annotator("ada")
	if len(ada.Lean) != 1 || ada.Lean[0].N != 4 || ada.Lean[0].Equal != 4 {
		t.Errorf("the lean is %+v, want that of the second time", ada.Lean)
	}
}

// The differences of these are −1, 0, 1, 1, 2: their mean is 0.6, their standard
// deviation 1.1402, and t(0.975, 4) is 2.776, so the interval reaches 1.416.
func TestTheIntervalOfALeanIsThatOfAMeanOfDifferences(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 12, 3)
	calibrated(d, 5)
	for i, score := range []int{2, 3, 4, 4, 5} {
		d.label(int64(1000+i), "ada", report.Calibration, score, -1, -1, -1, -1)
	}
	ada, _ := d.report().Annotator("ada")
	l := ada.Lean[0]
	near(t, "the lean", l.Value, 0.6)
	if l.Low == nil || *l.Low < -0.83 || *l.Low > -0.80 || *l.High < 2.00 || *l.High > 2.03 || l.Far != 1 {
		t.Errorf("the interval is %s with %d far apart", l.SignedRange(), l.Far)
	}
}
