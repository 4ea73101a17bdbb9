package stats

import "slices"

// A ConsensusMethod is how the consensus on a field of an item came about.
type ConsensusMethod string

// The methods. An unresolved tie has no consensus and needs adjudication.
const (
	Adjudicated  ConsensusMethod = "adjudicated" // a lead decided
	Majority     ConsensusMethod = "majority"    // more than half of the labels are equal
	MedianAnswer ConsensusMethod = "median"      // of ordered labels, which an annotator gave
	TieRuled     ConsensusMethod = "tie_rule"    // the project's tie rule decided
	Tie          ConsensusMethod = "tie"
	DawidSkene   ConsensusMethod = "dawid_skene" // the most probable value by a model of the annotators' errors
)

// A TieRule is how a project resolves ties.
type TieRule string

// The tie rules. The empty one is Unresolved.
const (
	Unresolved  TieRule = "unresolved"
	LowerValue  TieRule = "lower"
	HigherValue TieRule = "higher"
)

// An ItemConsensus is the consensus on a field of an item, or the values it is tied between.
type ItemConsensus struct {
	Method     ConsensusMethod
	Value      int   // 0 for an unresolved tie
	TiedValues []int // ascending, of a tie, resolved or not
	Labels     int
	Mean       float64 // of the labels
	Spread     int     // the highest label minus the lowest
}

// IsResolved reports whether there is a consensus.
func (c ItemConsensus) IsResolved() bool { return c.Method != Tie && c.Method != "" }

// A ConsensusRule says how the labels of an item become one value.
type ConsensusRule struct {
	Scale     NumericScale
	IsNominal bool // the points have no order: there is no median, and no tie rule
	Ties      TieRule
}

// Find returns the consensus of one item's labels: the value of more than half of them, else the median if an annotator
// gave it, else what the tie rule says about the two in the middle. Labels two or more points apart stay a tie.
func (r ConsensusRule) Find(values []int) ItemConsensus {
	if len(values) == 0 {
		return ItemConsensus{}
	}
	values = slices.Sorted(slices.Values(values))
	c := ItemConsensus{Labels: len(values), Spread: values[len(values)-1] - values[0]}
	for _, v := range values {
		c.Mean += float64(v) / float64(len(values))
	}
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	modes, count := findModes(values)
	switch {
	case 2*count > len(values):
		c.Method, c.Value = Majority, modes[0]
	case r.IsNominal:
		c.Method, c.TiedValues = Tie, modes
	case low == high:
		c.Method, c.Value = MedianAnswer, low
	default:
		c.Method, c.TiedValues = Tie, []int{low, high}
		if r.resolves(low, high) {
			c.Method, c.Value = TieRuled, map[TieRule]int{LowerValue: low, HigherValue: high}[r.Ties]
		}
	}
	return c
}

// resolves reports whether the tie rule decides between two values: they are adjacent points.
func (r ConsensusRule) resolves(low, high int) bool {
	i, _ := r.Scale.Index(low)
	j, _ := r.Scale.Index(high)
	return (r.Ties == LowerValue || r.Ties == HigherValue) && j-i == 1
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
