package stats

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// A Rating is one answer of one annotator to one item, in one dimension.
type Rating struct {
	Item, Annotator string
	Value           int
	Cluster         string // such as the record of the item; blank: none
}

// A RatingTable is the ratings of one dimension, items × annotators; any may be missing.
// Items and annotators are sorted by name, so the order of the input changes no figure.
// One rating takes five bytes.
type RatingTable struct {
	Scale NumericScale

	items, annotators []string
	clusterOf         []int32 // item → cluster; nil without clusters
	clusterCount      int
	rowStart          []int32 // item i has the ratings rowStart[i] to rowStart[i+1]
	annotatorOf       []int32 // rating → annotator, ascending within an item
	categoryOf        []uint8 // rating → index of its value on the scale

	valueNames []string // the points of the scale as written; nil: as numbers
}

// NewRatingTable returns a table of ratings. A value off the scale, two ratings of an item
// by one annotator, and an item in two clusters are errors.
func NewRatingTable(scale NumericScale, ratings []Rating) (RatingTable, error) {
	return CollectRatingTable(scale, slices.Values(ratings))
}

// CollectRatingTable does the same as NewRatingTable without a slice of all ratings.
func CollectRatingTable(scale NumericScale, ratings iter.Seq[Rating]) (RatingTable, error) {
	if err := scale.Validate(); err != nil {
		return RatingTable{}, err
	}
	b := NewTableBuilder()
	b.items.copiesNames, b.annotators.copiesNames, b.clusters.copiesNames = false, false, false
	for r := range ratings {
		if _, ok := scale.Index(r.Value); !ok {
			return RatingTable{}, fmt.Errorf("%s gave item %s the value %d, which is not on the scale %s", r.Annotator,
				r.Item, r.Value, scale)
		}
		if !b.Add(r, 0) {
			return RatingTable{}, fmt.Errorf("the item %s is in two clusters", r.Item)
		}
	}
	if duplicates := b.Sort(); len(duplicates) > 0 {
		return RatingTable{}, fmt.Errorf("%s labeled item %s twice", duplicates[0].Annotator, duplicates[0].Item)
	}
	return b.build(scale), nil
}

// PairedAnswers are two answers to the same item.
type PairedAnswers struct {
	First, Second int
	Cluster       int32 // from 0, without gaps
}

// NewPairTable returns a table with one item for each pair of answers. A value off the
// scale is an error.
func NewPairTable(scale NumericScale, pairs []PairedAnswers) (RatingTable, error) {
	t := RatingTable{Scale: scale, annotators: []string{"first", "second"}, items: make([]string, len(pairs)),
		clusterOf: make([]int32, len(pairs)),
		rowStart:  make([]int32, len(pairs)+1), annotatorOf: make([]int32, 2*len(pairs)),
		categoryOf: make([]uint8, 2*len(pairs))}
	for i, pair := range pairs {
		first, ok := scale.Index(pair.First)
		second, isOnScale := scale.Index(pair.Second)
		if !ok || !isOnScale {
			return RatingTable{}, fmt.Errorf("%d or %d is not on the scale %s", pair.First, pair.Second, scale)
		}
		t.rowStart[i+1], t.annotatorOf[2*i+1] = int32(2*i+2), 1
		t.categoryOf[2*i], t.categoryOf[2*i+1] = uint8(first), uint8(second)
		t.clusterOf[i], t.clusterCount = pair.Cluster, max(t.clusterCount, int(pair.Cluster)+1)
	}
	if len(pairs) == 0 {
		return CollectRatingTable(scale, slices.Values[[]Rating](nil))
	}
	return t, nil
}

// Items returns the number of items with a rating.
func (t RatingTable) Items() int { return len(t.items) }

// Annotators returns the names, sorted.
func (t RatingTable) Annotators() []string { return t.annotators }

// Ratings returns the number of ratings.
func (t RatingTable) Ratings() int { return len(t.categoryOf) }

// row returns the annotators and the categories of item i.
func (t RatingTable) row(i int) ([]int32, []uint8) {
	from, to := t.rowStart[i], t.rowStart[i+1]
	return t.annotatorOf[from:to], t.categoryOf[from:to]
}

// Paired returns the table of the items with at least two ratings.
func (t RatingTable) Paired() RatingTable { return t.withMinRatings(2) }

// withMinRatings returns the table of the items with at least n ratings.
func (t RatingTable) withMinRatings(n int) RatingTable {
	positions := make([]int, len(t.annotators))
	for i := range positions {
		positions[i] = i
	}
	return t.filterCells(func(i int) []int {
		if annotators, _ := t.row(i); len(annotators) >= n {
			return positions[:len(annotators)]
		}
		return nil
	})
}

// filterCells returns the table of the ratings that choose returns for row i, as indexes
// into the row. Items and annotators without a rating are left out.
func (t RatingTable) filterCells(choose func(i int) []int) RatingTable {
	rows := make([]int32, 0, len(t.items))
	places := make([][]int, 0, len(t.items))
	for i := range t.items {
		if chosen := choose(i); len(chosen) > 0 {
			rows, places = append(rows, int32(i)), append(places, chosen)
		}
	}
	return t.selectCells(rows, func(n int) []int { return places[n] })
}

// selectCells returns the table of the given rows, ascending; of the nth row, only the
// ratings that choose returns.
func (t RatingTable) selectCells(rows []int32, choose func(n int) []int) RatingTable {
	kept := RatingTable{Scale: t.Scale, valueNames: t.valueNames, items: make([]string, 0, len(rows)),
		rowStart: make([]int32, 1, len(rows)+1)}
	for n, i := range rows {
		annotators, categories := t.row(int(i))
		for _, j := range choose(n) {
			kept.annotatorOf, kept.categoryOf = append(kept.annotatorOf, annotators[j]),
				append(kept.categoryOf, categories[j])
		}
		kept.items = append(kept.items, t.items[i])
		kept.rowStart = append(kept.rowStart, int32(len(kept.categoryOf)))
		if t.clusterOf != nil {
			kept.clusterOf = append(kept.clusterOf, t.clusterOf[i])
		}
	}
	kept.annotators = renumber(kept.annotatorOf, t.annotators)
	kept.clusterCount = len(renumber(kept.clusterOf, make([]string, t.clusterCount)))
	return kept
}

// renumber closes the gaps in numbers, in place and in order, and returns the names
// still in use.
func renumber(numbers []int32, names []string) []string {
	newNumbers := make([]int32, len(names))
	for _, n := range numbers {
		newNumbers[n] = 1
	}
	var left []string
	for oldNumber, used := range newNumbers {
		if newNumbers[oldNumber] = int32(len(left)); used == 1 {
			left = append(left, names[oldNumber])
		}
	}
	for i, n := range numbers {
		numbers[i] = newNumbers[n]
	}
	return left
}

// singleValue returns the value of every rating as written, if there is only one.
func (t RatingTable) singleValue() (string, bool) {
	if len(t.categoryOf) == 0 {
		return "", false
	}
	for _, c := range t.categoryOf {
		if c != t.categoryOf[0] {
			return "", false
		}
	}
	return t.valueText(t.categoryOf[0]), true
}

// valueText returns a point of the scale as written.
func (t RatingTable) valueText(c uint8) string {
	if t.valueNames != nil {
		return t.valueNames[c]
	}
	return strconv.Itoa(t.Scale[c])
}

// UsedValues returns the distinct values of an annotator, ascending; nil for an unknown one.
func (t RatingTable) UsedValues(annotator string) NumericScale {
	g, isKnown := slices.BinarySearch(t.annotators, annotator)
	if !isKnown {
		return nil
	}
	used := make([]bool, len(t.Scale))
	for i, rater := range t.annotatorOf {
		if int(rater) == g {
			used[t.categoryOf[i]] = true
		}
	}
	var values NumericScale
	for c, isUsed := range used {
		if isUsed {
			values = append(values, t.Scale[c])
		}
	}
	return values
}
