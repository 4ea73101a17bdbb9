package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// drawnProject has 40 items of two systems with two labels each. Of the base system ten of them were drawn
// by the expected gain of their labels, of the tuned one none.
func drawnProject(t *testing.T, isDrawn bool) report.Report {
	t.Helper()
	d := newDataBuilder(t, "rag-generation")
	draw := study.LabelDraw{Batch: "next", Judge: "judge"}
	for i := range 40 {
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": []string{"base", "tuned"}[i%2]} })
		for n, name := range []string{"ada", "bo"} {
			values := make([]int, len(d.Protocol.Fields))
			for f := range values {
				values[f] = (i/3 + f + n*boolToInt(i%5 == 0)) % 2
			}
			d.addLabel(id, name, study.Work, values...)
		}
		draw.Items = append(draw.Items, study.DrawCandidate{ItemID: id, Probability: 0.5, IsDrawn: i%2 == 0 && i < 20})
	}
	if isDrawn {
		d.Draws = []study.LabelDraw{draw}
	}
	return d.build()
}

// TestReport_DrawnItems_AreNamedNextToFigures checks that every group of figures that drawn items bias says so,
// with its own numbers, and that no other report does.
func TestReport_DrawnItems_AreNamedNextToFigures(t *testing.T) {
	t.Parallel()
	for _, isDrawn := range []bool{true, false} {
		r := drawnProject(t, isDrawn)
		var text bytes.Buffer
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		s := r.Summarize()
		shared := "Drawn by expected gain: 10 of 40 items with two or more labels."
		groups := "Drawn by expected gain: 10 of 20 items of “base” and 0 of 20 items of “tuned”, so means, rates and differences are biased"
		rates := "Drawn by expected gain: 10 of 40 items, so these rates are biased toward harder and rarer items."
		for _, c := range []struct{ where, text, part string }{
			{"the terminal", text.String(), "10 of 40 labeled items, so agreement, rates, means and differences are biased"},
			{"agreement", text.String(), shared}, {"comparison", text.String(), groups}, {"metrics", text.String(), rates},
			{"the summary of agreement", strings.Join(s.Agreement.Notes, " "), shared}, {"the summary of groups", strings.Join(s.Comparison.Notes, " "), groups},
			{"the summary of metrics", strings.Join(s.Metrics.Notes, " "), rates},
		} {
			if got := strings.Contains(c.text, c.part); got != isDrawn {
				t.Errorf("drawn %t: %q on %s is %t: %s", isDrawn, c.part, c.where, got, c.text)
			}
		}
		for _, m := range r.Metrics {
			if strings.Contains(strings.Join(m.Notes, " "), "biased") != isDrawn || (m.DrawnItems == 10) != isDrawn || m.CountedItems != 40 {
				t.Errorf("%s: %d of %d items drawn: %s", m.Name, m.DrawnItems, m.CountedItems, m.Notes)
			}
		}
	}
}
