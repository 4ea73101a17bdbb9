package stats

import (
	"slices"
)

// A ConsensusMethod is the rule that gives the consensus of an item.
type ConsensusMethod string

// The methods. An unresolved tie has no consensus and needs adjudication.
const (
	SingleAnswer      ConsensusMethod = "single"    // the only answer
	Unanimous         ConsensusMethod = "unanimous" // all answers are equal
	Majority          ConsensusMethod = "majority"  // more than half are equal
	Plurality         ConsensusMethod = "plurality" // the most frequent of unordered answers
	MedianAnswer      ConsensusMethod = "median"    // of ordered answers
	Tie               ConsensusMethod = "tie"
	LowerOfTie        ConsensusMethod = "tie_lower"   // the declared tie rule decided
	HigherOfTie       ConsensusMethod = "tie_higher"  // the declared tie rule decided
	DawidSkene        ConsensusMethod = "dawid_skene" // the most probable value by a model of the annotators' errors
	DawidSkeneOrdinal ConsensusMethod = "dawid_skene_ordinal"
)

// A TieRule is the declared way to decide a tie.
type TieRule string

// The tie rules. The zero value is Unresolved.
const (
	Unresolved  TieRule = "unresolved"
	LowerValue  TieRule = "lower"
	HigherValue TieRule = "higher"
)

// An ItemConsensus is the consensus answer of an item, or its tied answers.
type ItemConsensus struct {
	Item        string
	Method      ConsensusMethod
	Value       int   // 0 for an unresolved tie
	TiedValues  []int // ascending, for a tie
	AnswerCount int
}

// A ConsensusRule says how an item's answers become one.
type ConsensusRule struct {
	Ordered bool // the median decides where there is no majority
	// Scale is that of ordered answers. The median of an even number of answers is the
	// point halfway between the two in the middle, if there is one. Without Scale, two
	// different middle answers are a tie.
	Scale NumericScale
	Ties  TieRule
}

// NewConsensusRule returns the rule that suits a scale: the median of three or more points,
// else the majority.
func NewConsensusRule(scale NumericScale, ties TieRule) ConsensusRule {
	r := ConsensusRule{Ordered: len(scale) > 2, Ties: ties}
	if r.Ordered {
		r.Scale = scale
	}
	return r
}

// ConsensusByItem returns the consensus of every item.
func (t RatingTable) ConsensusByItem(rule ConsensusRule) []ItemConsensus {
	all := make([]ItemConsensus, len(t.items))
	for i, item := range t.items {
		_, categories := t.row(i)
		values := make([]int, len(categories))
		for j, c := range categories {
			values[j] = t.Scale[c]
		}
		all[i] = rule.Find(values)
		all[i].Item = item
	}
	return all
}

// Find returns the consensus of one item's answers: the majority, else the median of ordered
// answers or the plurality of others, else what the tie rule says.
func (r ConsensusRule) Find(values []int) ItemConsensus {
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
	case r.Ordered:
		r.applyMedian(&c, values)
	case len(modes) == 1:
		c.Method = Plurality
	default:
		r.breakTie(&c, modes)
	}
	return c
}

// applyMedian sets the median of the sorted values.
func (r ConsensusRule) applyMedian(c *ItemConsensus, values []int) {
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	middle := (low + high) / 2
	if _, isPoint := r.Scale.Index(middle); low == high || isPoint && 2*middle == low+high {
		c.Method, c.Value = MedianAnswer, middle
		return
	}
	r.breakTie(c, []int{low, high})
}

// breakTie applies the tie rule to the tied values, ascending.
func (r ConsensusRule) breakTie(c *ItemConsensus, tied []int) {
	c.TiedValues = tied
	switch r.Ties {
	case LowerValue:
		c.Method, c.Value = LowerOfTie, tied[0]
	case HigherValue:
		c.Method, c.Value = HigherOfTie, tied[len(tied)-1]
	default:
		c.Method, c.Value = Tie, 0
	}
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
