package stats

import (
	"cmp"
	"slices"
	"strings"
)

// A TableBuilder collects ratings in any order and builds a table of them.
type TableBuilder struct {
	items, annotators, clusters nameIndex
	clusterOf                   []int32 // item → cluster; −1: none
	cells                       []cell
}

type cell struct {
	item, annotator int32
	value           int32
	line            int32 // in the file; 0: no file
}

// NewTableBuilder returns a builder that copies the names it is given.
func NewTableBuilder() *TableBuilder {
	b := &TableBuilder{}
	for _, x := range []*nameIndex{&b.items, &b.annotators, &b.clusters} {
		x.numbers, x.copiesNames = map[string]int32{}, true
	}
	return b
}

// Add takes a rating and its line in the file. It returns false if the item is already
// in another cluster.
func (b *TableBuilder) Add(r Rating, line int) bool {
	item := b.items.assignNumber(r.Item)
	cluster := int32(-1)
	if r.Cluster != "" {
		cluster = b.clusters.assignNumber(r.Cluster)
	}
	if int(item) == len(b.clusterOf) {
		b.clusterOf = append(b.clusterOf, cluster)
	}
	annotator := b.annotators.assignNumber(r.Annotator)
	b.cells = append(b.cells, cell{item, annotator, int32(r.Value), int32(line)})
	return b.clusterOf[item] == cluster
}

// A DuplicateRating names two ratings of one item by one annotator, and their lines.
type DuplicateRating struct {
	Item, Annotator       string
	FirstLine, SecondLine int
}

// Sort orders the ratings by item and annotator, and returns the duplicates.
func (b *TableBuilder) Sort() []DuplicateRating {
	newItem, newAnnotator := b.items.sortNames(), b.annotators.sortNames()
	clusterOf := make([]int32, len(newItem))
	for oldNumber, newNumber := range newItem {
		clusterOf[newNumber] = b.clusterOf[oldNumber]
	}
	b.clusterOf = clusterOf
	for i, c := range b.cells {
		b.cells[i].item, b.cells[i].annotator = newItem[c.item], newAnnotator[c.annotator]
	}
	slices.SortFunc(b.cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.item, y.item), cmp.Compare(x.annotator, y.annotator), cmp.Compare(x.line, y.line))
	})
	return b.findDuplicates()
}

func (b *TableBuilder) findDuplicates() []DuplicateRating {
	var found []DuplicateRating
	for i := 1; i < len(b.cells); i++ {
		if x, y := b.cells[i-1], b.cells[i]; x.item == y.item && x.annotator == y.annotator {
			found = append(found, DuplicateRating{b.items.names[x.item], b.annotators.names[x.annotator], int(x.line),
				int(y.line)})
		}
	}
	return found
}

// BuildNamed returns the sorted ratings as a table on a named scale. Rating.Value is an
// index of values, which are the written points; each must be on the scale.
func (b *TableBuilder) BuildNamed(scale NamedScale, values []string) RatingTable {
	position := map[string]int{}
	for i, name := range scale.PointNames() {
		position[name] = i
	}
	for i, c := range b.cells {
		b.cells[i].value = int32(scale.Scale[position[values[c.value]]])
	}
	t := b.build(scale.Scale)
	t.valueNames = scale.Names
	return t
}

// build returns the sorted ratings as a table; every value must be on the scale.
func (b *TableBuilder) build(scale NumericScale) RatingTable {
	t := RatingTable{
		Scale: scale, items: b.items.names, annotators: b.annotators.names,
		rowStart:    make([]int32, len(b.items.names)+1),
		annotatorOf: make([]int32, len(b.cells)), categoryOf: make([]uint8, len(b.cells)),
	}
	for i, c := range b.cells {
		category, _ := scale.Index(int(c.value))
		t.annotatorOf[i], t.categoryOf[i] = c.annotator, uint8(category)
		t.rowStart[c.item+1] = int32(i + 1)
	}
	t.clusterOf, t.clusterCount = b.assignClusters()
	return t
}

// assignClusters gives every item outside a cluster a cluster of its own.
func (b *TableBuilder) assignClusters() ([]int32, int) {
	n := len(b.clusters.names)
	if n == 0 {
		return nil, 0
	}
	for i, cluster := range b.clusterOf {
		if cluster < 0 {
			b.clusterOf[i] = int32(n)
			n++
		}
	}
	return b.clusterOf, n
}

// nameIndex numbers names in order of appearance.
type nameIndex struct {
	numbers     map[string]int32
	names       []string
	copiesNames bool // a substring of a file would keep its whole line in memory
}

func (x *nameIndex) assignNumber(name string) int32 {
	if n, ok := x.numbers[name]; ok {
		return n
	}
	n := int32(len(x.names))
	if x.copiesNames {
		name = strings.Clone(name)
	}
	x.numbers[name] = n
	x.names = append(x.names, name)
	return n
}

// sortNames sorts the names and returns the new number of each old one.
func (x *nameIndex) sortNames() []int32 {
	order := make([]int32, len(x.names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x.names[a], x.names[b]) })
	newNumbers, names := make([]int32, len(order)), make([]string, len(order))
	for newNumber, oldNumber := range order {
		newNumbers[oldNumber], names[newNumber] = int32(newNumber), x.names[oldNumber]
	}
	x.names = names
	return newNumbers
}
