package stats

import (
	"slices"
)

// A ConsensusMethod is how the answers of an item come to one.
type ConsensusMethod string

// The ways: one answer alone; all equal; more than half equal; the one chosen
// most often, of unordered answers; the middle one, of ordered answers; not at
// all, so that somebody has to settle it.
const (
	SingleAnswer ConsensusMethod = "single"
	Unanimous    ConsensusMethod = "unanimous"
	Majority     ConsensusMethod = "majority"
	Plurality    ConsensusMethod = "plurality"
	MedianAnswer ConsensusMethod = "median"
	Tie          ConsensusMethod = "tied"
)

// A ItemConsensus is the one answer of an item, or the answers it is tied between.
type ItemConsensus struct {
	Item        string
	Method      ConsensusMethod
	Value       int   // 0 where tied
	TiedValues  []int // ascending, where tied
	AnswerCount int   // how many there were
}

// ConsensusByItem returns the consensus of every item: the majority, else the median
// of ordered answers or the plurality of others. Two middle answers that differ
// are a tie: a value between them is one that nobody gave.
func (t RatingTable) ConsensusByItem(ordered bool) []ItemConsensus {
	all := make([]ItemConsensus, len(t.items))
	for i, item := range t.items {
		_, categories := t.row(i)
		values := make([]int, len(categories))
		for j, c := range categories {
			values[j] = t.Scale[c]
		}
		all[i] = FindConsensus(values, ordered)
		all[i].Item = item
	}
	return all
}

// FindConsensus returns the consensus of one item's answers.
func FindConsensus(values []int, ordered bool) ItemConsensus {
	values = slices.Sorted(slices.Values(values))
	c := ItemConsensus{AnswerCount: len(values)}
	if len(values) == 0 {
		c.Method = Tie
		return c
	}
	modes, count := findModes(values)
	c.Value = modes[0]
	switch {
	case len(values) == 1:
		c.Method = SingleAnswer
	case count == len(values):
		c.Method = Unanimous
	case 2*count > len(values):
		c.Method = Majority
	case ordered:
		c.applyMedian(values)
	case len(modes) == 1:
		c.Method = Plurality
	default:
		c.Method, c.Value, c.TiedValues = Tie, 0, modes
	}
	return c
}

// applyMedian takes the middle of the sorted values.
func (c *ItemConsensus) applyMedian(values []int) {
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	if low == high {
		c.Method, c.Value = MedianAnswer, low
		return
	}
	c.Method, c.Value, c.TiedValues = Tie, 0, []int{low, high}
}

// findModes returns the values that stand most often among the sorted, and how often.
func findModes(sorted []int) (modes []int, count int) {
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0] {
			n++
		}
		if n > count {
			modes, count = nil, n
		}
		if n == count {
			modes = append(modes, sorted[0])
		}
		sorted = sorted[n:]
	}
	return modes, count
}
