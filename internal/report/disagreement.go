package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldDisagreement is a field of an item with different answers.
type FieldDisagreement struct {
	ItemID       project.ItemID `json:"-"`
	Item         string         `json:"item"`
	Field        string         `json:"field"`
	MeanDistance float64        `json:"mean_distance"` // over all pairs of answers, as a share of the scale
	MaxDistance  int            `json:"max_distance"`  // in points
	Answers      []FieldAnswer  `json:"answers"`
}

// A FieldAnswer is one annotator's answer.
type FieldAnswer struct {
	Annotator string `json:"annotator"`
	Value     int    `json:"value"`
}

// A DisagreementItem is an item with every field on which its annotators disagree.
type DisagreementItem struct {
	ItemID     project.ItemID
	Item       string // its own id
	LabelCount int
	Fields     []FieldDisagreement // largest first
	TiedFields []string            // fields among them without a consensus
}

// MeanDistance is the largest mean distance among the fields, as a share of the scale.
func (d DisagreementItem) MeanDistance() float64 { return d.Fields[0].MeanDistance }

// TotalDistance is the sum of the mean distances of all fields.
func (d DisagreementItem) TotalDistance() (sum float64) {
	for _, f := range d.Fields {
		sum += f.MeanDistance
	}
	return sum
}

// FindDisagreements returns the items with disagreements, largest first: by their
// largest field, then by the sum over all fields. It reads only the protocol, the
// items' ids and the labels' values of d.
func FindDisagreements(d Data) ([]DisagreementItem, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	byItem := map[project.ItemID]*DisagreementItem{}
	for _, f := range s.findDisagreements() {
		if byItem[f.ItemID] == nil {
			byItem[f.ItemID] = &DisagreementItem{ItemID: f.ItemID, Item: f.Item, LabelCount: len(s.byItem[f.ItemID])}
		}
		byItem[f.ItemID].Fields = append(byItem[f.ItemID].Fields, f)
	}
	for _, c := range s.consensus.results {
		if c.Method == stats.Tie {
			byItem[c.ItemID].TiedFields = append(byItem[c.ItemID].TiedFields, c.Field)
		}
	}
	list := make([]DisagreementItem, 0, len(byItem))
	for _, d := range byItem {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b DisagreementItem) int {
		return cmp.Or(cmp.Compare(b.MeanDistance(), a.MeanDistance()), cmp.Compare(b.TotalDistance(), a.TotalDistance()), cmp.Compare(a.Item, b.Item))
	})
	return list, nil
}

// findDisagreements returns the disagreements of all fields, largest first.
func (s *study) findDisagreements() []FieldDisagreement {
	list := []FieldDisagreement{}
	for _, q := range s.fields {
		for _, d := range q.table.Disagreements() {
			f := FieldDisagreement{ItemID: s.itemsBySource[d.Item].ID, Item: d.Item, Field: q.Key, MeanDistance: d.MeanDistance, MaxDistance: d.MaxDistance}
			for _, a := range d.Answers {
				f.Answers = append(f.Answers, FieldAnswer(a))
			}
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b FieldDisagreement) int {
		return cmp.Or(cmp.Compare(b.MeanDistance, a.MeanDistance), cmp.Compare(a.Item, b.Item))
	})
	return list
}
