package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// Windows of time hold enough items each, and are few enough to be seen at once.
const (
	minWindowItems = 15
	maxWindows     = 8
)

// A sharedItem item has had its second answer.
type sharedItem struct {
	itemID   project.ItemID
	sharedAt time.Time // when it had
}

// listSharedItems returns the items that two annotators answered in a field, in the
// order in which they became so.
func (s *study) listSharedItems(field string) []sharedItem {
	var items []sharedItem
	for id, labels := range s.labelsByItem {
		answered := 0
		for _, l := range labels {
			if _, ok := s.workLabels[l].Values[field]; ok {
				if answered++; answered == 2 {
					items = append(items, sharedItem{id, s.workLabels[l].SubmittedAt})
				}
			}
		}
	}
	slices.SortFunc(items, func(a, b sharedItem) int {
		return cmp.Or(a.sharedAt.Compare(b.sharedAt), cmp.Compare(a.itemID, b.itemID))
	})
	return items
}

// buildItemsTable returns the table of some items.
func (s *study) buildItemsTable(q fieldTable, items []sharedItem) stats.RatingTable {
	included := map[project.ItemID]bool{}
	for _, item := range items {
		included[item.itemID] = true
	}
	t, err := stats.CollectRatingTable(q.scale, s.filterRatings(q.Key, func(l *Label) bool { return included[l.ItemID] }))
	if err != nil {
		return stats.RatingTable{Scale: q.scale} // cannot be: the whole table was built of these rows
	}
	return t
}

// computeKappaWindows cuts the items into stretches of as many items.
func (s *study) computeKappaWindows(q fieldTable) []KappaWindow {
	items := s.listSharedItems(q.Key)
	n := min(maxWindows, len(items)/minWindowItems)
	found := []KappaWindow{}
	for w := range n {
		part := items[w*len(items)/n : (w+1)*len(items)/n]
		e := stats.ComputeEstimates(s.buildItemsTable(q, part), s.options, stats.CongerKappa(stats.Linear))[0]
		found = append(found, KappaWindow{From: part[0].sharedAt, To: part[len(part)-1].sharedAt, Kappa: figureFromEstimate(e)})
	}
	return found
}
