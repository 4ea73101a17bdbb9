package stats

import "math"

// A LeftOut is a coefficient without the ratings of one annotator.
type LeftOut struct {
	Annotator   string
	Value       float64
	IsDefined   bool
	PairedItems int     // with at least two ratings left
	P           float64 // one-sided, of no rise without the annotator; 1 where it cannot be tested
}

// LeaveOut returns the coefficient without each annotator in turn, by name, and tests whether it is
// higher than with all: the rise divided by its jackknife standard error over items or clusters has
// Student's t. It reads each response pattern once, however many items have it.
func (t RatingTable) LeaveOut(m Measure) []LeftOut {
	s := t.newLeaveOutStatistic(m)
	list, rises := make([]LeftOut, len(t.annotators)), make([]resampleValue, len(t.annotators))
	for g, name := range t.annotators {
		value, missing := m.value(s.without[g])
		list[g] = LeftOut{name, value, missing == missingNothing, int(s.without[g].pairedItems), 1}
	}
	s.evaluate(rises)
	units := newSamplingUnits(s.all.patterns.patternOf, t.clusterOf, len(s.all.patterns.itemCounts), t.clusterCount)
	units.single = s.all.patterns.single()
	shared := units.countShared()
	if shared < MinIntervalUnits {
		return list
	}
	values, weights := units.jackknife(s, len(rises), s.maxUnits())
	for g, rise := range rises {
		if se, ok := standardErrorOf(values, weights, g, shared); ok && rise.missing == missingNothing &&
			rise.value > epsilon {
			list[g].P = StudentCDF(-rise.value/se, float64(shared-1))
		}
	}
	return list
}

// standardErrorOf returns the jackknife standard error of value n; false where leaving out one unit
// gives no value, or where all are equal.
func standardErrorOf(values [][]resampleValue, weights []float64, n, units int) (se float64, ok bool) {
	mean, total, squares := 0.0, 0.0, 0.0
	for i, row := range values {
		if row[n].missing != missingNothing {
			return 0, false
		}
		mean, total = mean+weights[i]*row[n].value, total+weights[i]
	}
	for i, row := range values {
		deviation := row[n].value - mean/total
		squares += weights[i] * deviation * deviation
	}
	se = math.Sqrt(float64(units-1) / float64(units) * squares)
	return se, se > epsilon
}

// A leaveOutStatistic is the rise of a coefficient without each annotator in turn.
type leaveOutStatistic struct {
	measure Measure
	all     *agreementSums
	without []*agreementSums // by annotator
	kept    [][]int32        // by annotator: pattern → that without the annotator; −1: no rating is left
}

// newLeaveOutStatistic returns the statistic with every item.
func (t RatingTable) newLeaveOutStatistic(m Measure) leaveOutStatistic {
	patterns := newResponsePatterns(t, true)
	distinct := RatingTable{Scale: t.Scale, items: make([]string, len(patterns.itemCounts)), annotators: t.annotators,
		rowStart: patterns.ratingStart, annotatorOf: patterns.annotatorOf, categoryOf: patterns.categoryOf}
	s := leaveOutStatistic{measure: m, all: newPatternSums(t, patterns, m.needsAnnotators, m.needsPairs).addAll()}
	for g := range t.annotators {
		table, weights, rowOf := distinct.withoutAnnotator(int32(g), patterns.itemCounts)
		sums := newPatternSums(table, newWeightedPatterns(table, m.needsAnnotators, weights), m.needsAnnotators,
			m.needsPairs).addAll()
		for pattern, row := range rowOf {
			if row >= 0 {
				rowOf[pattern] = sums.patterns.patternOf[row]
			}
		}
		s.without, s.kept = append(s.without, sums), append(s.kept, rowOf)
	}
	return s
}

// maxUnits bounds the units that are left out in turn, so that long scales and many annotators take
// seconds at most.
func (s leaveOutStatistic) maxUnits() int {
	const maxCost = 1_000_000_000
	cost := len(s.without) * len(s.without) * s.all.categoryCount * s.all.categoryCount
	return min(max(maxCost/max(cost, 1), 100), maxJackknifeUnits)
}

func (s leaveOutStatistic) clear() {
	s.all.clear()
	for _, sums := range s.without {
		sums.clear()
	}
}

func (s leaveOutStatistic) add(pattern int32, weight float64) {
	s.all.add(pattern, weight)
	for g, sums := range s.without {
		if kept := s.kept[g][pattern]; kept >= 0 {
			sums.add(kept, weight)
		}
	}
}

func (s leaveOutStatistic) evaluate(into []resampleValue) {
	estimate, missing := s.measure.value(s.all)
	for g, sums := range s.without {
		value, missingWithout := s.measure.value(sums)
		into[g] = resampleValue{value - estimate, max(missing, missingWithout)}
	}
}

// withoutAnnotator returns the table without an annotator, the weights of the rows that are left, and
// the new row of each; −1 if none is left.
func (t RatingTable) withoutAnnotator(annotator int32, weights []float64) (kept RatingTable, keptWeights []float64,
	rowOf []int32) {
	kept, rowOf = RatingTable{Scale: t.Scale, rowStart: []int32{0}}, make([]int32, len(t.items))
	for i := range t.items {
		annotators, categories := t.row(i)
		for j, g := range annotators {
			if g != annotator {
				kept.annotatorOf, kept.categoryOf = append(kept.annotatorOf, g), append(kept.categoryOf, categories[j])
			}
		}
		rowOf[i] = -1
		if n := int32(len(kept.categoryOf)); n > kept.rowStart[len(kept.rowStart)-1] {
			rowOf[i] = int32(len(keptWeights))
			kept.rowStart, keptWeights = append(kept.rowStart, n), append(keptWeights, weights[i])
		}
	}
	kept.items = make([]string, len(keptWeights))
	kept.annotators = renumber(kept.annotatorOf, t.annotators)
	return kept, keptWeights, rowOf
}
