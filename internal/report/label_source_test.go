package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// The report of random studies is the same in whatever order their labels are added.
func TestLabelSource_AnyOrder_SameReport(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 5))
		d := newRandomLabels(t, random)
		want := writeJSON(t, d.Data)
		random.Shuffle(len(d.Labels), func(i, j int) { d.Labels[i], d.Labels[j] = d.Labels[j], d.Labels[i] })
		if got := writeJSON(t, d.Data); got != want {
			t.Fatalf("seed %d: the report of %d shuffled labels differs:\n%s\nwant\n%s", seed, len(d.Labels), got, want)
		}
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
			kind := []study.LabelKind{study.Work, study.Work, study.Work, study.Duplicate,
				study.Calibration}[random.IntN(5)]
			l := d.addLabel(id, fmt.Sprint("a", random.IntN(6)), kind, 1+random.IntN(5), 1+random.IntN(5),
				1+random.IntN(5), 1+random.IntN(5), 1+random.IntN(5))
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
