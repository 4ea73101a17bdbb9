package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

const (
	minWindowItems = 15
	maxWindows     = 8 // as many as a chart shows clearly
)

// A KappaWindow is the agreement on a run of successive items.
type KappaWindow struct {
	From  time.Time       `json:"from"` // when its first item got its second label
	To    time.Time       `json:"to"`
	Kappa AgreementFigure `json:"kappa"` // Conger's, linear weights
}

// A sharedItem is an item with answers from two annotators.
type sharedItem struct {
	itemID   project.ItemID
	sharedAt time.Time // when the second answer was submitted
}

// listSharedItems returns the items with two answers to a field, in the order in which
// they got the second.
func (s *study) listSharedItems(field string) []sharedItem {
	var items []sharedItem
	for id, labels := range s.byItem {
		if list := answered(labels, field); len(list) >= 2 {
			items = append(items, sharedItem{id, list[1].SubmittedAt})
		}
	}
	slices.SortFunc(items, func(a, b sharedItem) int {
		return cmp.Or(a.sharedAt.Compare(b.sharedAt), cmp.Compare(a.itemID, b.itemID))
	})
	return items
}

// buildItemsTable returns the rating table of some items.
func (s *study) buildItemsTable(q fieldTable, items []sharedItem) stats.RatingTable {
	included := map[project.ItemID]bool{}
	for _, item := range items {
		included[item.itemID] = true
	}
	t, err := stats.CollectRatingTable(q.scale, s.filterRatings(q.Key, func(l *Label) bool { return included[l.ItemID] }))
	if err != nil { // unreachable: the field's whole table was built from the same ratings
		return stats.RatingTable{Scale: q.scale}
	}
	return t
}

// computeKappaWindows splits the shared items into runs of equal length.
func (s *study) computeKappaWindows(q fieldTable) []KappaWindow {
	items := s.listSharedItems(q.Key)
	n := min(maxWindows, len(items)/minWindowItems)
	windows := []KappaWindow{}
	for w := range n {
		part := items[w*len(items)/n : (w+1)*len(items)/n]
		e := stats.ComputeEstimates(s.buildItemsTable(q, part), s.options, stats.CongerKappa(stats.Linear))[0]
		windows = append(windows, KappaWindow{From: part[0].sharedAt, To: part[len(part)-1].sharedAt, Kappa: figureFromEstimate(e)})
	}
	return windows
}
