package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/comparison"
)

// addSystemItems adds eight items of two systems, labeled by ada and bo.
func addSystemItems(d *dataBuilder, system, other string) {
	for i := range 8 {
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"system": []string{system, other}[i%2],
				"source_system": []string{"x", "y"}[i/4]}
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
	b := d.build().Breakdown
	if b.Groups[0].Value != "gpt2_vanilla" || b.Groups[0].Fields[0].Difference != nil ||
		b.Groups[1].Fields[0].Difference.Reason != comparison.TooFew {
		t.Errorf("groups %+v", b.Groups)
	}
}
