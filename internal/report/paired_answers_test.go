package report

import (
	"strings"
	"testing"
)

// The interval of κ with others is over items, unless items share records.
func TestKappaWithOthers_NamesUnits(t *testing.T) {
	t.Parallel()
	d, _ := simulatedQueries{20, 0.1, 6}.simulate(t, 2)
	for _, isClustered := range []bool{true, false} {
		if !isClustered {
			for i := range d.Items {
				d.Items[i].RecordID = ""
			}
		}
		r, err := Build(d, BuildOptions{Resamples: 20})
		if err != nil {
			t.Fatal(err)
		}
		note := r.Annotators[0].Fields[0].Kappa.IntervalNote
		if strings.Contains(note, " clusters") != isClustered || strings.Contains(note, " items") == isClustered {
			t.Errorf("items share records: %t, and κ with others %s", isClustered, note)
		}
	}
}
