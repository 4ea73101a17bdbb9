package report_test

import (
	"reflect"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// TestDrift_Breaks_AreWhereTheyWere: the first answers after breaks, also of two in one segment, and of one at its
// start.
func TestDrift_Breaks_AreWhereTheyWere(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	first := map[int]bool{4: true, 8: true, 11: true}
	since := 0
	for n := 1; n <= 20; n++ {
		if since++; n == 1 || first[n] {
			since = 0
		}
		d.addLabel(d.addItem(nil), "ada", study.Work, 3, 3, 3, 3, 3).ItemsSinceBreak = since
	}
	got := map[int][]int{}
	for _, s := range d.build().Annotators[0].Fields[0].Drift {
		got[s.From] = s.Breaks
	}
	if want := map[int][]int{1: {4}, 6: {8}, 11: {11}, 16: {}}; !reflect.DeepEqual(got, want) {
		t.Errorf("breaks %v, want %v", got, want)
	}
}
