package stats

import (
	"cmp"
	"slices"
)

// A Settling is how the answers of an item come to one.
type Settling string

// The ways: one answer alone; all equal; more than half equal; the one chosen
// most often, of unordered answers; the middle one, of ordered answers; not at
// all, so that somebody has to settle it.
const (
	Single    Settling = "single"
	Unanimous Settling = "unanimous"
	Majority  Settling = "majority"
	Plurality Settling = "plurality"
	Median    Settling = "median"
	Tied      Settling = "tied"
)

// A Consensus is the one answer of an item, or the answers it is tied between.
type Consensus struct {
	Item    string
	How     Settling
	Value   int   // 0 where tied
	Between []int // ascending, where tied
	Answers int   // how many there were
}

// Consensuses returns the consensus of every item: the majority, else the median
// of ordered answers or the plurality of others. Two middle answers that differ
// are a tie: a value between them is one that nobody gave.
func (t Table) Consensuses(ordered bool) []Consensus {
	all := make([]Consensus, len(t.items))
	for i, item := range t.items {
		_, cat := t.row(i)
		values := make([]int, len(cat))
		for j, c := range cat {
			values[j] = t.Scale[c]
		}
		all[i] = Settle(values, ordered)
		all[i].Item = item
	}
	return all
}

// Settle returns the consensus of one item's answers.
func Settle(values []int, ordered bool) Consensus {
	values = slices.Sorted(slices.Values(values))
	c := Consensus{Answers: len(values)}
	if len(values) == 0 {
		c.How = Tied
		return c
	}
	most, times := mostChosen(values)
	c.Value = most[0]
	switch {
	case len(values) == 1:
		c.How = Single
	case times == len(values):
		c.How = Unanimous
	case 2*times > len(values):
		c.How = Majority
	case ordered:
		c.median(values)
	case len(most) == 1:
		c.How = Plurality
	default:
		c.How, c.Value, c.Between = Tied, 0, most
	}
	return c
}

// median takes the middle of the sorted values.
func (c *Consensus) median(values []int) {
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	if low == high {
		c.How, c.Value = Median, low
		return
	}
	c.How, c.Value, c.Between = Tied, 0, []int{low, high}
}

// mostChosen returns the values that stand most often among the sorted, and how often.
func mostChosen(sorted []int) (most []int, times int) {
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0] {
			n++
		}
		if n > times {
			most, times = nil, n
		}
		if n == times {
			most = append(most, sorted[0])
		}
		sorted = sorted[n:]
	}
	return most, times
}

// An Answer is what one annotator said.
type Answer struct {
	Annotator string
	Value     int
}

// A Disagreement is an item whose answers differ.
type Disagreement struct {
	Item    string
	Apart   float64 // mean distance of two of its answers, as a share of the scale's span
	Widest  int     // distance of the two that are furthest apart, in scale values
	Answers []Answer
}

// Disagreements returns the items whose answers differ, the worst first: by the
// mean distance, then the widest, then the name.
func (t Table) Disagreements() []Disagreement {
	var found []Disagreement
	for i, item := range t.items {
		who, cat := t.row(i)
		d := Disagreement{Item: item}
		for j, g := range who {
			d.Answers = append(d.Answers, Answer{t.annotators[g], t.Scale[cat[j]]})
		}
		if d.measure(t.Scale.Span()); d.Widest > 0 {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b Disagreement) int {
		return cmp.Or(cmp.Compare(b.Apart, a.Apart), cmp.Compare(b.Widest, a.Widest), cmp.Compare(a.Item, b.Item))
	})
	return found
}

func (d *Disagreement) measure(span int) {
	sum, pairs := 0, 0
	for j, a := range d.Answers {
		for _, b := range d.Answers[j+1:] {
			apart := max(a.Value-b.Value, b.Value-a.Value)
			sum, pairs, d.Widest = sum+apart, pairs+1, max(d.Widest, apart)
		}
	}
	if d.Widest > 0 {
		d.Apart = float64(sum) / float64(pairs) / float64(span)
	}
}

// A Confusion counts what two annotators said of the items both judged.
type Confusion struct {
	First, Second string
	Scale         Scale
	Counts        [][]int // by the first's answer, then the second's, in scale order
	Items         int
}

// Confusion returns the table of two annotators.
func (t Table) Confusion(first, second string) Confusion {
	c := Confusion{First: first, Second: second, Scale: t.Scale, Counts: make([][]int, len(t.Scale))}
	for i := range c.Counts {
		c.Counts[i] = make([]int, len(t.Scale))
	}
	both := t.Pair(first, second)
	c.Items = both.Items()
	for i := range both.items {
		_, cat := both.row(i)
		a, b := cat[0], cat[1]
		if first > second {
			a, b = b, a
		}
		c.Counts[a][b]++
	}
	return c
}
