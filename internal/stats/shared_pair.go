package stats

import (
	"cmp"
	"slices"
)

// Pair returns the table of the items that both annotators labeled.
func (t RatingTable) Pair(a, b string) RatingTable {
	first, knownFirst := slices.BinarySearch(t.annotators, min(a, b))
	second, knownSecond := slices.BinarySearch(t.annotators, max(a, b))
	if !knownFirst || !knownSecond || first == second {
		return t.selectCells(nil, nil)
	}
	p, rows := annotatorPair{int32(first), int32(second)}, []int32{}
	for i := range t.items {
		if annotators, _ := t.row(i); slices.Contains(annotators, p.first) && slices.Contains(annotators, p.second) {
			rows = append(rows, int32(i))
		}
	}
	return t.selectPair(p, rows)
}

// annotatorPair identifies two annotators, first < second.
type annotatorPair struct{ first, second int32 }

// maxPairs bounds the pairs of annotators that are looked at. Thousands of annotators of one item
// have millions, of which no one learns anything.
const maxPairs = 1_000_000

// hasTooManyPairs reports whether more than maxPairs annotators can share an item.
func (t RatingTable) hasTooManyPairs() bool {
	pairs := 0
	for i := range t.items {
		annotators, _ := t.row(i)
		pairs += len(annotators) * (len(annotators) - 1) / 2
	}
	return min(pairs, len(t.annotators)*(len(t.annotators)-1)/2) > maxPairs
}

// A SharedPair is two annotators who share items.
type SharedPair struct {
	First, Second string
	table         *RatingTable // of all annotators
	pair          annotatorPair
	rows          []int32
}

// SharedPairs returns every two annotators who share items, in order of name; none if they are too
// many.
func (t RatingTable) SharedPairs() []SharedPair {
	if t.hasTooManyPairs() {
		return nil
	}
	itemOf := make([]int32, t.Ratings())
	for i := range t.items {
		for rating := t.rowStart[i]; rating < t.rowStart[i+1]; rating++ {
			itemOf[rating] = int32(i)
		}
	}
	ratingsOf := make([][]int32, len(t.annotators))
	for rating, g := range t.annotatorOf {
		ratingsOf[g] = append(ratingsOf[g], int32(rating))
	}
	var pairs []SharedPair
	counts, places := make([]int, len(t.annotators)), make([]int, len(t.annotators)) // by second annotator
	for g, ratings := range ratingsOf {
		var others []int32
		total := 0
		for _, rating := range ratings {
			for _, other := range t.annotatorOf[rating+1 : t.rowStart[itemOf[rating]+1]] {
				if counts[other] == 0 {
					others = append(others, other)
				}
				counts[other]++
				total++
			}
		}
		slices.Sort(others)
		rows := make([]int32, total)
		pairs = slices.Grow(pairs, len(others))
		for _, other := range others {
			n := counts[other]
			places[other], counts[other] = len(pairs), 0
			pairs = append(pairs, SharedPair{t.annotators[g], t.annotators[other], &t, annotatorPair{int32(g), other},
				rows[:0:n]})
			rows = rows[n:]
		}
		for _, rating := range ratings {
			for _, other := range t.annotatorOf[rating+1 : t.rowStart[itemOf[rating]+1]] {
				p := &pairs[places[other]]
				p.rows = append(p.rows, itemOf[rating])
			}
		}
	}
	return pairs
}

// comparePairs orders pairs by name.
func comparePairs(a, b SharedPair) int {
	return cmp.Or(cmp.Compare(a.pair.first, b.pair.first), cmp.Compare(a.pair.second, b.pair.second))
}

// MostShared returns at most maxListedPairs of the pairs, in their order: those that share most items.
func MostShared(pairs []SharedPair) []SharedPair { return mostShared(pairs, maxListedPairs) }

func mostShared(pairs []SharedPair, limit int) []SharedPair {
	if len(pairs) <= limit {
		return pairs
	}
	slices.SortStableFunc(pairs, func(a, b SharedPair) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	pairs = pairs[:limit]
	slices.SortFunc(pairs, comparePairs)
	return pairs
}

// listPairs returns every two annotators in order of name or, if they are more than limit, the
// limit pairs that share most items.
func (t RatingTable) listPairs(limit int) []SharedPair {
	shared, n := t.SharedPairs(), len(t.annotators)
	if n*(n-1)/2 > limit {
		return mostShared(shared, limit)
	}
	pairs := []SharedPair{}
	for first := range n {
		for second := first + 1; second < n; second++ {
			p := SharedPair{t.annotators[first], t.annotators[second], &t, annotatorPair{int32(first), int32(second)},
				nil}
			if len(shared) > 0 && shared[0].pair == p.pair {
				p, shared = shared[0], shared[1:]
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Table returns the table of the shared items.
func (p *SharedPair) Table() RatingTable { return p.table.selectPair(p.pair, p.rows) }

func (t RatingTable) selectPair(p annotatorPair, rows []int32) RatingTable {
	places := make([]int, 2)
	return t.selectCells(rows, func(n int) []int {
		annotators, _ := t.row(int(rows[n]))
		places[0], _ = slices.BinarySearch(annotators, p.first)
		places[1], _ = slices.BinarySearch(annotators, p.second)
		return places
	})
}

// A PairComparison computes the agreement of one pair of annotators after another. It is not safe
// for concurrent use.
type PairComparison struct {
	kappa  Measure
	table  *cohenTable
	index  []int32 // number of each cell of the pair, from 1, by the categories of the first and the second
	cells  []answerCell
	counts []float64
}

// maxIndexedCategories is the length of the scales up to which a comparison has an index of cells.
const maxIndexedCategories = 64

// NewPairComparison returns a comparison of annotators on a scale, with Cohen's κ with weights w.
func NewPairComparison(scale NumericScale, w Weighting) *PairComparison {
	c := &PairComparison{kappa: LightKappa(w), table: newCohenTable(len(scale), w.matrix(scale))}
	if len(scale) <= maxIndexedCategories {
		c.index = make([]int32, len(scale)*len(scale))
	}
	return c
}

// Compute returns percent agreement and κ on the shared items of a pair, which are those of its
// Table.
func (c *PairComparison) Compute(p *SharedPair) (agreement, kappa PointEstimate) {
	if len(p.rows) > 0 && c.index != nil {
		equal := c.countCells(p)
		value, missing := c.table.compute(c.cells, c.counts)
		if missing == missingNothing {
			n := len(p.rows)
			basis := PointEstimate{Items: n, Annotators: 2, Ratings: 2 * n}
			agreement, kappa = basis, basis
			agreement.Value, kappa.Value = equal/float64(n), value
			return agreement, kappa
		}
	}
	t := p.Table()
	return PercentAgreement().Compute(t), c.kappa.Compute(t)
}

// countCells counts the answers of a pair by cell, in order of appearance, and the equal ones.
func (c *PairComparison) countCells(p *SharedPair) (equal float64) {
	c.cells, c.counts = c.cells[:0], c.counts[:0]
	for _, i := range p.rows {
		annotators, categories := p.table.row(int(i))
		place, _ := slices.BinarySearch(annotators, p.pair.first)
		other, _ := slices.BinarySearch(annotators[place+1:], p.pair.second)
		first, second := categories[place], categories[place+1+other]
		number := &c.index[int(first)*len(c.table.rows)+int(second)]
		if *number == 0 {
			c.cells, c.counts = append(c.cells, answerCell{first, second, int32(len(c.cells))}), append(c.counts, 0)
			*number = int32(len(c.cells))
		}
		c.counts[*number-1]++
		equal += boolToFloat(first == second)
	}
	for _, cell := range c.cells {
		c.index[int(cell.first)*len(c.table.rows)+int(cell.second)] = 0
	}
	return equal
}
