package stats

import (
	"encoding/binary"
	"slices"
)

// responsePatterns are the distinct items of a table: what a resample needs to know of an
// item is only how often its kind was drawn. Two items are of one kind where
// they hold the same answers or, if by is set, the same answers by the same people.
type responsePatterns struct {
	patternOf   []int32 // item → kind
	ratingStart []int32 // kind k has the ratings start[k] to start[k+1]
	categoryOf  []uint8 // rating → category, ascending unless by annotator
	annotatorOf []int32 // rating → annotator; nil unless by annotator
	itemCounts  []float64

	// The answers by category, counted once: every resample adds them up.
	countStart        []int32 // kind k has the places first[k] to first[k+1] of the next two
	countedCategories []uint8 // a category that was chosen
	categoryCounts    []float64
}

// newResponsePatterns sorts the items of t into kinds.
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

// addCounts adds the answers of a new kind, by category.
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

// counts returns the categories of kind n, and how often each was chosen.
func (k responsePatterns) counts(n int32) ([]uint8, []float64) {
	from, to := k.countStart[n], k.countStart[n+1]
	return k.countedCategories[from:to], k.categoryCounts[from:to]
}

// row returns the answers of kind n, and who gave them if that is known.
func (k responsePatterns) row(n int32) ([]int32, []uint8) {
	from, to := k.ratingStart[n], k.ratingStart[n+1]
	if k.annotatorOf == nil {
		return nil, k.categoryOf[from:to]
	}
	return k.annotatorOf[from:to], k.categoryOf[from:to]
}
