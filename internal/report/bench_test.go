package report_test

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

// BenchmarkBuild builds the report of 1,000 items, each labeled by three of ten annotators.
func BenchmarkBuild(b *testing.B) {
	d := newDataBuilder(b, "empathy")
	for i := range 1000 {
		id := d.addItem(func(item *report.ItemData) {
			item.Meta, item.TextLength = map[string]string{"condition": fmt.Sprint(i % 2)}, 50+i*37%400
		})
		for a := range 3 {
			base := 1 + i*7%5
			d.addLabel(id, fmt.Sprint("a", (i+a*(1+i%4))%10), report.Work, base, base, min(5, base+(i*a)%2), base, base)
		}
	}
	for b.Loop() {
		if _, err := report.Build(d.Data, report.BuildOptions{Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
