package stats

import (
	"math"
	"slices"
)

// An Influence is the value of a coefficient without one item, or without its cluster.
type Influence struct {
	Item  string // the first of its cluster
	Value float64
}

// maxInfluenceUnits is the number of items or clusters above which none can drive a
// coefficient.
const maxInfluenceUnits = 2000

// MostInfluential returns the item or cluster without which a coefficient changes most; false
// without one.
func (t RatingTable) MostInfluential(m Measure) (most Influence, ok bool) {
	s := newAgreementSums(t, m.needsAnnotators, m.needsPairs).addAll()
	estimate, missing := m.value(s)
	units := newSamplingUnits(s.patterns.patternOf, t.clusterOf, len(s.patterns.itemCounts), t.clusterCount)
	if missing != missingNothing || units.count() > maxInfluenceUnits {
		return most, false
	}
	largest := 0.0
	for unit := range units.count() {
		for _, pattern := range units.unitPatterns(unit) {
			s.add(pattern, -1)
		}
		value, missing := m.value(s)
		for _, pattern := range units.unitPatterns(unit) {
			s.add(pattern, 1)
		}
		if change := math.Abs(value - estimate); missing == missingNothing && change > largest {
			largest, ok = change, true
			most = Influence{t.firstItem(unit), value}
		}
	}
	return most, ok
}

// WithoutUnitOf returns the table without an item, or without its cluster.
func (t RatingTable) WithoutUnitOf(item string) RatingTable {
	row, ok := slices.BinarySearch(t.items, item)
	if !ok {
		return t
	}
	unit := t.cluster(row)
	return t.filterCells(func(i int) []int {
		if t.cluster(i) == unit {
			return nil
		}
		annotators, _ := t.row(i)
		places := make([]int, len(annotators))
		for n := range places {
			places[n] = n
		}
		return places
	})
}

// firstItem returns the first item of a sampling unit.
func (t RatingTable) firstItem(unit int) string {
	for i := range t.items {
		if t.cluster(i) == unit {
			return t.items[i]
		}
	}
	return ""
}
