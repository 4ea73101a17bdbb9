package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// terminalStudy is random labels of two annotators to one field, and what a terminal says of them.
type terminalStudy struct {
	*dataBuilder
	answers    map[project.ItemID][]int
	hasRecords bool // two items of a record are next to each other
}

// newTerminalStudy returns a study of up to 40 items with the points 1 to 5. Some have no labels, and
// some items have no value in the metadata column.
func newTerminalStudy(t *testing.T, r *rand.Rand) terminalStudy {
	d := terminalStudy{newDataBuilder(t, "empathy"), map[project.ItemID][]int{}, r.IntN(2) == 0}
	d.Protocol.Fields = d.Protocol.Fields[:1]
	errorRate, presence, known := []float64{0, 0.1, 0.7}[r.IntN(3)], []float64{0, 0.6, 1, 1}[r.IntN(4)], []float64{0.7, 1}[r.IntN(2)]
	isUnclear := r.IntN(4) == 0 // between 2 and 3
	for i := range r.IntN(41) {
		id := d.addItem(func(item *study.ItemData) {
			if d.hasRecords {
				item.RecordID = fmt.Sprint("r", i/2)
			}
			if r.Float64() < known {
				item.Meta = map[string]string{"system": []string{"base", "new"}[i%2]}
			}
		})
		truth := 1 + r.IntN(5)
		for _, name := range []string{"ada", "bo"} {
			v := truth
			if r.Float64() < errorRate {
				v = 1 + r.IntN(5)
			}
			if isUnclear {
				v = 2 + r.IntN(2)
			}
			if r.Float64() < presence {
				d.addLabel(id, name, study.Work, v)
				d.answers[id] = append(d.answers[id], v)
			}
		}
	}
	return d
}

// describeCounts states the numbers of labels.
func (d terminalStudy) describeCounts() string {
	var annotators []string
	shared := 0
	for _, l := range d.Labels {
		if !slices.Contains(annotators, l.Annotator) {
			annotators = append(annotators, l.Annotator)
		}
	}
	for _, answers := range d.answers {
		shared += boolToInt(len(answers) > 1)
	}
	return fmt.Sprintf("%s of %s by %s; %s with at least two labels. Counted separately: 0 hidden duplicates, 0 calibration labels and 0 model judgments.",
		count(len(d.Labels), "label", "labels"), count(len(d.answers), "item", "items"), count(len(annotators), "annotator", "annotators"), count(shared, "item", "items"))
}

// disagreements returns the number of items with different answers, and the first of the boundaries
// that the most pairs of answers are on different sides of.
func (d terminalStudy) disagreements() (items, lower, pairs, adjacent int) {
	crossing, neighbors := map[int]int{}, map[int]int{}
	for _, a := range d.answers {
		if len(a) < 2 || a[0] == a[1] {
			continue
		}
		items++
		if slices.Max(a)-slices.Min(a) == 1 {
			neighbors[slices.Min(a)]++
		}
		for point := slices.Min(a); point < slices.Max(a); point++ {
			crossing[point]++
		}
	}
	for point := 1; point < 5; point++ {
		if crossing[point] > pairs {
			lower, pairs = point, crossing[point]
		}
	}
	return items, lower, pairs, neighbors[lower]
}

// countUnknown returns the number of labeled items without a value in the column.
func (d terminalStudy) countUnknown() (n int) {
	for _, item := range d.Items {
		n += boolToInt(len(d.answers[item.ID]) > 0 && item.Meta == nil)
	}
	return n
}

// checkGroups checks the numbers of items of groups, and the reason for a missing κ, against the labels.
func (d terminalStudy) checkGroups(built report.Report) {
	d.t.Helper()
	if built.Breakdown == nil {
		return
	}
	for _, g := range built.Breakdown.Groups {
		labeled := 0
		for _, item := range d.Items {
			labeled += boolToInt(item.Meta["system"] == g.Value && len(d.answers[item.ID]) > 0)
		}
		if g.Items != labeled || g.Fields[0].Items != labeled {
			d.t.Fatalf("%s has %d items, %d with an answer, want %d", g.Value, g.Items, g.Fields[0].Items, labeled)
		}
	}
}

// TestWriteText_Sentences_AreTrue checks that a sentence or a table is on the terminal if and only if
// the labels of a random study give it.
func TestWriteText_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(37, 0))
	var texts []string
	for n := range 150 {
		d := newTerminalStudy(t, r)
		built := d.build()
		var b strings.Builder
		if err := built.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		texts = append(texts, text)
		items, lower, pairs, adjacent := d.disagreements()
		hasLabels := len(d.Labels) > 0
		v := d.mustField(built, "emotion").Verdict
		isBelow := (v.Outcome == report.Revise || v.Outcome == report.Rewrite) && !isAboutAnnotators(v)
		d.checkGroups(built)
		for _, c := range []struct {
			part string
			want bool
		}{
			{d.describeCounts(), true},
			{"There is nothing to report yet.", !hasLabels},
			{"Disagreements, largest first", items > 0},
			{fmt.Sprintf("Disagreements, largest first (%d of %d)\n", min(items, 10), items), items > 0},
			{"across the boundary between", isBelow && pairs >= 3 && 2*adjacent >= pairs},
			{fmt.Sprintf("across the boundary between %d and %d: %s of answers.", lower, lower+1, count(pairs, "pair", "pairs")), isBelow && pairs >= 3 && 2*adjacent >= pairs},
			{"Excluded: ", built.Breakdown != nil && d.countUnknown() > 0},
			{fmt.Sprintf("Excluded: %s without a value for system.", count(d.countUnknown(), "labeled item", "labeled items")), built.Breakdown != nil && d.countUnknown() > 0},
			{"Intervals are 95% confidence intervals; resamples have the seed 1.", hasLabels},
			{"the sampling of records, not of annotators", hasLabels && d.hasRecords && len(d.Items) > 1},
			{"the sampling of items, not of annotators", hasLabels && !(d.hasRecords && len(d.Items) > 1)},
			{"account for both", built.Breakdown != nil && built.Breakdown.Tested > 0},
			{"By system", built.Breakdown != nil},
		} {
			if got := strings.Contains(text, c.part); got != c.want {
				t.Fatalf("study %d: %q is %t, want %t:\n%s", n, c.part, got, c.want, text)
			}
		}
	}
	requireBoth(t, texts, "There is nothing to report yet.", "Disagreements, largest first", "(10 of ", "across the boundary between", "Excluded: ", "Intervals are 95%", "the sampling of records", "the sampling of items", "account for both")
}
