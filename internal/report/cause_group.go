package report

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// maxGroupedAnnotators is the number of annotators up to which every division in two is looked at.
const maxGroupedAnnotators = 12

// A scaleSplit is a division of the annotators of a field into two groups that answer against each other.
type scaleSplit struct {
	first, second   []string
	between, within float64 // κ of pairs of annotators in different groups, and in the same one
}

// findSwappedGroups returns the two groups of two or more annotators whose answers differ most, if κ between
// them is far below 0 and κ within them above 0. Both are tested at a level that allows for the choice
// among all divisions and fields.
func (s *builder) findSwappedGroups(q fieldTable) (split scaleSplit, ok bool, err error) {
	names := q.Table.Annotators()
	n := len(names)
	if n < 4 || n > maxGroupedAnnotators {
		return split, false, nil
	}
	inSecond, divisions := divideByCovariance(q.covariances(), n)
	if divisions == 0 { // no groups answer against each other
		return split, false, nil
	}
	between, within := s.splitPairs(q, inSecond)
	κBetween, err := s.ComputePairKappa(q.Values, between, len(between), study.NoOtherAnnotator)
	if err != nil {
		return split, false, err
	}
	κWithin, err := s.ComputePairKappa(q.Values, within, len(within), study.NoOtherAnnotator)
	if err != nil || κBetween.Value == nil || κWithin.Value == nil || *κBetween.Value >= maxSwappedKappa {
		return split, false, err
	}
	pBetween, isKnownBetween := κBetween.Interval.ProbabilityAtLeast(0)
	aboveWithin, isKnownWithin := κWithin.Interval.ProbabilityAtLeast(0)
	if !isKnownBetween || !isKnownWithin || max(pBetween, 1-aboveWithin)*float64(divisions*len(s.fields)) > maxCauseP {
		return split, false, nil
	}
	for g, name := range names {
		if inSecond>>g&1 == 1 {
			split.second = append(split.second, name)
		} else {
			split.first = append(split.first, name)
		}
	}
	split.between, split.within = *κBetween.Value, *κWithin.Value
	return split, true, nil
}

// covariances returns the sum of products of the deviations from the middle of all answers, for every two
// annotators over the items they share.
func (q fieldTable) covariances() [][]float64 {
	n := len(q.Table.Annotators())
	sums, mean, answers := make([][]float64, n), 0.0, 0.0
	for g := range sums {
		sums[g] = make([]float64, n)
	}
	for item := range q.Table.ByItem() {
		for _, c := range item.Categories {
			mean, answers = mean+float64(q.Values[c]), answers+1
		}
	}
	mean /= answers
	for item := range q.Table.ByItem() {
		for i, g := range item.Annotators {
			for j, h := range item.Annotators {
				sums[g][h] += (float64(q.Values[item.Categories[i]]) - mean) * (float64(q.Values[item.Categories[j]]) - mean)
			}
		}
	}
	return sums
}

// divideByCovariance returns the division into two groups of two or more with the least covariance between
// them, as the set of those in the second group, and the number of divisions; none if it is not below 0.
func divideByCovariance(covariances [][]float64, n int) (inSecond uint, divisions int) {
	least := math.Inf(1)
	for set := uint(2); set < 1<<n; set += 2 { // the first annotator is in the first group
		size, sum := 0, 0.0
		for g := range n {
			size += int(set >> g & 1)
			for h := range g {
				if set>>g&1 != set>>h&1 {
					sum += covariances[g][h]
				}
			}
		}
		if size < 2 || n-size < 2 {
			continue
		}
		divisions++
		if sum < least {
			inSecond, least = set, sum
		}
	}
	if least >= 0 {
		return 0, 0
	}
	return inSecond, divisions
}

// splitPairs returns the pairs of answers to an item by annotators of different groups, and of the same one.
func (s *builder) splitPairs(q fieldTable, inSecond uint) (between, within []stats.PairedAnswers) {
	clusters := [2]map[int]int32{{}, {}}
	for item := range q.Table.ByItem() {
		for i, g := range item.Annotators {
			for j, h := range item.Annotators {
				isBetween := inSecond>>g&1 != inSecond>>h&1
				if isBetween && inSecond>>g&1 == 1 || !isBetween && i >= j {
					continue
				}
				numbers := clusters[study.BoolToInt(isBetween)]
				if _, known := numbers[item.Cluster]; !known {
					numbers[item.Cluster] = int32(len(numbers))
				}
				pair := stats.PairedAnswers{First: q.Values[item.Categories[i]], Second: q.Values[item.Categories[j]], Cluster: numbers[item.Cluster]}
				if isBetween {
					between = append(between, pair)
				} else {
					within = append(within, pair)
				}
			}
		}
	}
	return between, within
}

func (g scaleSplit) text() string {
	n := study.Number{}
	return fmt.Sprintf("%s answer against %s: κ between these groups is %s, and κ within them is %s. Ask how each group reads the ends of the scale.",
		nameSome(g.first), nameSome(g.second), n.FormatBound(g.between), n.FormatBound(g.within))
}
