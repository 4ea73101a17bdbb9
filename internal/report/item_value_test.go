package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestComparison_Decisions_Count compares groups whose ties were decided, one group's as 1 and the other's as 0.
func TestComparison_Decisions_Count(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-generation")
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i := range 120 {
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"condition": []string{"base", "new"}[i%2]} })
		second := 1
		if i < 40 {
			second = 0
			d.Adjudicated[id] = map[string]int{"helpful": i % 2}
		}
		d.addLabel(id, "a-1", study.Work, 1, 1, 1, 0, 0)
		d.addLabel(id, "a-2", study.Work, 1, 1, second, 0, 0)
	}
	b := d.build().Breakdown
	for i, want := range []float64{40.0 / 60, 1} {
		if got := *b.Groups[i].Fields[2].Mean.Value; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: mean %v, want %v", b.Groups[i].Value, got, want)
		}
	}
	if d := b.Groups[1].Fields[2].Difference; math.Abs(*d.AllItems.Value-20.0/60) > 1e-12 {
		t.Errorf("difference %v", *d.AllItems.Value)
	}
	if note := b.ShareNote(); !strings.Contains(note, "rates count an item by its majority") {
		t.Errorf("yes/no fields: %q", note)
	}
	if note := b.DecisionNote(); b.DecidedItems != 40 || !strings.HasPrefix(note, "On 40 items, the decision counts") {
		t.Errorf("%d decided items: %q", b.DecidedItems, note)
	}
	clear(d.Adjudicated)
	if b := d.build().Breakdown; b.DecisionNote() != "" || *b.Groups[0].Fields[2].Mean.Value != 50.0/60 {
		t.Errorf("without decisions: %q, mean %v", b.DecisionNote(), *b.Groups[0].Fields[2].Mean.Value)
	}
}
