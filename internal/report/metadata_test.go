package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// Pairs stay pairs however many there are and however their keys are written.
func TestMetadata_ManyPairs_StayPaired(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"texts": `"pair %d"`, "numbers": `%d`, "long texts": `"` +
		strings.Repeat("long ", 40) + `%d"`, "lists": `["p", %d]`} {
		d, reader := newDataBuilder(t, "empathy"), report.NewMetadataReader()
		for i := range 1000 {
			id := d.addItem(func(item *study.ItemData) {
				reader.Read(item, map[string]json.RawMessage{"pair_id": json.RawMessage(fmt.Sprintf(key, i/2)),
					"system": json.RawMessage(fmt.Sprintf(`"s%d"`, i%2)), "trace": json.RawMessage(fmt.Sprint(i))})
			})
			d.addLabel(id, "ada", study.Work, 1+i%3, 3, 3, 3, 3)
			d.addLabel(id, "bo", study.Work, 1+i%4, 3, 3, 3, 3)
		}
		b := d.build().Breakdown
		if p := b.Groups[1].Fields[0].Difference.Primary; b.PairedBy != comparison.PairedByColumn || p.Pairs != 500 {
			t.Errorf("%s: paired by %q, %+v", name, b.PairedBy, p)
		}
		if r := d.build(); fmt.Sprint(r.Columns) != "[system]" {
			t.Errorf("%s: columns %v", name, r.Columns)
		}
	}
}

func TestMetadata_NoPairID_Empty(t *testing.T) {
	t.Parallel()
	reader := report.NewMetadataReader()
	for _, raw := range []string{``, `null`, `""`} {
		var item study.ItemData
		if reader.Read(&item, map[string]json.RawMessage{"pair_id": json.RawMessage(raw)}); item.PairID != "" {
			t.Errorf("%q is the key %q", raw, item.PairID)
		}
	}
}
