package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A DisagreementItem is an item on which people differ, with every field they differ on.
type DisagreementItem struct {
	ItemID     project.ItemID
	Item       string // its own id
	LabelCount int
	Fields     []FieldDisagreement // the widest first
	TiedFields []string            // of them, those without a consensus
}

// MeanDistance is how far the answers to the worst field lie apart, as a share of its
// scale.
func (d DisagreementItem) MeanDistance() float64 { return d.Fields[0].MeanDistance }

// totalDistance is how far they lie apart over all fields.
func (d DisagreementItem) totalDistance() (sum float64) {
	for _, f := range d.Fields {
		sum += f.MeanDistance
	}
	return sum
}

// FindDisagreements returns the items on which people differ, the worst first: by the
// field on which they are furthest apart, then over all fields. Of d it needs
// the protocol, the items' ids and the labels' values.
func FindDisagreements(d Data) ([]DisagreementItem, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	byItem := map[project.ItemID]*DisagreementItem{}
	for _, entry := range s.findDisagreements() {
		if byItem[entry.ItemID] == nil {
			byItem[entry.ItemID] = &DisagreementItem{ItemID: entry.ItemID, Item: entry.Item, LabelCount: len(s.labelsByItem[entry.ItemID])}
		}
		byItem[entry.ItemID].Fields = append(byItem[entry.ItemID].Fields, entry)
	}
	for _, c := range s.consensus {
		if c.Method == stats.Tie {
			byItem[c.ItemID].TiedFields = append(byItem[c.ItemID].TiedFields, c.Field)
		}
	}
	list := make([]DisagreementItem, 0, len(byItem))
	for _, entry := range byItem {
		list = append(list, *entry)
	}
	slices.SortFunc(list, func(a, b DisagreementItem) int {
		return cmp.Or(cmp.Compare(b.MeanDistance(), a.MeanDistance()), cmp.Compare(b.totalDistance(), a.totalDistance()), cmp.Compare(a.Item, b.Item))
	})
	return list, nil
}
