package report_test

import (
	"math"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// newLenientStudy has three annotators who agree, and all score one point too high. The right
// answers are 1 to 4.
func newLenientStudy(t *testing.T) *dataBuilder {
	t.Helper()
	d := newDataBuilder(t, "empathy")
	for i := range 40 {
		id := d.addItem(nil)
		for _, name := range []string{"ada", "bo", "cy"} {
			v := 2 + i%4
			d.addLabel(id, name, study.Work, v, 2+(i+1)%4, 2+(i+2)%4, 2+(i/2)%4, v)
		}
	}
	return d
}

// rightAnswers are one point below those of the study.
func rightAnswers(d *dataBuilder, l study.Label) map[string]int {
	right := map[string]int{}
	for _, f := range d.Protocol.Fields {
		right[f.Key] = l.Values[f.Key] - 1
	}
	return right
}

func countLenient(r report.Report) (n int) {
	for _, a := range r.Annotators {
		for _, e := range a.RaterEffects {
			n += boolToInt(e.Effect == ratereffect.DifferentStandard && e.HasReferences &&
				math.Abs(e.Value-0.25) < 1e-9)
		}
	}
	return n
}

func TestRaterEffects_Shared_FoundByKnownAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		add  func(d *dataBuilder)
		want int
	}{
		{"no known answers", func(*dataBuilder) {}, 0},
		{"ten adjudicated items", func(d *dataBuilder) { adjudicate(d, 10) }, 0},
		{"ten calibration items", func(d *dataBuilder) { calibrate(d, 1) }, 3},
		{"right only in the second attempt", func(d *dataBuilder) { calibrate(d, 1); calibrate(d, 0) }, 3},
		{"right in the first attempt", func(d *dataBuilder) { calibrate(d, 0); calibrate(d, 1) }, 0},
	} {
		d := newLenientStudy(t)
		tt.add(d)
		if n := countLenient(d.build()); n != tt.want {
			t.Errorf("%s: leniency is found in %d annotators, want %d", tt.name, n, tt.want)
		}
	}
}

// adjudicate decides n items.
func adjudicate(d *dataBuilder, n int) {
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i := range n {
		d.Adjudicated[d.Labels[3*i].ItemID] = rightAnswers(d, d.Labels[3*i])
	}
}

// calibrate adds an attempt at ten calibration items that are scored too high by some points.
func calibrate(d *dataBuilder, points int) {
	d.References = map[project.ItemID]map[string]int{}
	for i := range 10 {
		id := project.ItemID(1000 + i)
		d.References[id] = rightAnswers(d, d.Labels[3*i])
		for _, name := range []string{"ada", "bo", "cy"} {
			l := d.addLabel(id, name, study.Calibration)
			for key, value := range d.References[id] {
				l.Values[key] = value + points
			}
		}
	}
}
