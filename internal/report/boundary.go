package report

import (
	"fmt"
	"strings"
)

// A Boundary is how often annotators decide differently between two neighboring points: one
// answers Lower or below, the other Upper or above.
type Boundary struct {
	Lower         int    `json:"lower"`
	Upper         int    `json:"upper"`
	Pairs         int    `json:"pairs"`          // pairs of answers to the same item on different sides
	AdjacentPairs int    `json:"adjacent_pairs"` // of them, exactly Lower and Upper
	Guide         string `json:"guide"`          // what the guide says about the boundary; may be empty
}

// findBoundaries returns the boundaries of a field, in the order of its scale.
func (q fieldTable) findBoundaries(confusion [][]int) []Boundary {
	boundaries := make([]Boundary, len(q.Values)-1)
	for k := range boundaries {
		b := Boundary{Lower: q.Values[k], Upper: q.Values[k+1], AdjacentPairs: confusion[k][k+1], Guide: q.boundaryGuide(q.Values[k], q.Values[k+1])}
		for i := range k + 1 {
			for _, n := range confusion[i][k+1:] {
				b.Pairs += n
			}
		}
		boundaries[k] = b
	}
	return boundaries
}

// boundaryGuide returns the text of the guide on how to choose between two points. Such a
// text starts with the points: "2 or 3?".
func (q fieldTable) boundaryGuide(lower, upper int) string {
	for _, text := range q.Boundaries {
		if strings.HasPrefix(text, fmt.Sprintf("%d or %d?", lower, upper)) {
			return text
		}
	}
	return ""
}

// minBoundaryPairs is the number of pairs of answers across a boundary from which it is named.
const minBoundaryPairs = 3

// WorstBoundary returns the boundary that separates most pairs of answers; false if none or more than one does, or if
// most of these pairs are further apart than its two points: then it is not this boundary that they are about.
func (f FieldReport) WorstBoundary() (worst Boundary, ok bool) {
	isTied := false
	for _, b := range f.Boundaries {
		if isTied = isTied && b.Pairs <= worst.Pairs || b.Pairs == worst.Pairs; b.Pairs > worst.Pairs {
			worst = b
		}
	}
	return worst, !isTied && worst.Pairs >= minBoundaryPairs && 2*worst.AdjacentPairs >= worst.Pairs
}
