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
	k := responsePatterns{patternOf: make([]int32, t.Items()), ratingStart: []int32{0}, countStart: []int32{0}}
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
			k.addPattern(annotators, answers, byAnnotator)
		}
		k.patternOf[i] = n
		k.itemCounts[n]++
	}
	return k
}

func (k *responsePatterns) addPattern(annotators []int32, answers []uint8, byAnnotator bool) {
	k.categoryOf = append(k.categoryOf, answers...)
	if byAnnotator {
		k.annotatorOf = append(k.annotatorOf, annotators...)
	}
	k.ratingStart = append(k.ratingStart, int32(len(k.categoryOf)))
	k.itemCounts = append(k.itemCounts, 0)
	k.addCounts(answers)
}

// addCounts counts the answers of a new pattern by category.
func (k *responsePatterns) addCounts(answers []uint8) {
	from := len(k.countedCategories)
	for _, c := range answers {
		offset := slices.Index(k.countedCategories[from:], c)
		if offset < 0 {
			offset = len(k.countedCategories) - from
			k.countedCategories, k.categoryCounts = append(k.countedCategories, c), append(k.categoryCounts, 0)
		}
		k.categoryCounts[from+offset]++
	}
	k.countStart = append(k.countStart, int32(len(k.countedCategories)))
}

// counts returns the categories in use in pattern n, and their counts.
func (k responsePatterns) counts(n int32) ([]uint8, []float64) {
	from, to := k.countStart[n], k.countStart[n+1]
	return k.countedCategories[from:to], k.categoryCounts[from:to]
}

// row returns the annotators, nil unless by annotator, and the categories of pattern n.
func (k responsePatterns) row(n int32) ([]int32, []uint8) {
	from, to := k.ratingStart[n], k.ratingStart[n+1]
	if k.annotatorOf == nil {
		return nil, k.categoryOf[from:to]
	}
	return k.annotatorOf[from:to], k.categoryOf[from:to]
}
