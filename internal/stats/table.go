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
	Cluster         string // what the item shares with others, such as a record; blank: nothing
}

// A Table holds the ratings of one dimension: items × annotators, any cell may
// be missing. Items and annotators stand in the order of their names, so that
// the order of the rows changes no figure. One rating takes five bytes.
type Table struct {
	Scale Scale

	items, annotators []string
	cluster           []int32 // item → cluster; nil where no item has one
	clusters          int
	start             []int32 // item i has the ratings start[i] to start[i+1]
	who               []int32 // rating → annotator, ascending within an item
	cat               []uint8 // rating → place of its value on the scale

	written []string // how each point of the scale is written; nil: as its number
}

// NewTable builds a table. It refuses a value off the scale, a second rating of
// an item by the same annotator, and an item in two clusters.
func NewTable(scale Scale, ratings []Rating) (Table, error) {
	return TableOf(scale, slices.Values(ratings))
}

// TableOf is NewTable of ratings that need not all be there at once.
func TableOf(scale Scale, ratings iter.Seq[Rating]) (Table, error) {
	if err := scale.check(); err != nil {
		return Table{}, err
	}
	b := newBuilder()
	b.items.clones, b.annotators.clones, b.clusters.clones = false, false, false
	for r := range ratings {
		if _, ok := scale.Index(r.Value); !ok {
			return Table{}, fmt.Errorf("%s gave %s the value %d, which is not on the scale %s", r.Annotator, r.Item, r.Value, scale)
		}
		if !b.add(r, 0) {
			return Table{}, fmt.Errorf("the item %s is in two clusters", r.Item)
		}
	}
	if twice := b.sort(); len(twice) > 0 {
		return Table{}, fmt.Errorf("%s judged %s twice", b.annotators.names[twice[0].again.who], b.items.names[twice[0].again.item])
	}
	return b.table(scale), nil
}

// A Met is two answers to the same thing, by a first side and another.
type Met struct {
	First, Other int
	Cluster      int32 // numbers what it shares with others, from 0, without gaps
}

// MetTable is the table of what was met, every meeting an item of two answers. It
// refuses a value off the scale.
func MetTable(scale Scale, met []Met) (Table, error) {
	t := Table{Scale: scale, annotators: []string{"one", "other"}, items: make([]string, len(met)), cluster: make([]int32, len(met)),
		start: make([]int32, len(met)+1), who: make([]int32, 2*len(met)), cat: make([]uint8, 2*len(met))}
	for i, m := range met {
		first, ok := scale.Index(m.First)
		other, on := scale.Index(m.Other)
		if !ok || !on {
			return Table{}, fmt.Errorf("%d or %d is not on the scale %s", m.First, m.Other, scale)
		}
		t.start[i+1], t.who[2*i+1] = int32(2*i+2), 1
		t.cat[2*i], t.cat[2*i+1] = uint8(first), uint8(other)
		t.cluster[i], t.clusters = m.Cluster, max(t.clusters, int(m.Cluster)+1)
	}
	if len(met) == 0 {
		return TableOf(scale, slices.Values[[]Rating](nil))
	}
	return t, nil
}

// Items counts the items that hold a rating.
func (t Table) Items() int { return len(t.items) }

// Annotators returns the names, in order.
func (t Table) Annotators() []string { return t.annotators }

// Ratings counts the answers.
func (t Table) Ratings() int { return len(t.cat) }

// Clusters counts what is resampled: the clusters, or the items where they have none.
func (t Table) Clusters() int {
	if t.cluster == nil {
		return len(t.items)
	}
	return t.clusters
}

// row returns who rated item i, and with what.
func (t Table) row(i int) ([]int32, []uint8) {
	from, to := t.start[i], t.start[i+1]
	return t.who[from:to], t.cat[from:to]
}

// Pair returns the table of the items that both annotators judged.
func (t Table) Pair(a, b string) Table {
	first, knownFirst := slices.BinarySearch(t.annotators, min(a, b))
	second, knownSecond := slices.BinarySearch(t.annotators, max(a, b))
	if !knownFirst || !knownSecond || first == second {
		return t.pick(nil, nil)
	}
	p, rows := pair{int32(first), int32(second)}, []int32{}
	for i := range t.items {
		if who, _ := t.row(i); slices.Contains(who, p.first) && slices.Contains(who, p.second) {
			rows = append(rows, int32(i))
		}
	}
	return t.pickPair(p, rows)
}

// pair is two annotators, first < second.
type pair struct{ first, second int32 }

// shared returns, for every two annotators who share an item, the rows they share.
func (t Table) shared() map[pair][]int32 {
	rows := map[pair][]int32{}
	for i := range t.items {
		who, _ := t.row(i)
		for j, g := range who {
			for _, h := range who[j+1:] {
				rows[pair{g, h}] = append(rows[pair{g, h}], int32(i))
			}
		}
	}
	return rows
}

func (t Table) pickPair(p pair, rows []int32) Table {
	places := make([]int, 2)
	return t.pick(rows, func(n int) []int {
		who, _ := t.row(int(rows[n]))
		places[0], _ = slices.BinarySearch(who, p.first)
		places[1], _ = slices.BinarySearch(who, p.second)
		return places
	})
}

// Complete returns the table of the items that every annotator judged.
func (t Table) Complete() Table { return t.judgedBy(len(t.annotators)) }

// Paired returns the table of the items that two annotators or more judged.
func (t Table) Paired() Table { return t.judgedBy(2) }

// judgedBy returns the table of the items that n annotators or more judged.
func (t Table) judgedBy(n int) Table {
	every := make([]int, len(t.annotators))
	for i := range every {
		every[i] = i
	}
	return t.keep(func(i int) []int {
		if who, _ := t.row(i); len(who) >= n {
			return every[:len(who)]
		}
		return nil
	})
}

// keep returns the table of the places that choose picks out of row i; a row
// without any is left out, and so is an annotator without any.
func (t Table) keep(choose func(i int) []int) Table {
	rows := make([]int32, 0, len(t.items))
	places := make([][]int, 0, len(t.items))
	for i := range t.items {
		if at := choose(i); len(at) > 0 {
			rows, places = append(rows, int32(i)), append(places, at)
		}
	}
	return t.pick(rows, func(n int) []int { return places[n] })
}

// pick returns the table of the given rows, ascending, of each only the places
// that choose gives for the nth.
func (t Table) pick(rows []int32, choose func(n int) []int) Table {
	kept := Table{Scale: t.Scale, written: t.written, items: make([]string, 0, len(rows)), start: make([]int32, 1, len(rows)+1)}
	for n, i := range rows {
		who, cat := t.row(int(i))
		for _, j := range choose(n) {
			kept.who, kept.cat = append(kept.who, who[j]), append(kept.cat, cat[j])
		}
		kept.items = append(kept.items, t.items[i])
		kept.start = append(kept.start, int32(len(kept.cat)))
		if t.cluster != nil {
			kept.cluster = append(kept.cluster, t.cluster[i])
		}
	}
	kept.annotators = renumber(kept.who, t.annotators)
	kept.clusters = len(renumber(kept.cluster, make([]string, t.clusters)))
	return kept
}

// renumber closes the gaps in numbers, in place and in order, and returns the
// names that are left.
func renumber(numbers []int32, names []string) []string {
	place := make([]int32, len(names))
	for _, n := range numbers {
		place[n] = 1
	}
	var left []string
	for was, used := range place {
		if place[was] = int32(len(left)); used == 1 {
			left = append(left, names[was])
		}
	}
	for i, n := range numbers {
		numbers[i] = place[n]
	}
	return left
}

// only returns how the one value of every rating is written, if there is one.
func (t Table) only() (string, bool) {
	if len(t.cat) == 0 {
		return "", false
	}
	for _, c := range t.cat {
		if c != t.cat[0] {
			return "", false
		}
	}
	return t.write(t.cat[0]), true
}

// write returns how a point of the scale is written.
func (t Table) write(c uint8) string {
	if t.written != nil {
		return t.written[c]
	}
	return strconv.Itoa(t.Scale[c])
}

// Used returns the values an annotator gave, ascending.
func (t Table) Used(annotator string) Scale {
	used := make([]bool, len(t.Scale))
	g, _ := slices.BinarySearch(t.annotators, annotator)
	for i, who := range t.who {
		if int(who) == g {
			used[t.cat[i]] = true
		}
	}
	var values Scale
	for c, yes := range used {
		if yes {
			values = append(values, t.Scale[c])
		}
	}
	return values
}
