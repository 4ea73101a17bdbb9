package report

import (
	"testing"

	"github.com/labelwright/labelwright/internal/stats/consensus"
)

func TestGroupFields_RulesTie_OneModel(t *testing.T) {
	t.Parallel()
	grouped := map[string]struct {
		change func(d *Data)
		groups int
	}{
		"every answer":      {func(*Data) {}, 1},
		"a missing answer":  {func(d *Data) { delete(d.Labels[4].Values, "misleading") }, 3},
		"a label of no use": {func(d *Data) { d.Labels[4].Values = map[string]int{} }, 1},
		"a broken rule": {func(d *Data) {
			d.Labels[4].Values = map[string]int{"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 1}
		}, 3},
	}
	for name, c := range grouped {
		d, _ := simulatedQueries{4, 0.1, 1}.simulate(t, 3)
		c.change(&d)
		s, err := newStudy(d, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		groups, err := s.groupFields(consensus.ByDawidSkene)
		if err != nil || len(groups) != c.groups {
			t.Errorf("%s: %d models, %v; want %d", name, len(groups), err, c.groups)
		}
	}
}

// The proposals of tied fields are those of the consensus, and keep their rules.
func TestPropose_TiedFields_EqualConsensus(t *testing.T) {
	t.Parallel()
	d, _ := simulatedQueries{40, 0.2, 2}.simulate(t, 3)
	m, err := FitProposals(d, ProposeDawidSkene)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStudy(d, BuildOptions{Consensus: consensus.ByDawidSkene})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range d.Items {
		answers, proposed := map[string]map[string]int{}, map[string]int{}
		for _, l := range d.Labels[3*i : 3*i+3] {
			answers[l.Annotator] = l.Values
		}
		for _, q := range s.fields {
			p, ok := m.Propose(q.Key, answers)
			want, _, _ := q.consensus.resolved(s.numberOf[item.ID])
			if !ok || p.Value != want {
				t.Fatalf("%s of %s: proposes %+v, %v, the consensus is %d", q.Key, item.SourceID, p, ok, want)
			}
			proposed[q.Key] = p.Value
		}
		if proposed["evidence_sufficient"] > proposed["topically_relevant"] || proposed["evidence_sufficient"]+proposed["misleading"] > 1 {
			t.Fatalf("%s: %v breaks a rule", item.SourceID, proposed)
		}
	}
}
