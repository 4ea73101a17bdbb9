package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// noAnswer is the point of a label that does not answer a field.
const noAnswer = 0xff

// A fieldTable is a field with all its answers.
type fieldTable struct {
	protocol.Field
	scale     stats.NumericScale
	points    []uint8 // label → index of the answer on the scale, or noAnswer
	table     stats.RatingTable
	items     []int32  // row of the table → item
	names     []string // row of the table → own id of the item
	consensus fieldConsensus
}

// newMatrix returns a matrix of zeros, one row and column per point of the scale.
func (q fieldTable) newMatrix() [][]int {
	matrix := make([][]int, len(q.scale))
	for i := range matrix {
		matrix[i] = make([]int, len(q.scale))
	}
	return matrix
}

// answered returns the labels among some that answer the field.
func (q fieldTable) answered(labels []int32) []int32 {
	list := make([]int32, 0, len(labels))
	for _, l := range labels {
		if q.points[l] != noAnswer {
			list = append(list, l)
		}
	}
	return list
}

// answers returns the answers among some labels.
func (q fieldTable) answers(labels []int32) []int {
	values := make([]int, 0, len(labels))
	for _, l := range labels {
		if point := q.points[l]; point != noAnswer {
			values = append(values, q.scale[point])
		}
	}
	return values
}

// value returns the answer of a label that answers the field.
func (q fieldTable) value(label int32) int { return q.scale[q.points[label]] }

// newFieldTable collects the answers to a field; points are those of the labels.
func (s *study) newFieldTable(f protocol.Field, points []uint8) (fieldTable, error) {
	q := fieldTable{Field: f, scale: stats.NewNumericScale(f.Scale.Values()...), points: points}
	all := make([]int32, len(s.items))
	for n := range all {
		all[n] = int32(n)
	}
	var err error
	q.names, q.items = s.namesOf(q.answeredItems(s, all))
	q.table, err = s.newTable(q, q.names, q.items)
	return q, err
}

// selectTable returns the rating table of some items, ascending.
func (s *study) selectTable(q fieldTable, items []int32) (stats.RatingTable, error) {
	items = q.answeredItems(s, items)
	names, _ := s.namesOf(items)
	return s.newTable(q, names, items)
}

// answeredItems returns the items among some that have an answer.
func (q fieldTable) answeredItems(s *study, items []int32) []int32 {
	list := make([]int32, 0, len(items))
	for _, item := range items {
		if slices.ContainsFunc(s.byItem.at(item), func(l int32) bool { return q.points[l] != noAnswer }) {
			list = append(list, item)
		}
	}
	return list
}

// newTable returns the rating table of items with answers.
func (s *study) newTable(q fieldTable, names []string, items []int32) (stats.RatingTable, error) {
	ratings := 0
	for _, item := range items {
		ratings += s.byItem.len(item)
	}
	c := stats.Columns{Items: names, Annotators: s.annotators, RowStart: make([]int32, 1, len(items)+1),
		AnnotatorOf: make([]int32, 0, ratings), CategoryOf: make([]uint8, 0, ratings), ClusterOf: s.numberClusters(q, items)}
	for _, item := range items {
		from := len(c.AnnotatorOf)
		for _, l := range s.byItem.at(item) {
			if point := q.points[l]; point != noAnswer {
				c.Insert(from, s.work.annotator[l], point)
			}
		}
		c.RowStart = append(c.RowStart, int32(len(c.AnnotatorOf)))
	}
	return stats.NewColumnTable(q.scale, c)
}

// namesOf returns the own ids of items. Fields with answers to the same items share them.
func (s *study) namesOf(items []int32) ([]string, []int32) {
	if len(s.fields) > 0 && slices.Equal(items, s.fields[0].items) {
		return s.fields[0].names, s.fields[0].items
	}
	names := make([]string, len(items))
	for row, item := range items {
		names[row] = s.items[item].SourceID
	}
	return names, items
}

// numberClusters numbers the records of items by their first answer; nil if none has a record.
func (s *study) numberClusters(q fieldTable, items []int32) []int32 {
	if !s.isClustered() {
		return nil
	}
	firstLabel, records := map[int32]int32{}, []int32{}
	for _, item := range items {
		record := s.recordOf[item]
		if record < 0 {
			continue
		}
		first := q.answered(s.byItem.at(item))[0]
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
		clusterOf[row] = numbers[s.recordOf[item]]
	}
	return clusterOf
}
