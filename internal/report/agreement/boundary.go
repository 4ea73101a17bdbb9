package agreement

import "github.com/labelwright/labelwright/internal/report/study"

// A Boundary is how often annotators decide differently between two neighboring points: one answers Lower or below, the
// other Upper or above.
type Boundary struct {
	Lower         int `json:"lower"`
	Upper         int `json:"upper"`
	Pairs         int `json:"pairs"`          // pairs of answers to the same item on different sides
	AdjacentPairs int `json:"adjacent_pairs"` // of them, exactly Lower and Upper
}

// findBoundaries returns the boundaries of a field, in the order of its scale.
func findBoundaries(q study.FieldTable, confusion [][]int) []Boundary {
	boundaries := make([]Boundary, len(q.Values)-1)
	for k := range boundaries {
		b := Boundary{Lower: q.Values[k], Upper: q.Values[k+1], AdjacentPairs: confusion[k][k+1]}
		for i := range k + 1 {
			for _, n := range confusion[i][k+1:] {
				b.Pairs += n
			}
		}
		boundaries[k] = b
	}
	return boundaries
}

// DifferentPairs returns the number of pairs of different answers to the same item.
func (f Field) DifferentPairs() (n int) {
	for i, row := range f.Confusion {
		for _, count := range row[i+1:] {
			n += count
		}
	}
	return n
}

// minBoundaryPairs is the number of pairs of answers across a boundary from which it is named.
const minBoundaryPairs = 3

// WorstBoundary returns the neighboring points of a scale of three or more that most pairs of different answers are, if
// they are half of all; false without one.
func (f Field) WorstBoundary() (worst Boundary, ok bool) {
	for _, b := range f.Boundaries {
		if b.AdjacentPairs > worst.AdjacentPairs {
			worst = b
		}
	}
	return worst, len(f.Scale) > 2 && worst.AdjacentPairs >= minBoundaryPairs &&
		2*worst.AdjacentPairs >= f.DifferentPairs()
}
