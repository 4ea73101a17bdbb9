package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

const (
	minWindowItems = minSharedItems // with fewer, κ has no interval
	maxWindows     = 8              // as many as a chart shows clearly
)

// A KappaWindow is the agreement on a run of successive items.
type KappaWindow struct {
	From  time.Time             `json:"from"` // when its first item got its second label
	To    time.Time             `json:"to"`
	Kappa study.AgreementFigure `json:"kappa"` // of the shared items, linear weights
}

// listSharedItems returns the items with two answers to a field, in the order in which they
// got the second.
func (s *builder) listSharedItems(q fieldTable) []int32 {
	type sharedItem struct {
		at   int64 // microseconds
		item int32
	}
	shared := make([]sharedItem, 0, len(q.Items))
	for _, item := range q.Items {
		if second := s.secondAnswer(q, item); second >= 0 {
			shared = append(shared, sharedItem{s.Work.SubmittedAt[second], item})
		}
	}
	slices.SortFunc(shared, func(a, b sharedItem) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(s.AllItems[a.item].ID, s.AllItems[b.item].ID))
	})
	items := make([]int32, len(shared))
	for i, one := range shared {
		items[i] = one.item
	}
	return items
}

// secondAnswer returns the second label of an item that answers the field; −1 if there is none.
func (s *builder) secondAnswer(q fieldTable, item int32) int32 {
	n := 0
	for _, l := range s.ByItem.At(item) {
		if n += study.BoolToInt(q.Points[l] != study.NoAnswer); n == 2 {
			return l
		}
	}
	return -1
}

// buildItemsTable returns the rating table of some items.
func (s *builder) buildItemsTable(q fieldTable, items []int32) stats.RatingTable {
	t, err := s.SelectTable(q.FieldTable, slices.Sorted(slices.Values(items)))
	if err != nil { // unreachable: the field's whole table was built from the same ratings
		return stats.RatingTable{Scale: q.Values}
	}
	return t
}

// computeKappaWindows splits the shared items into runs of equal length.
func (s *builder) computeKappaWindows(q fieldTable) []KappaWindow {
	windows := []KappaWindow{}
	if s.IsOrderUnknown {
		return windows
	}
	items := s.listSharedItems(q)
	n := min(maxWindows, len(items)/minWindowItems)
	for w := range n {
		part := items[w*len(items)/n : (w+1)*len(items)/n]
		e := stats.ComputeEstimates(s.buildItemsTable(q, part), s.Options, stats.SharedKappa(stats.Linear))[0]
		windows = append(windows, KappaWindow{From: s.Work.TimeOf(s.secondAnswer(q, part[0])), To: s.Work.TimeOf(s.secondAnswer(q, part[len(part)-1])), Kappa: study.FigureFromEstimate(e)})
	}
	return windows
}
