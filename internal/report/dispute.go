package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Dispute is an item on which people differ, with every field they differ on.
type Dispute struct {
	ItemID int64
	Item   string // its own id
	Labels int
	Fields []Disagreement // the widest first
	Tied   []string       // of them, those without a consensus
}

// Apart is how far the answers to the worst field lie apart, as a share of its
// scale.
func (d Dispute) Apart() float64 { return d.Fields[0].Apart }

// sum is how far they lie apart over all fields.
func (d Dispute) sum() (sum float64) {
	for _, f := range d.Fields {
		sum += f.Apart
	}
	return sum
}

// Disputes returns the items on which people differ, the worst first: by the
// field on which they are furthest apart, then over all fields. Of d it needs
// the protocol, the items' ids and the labels' values.
func Disputes(d Data) ([]Dispute, error) {
	s, err := newStudy(d, Options{})
	if err != nil {
		return nil, err
	}
	of := map[int64]*Dispute{}
	for _, one := range s.disagreements() {
		if of[one.ItemID] == nil {
			of[one.ItemID] = &Dispute{ItemID: one.ItemID, Item: one.Item, Labels: len(s.on[one.ItemID])}
		}
		of[one.ItemID].Fields = append(of[one.ItemID].Fields, one)
	}
	for _, c := range s.consensus {
		if c.How == stats.Tied {
			of[c.ItemID].Tied = append(of[c.ItemID].Tied, c.Field)
		}
	}
	list := make([]Dispute, 0, len(of))
	for _, one := range of {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Dispute) int {
		return cmp.Or(cmp.Compare(b.Apart(), a.Apart()), cmp.Compare(b.sum(), a.sum()), cmp.Compare(a.Item, b.Item))
	})
	return list, nil
}
