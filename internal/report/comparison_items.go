package report

import (
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/report/study"
)

// A Pairing says which items of two groups belong together.
type Pairing string

// The pairings: items with the same value in the metadata column pair_id; items of one record;
// items that differ only in the judged part, or conversations with the same opening.
const (
	PairedByColumn Pairing = pairColumn
	PairedByRecord Pairing = "record"
	PairedByInput  Pairing = "same_input"
)

// key returns what an item shares with its counterparts; empty: it has none.
func (p Pairing) key(item *study.ItemData) string {
	switch p {
	case PairedByColumn:
		return item.PairID
	case PairedByRecord:
		return item.RecordID
	case PairedByInput:
		return item.MatchKey
	}
	return ""
}

// A groupedItem is an item of a group.
type groupedItem struct {
	item    *study.ItemData
	number  int32 // of the item
	group   int
	pair    string // shared with an item of another group; empty: none
	cluster int32  // resampled together
}

// A groupComparison compares groups of items by their values in a column. The first is the baseline.
type groupComparison struct {
	*builder
	column       string
	values       []string
	grouped      []groupedItem // in order of id
	indexOf      []int32       // by item; −1: it is in no group
	pairedBy     Pairing
	clusterNames []string // by grouped item; nil: every item is a cluster
	oneModel     sync.Mutex
}

// newGroupComparison selects those of some items, in order of id, that are in a group.
func newGroupComparison(s *builder, selection groupSelection, items []int32) *groupComparison {
	c := &groupComparison{builder: s, column: selection.column, values: selection.values, indexOf: slices.Repeat([]int32{-1}, len(s.AllItems))}
	groupOf := map[string]int{}
	for i, v := range c.values {
		groupOf[v] = i
	}
	for _, number := range items {
		item := s.AllItems[number]
		if group, ok := groupOf[item.Meta[c.column]]; ok {
			c.indexOf[number] = int32(len(c.grouped))
			c.grouped = append(c.grouped, groupedItem{item: item, number: number, group: group})
		}
	}
	c.choosePairing()
	c.numberClusters()
	return c
}

// choosePairing pairs by the declared column, if there is one, else by what pairs most items.
func (c *groupComparison) choosePairing() {
	best := 0
	for _, p := range []Pairing{PairedByColumn, PairedByInput, PairedByRecord} {
		paired, count := c.findPaired(p)
		if count <= best {
			continue
		}
		c.pairedBy, best = p, count
		for i := range c.grouped {
			c.grouped[i].pair = ""
			if paired[p.key(c.grouped[i].item)] {
				c.grouped[i].pair = p.key(c.grouped[i].item)
			}
		}
		if p == PairedByColumn {
			return
		}
	}
}

// findPaired returns the keys that items of two groups share, and how many items have one.
func (c *groupComparison) findPaired(p Pairing) (paired map[string]bool, count int) {
	groupOf := map[string]int{}
	paired = map[string]bool{}
	for _, i := range c.grouped {
		key := p.key(i.item)
		if key == "" {
			continue
		}
		if group, seen := groupOf[key]; !seen {
			groupOf[key] = i.group
		} else if group != i.group {
			paired[key] = true
		}
	}
	for _, i := range c.grouped {
		if paired[p.key(i.item)] {
			count++
		}
	}
	return paired, count
}

// numberClusters puts items of one record, or of one pair, into one cluster.
func (c *groupComparison) numberClusters() {
	parents, owners := make([]int32, len(c.grouped)), map[string]int32{}
	find := func(i int32) int32 {
		for parents[i] != i {
			parents[i] = parents[parents[i]]
			i = parents[i]
		}
		return i
	}
	join := func(i int32, key string) {
		if owner, seen := owners[key]; seen {
			parents[find(i)] = find(owner)
		} else {
			owners[key] = i
		}
	}
	for i := range c.grouped {
		parents[i] = int32(i)
	}
	for n, i := range c.grouped {
		if c.IsClustered() && i.item.RecordID != "" {
			join(int32(n), "r"+i.item.RecordID)
		}
		if i.pair != "" {
			join(int32(n), "p"+i.pair)
		}
	}
	roots := map[int32]int32{}
	for n := range c.grouped {
		root := find(int32(n))
		if _, seen := roots[root]; !seen {
			roots[root] = int32(len(roots))
		}
		c.grouped[n].cluster = roots[root]
	}
	if len(roots) < len(c.grouped) {
		c.clusterNames = make([]string, len(c.grouped))
		for n := range c.grouped {
			c.clusterNames[n] = c.grouped[find(int32(n))].item.SourceID
		}
	}
}
