package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestEveryMetricSaysWhereItsLabelsComeFrom(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-retrieval")
	chunk(d, "q1", 1, 0, 0, 0)
	tied := d.item(func(i *report.Item) { i.Record, i.Rank = "q1", 2 })
	d.label(tied, "ada", report.Work, 1, 0, 0)
	d.label(tied, "bo", report.Work, 1, 1, 0)
	alone := d.item(func(i *report.Item) { i.Record, i.Rank = "q2", 1 })
	d.label(alone, "ada", report.Work, 1, 0, 0)
	chunk(d, "q3", 2, 1, 1, 0) // its first rank is missing
	before := d.report()
	if m := before.Metrics[0]; m.Sources != (report.Sources{Single: 3}) || len(m.Left) != 2 || m.Left[0] != (report.Left{N: 1, What: "queries", Why: "with a tie that nobody has settled"}) {
		t.Errorf("before anybody settles: %+v, left out %+v", m.Sources, m.Left)
	}
	d.Gold = map[int64]map[string]int{tied: {"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 0}}
	r := d.report()
	m := r.Metrics[0]
	if m.Sources != (report.Sources{Adjudicated: 3, Consensus: 3, Single: 3}) || len(m.Left) != 1 || m.Left[0].Why != "whose ranks have gaps" {
		t.Errorf("once it is settled: %+v, left out %+v", m.Sources, m.Left)
	}
	if !strings.Contains(m.Says, "Of the 9 labels in them 3 are adjudicated, 3 by consensus, and 3 of one annotator alone. Left out: 1 whose ranks have gaps.") {
		t.Errorf("it says %s", m.Says)
	}
	for name, want := range map[string]report.Sources{
		"topical_precision_at_k": {Adjudicated: 1, Consensus: 1, Single: 1},
		"ndcg_at_k":              {Adjudicated: 2, Consensus: 2, Single: 2},
	} {
		if got := rate(t, r, "Retrieval", name).Sources; got != want {
			t.Errorf("%s is from %+v, want %+v", name, got, want)
		}
	}
	near(t, "hit", rate(t, r, "Retrieval", "sufficiency_hit_at_k").Value, 0.5)
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "ADJUDICATED  CONSENSUS  ALONE") {
		t.Errorf("the terminal shows %s, %v", text.String(), err)
	}
}

func TestDisputesAreTheWidestFirst(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	labels := [][2][]int{
		{{3, 3, 3, 3, 3}, {3, 3, 3, 3, 3}}, // of one mind
		{{3, 3, 3, 3, 3}, {3, 4, 3, 3, 3}},
		{{3, 3, 3, 3, 3}, {3, 5, 3, 3, 3}},
		{{3, 3, 3, 3, 3}, {4, 3, 3, 3, 4}}, // no wider than the second, and on two fields
	}
	var ids []int64
	for _, l := range labels {
		id := d.item(nil)
		ids = append(ids, id)
		d.label(id, "ada", report.Work, l[0]...)
		d.label(id, "bo", report.Work, l[1]...)
	}
	list, err := report.Disputes(d.Data)
	if err != nil || len(list) != 3 || list[0].ItemID != ids[2] || list[1].ItemID != ids[3] || list[2].ItemID != ids[1] {
		t.Fatalf("%+v, %v", list, err)
	}
	if one := list[1]; one.Labels != 2 || len(one.Fields) != 2 || len(one.Tied) != 2 || one.Apart() != 0.25 {
		t.Errorf("the second is %+v", one)
	}
}
