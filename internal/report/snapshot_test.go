package report_test

import (
	"bytes"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A stored report has the texts and the keys of the report.
func TestSnapshot_Restored_SameTexts(t *testing.T) {
	t.Parallel()
	for _, differing := range []int{0, 4, 30} {
		d := newDataBuilder(t, "empathy")
		addSystemItems(d, "base", "new")
		addTwoAnnotators(d, 40, differing)
		for i := range d.Items {
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: d.Items[i].ID, Judge: "judge",
				Values: map[string]int{"emotion": 1 + i%5}})
		}
		r := d.build()
		text, err := r.MarshalSnapshot()
		if err != nil {
			t.Fatal(err)
		}
		got, err := report.UnmarshalSnapshot(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func(report.Report, *bytes.Buffer) error{
			"JSON": func(r report.Report, b *bytes.Buffer) error { return r.WriteJSON(b) },
		} {
			var before, after bytes.Buffer
			if err := write(r, &before); err != nil {
				t.Fatal(err)
			}
			if err := write(got, &after); err != nil || before.String() != after.String() {
				t.Errorf("%s of the stored report differs: %v", name, err)
			}
		}
		for i, f := range got.Fields {
			if f.Verdict != r.Fields[i].Verdict || f.Kappa.Text() != r.Fields[i].Kappa.Text() {
				t.Errorf("verdict of %s differs", f.Key)
			}
		}
	}
}

func mustRestore(t *testing.T, text []byte) report.Report {
	t.Helper()
	r, err := report.UnmarshalSnapshot(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
