package report_test

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// TestPairs_ManyAnnotators_AreLimited has a crowd whose report would list a million pairs.
func TestPairs_ManyAnnotators_AreLimited(t *testing.T) {
	t.Parallel()
	for annotators, want := range map[int]int{40: 780, 150: 4950} {
		d := newDataBuilder(t, "empathy")
		d.Protocol.Fields = d.Protocol.Fields[:1]
		for i := range 24 {
			id := d.addItem(nil)
			for g := range annotators {
				if i > 20 && g > 1 {
					continue // the first two share most
				}
				d.addLabel(id, fmt.Sprintf("a-%03d", g), study.Work, 1+(i+g/7)%5)
			}
		}
		pairs := d.build().Fields[0].Pairs
		if len(pairs) != want || pairs[0].First != "a-000" || pairs[0].Second != "a-001" ||
			pairs[0].PercentAgreement.Items != 24 {
			t.Errorf("%d annotators: %d pairs, want %d: %+v", annotators, len(pairs), want, pairs[0])
		}
	}
}
