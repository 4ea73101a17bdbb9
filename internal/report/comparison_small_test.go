package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// buildSmall returns the comparison of a few items of “new” with items of “base”, on a scale or on a
// yes/no field, without a difference.
func buildSmall(t *testing.T, protocol string, base, few, perRecord int, seed uint64) *report.Breakdown {
	t.Helper()
	d, r := newDataBuilder(t, protocol), rand.New(rand.NewPCG(seed, 21))
	for i := range base + few {
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"system": []string{"base", "new"}[boolToInt(i >= base)]}
			item.RecordID, item.MatchKey = fmt.Sprint(boolToInt(i >= base), "-", i/perRecord), fmt.Sprint("k", i)
		})
		for g := range 2 {
			values := make([]int, len(d.Data.Protocol.Fields))
			for f := range values {
				points := d.Data.Protocol.Fields[f].Scale.Values()
				if values[f] = points[r.IntN(len(points))]; len(points) == 2 {
					values[f] = boolToInt(r.IntN(4) == 0)
				}
			}
			d.addLabel(id, fmt.Sprint("a", (i+g)%3), study.Work, values...)
		}
	}
	return d.build().Breakdown
}

// TestComparison_SmallGroup_HasNoInterval compares groups of one to nine items or records with larger
// ones: no estimate has an interval or a p-value, and no sentence says that one scores higher.
func TestComparison_SmallGroup_HasNoInterval(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"empathy", "rag-generation"} {
		for _, design := range [][3]int{{30, 1, 1}, {30, 3, 1}, {9, 3, 1}, {30, 9, 1}, {30, 10, 1}, {60, 27, 3}, {60, 30, 3}} {
			isSmall := design[1]/design[2] < stats.MinIntervalUnits
			for seed := range uint64(3) {
				b := buildSmall(t, protocol, design[0], design[1], design[2], seed)
				for _, f := range b.Groups[1].Fields {
					d := f.Difference
					for name, n := range map[string]study.Number{"all items": d.AllItems.Number, "adjusted": d.Adjusted.Number, "adjusted mean": f.AdjustedMean} {
						if n.Value != nil && (n.Low == nil) != isSmall {
							t.Errorf("%s %v: %s of %s is %s (%s), %s", protocol, design, name, f.Field, n.Text(), n.Range(), n.IntervalNote)
						}
						if isSmall && n.Value != nil && !strings.Contains(n.IntervalNote, "an interval needs at least 10") {
							t.Errorf("%s %v: %s: %q", protocol, design, name, n.IntervalNote)
						}
					}
					if hasP := d.AllItems.P != nil || d.Adjusted.P != nil; hasP == isSmall || (d.Conclusion == report.NoInterval) != isSmall {
						t.Errorf("%s %v: %s", protocol, design, d.Message)
					}
				}
			}
		}
	}
}

// TestComparison_AdjustedMeans_AreOnScale compares a group without a yes and one with nothing else.
func TestComparison_AdjustedMeans_AreOnScale(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r, d := rand.New(rand.NewPCG(seed, 3)), newDataBuilder(t, "rag-generation")
		for i := range 40 {
			id := d.addItem(func(item *study.ItemData) {
				item.Meta, item.MatchKey = map[string]string{"system": []string{"base", "new"}[i%2]}, fmt.Sprint(i)
			})
			for g := range 2 {
				values := make([]int, len(d.Data.Protocol.Fields))
				for f := range values {
					values[f] = boolToInt((i%2 == 1) != (r.IntN(30*(1+f)) == 0 && g == 0))
				}
				d.addLabel(id, fmt.Sprint("a", (i/2+g)%3), study.Work, values...)
			}
		}
		for _, g := range d.build().Breakdown.Groups {
			for _, f := range g.Fields {
				n := f.AdjustedMean
				for _, v := range []*float64{n.Value, n.Low, n.High} {
					if v != nil && (*v < 0 || *v > 1) {
						t.Fatalf("%s of %s: %s (%s)", f.Field, g.Value, n.Text(), n.Range())
					}
				}
				if d := f.Difference; d != nil && (d.AllItems.Low == nil || *d.AllItems.High-*d.AllItems.Low < 0.01) {
					t.Fatalf("%s: %s", f.Field, d.Message)
				}
			}
		}
	}
}
