package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A question is a field with the table of its answers.
type question struct {
	protocol.Field
	scale stats.Scale
	table stats.Table
}

func (q question) ordered() bool { return !q.Scale.Binary() }

// A study is the data set in order: work labels once each, by item and by
// annotator, and one table for each field.
type study struct {
	Data
	o         stats.Options
	by        string
	k         int
	told      func(Progress)
	begun     int // steps
	steps     int // there are
	items     map[int64]*Item
	source    map[string]*Item
	clustered bool // some items share a record
	work      []*Label
	of        map[string][]int // annotator → work labels, in the order they were given
	on        map[int64][]int  // item → work labels
	fields    []question
	consensus []Settled
	settled   map[int64]map[string]int            // item → field → the answer people settled on
	how       map[int64]map[string]stats.Settling // and how
}

func newStudy(d Data, o Options) (*study, error) {
	s := &study{Data: d, o: o.stats(), by: o.By, k: o.K, told: o.Tell, items: map[int64]*Item{}, source: map[string]*Item{},
		of: map[string][]int{}, on: map[int64][]int{}, settled: map[int64]map[string]int{}, how: map[int64]map[string]stats.Settling{}}
	s.takeItems()
	s.takeWork()
	for _, f := range d.Protocol.Fields {
		q := question{Field: f, scale: stats.ScaleOf(f.Scale.Values()...)}
		var err error
		if q.table, err = stats.TableOf(q.scale, s.ratings(f.Key, func(*Label) bool { return true })); err != nil {
			return nil, fmt.Errorf("the field %s: %w", f.Key, err)
		}
		s.fields = append(s.fields, q)
	}
	s.settle()
	return s, nil
}

func (s *study) takeItems() {
	records := map[string]bool{}
	for i := range s.Items {
		item := &s.Items[i]
		s.items[item.ID], s.source[item.Source] = item, item
		s.clustered = s.clustered || item.Record != "" && records[item.Record]
		records[item.Record] = true
	}
}

// takeWork keeps the latest work label of an annotator on an item.
func (s *study) takeWork() {
	last := map[int64][]*Label{} // item → the latest of each annotator
	labels := 0
	for i := range s.Labels {
		l := &s.Labels[i]
		if l.Kind != Work || s.items[l.ItemID] == nil {
			continue
		}
		on := last[l.ItemID]
		at := slices.IndexFunc(on, func(o *Label) bool { return o.Annotator == l.Annotator })
		switch {
		case at < 0:
			last[l.ItemID] = append(on, l)
			labels++
		case l.ID >= on[at].ID:
			on[at] = l
		}
	}
	s.work = make([]*Label, 0, labels)
	for _, on := range last {
		s.work = append(s.work, on...)
	}
	slices.SortFunc(s.work, func(a, b *Label) int { return cmp.Compare(a.ID, b.ID) })
	for i, l := range s.work {
		s.of[l.Annotator] = append(s.of[l.Annotator], i)
		s.on[l.ItemID] = append(s.on[l.ItemID], i)
	}
}

// ratings yields the answers to a field among the work labels that are wanted.
func (s *study) ratings(field string, wanted func(*Label) bool) iter.Seq[stats.Rating] {
	return func(yield func(stats.Rating) bool) {
		for _, l := range s.work {
			value, answered := l.Values[field]
			if !answered || !wanted(l) {
				continue
			}
			item := s.items[l.ItemID]
			if !yield(stats.Rating{Item: item.Source, Annotator: l.Annotator, Value: value, Cluster: s.cluster(item)}) {
				return
			}
		}
	}
}

// cluster is what an item is drawn anew with.
func (s *study) cluster(i *Item) string {
	if !s.clustered {
		return ""
	}
	return i.Record
}

func (s *study) counts() Counts {
	c := Counts{Labelled: len(s.on), Annotators: len(s.of), Work: len(s.work), Models: len(s.Models)}
	for _, labels := range s.on {
		if len(labels) > 1 {
			c.Shared++
		}
	}
	for _, l := range s.Labels {
		switch l.Kind {
		case Duplicate:
			c.Duplicates++
		case Calibration:
			c.Calibration++
		}
	}
	return c
}

// tell says what begins now, and that all before it is done.
func (s *study) tell(doing string) {
	if s.told != nil {
		s.told(Progress{Done: s.begun, All: s.steps, Doing: doing})
	}
	s.begun++
}

// people returns the annotators in order, with those who did no more than
// calibrate.
func (s *study) people() []string {
	names := s.names()
	for _, l := range s.Labels {
		if l.Kind == Calibration && !slices.Contains(names, l.Annotator) {
			names = append(names, l.Annotator)
		}
	}
	slices.Sort(names)
	return names
}

// names returns the annotators of work, in order.
func (s *study) names() []string { return slices.Sorted(maps.Keys(s.of)) }
