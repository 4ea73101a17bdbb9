package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

// TestGroupDifference_EqualPairs_HaveInterval has 60 pairs that all differ by the same, which no resample varies.
func TestGroupDifference_EqualPairs_HaveInterval(t *testing.T) {
	t.Parallel()
	for shift, want := range map[int]string{
		1: "“new” scores higher than “base”: within pairs +1.00 (95% CI +0.94 to +1.06, 60 pairs).",
		0: "No difference is shown: within pairs 0.00 (95% CI −0.06 to +0.06, 60 pairs). Differences of −0.06 to +0.06 remain possible.",
	} {
		d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(5, 5))
		for pair := range 60 {
			value := 1 + r.IntN(4)
			for side, system := range []string{"base", "new"} {
				id := d.addItem(func(item *study.ItemData) {
					item.Meta, item.PairID = map[string]string{"system": system}, fmt.Sprint(pair)
				})
				for _, name := range []string{"ada", "bo"} {
					v := value + shift*side
					d.addLabel(id, name, study.Work, v, v, v, v, v)
				}
			}
		}
		b := d.build().Breakdown
		if got := b.Groups[1].Fields[0].Difference; !strings.HasPrefix(got.Message, want) || got.Adjusted.Low != nil && (shift == 1 || *got.Adjusted.High > 0.9) {
			t.Errorf("shift %d: %s adjusted: %+v", shift, got.Message, got.Adjusted)
		}
	}
}
