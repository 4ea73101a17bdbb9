package report_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/report/study"
)

// TestBreakdown_Order_IsNoted has groups that are labeled one after the other, in either order, or mixed, or without times.
func TestBreakdown_Order_IsNoted(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{"base new": "nearly all items of “new” after “base”", "new base": "nearly all items of “new” before “base”", "mixed": "", "no times": ""} {
		d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(73, 0))
		d.Protocol.Fields = d.Protocol.Fields[:1]
		for i := range 80 {
			group := strings.Fields(order + " new")[boolToInt(i >= 40)]
			if order == "mixed" || order == "no times" {
				group = []string{"base", "new"}[i%2]
			}
			if order == "no times" {
				group = []string{"base", "new"}[boolToInt(i >= 40)]
			}
			id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": group} })
			for _, annotator := range []string{"ada", "bo"} {
				d.addLabel(id, annotator, study.Work, 1+r.IntN(5))
			}
		}
		for i := range d.Labels {
			if d.Labels[i].SubmittedAt = time.Unix(1_700_000_000+int64(i), 0); order == "no times" {
				d.Labels[i].SubmittedAt = time.Time{}
			}
		}
		built := d.build()
		text := strings.Join(built.Summarize().Comparison.Notes, " ")
		if isNoted := strings.Contains(text, "Annotators labeled nearly all items of"); isNoted != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: %s (%v)", order, text, *built.Breakdown.Groups[1].LaterShare)
		}
	}
}
