package report

import (
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A Breakdown compares the items by their values in a metadata column, such as the experimental condition.
type Breakdown struct {
	comparison.Result
	Rates []GroupRates `json:"rates"` // by group
}

// GroupRates are the rates of one group.
type GroupRates struct {
	Value        string `json:"value"`
	Verdicts     []Rate `json:"verdicts"`
	Observations []Rate `json:"observations"` // per label
}

// compareGroups compares the selected groups; nil without a column.
func (s *builder) compareGroups(selection comparison.Selection, hasLowAgreement func(field string) bool) (*Breakdown,
	error) {
	result, err := comparison.Compare(s.Study, selection, hasLowAgreement)
	if result == nil {
		return nil, err
	}
	b, m := &Breakdown{Result: *result, Rates: []GroupRates{}}, metrics{builder: s}
	for _, value := range selection.Values {
		include := func(i *study.ItemData) bool { return i.Meta[selection.Column] == value }
		g := GroupRates{Value: value, Observations: m.computeObservationRates(include)}
		g.Verdicts, _, _ = m.computeVerdictRates(include)
		b.Rates = append(b.Rates, g)
	}
	return b, nil
}
