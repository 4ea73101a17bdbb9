package stats

import (
	"cmp"
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

// An AnnotatorAnswer is what one annotator said.
type AnnotatorAnswer struct {
	Annotator string
	Value     int
}

// A ItemDisagreement is an item whose answers differ.
type ItemDisagreement struct {
	Item         string
	MeanDistance float64 // mean distance of two of its answers, as a share of the scale's span
	MaxDistance  int     // distance of the two that are furthest apart, in scale values
	Answers      []AnnotatorAnswer
}

// Disagreements returns the items whose answers differ, the worst first: by the
// mean distance, then the widest, then the name.
func (t RatingTable) Disagreements() []ItemDisagreement {
	var found []ItemDisagreement
	for i, item := range t.items {
		annotators, categories := t.row(i)
		d := ItemDisagreement{Item: item}
		for j, g := range annotators {
			d.Answers = append(d.Answers, AnnotatorAnswer{t.annotators[g], t.Scale[categories[j]]})
		}
		if d.computeDistances(t.Scale.Span()); d.MaxDistance > 0 {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b ItemDisagreement) int {
		return cmp.Or(cmp.Compare(b.MeanDistance, a.MeanDistance), cmp.Compare(b.MaxDistance, a.MaxDistance), cmp.Compare(a.Item, b.Item))
	})
	return found
}

func (d *ItemDisagreement) computeDistances(span int) {
	sum, pairs := 0, 0
	for j, a := range d.Answers {
		for _, b := range d.Answers[j+1:] {
			distance := max(a.Value-b.Value, b.Value-a.Value)
			sum, pairs, d.MaxDistance = sum+distance, pairs+1, max(d.MaxDistance, distance)
		}
	}
	if d.MaxDistance > 0 {
		d.MeanDistance = float64(sum) / float64(pairs) / float64(span)
	}
}

// A ConfusionMatrix counts what two annotators said of the items both judged.
type ConfusionMatrix struct {
	First, Second string
	Scale         NumericScale
	Counts        [][]int // by the first's answer, then the second's, in scale order
	Items         int
}

// ConfusionMatrix returns the table of two annotators.
func (t RatingTable) ConfusionMatrix(first, second string) ConfusionMatrix {
	c := ConfusionMatrix{First: first, Second: second, Scale: t.Scale, Counts: make([][]int, len(t.Scale))}
	for i := range c.Counts {
		c.Counts[i] = make([]int, len(t.Scale))
	}
	shared := t.Pair(first, second)
	c.Items = shared.Items()
	for i := range shared.items {
		_, categories := shared.row(i)
		a, b := categories[0], categories[1]
		if first > second {
			a, b = b, a
		}
		c.Counts[a][b]++
	}
	return c
}
