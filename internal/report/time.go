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

// A shared item has had its second answer.
type shared struct {
	item int64
	at   time.Time // when it had
}

// sharedItems returns the items that two annotators answered in a field, in the
// order in which they became so.
func (s *study) sharedItems(field string) []shared {
	var items []shared
	for id, labels := range s.on {
		answered := 0
		for _, l := range labels {
			if _, ok := s.work[l].Values[field]; ok {
				if answered++; answered == 2 {
					items = append(items, shared{id, s.work[l].Submitted})
				}
			}
		}
	}
	slices.SortFunc(items, func(a, b shared) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.item, b.item)) })
	return items
}

// only returns the table of some items.
func (s *study) only(q question, items []shared) stats.Table {
	in := map[int64]bool{}
	for _, one := range items {
		in[one.item] = true
	}
	t, err := stats.TableOf(q.scale, s.ratings(q.Key, func(l *Label) bool { return in[l.ItemID] }))
	if err != nil {
		return stats.Table{Scale: q.scale} // cannot be: the whole table was built of these rows
	}
	return t
}

// windows cuts the items into stretches of as many items.
func (s *study) windows(q question) []Window {
	items := s.sharedItems(q.Key)
	n := min(mostWindows, len(items)/leastWindow)
	found := []Window{}
	for w := range n {
		part := items[w*len(items)/n : (w+1)*len(items)/n]
		e := stats.Estimates(s.only(q, part), s.o, stats.CongerKappa(stats.Linear))[0]
		found = append(found, Window{From: part[0].at, To: part[len(part)-1].at, Kappa: figureOf(e)})
	}
	return found
}
