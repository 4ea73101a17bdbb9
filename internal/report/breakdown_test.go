package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// addSystemItems adds eight items of two systems, labeled by ada and bo.
func addSystemItems(d *dataBuilder, system, other string) {
	for i := range 8 {
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"system": []string{system, other}[i%2], "source_system": []string{"x", "y"}[i/4]}
		})
		for _, annotator := range []string{"ada", "bo"} {
			l := d.addLabel(id, annotator, study.Work, 2+i%2, 3, 3, 3, 3)
			if i%2 == 1 {
				l.Observations = []string{"template_like"}
			}
		}
	}
}

func TestColumns_ExactName_ComesFirst(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addSystemItems(d, "one", "two")
	if r := d.build(); r.Breakdown.Column != "system" || len(r.Columns) != 2 {
		t.Errorf("columns %v: compared by %q", r.Columns, r.Breakdown.Column)
	}
}

func TestBreakdown_Baseline_ComesFirst(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addSystemItems(d, "gpt2_vanilla", "chain")
	breakdown := d.build().Breakdown
	if breakdown.Groups[0].Value != "gpt2_vanilla" || breakdown.Groups[1].Fields[0].Difference.Baseline != "gpt2_vanilla" {
		t.Fatalf("first group: %q", breakdown.Groups[0].Value)
	}
	checkNear(t, "difference", breakdown.Groups[1].Fields[0].Difference.AllItems.Value, 1)
}

func TestBreakdown_Observations_PerGroup(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addSystemItems(d, "base", "new")
	for _, g := range d.build().Breakdown.Groups {
		for _, r := range g.Observations {
			want := 0.0
			if g.Value == "new" && r.Name == "template_like" {
				want = 1
			}
			if checkNear(t, g.Value+" "+r.Name, r.Value, want); r.SampleSize != 8 {
				t.Errorf("%s of %s: %d labels", r.Name, g.Value, r.SampleSize)
			}
		}
	}
}

func TestBuild_EachStep_ReportsProgress(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addSystemItems(d, "base", "new")
	last, seen := study.BuildProgress{Done: -1}, map[string]bool{}
	if _, err := report.Build(d.Data, report.BuildOptions{Resamples: 20, OnProgress: func(p study.BuildProgress) {
		if p.Done != last.Done+1 || seen[p.Activity] {
			t.Errorf("step %+v after %+v", p, last)
		}
		last, seen[p.Activity] = p, true
	}}); err != nil {
		t.Fatal(err)
	}
	if last != (study.BuildProgress{Done: 21, Total: 21}) || !seen["rater effects"] { // 3 per field, 1 per annotator, 4 others
		t.Errorf("last step %+v of %v", last, seen)
	}
}
