package study

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// NoAnswer is the point of a label that does not answer a field.
const NoAnswer = 0xff

// A FieldTable is a field with all its answers.
type FieldTable struct {
	protocol.Field
	Values stats.NumericScale
	Points []uint8 // label → index of the answer on the scale, or noAnswer
	Table  stats.RatingTable
	Items  []int32  // row of the table → item
	Names  []string // row of the table → own id of the item
}

// NewMatrix returns a matrix of zeros, one row and column per point of the scale.
func (q FieldTable) NewMatrix() [][]int {
	matrix := make([][]int, len(q.Values))
	for i := range matrix {
		matrix[i] = make([]int, len(q.Values))
	}
	return matrix
}

// Answered returns the labels among some that answer the field.
func (q FieldTable) Answered(labels []int32) []int32 {
	list := make([]int32, 0, len(labels))
	for _, l := range labels {
		if q.Points[l] != NoAnswer {
			list = append(list, l)
		}
	}
	return list
}

// ValueOf returns the answer of a label that answers the field.
func (q FieldTable) ValueOf(label int32) int { return q.Values[q.Points[label]] }

// NewFieldTable collects the answers to a field; points are those of the labels.
func (s *Study) NewFieldTable(f protocol.Field, points []uint8) (FieldTable, error) {
	q := FieldTable{Field: f, Values: stats.NewNumericScale(f.Scale.Values()...), Points: points}
	all := make([]int32, len(s.AllItems))
	for n := range all {
		all[n] = int32(n)
	}
	var err error
	q.Names, q.Items = s.namesOf(q.answeredItems(s, all))
	q.Table, err = s.NewTable(q, q.Names, q.Items)
	return q, err
}

// answeredItems returns the items among some that have an answer.
func (q FieldTable) answeredItems(s *Study, items []int32) []int32 {
	list := make([]int32, 0, len(items))
	for _, item := range items {
		if slices.ContainsFunc(s.ByItem.At(item), func(l int32) bool { return q.Points[l] != NoAnswer }) {
			list = append(list, item)
		}
	}
	return list
}

// NewTable returns the rating table of items with answers.
func (s *Study) NewTable(q FieldTable, names []string, items []int32) (stats.RatingTable, error) {
	ratings := 0
	for _, item := range items {
		ratings += s.ByItem.Len(item)
	}
	c := stats.Columns{Items: names, Annotators: s.Annotators, RowStart: make([]int32, 1, len(items)+1),
		AnnotatorOf: make([]int32, 0, ratings), CategoryOf: make([]uint8, 0, ratings),
		ClusterOf: s.numberClusters(q, items)}
	for _, item := range items {
		from := len(c.AnnotatorOf)
		for _, l := range s.ByItem.At(item) {
			if point := q.Points[l]; point != NoAnswer {
				c.Insert(from, s.Work.Annotator[l], point)
			}
		}
		c.RowStart = append(c.RowStart, int32(len(c.AnnotatorOf)))
	}
	return stats.NewColumnTable(q.Values, c)
}

// namesOf returns the own ids of items. Fields with answers to the same items share them.
func (s *Study) namesOf(items []int32) ([]string, []int32) {
	if len(s.Fields) > 0 && slices.Equal(items, s.Fields[0].Items) {
		return s.Fields[0].Names, s.Fields[0].Items
	}
	names := make([]string, len(items))
	for row, item := range items {
		names[row] = s.AllItems[item].SourceID
	}
	return names, items
}

// numberClusters numbers the records of items by their first answer; nil if none has a record.
func (s *Study) numberClusters(q FieldTable, items []int32) []int32 {
	if !s.IsClustered() {
		return nil
	}
	firstLabel, records := map[int32]int32{}, []int32{}
	for _, item := range items {
		record := s.RecordOf[item]
		if record < 0 {
			continue
		}
		first := q.Answered(s.ByItem.At(item))[0]
		if known, seen := firstLabel[record]; !seen {
			records, firstLabel[record] = append(records, record), first
		} else if first < known {
			firstLabel[record] = first
		}
	}
	slices.SortFunc(records, func(a, b int32) int { return cmp.Compare(firstLabel[a], firstLabel[b]) })
	numbers := map[int32]int32{-1: -1}
	for n, record := range records {
		numbers[record] = int32(n)
	}
	clusterOf := make([]int32, len(items))
	for row, item := range items {
		clusterOf[row] = numbers[s.RecordOf[item]]
	}
	return clusterOf
}

// PointOf returns the index of the answer on the scale, or noAnswer.
func (q FieldTable) PointOf(values map[string]int) uint8 {
	if v, ok := values[q.Key]; ok {
		if point, isOnScale := q.Values.Index(v); isOnScale {
			return uint8(point)
		}
	}
	return NoAnswer
}
