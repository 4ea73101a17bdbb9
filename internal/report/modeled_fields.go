package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A modeledFields is the fields that one model is fitted to: one, or several that rules tie to
// each other.
type modeledFields struct {
	fields       []int             // numbers
	combinations [][]uint8         // of the points of the fields
	table        stats.RatingTable // its categories are the combinations
}

// groupFields returns all fields in groups. Tied fields are a group if their labels have all of
// their answers, and only combinations that the rules allow, and unless an ordered model is asked
// for on a scale of three points or more.
func (s *study) groupFields(method consensus.Method) (groups []modeledFields, err error) {
	isGrouped := make([]bool, len(s.fields))
	for _, tied := range s.Protocol.ListTiedFields() {
		g, ok, err := s.groupTied(tied, method)
		if err != nil {
			return nil, err
		}
		if ok {
			groups = append(groups, g)
			for _, i := range g.fields {
				isGrouped[i] = true
			}
		}
	}
	for i, q := range s.fields {
		if !isGrouped[i] {
			groups = append(groups, s.groupAlone(i, q))
		}
	}
	return groups, nil
}

func (s *study) groupAlone(i int, q fieldTable) modeledFields {
	g := modeledFields{fields: []int{i}, table: q.table}
	for point := range q.scale {
		g.combinations = append(g.combinations, []uint8{uint8(point)})
	}
	return g
}

// groupTied returns false if the labels permit no model of tied fields.
func (s *study) groupTied(tied protocol.TiedFields, method consensus.Method) (g modeledFields, ok bool, err error) {
	for _, key := range tied.Keys {
		i := s.fieldIndex(key)
		if len(s.fields[i].scale) > 2 && method == consensus.ByOrdinalDawidSkene {
			return g, false, nil
		}
		g.fields = append(g.fields, i)
	}
	for _, values := range tied.Combinations {
		points := make([]uint8, len(values))
		for n, v := range values {
			point, _ := s.fields[g.fields[n]].scale.Index(v)
			points[n] = uint8(point)
		}
		g.combinations = append(g.combinations, points)
	}
	q := s.fields[g.fields[0]]
	q.points = make([]uint8, s.work.len())
	for l := range q.points {
		if q.points[l], ok = g.combinationOf(s, int32(l)); !ok {
			return g, false, nil
		}
	}
	q.scale = stats.NewRangeScale(0, len(g.combinations)-1)
	g.table, err = s.newTable(q, q.names, q.items)
	return g, err == nil, err
}

// combinationOf returns the number of a label's combination, noAnswer without answers, and false
// if some are missing or the rules do not allow them.
func (g modeledFields) combinationOf(s *study, label int32) (number uint8, ok bool) {
	points, missing := make([]uint8, len(g.fields)), 0
	for n, i := range g.fields {
		points[n] = s.fields[i].points[label]
		missing += boolToInt(points[n] == noAnswer)
	}
	if missing > 0 {
		return noAnswer, missing == len(points)
	}
	i := slices.IndexFunc(g.combinations, func(c []uint8) bool { return slices.Equal(c, points) })
	return uint8(i), i >= 0
}
