package stats

import (
	"encoding/binary"
	"slices"
)

// responsePatterns are the distinct sets of answers to an item. A resample only counts how
// often each pattern is drawn. Two items have one pattern if they have the same answers
// or, by annotator, the same answers by the same annotators.
type responsePatterns struct {
	patternOf   []int32 // item → pattern
	ratingStart []int32 // pattern p has the ratings ratingStart[p] to ratingStart[p+1]
	categoryOf  []uint8 // rating → category, ascending unless by annotator
	annotatorOf []int32 // rating → annotator; nil unless by annotator
	itemCounts  []float64

	// The answers counted by category, for every resample to add up.
	countStart        []int32 // pattern p has countStart[p] to countStart[p+1] of the next two
	countedCategories []uint8 // categories in use
	categoryCounts    []float64
}

// newResponsePatterns groups the items of t by pattern.
func newResponsePatterns(t RatingTable, byAnnotator bool) responsePatterns {
	return newWeightedPatterns(t, byAnnotator, nil)
}

// newWeightedPatterns does the same with a weight for each item; nil: 1.
func newWeightedPatterns(t RatingTable, byAnnotator bool, weights []float64) responsePatterns {
	p := responsePatterns{patternOf: make([]int32, t.Items()), ratingStart: []int32{0}, countStart: []int32{0}}
	patternNumbers := map[string]int32{}
	var key []byte
	var answers []uint8
	for i := range t.items {
		annotators, categories := t.row(i)
		answers = append(answers[:0], categories...)
		key = key[:0]
		if byAnnotator {
			for _, g := range annotators {
				key = binary.AppendUvarint(key, uint64(g))
			}
		} else {
			slices.Sort(answers)
		}
		key = append(key, answers...)
		n, seen := patternNumbers[string(key)]
		if !seen {
			n = int32(len(patternNumbers))
			patternNumbers[string(key)] = n
			p.addPattern(annotators, answers, byAnnotator)
		}
		p.patternOf[i] = n
		if weights == nil {
			p.itemCounts[n]++
		} else {
			p.itemCounts[n] += weights[i]
		}
	}
	return p
}

func (p *responsePatterns) addPattern(annotators []int32, answers []uint8, byAnnotator bool) {
	p.categoryOf = append(p.categoryOf, answers...)
	if byAnnotator {
		p.annotatorOf = append(p.annotatorOf, annotators...)
	}
	p.ratingStart = append(p.ratingStart, int32(len(p.categoryOf)))
	p.itemCounts = append(p.itemCounts, 0)
	p.addCounts(answers)
}

// addCounts counts the answers of a new pattern by category.
func (p *responsePatterns) addCounts(answers []uint8) {
	from := len(p.countedCategories)
	for _, c := range answers {
		offset := slices.Index(p.countedCategories[from:], c)
		if offset < 0 {
			offset = len(p.countedCategories) - from
			p.countedCategories, p.categoryCounts = append(p.countedCategories, c), append(p.categoryCounts, 0)
		}
		p.categoryCounts[from+offset]++
	}
	p.countStart = append(p.countStart, int32(len(p.countedCategories)))
}

// counts returns the categories in use in pattern n, and their counts.
func (p responsePatterns) counts(n int32) ([]uint8, []float64) {
	from, to := p.countStart[n], p.countStart[n+1]
	return p.countedCategories[from:to], p.categoryCounts[from:to]
}

// single reports of each pattern whether it has one rating.
func (p responsePatterns) single() []bool {
	single := make([]bool, len(p.itemCounts))
	for n := range single {
		single[n] = p.ratingStart[n+1]-p.ratingStart[n] == 1
	}
	return single
}

// row returns the annotators, nil unless by annotator, and the categories of pattern n.
func (p responsePatterns) row(n int32) ([]int32, []uint8) {
	from, to := p.ratingStart[n], p.ratingStart[n+1]
	if p.annotatorOf == nil {
		return nil, p.categoryOf[from:to]
	}
	return p.annotatorOf[from:to], p.categoryOf[from:to]
}
