package stats

// A LeftOut is a coefficient without the ratings of one annotator.
type LeftOut struct {
	Annotator   string
	Value       float64
	IsDefined   bool
	PairedItems int // with at least two ratings left
}

// LeaveOut returns the coefficient without each annotator in turn, by name. It reads each
// response pattern once, however many items have it.
func (t RatingTable) LeaveOut(m Measure) []LeftOut {
	patterns := newResponsePatterns(t, true)
	distinct := RatingTable{Scale: t.Scale, items: make([]string, len(patterns.itemCounts)), annotators: t.annotators,
		rowStart: patterns.ratingStart, annotatorOf: patterns.annotatorOf, categoryOf: patterns.categoryOf}
	list := make([]LeftOut, len(t.annotators))
	for g, name := range t.annotators {
		kept, weights := distinct.without(int32(g), patterns.itemCounts)
		s := newPatternSums(kept, newWeightedPatterns(kept, m.needsAnnotators, weights), m.needsAnnotators, m.needsPairs).addAll()
		value, missing := m.value(s)
		list[g] = LeftOut{name, value, missing == missingNothing, int(s.pairedItems)}
	}
	return list
}

// without returns the table without an annotator, and the weights of the rows that are left.
func (t RatingTable) without(annotator int32, weights []float64) (kept RatingTable, keptWeights []float64) {
	kept = RatingTable{Scale: t.Scale, rowStart: []int32{0}}
	for i := range t.items {
		annotators, categories := t.row(i)
		for j, g := range annotators {
			if g != annotator {
				kept.annotatorOf, kept.categoryOf = append(kept.annotatorOf, g), append(kept.categoryOf, categories[j])
			}
		}
		if n := int32(len(kept.categoryOf)); n > kept.rowStart[len(kept.rowStart)-1] {
			kept.rowStart, keptWeights = append(kept.rowStart, n), append(keptWeights, weights[i])
		}
	}
	kept.items = make([]string, len(keptWeights))
	kept.annotators = renumber(kept.annotatorOf, t.annotators)
	return kept, keptWeights
}
