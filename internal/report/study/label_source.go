package study

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A LabelSource is the items and labels of a report as columns, about 50 bytes for a label of five
// fields. It is not safe for concurrent use.
type LabelSource struct {
	itemIndex
	columns    labelColumns
	fields     []protocol.Field
	scales     []stats.NumericScale
	annotators []string // in order of their first label
	numbers    map[string]int32
	others     []Label // calibration, hidden duplicates and gold items
	lastID     int64   // of all labels
}

// An itemIndex numbers items by their own id.
type itemIndex struct {
	Given    []ItemData  // in the order of the input
	AllItems []*ItemData // with and without labels
	NumberOf map[project.ItemID]int32
	RecordOf []int32 // item → number of its record, −1: none; nil unless items share records
}

// labelColumns are columns of work labels.
type labelColumns struct {
	ids          []int64
	Work         WorkLabels
	points       [][]uint8 // field → label → index of the answer on the scale, or noAnswer
	Observations observationIndex
}

// NewLabelSource returns a source without labels.
func NewLabelSource(p protocol.Protocol, items []ItemData) *LabelSource {
	s := &LabelSource{itemIndex: newItemIndex(items), fields: p.Fields, numbers: map[string]int32{}}
	s.columns.points, s.columns.Work.location = make([][]uint8, len(p.Fields)), time.UTC
	for _, f := range p.Fields {
		s.scales = append(s.scales, stats.NewNumericScale(f.Scale.Values()...))
	}
	return s
}

func newSource(d Data) (*LabelSource, error) {
	s := NewLabelSource(d.Protocol, d.Items)
	s.Reserve(len(d.Labels))
	for i := range d.Labels {
		if err := s.Add(d.Labels[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newItemIndex(items []ItemData) itemIndex {
	x := itemIndex{Given: items, AllItems: make([]*ItemData, len(items)), NumberOf: make(map[project.ItemID]int32,
		len(items))}
	for i := range items {
		x.AllItems[i] = &items[i]
	}
	slices.SortStableFunc(x.AllItems, func(a, b *ItemData) int { return cmp.Compare(a.SourceID, b.SourceID) })
	records, isShared := map[string]int32{"": -1}, false
	recordOf := make([]int32, len(items))
	for n, item := range x.AllItems {
		x.NumberOf[item.ID] = int32(n)
		record, seen := records[item.RecordID]
		if isShared = isShared || seen && record >= 0; !seen {
			record = int32(len(records) - 1)
			records[item.RecordID] = record
		}
		recordOf[n] = record
	}
	if isShared {
		x.RecordOf = recordOf
	}
	return x
}

// Reserve allocates memory for n work labels.
func (s *LabelSource) Reserve(n int) {
	c := &s.columns
	c.ids = slices.Grow(c.ids, n)
	c.Work.grow(n)
	for f := range c.points {
		c.points[f] = slices.Grow(c.points[f], n)
	}
}

// Len returns the number of labels that it holds.
func (s *LabelSource) Len() int { return len(s.columns.ids) + len(s.others) }

// Items returns the items in the order in which they were given.
func (s *LabelSource) Items() []ItemData { return s.Given }

// Labels returns the labels by id, of an annotator's work labels on one item only the latest.
func (s *LabelSource) Labels() []Label {
	x, labels := newLabelIndex(s), slices.Clone(s.others)
	for l, id := range x.ids {
		n := int32(l)
		label := Label{ID: id, ItemID: x.AllItems[x.Work.Item[l]].ID, Annotator: x.Annotators[x.Work.Annotator[l]],
			Kind: Work, Values: map[string]int{},
			ItemsSinceBreak: int(x.Work.ItemsSinceBreak[l]), ActiveMS: x.Work.ActiveMS[l],
			SubmittedAt: x.Work.TimeOf(n), Revision: int(x.Work.Revision[l])}
		for f, points := range x.points {
			if points[l] != NoAnswer {
				label.Values[s.fields[f].Key] = s.scales[f][points[l]]
			}
		}
		if x.Observations.SetOf != nil {
			label.Observations = x.Observations.Sets[x.Observations.SetOf[l]]
		}
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b Label) int { return cmp.Compare(a.ID, b.ID) })
	return labels
}

// Add adds a label. An answer off the scale is an error.
func (s *LabelSource) Add(l Label) error {
	s.lastID = max(s.lastID, l.ID)
	if l.Kind != Work {
		s.others = append(s.others, l)
		return nil
	}
	item, isKnown := s.NumberOf[l.ItemID]
	if !isKnown {
		return nil
	}
	return s.addWork(&l, item)
}

// addWork adds a work label. Of an annotator's labels on one item only the latest counts; see
// newLabelIndex.
func (s *LabelSource) addWork(l *Label, item int32) error {
	c := &s.columns
	if len(c.ids) == 0 {
		c.Work.location = l.SubmittedAt.Location()
	}
	for f, field := range s.fields {
		point := uint8(NoAnswer)
		if v, ok := l.Values[field.Key]; ok {
			index, isOnScale := s.scales[f].Index(v)
			if !isOnScale {
				return fmt.Errorf("field %s: %s gave item %s the value %d, which is not on the scale %s", field.Key,
					l.Annotator, s.AllItems[item].SourceID, v, s.scales[f])
			}
			point = uint8(index)
		}
		c.points[f] = append(c.points[f], point)
	}
	annotator, seen := s.numbers[l.Annotator]
	if !seen {
		annotator = int32(len(s.annotators))
		s.numbers[l.Annotator], s.annotators = annotator, append(s.annotators, l.Annotator)
	}
	c.Observations.add(len(c.ids), l.Observations)
	c.ids = append(c.ids, l.ID)
	c.Work.add(l, item, annotator)
	return nil
}

// sort sorts the work labels by id.
func (s *LabelSource) sort() {
	if slices.IsSorted(s.columns.ids) {
		return
	}
	order := make([]int32, len(s.columns.ids))
	for n := range order {
		order[n] = int32(n)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(s.columns.ids[a], s.columns.ids[b]) })
	s.columns = s.columns.pick(order)
}

// pick returns the columns of some labels, in their order.
func (c *labelColumns) pick(labels []int32) labelColumns {
	picked := labelColumns{ids: pickFrom(c.ids, labels), Work: c.Work.pick(labels), Observations: c.Observations}
	picked.Observations.SetOf = pickFrom(c.Observations.SetOf, labels)
	for _, points := range c.points {
		picked.points = append(picked.points, pickFrom(points, labels))
	}
	return picked
}

// pickFrom returns some values of a column; nil if there is none.
func pickFrom[T any](column []T, places []int32) []T {
	if column == nil {
		return nil
	}
	picked := make([]T, len(places))
	for n, place := range places {
		picked[n] = column[place]
	}
	return picked
}
