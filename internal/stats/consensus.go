package stats

import (
	"slices"
)

// A ConsensusMethod is the rule that gives the consensus of an item.
type ConsensusMethod string

// The methods. A tie has no consensus and needs adjudication.
const (
	SingleAnswer ConsensusMethod = "single"    // the only answer
	Unanimous    ConsensusMethod = "unanimous" // all answers are equal
	Majority     ConsensusMethod = "majority"  // more than half are equal
	Plurality    ConsensusMethod = "plurality" // the most frequent of unordered answers
	MedianAnswer ConsensusMethod = "median"    // of ordered answers
	Tie          ConsensusMethod = "tie"
)

// An ItemConsensus is the consensus answer of an item, or its tied answers.
type ItemConsensus struct {
	Item        string
	Method      ConsensusMethod
	Value       int   // 0 for a tie
	TiedValues  []int // ascending, for a tie
	AnswerCount int
}

// ConsensusByItem returns the consensus of every item: the majority, else the median of
// ordered answers or the plurality of others. Two different middle answers are a tie,
// because no annotator gave the value between them.
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

// applyMedian sets the median of the sorted values.
func (c *ItemConsensus) applyMedian(values []int) {
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	if low == high {
		c.Method, c.Value = MedianAnswer, low
		return
	}
	c.Method, c.Value, c.TiedValues = Tie, 0, []int{low, high}
}

// findModes returns the most frequent of the sorted values, and their count.
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
