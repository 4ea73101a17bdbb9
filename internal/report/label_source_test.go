package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestLabelSource_LabelsAddedInParts_SameReport adds the labels of random studies in parts and in any
// order, some of them twice, with a report after each part.
func TestLabelSource_LabelsAddedInParts_SameReport(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 5))
		d := newRandomLabels(t, random)
		source := study.NewLabelSource(d.Protocol, d.Items)
		order := random.Perm(len(d.Labels))
		if seed%3 == 0 {
			slices.Sort(order)
		}
		var added []study.Label
		for from := 0; from < len(order); from += 40 {
			part := order[from:min(from+40, len(order))]
			for _, n := range append(slices.Clone(part), order[:from/4]...) {
				if err := source.Add(d.Labels[n]); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range part {
				added = append(added, d.Labels[n])
			}
			grown, fresh := d.Data, d.Data
			grown.Source, grown.Items, grown.Labels = source, nil, nil
			fresh.Labels = added
			if got, want := writeJSON(t, grown), writeJSON(t, fresh); got != want {
				t.Fatalf("seed %d: the report of %d labels from a source that grew differs:\n%s\nwant\n%s", seed, len(added), got, want)
			}
		}
	}
}

// Adding many labels after one that is out of order must not take time for each pair of them.
func TestLabelSource_ManyLabelsOutOfOrder_TakeLinearTime(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	item, startedAt := d.addItem(nil), time.Now()
	source, values := study.NewLabelSource(d.Protocol, d.Items), map[string]int{}
	const count = 400_000
	for n := range count {
		id := int64(n)
		if n == 1 {
			id = -1
		}
		for range 2 { // the second changes nothing
			if err := source.Add(study.Label{ID: id, ItemID: item, Annotator: "ada", Kind: study.Work, Values: values}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if took := time.Since(startedAt); source.Len() != count || took > 15*time.Second {
		t.Errorf("%d labels, want %d, in %v", source.Len(), count, took)
	}
}

// newRandomLabels returns labels of each kind and with gaps, some of which replace others.
func newRandomLabels(t *testing.T, random *rand.Rand) *dataBuilder {
	d := newDataBuilder(t, "empathy")
	for i := range 40 {
		id := d.addItem(func(item *study.ItemData) {
			item.Meta = map[string]string{"condition": fmt.Sprint(i % 2)}
			if random.IntN(2) == 0 {
				item.RecordID = fmt.Sprint("r", i/2)
			}
		})
		for range 1 + random.IntN(4) {
			kind := []study.LabelKind{study.Work, study.Work, study.Work, study.Duplicate, study.Calibration}[random.IntN(5)]
			l := d.addLabel(id, fmt.Sprint("a", random.IntN(6)), kind, 1+random.IntN(5), 1+random.IntN(5), 1+random.IntN(5), 1+random.IntN(5), 1+random.IntN(5))
			if random.IntN(5) == 0 {
				delete(l.Values, d.Protocol.Fields[0].Key)
			}
			if random.IntN(4) == 0 {
				l.Observations = []string{"one", "two"}[:1+random.IntN(2)]
			}
			l.ItemsSinceBreak, l.ActiveMS = random.IntN(20), int64(1000*random.IntN(90))
		}
	}
	return d
}

func writeJSON(t *testing.T, d study.Data) string {
	t.Helper()
	r, err := report.Build(d, report.BuildOptions{Resamples: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
