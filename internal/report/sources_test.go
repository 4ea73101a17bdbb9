package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

func TestMetrics_Sources_AreCounted(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-retrieval")
	addChunk(d, "q1", 1, 0, 0, 0)
	tied := d.addItem(func(i *study.ItemData) { i.RecordID, i.Rank = "q1", 2 })
	d.addLabel(tied, "ada", study.Work, 1, 0, 0)
	d.addLabel(tied, "bo", study.Work, 1, 1, 0)
	single := d.addItem(func(i *study.ItemData) { i.RecordID, i.Rank = "q2", 1 })
	d.addLabel(single, "ada", study.Work, 1, 0, 0)
	addChunk(d, "q3", 2, 1, 1, 0) // rank 1 is missing
	before := d.build()
	if m := before.Metrics[0]; m.Sources != (report.LabelSources{Consensus: 5, Single: 3, Tied: 1}) ||
		len(m.Excluded) != 1 || m.Excluded[0].Reason != report.MissingRanks {
		t.Errorf("before adjudication: %+v, excluded %+v", m.Sources, m.Excluded)
	}
	d.Adjudicated = map[project.ItemID]map[string]int{tied: {"topically_relevant": 1, "evidence_sufficient": 1,
		"misleading": 0}}
	r := d.build()
	m := r.Metrics[0]
	if m.Sources != (report.LabelSources{Adjudicated: 3, Consensus: 3, Single: 3}) || len(m.Excluded) != 1 ||
		m.Excluded[0].Reason != report.MissingRanks {
		t.Errorf("after adjudication: %+v, excluded %+v", m.Sources, m.Excluded)
	}
	if text := joinTexts(m); !strings.Contains(text, "Left out of one or more rates: 1 query with missing ranks.") ||
		!strings.HasSuffix(text, "\nOf 9 labels: 3 adjudicated, 3 from consensus, 3 from a single annotator.") {
		t.Errorf("message: %s", text)
	}
	for name, want := range map[string]report.LabelSources{
		"topical_precision_at_k": {Adjudicated: 1, Consensus: 1, Single: 1},
		"ndcg_at_k":              {Adjudicated: 2, Consensus: 2, Single: 2},
	} {
		if got := findRate(t, r, report.RetrievalMetrics, name).Sources; got != want {
			t.Errorf("%s from %+v, want %+v", name, got, want)
		}
	}
	checkNear(t, "hit", findRate(t, r, report.RetrievalMetrics, "sufficiency_hit_at_k").Value, 0.5)
}
