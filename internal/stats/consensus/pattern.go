package consensus

import (
	"encoding/binary"

	"github.com/labelwright/labelwright/internal/stats"
)

// A patternSet groups the items that have the same answers of the same annotators.
type patternSet struct {
	patterns  []pattern
	patternOf []int32 // item → pattern
}

// pattern is one set of answers, by annotator.
type pattern struct {
	annotators []int32
	categories []uint8
	items      float64
}

func collectPatterns(t stats.RatingTable) patternSet {
	s := patternSet{patternOf: make([]int32, 0, t.Items())}
	numbers := map[string]int32{}
	var key []byte
	for item := range t.ByItem() {
		key = key[:0]
		for i, g := range item.Annotators {
			key = append(binary.AppendUvarint(key, uint64(g)), item.Categories[i])
		}
		n, isKnown := numbers[string(key)]
		if !isKnown {
			n = int32(len(s.patterns))
			numbers[string(key)] = n
			s.patterns = append(s.patterns, pattern{annotators: item.Annotators, categories: item.Categories})
		}
		s.patterns[n].items++
		s.patternOf = append(s.patternOf, n)
	}
	return s
}
