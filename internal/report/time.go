package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// Windows of time hold enough items each, and are few enough to be seen at once.
const (
	leastWindow = 15
	mostWindows = 8
)

// windows cuts the items, by when each had its second answer, into stretches of
// as many items.
func (s *study) windows(q question) []Window {
	type shared struct {
		item int64
		at   time.Time
	}
	var items []shared
	for id, labels := range s.on {
		answered := 0
		for _, l := range labels {
			if _, ok := s.work[l].Values[q.Key]; ok {
				if answered++; answered == 2 {
					items = append(items, shared{id, s.work[l].Submitted})
				}
			}
		}
	}
	slices.SortFunc(items, func(a, b shared) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.item, b.item)) })
	n := min(mostWindows, len(items)/leastWindow)
	found := []Window{}
	for w := range n {
		part := items[w*len(items)/n : (w+1)*len(items)/n]
		in := map[int64]bool{}
		for _, one := range part {
			in[one.item] = true
		}
		t, err := stats.NewTable(q.scale, s.ratings(q.Key, func(l Label) bool { return in[l.ItemID] }))
		if err != nil {
			continue // the whole table was built of these rows
		}
		found = append(found, Window{From: part[0].at, To: part[len(part)-1].at,
			Kappa: figureOf(stats.Estimates(t, s.o, stats.CongerKappa(stats.Linear))[0])})
	}
	return found
}
