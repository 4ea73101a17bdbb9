package stats

import (
	"iter"
	"slices"
)

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

// OnUsedScale returns the table on the scale of the values in use.
func (t RatingTable) OnUsedScale() RatingTable {
	used := make([]bool, len(t.Scale))
	for _, c := range t.categoryOf {
		used[c] = true
	}
	var scale NumericScale
	var names []string
	newCategory := make([]uint8, len(t.Scale))
	for c, v := range t.Scale {
		if newCategory[c] = uint8(len(scale)); !used[c] {
			continue
		}
		if scale = append(scale, v); t.valueNames != nil {
			names = append(names, t.valueNames[c])
		}
	}
	if !slices.ContainsFunc(names, IsNonNumeric) && names != nil { // with fewer decimal places, if possible
		points, _ := NewScaleFromNumerals(names) // cannot fail: the longer scale was valid
		scale, names = points.Scale, points.Names
	}
	t.Scale, t.valueNames, t.categoryOf = scale, names, slices.Clone(t.categoryOf)
	for i, c := range t.categoryOf {
		t.categoryOf[i] = newCategory[c]
	}
	return t
}

// SelectItems returns the table of the ratings of some items.
func (t RatingTable) SelectItems(isSelected func(item string) bool) RatingTable {
	return t.filterCells(func(i int) []int {
		if !isSelected(t.items[i]) {
			return nil
		}
		annotators, _ := t.row(i)
		positions := make([]int, len(annotators))
		for n := range positions {
			positions[n] = n
		}
		return positions
	})
}
