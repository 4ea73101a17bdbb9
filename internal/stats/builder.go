package stats

import (
	"cmp"
	"slices"
	"strings"
)

// A builder gathers ratings in any order and sets them in rows.
type builder struct {
	items, annotators, clusters index
	inCluster                   []int32 // item → cluster, −1 for none
	cells                       []cell
}

type cell struct {
	item, who int32
	value     int32
	line      int32 // where a file said so
}

func newBuilder() *builder {
	b := &builder{}
	for _, x := range []*index{&b.items, &b.annotators, &b.clusters} {
		x.of, x.clones = map[string]int32{}, true
	}
	return b
}

// add takes a rating and the line it stood on. It says false where the item is
// already in another cluster.
func (b *builder) add(r Rating, line int) bool {
	item := b.items.number(r.Item)
	in := int32(-1)
	if r.Cluster != "" {
		in = b.clusters.number(r.Cluster)
	}
	if int(item) == len(b.inCluster) {
		b.inCluster = append(b.inCluster, in)
	}
	who := b.annotators.number(r.Annotator)
	b.cells = append(b.cells, cell{item, who, int32(r.Value), int32(line)})
	return b.inCluster[item] == in
}

// twice is a cell that was filled again.
type twice struct{ first, again cell }

// sort sets the cells in the order of the names and returns those filled twice.
func (b *builder) sort() []twice {
	item, who := b.items.inOrder(), b.annotators.inOrder()
	in := make([]int32, len(item))
	for was, now := range item {
		in[now] = b.inCluster[was]
	}
	b.inCluster = in
	for i, c := range b.cells {
		b.cells[i].item, b.cells[i].who = item[c.item], who[c.who]
	}
	slices.SortFunc(b.cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.item, y.item), cmp.Compare(x.who, y.who), cmp.Compare(x.line, y.line))
	})
	return b.twice()
}

func (b *builder) twice() []twice {
	var found []twice
	for i := 1; i < len(b.cells); i++ {
		if x, y := b.cells[i-1], b.cells[i]; x.item == y.item && x.who == y.who {
			found = append(found, twice{x, y})
		}
	}
	return found
}

// table returns the sorted cells as a table; every value must be on the scale.
func (b *builder) table(scale Scale) Table {
	t := Table{
		Scale: scale, items: b.items.names, annotators: b.annotators.names,
		start: make([]int32, len(b.items.names)+1),
		who:   make([]int32, len(b.cells)), cat: make([]uint8, len(b.cells)),
	}
	for i, c := range b.cells {
		place, _ := scale.Index(int(c.value))
		t.who[i], t.cat[i] = c.who, uint8(place)
		t.start[c.item+1] = int32(i + 1)
	}
	t.cluster, t.clusters = b.clustered()
	return t
}

// clustered numbers the clusters; an item outside any is one by itself.
func (b *builder) clustered() ([]int32, int) {
	n := len(b.clusters.names)
	if n == 0 {
		return nil, 0
	}
	for i, in := range b.inCluster {
		if in < 0 {
			b.inCluster[i] = int32(n)
			n++
		}
	}
	return b.inCluster, n
}

// index numbers names in the order they are met.
type index struct {
	of     map[string]int32
	names  []string
	clones bool // names are copied: one out of a file would keep its whole line
}

func (x *index) number(name string) int32 {
	if n, ok := x.of[name]; ok {
		return n
	}
	n := int32(len(x.names))
	if x.clones {
		name = strings.Clone(name)
	}
	x.of[name] = n
	x.names = append(x.names, name)
	return n
}

// inOrder sorts the names and returns old number → new.
func (x *index) inOrder() []int32 {
	order := make([]int32, len(x.names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x.names[a], x.names[b]) })
	place, names := make([]int32, len(order)), make([]string, len(order))
	for now, was := range order {
		place[was], names[now] = int32(now), x.names[was]
	}
	x.names = names
	return place
}
