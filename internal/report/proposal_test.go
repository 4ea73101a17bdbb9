package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

// simulateRaters returns items with answers 1–5 in the first field: good of two annotators, and
// a third one who is lenient by a point.
func simulateRaters(t *testing.T, annotators ...string) *dataBuilder {
	t.Helper()
	d := newDataBuilder(t, "empathy")
	for i := range 100 {
		id, truth := d.addItem(nil), 1+i%4
		for n, name := range annotators {
			value := truth
			if n == 2 || (i+n)%10 == 0 {
				value++
			}
			d.addLabel(id, name, report.Work, value, truth, truth, truth, truth)
		}
	}
	return d
}

func TestPropose_LenientAnnotator_CountsLess(t *testing.T) {
	t.Parallel()
	d := simulateRaters(t, "ada", "bo", "cy")
	for _, source := range []report.ProposalSource{report.ProposeDawidSkene, report.ProposeOrdinalDawidSkene} {
		m, err := report.FitProposals(d.Data, source)
		if err != nil {
			t.Fatal(err)
		}
		field := d.Protocol.Fields[0]
		if m.Labels != 300 || !m.HasModel(field.Key) {
			t.Fatalf("%s: fitted to %d labels, model %v", source, m.Labels, m.HasModel(field.Key))
		}
		if p, ok := m.Propose(field.Key, map[string]map[string]int{"ada": {field.Key: 3}, "cy": {field.Key: 4}}); !ok || p.Value != 3 || p.Probability < 0.8 {
			t.Errorf("%s: for 3 and 4 by a lenient annotator it proposes %+v", source, p)
		}
		for name, answers := range map[string]map[string]int{"no answers": {}, "off the scale": {field.Key: 7}} {
			if p, ok := m.Propose(field.Key, map[string]map[string]int{"ada": answers}); ok {
				t.Errorf("%s: for %s it proposes %+v", source, name, p)
			}
		}
	}
}

func TestPropose_TwoAnnotators_NoModel(t *testing.T) {
	t.Parallel()
	d := simulateRaters(t, "ada", "bo")
	m, err := report.FitProposals(d.Data, report.ProposeDawidSkene)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Propose(d.Protocol.Fields[0].Key, map[string]map[string]int{"ada": {d.Protocol.Fields[0].Key: 3}, "bo": {d.Protocol.Fields[0].Key: 4}}); ok || m.HasModel(d.Protocol.Fields[0].Key) {
		t.Error("two labels for each item identify a model")
	}
}
