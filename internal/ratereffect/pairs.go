package ratereffect

import "slices"

// pairSums are sums over the items that two annotators labeled.
type pairSums struct {
	first, second int32
	items         float64 // with an answer of both to any field

	disagreement float64 // sum over items; see comparePairs
	// items with equal answers that the first annotator labeled later, less those that the second did
	later int
}

// other returns the other annotator of a pair.
func (p *pairSums) other(annotator int32) int32 {
	if p.first == annotator {
		return p.second
	}
	return p.first
}

// A pairGraph is the pairs of annotators who share items.
type pairGraph struct {
	list   []*pairSums
	of     [][]int32 // annotator → pairs
	number map[[2]int32]int32
}

// maxPairsPerLabel is the number of other labels of an item that a label is compared with.
const maxPairsPerLabel = 12

// visitPairs calls visit for each two labels of an item; of items with very many labels, for some of them.
func (s *labelSet) visitPairs(visit func(a, b int32)) {
	for item := range int32(len(s.byItem.start) - 1) {
		labels := s.byItem.at(item)
		n := len(labels)
		if n <= maxPairsPerLabel+1 {
			for i, a := range labels {
				for _, b := range labels[i+1:] {
					if s.AnnotatorOf[a] != s.AnnotatorOf[b] {
						visit(a, b)
					}
				}
			}
			continue
		}
		for step := range maxPairsPerLabel / 2 {
			distance := 1 + (int(item)+step*n/maxPairsPerLabel)%((n-1)/2)
			for i, a := range labels {
				if b := labels[(i+distance)%n]; s.AnnotatorOf[a] < s.AnnotatorOf[b] {
					visit(a, b)
				} else if s.AnnotatorOf[a] > s.AnnotatorOf[b] {
					visit(b, a)
				}
			}
		}
	}
}

// collectPairs counts the items of all pairs.
func (s *labelSet) collectPairs() pairGraph {
	g := pairGraph{of: make([][]int32, len(s.Annotators)), number: map[[2]int32]int32{}}
	s.visitPairs(func(a, b int32) {
		p := g.pair(s.AnnotatorOf[a], s.AnnotatorOf[b])
		for _, points := range s.Points {
			if points[a] != NoPoint && points[b] != NoPoint {
				p.items++
				break
			}
		}
	})
	return g
}

// pair returns the sums of two annotators, the first of whom has the lower number.
func (g *pairGraph) pair(first, second int32) *pairSums {
	n, ok := g.number[[2]int32{first, second}]
	if !ok {
		n = int32(len(g.list))
		g.number[[2]int32{first, second}] = n
		g.list = append(g.list, &pairSums{first: first, second: second})
		g.of[first], g.of[second] = append(g.of[first], n), append(g.of[second], n)
	}
	return g.list[n]
}

// components returns the groups of annotators who are connected by shared items, without those who are excluded.
func (g *pairGraph) components(isExcluded []bool) (groups [][]int32) {
	seen := slices.Clone(isExcluded)
	for a := range g.of {
		if seen[a] {
			continue
		}
		seen[a] = true
		group := []int32{int32(a)}
		for i := 0; i < len(group); i++ {
			for _, n := range g.of[group[i]] {
				if b := g.list[n].other(group[i]); !seen[b] {
					seen[b], group = true, append(group, b)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

func medianOf(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
