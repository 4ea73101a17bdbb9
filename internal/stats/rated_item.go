package stats

import "iter"

// A RatedItem is an item with its answers.
type RatedItem struct {
	Item       string
	Cluster    int     // from 0; an item outside a cluster has its own
	Annotators []int32 // indexes of RatingTable.Annotators, ascending
	Categories []uint8 // indexes of RatingTable.Scale, by annotator
}

// ByItem returns the answers to each item, in order of name. Do not change them.
func (t RatingTable) ByItem() iter.Seq[RatedItem] {
	return func(yield func(RatedItem) bool) {
		for i, item := range t.items {
			annotators, categories := t.row(i)
			if !yield(RatedItem{item, t.cluster(i), annotators, categories}) {
				return
			}
		}
	}
}

func (t RatingTable) cluster(i int) int {
	if t.clusterOf == nil {
		return i
	}
	return int(t.clusterOf[i])
}

// HasClusters reports whether items share clusters.
func (t RatingTable) HasClusters() bool { return t.clusterOf != nil }

// SelectAnnotators returns the table of the ratings of some annotators.
func (t RatingTable) SelectAnnotators(isSelected func(name string) bool) RatingTable {
	selected := make([]bool, len(t.annotators))
	for g, name := range t.annotators {
		selected[g] = isSelected(name)
	}
	return t.filterCells(func(i int) []int {
		annotators, _ := t.row(i)
		positions := make([]int, 0, len(annotators))
		for position, g := range annotators {
			if selected[g] {
				positions = append(positions, position)
			}
		}
		return positions
	})
}
