package comparison

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
	PairedByColumn Pairing = "pair_id"
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

// A GroupedItem is an item of a group.
type GroupedItem struct {
	Number  int32 // of the item
	Group   int
	Cluster int32  // resampled together: items of one record, or of one pair
	pair    string // shared with an item of another group; empty: none
}

// Groups are groups of items by their values in a column. The first is the baseline.
type Groups struct {
	*study.Study
	Values      []string
	Items       []GroupedItem // in order of id
	IndexOf     []int32       // by item; −1: it is in no group
	PairedBy    Pairing
	HasClusters bool // of several items
	oneModel    sync.Mutex
}

// NewGroups selects those of some items, in order of id, that are in a group.
func NewGroups(s *study.Study, selection Selection, items []int32) *Groups {
	c := &Groups{Study: s, Values: selection.Values, IndexOf: slices.Repeat([]int32{-1}, len(s.AllItems))}
	for _, number := range items {
		if group := slices.Index(c.Values, s.AllItems[number].Meta[selection.Column]); group >= 0 {
			c.IndexOf[number] = int32(len(c.Items))
			c.Items = append(c.Items, GroupedItem{Number: number, Group: group})
		}
	}
	c.choosePairing()
	c.numberClusters()
	return c
}

func (c *Groups) itemOf(i GroupedItem) *study.ItemData { return c.AllItems[i.Number] }

// choosePairing pairs by the declared column, if there is one, else by what pairs most items.
func (c *Groups) choosePairing() {
	best := 0
	for _, p := range []Pairing{PairedByColumn, PairedByInput, PairedByRecord} {
		paired, count := c.findPaired(p)
		if count <= best {
			continue
		}
		c.PairedBy, best = p, count
		for i := range c.Items {
			c.Items[i].pair = ""
			if paired[p.key(c.itemOf(c.Items[i]))] {
				c.Items[i].pair = p.key(c.itemOf(c.Items[i]))
			}
		}
		if p == PairedByColumn {
			return
		}
	}
}

// findPaired returns the keys that items of two groups share, and how many items have one.
func (c *Groups) findPaired(p Pairing) (paired map[string]bool, count int) {
	groupOf := map[string]int{}
	paired = map[string]bool{}
	for _, i := range c.Items {
		key := p.key(c.itemOf(i))
		if key == "" {
			continue
		}
		if group, seen := groupOf[key]; !seen {
			groupOf[key] = i.Group
		} else if group != i.Group {
			paired[key] = true
		}
	}
	for _, i := range c.Items {
		if paired[p.key(c.itemOf(i))] {
			count++
		}
	}
	return paired, count
}

// numberClusters puts items of one record, or of one pair, into one cluster.
func (c *Groups) numberClusters() {
	parents, owners := make([]int32, len(c.Items)), map[string]int32{}
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
	for i := range c.Items {
		parents[i] = int32(i)
	}
	for n, i := range c.Items {
		if c.IsClustered() && c.itemOf(i).RecordID != "" {
			join(int32(n), "r"+c.itemOf(i).RecordID)
		}
		if i.pair != "" {
			join(int32(n), "p"+i.pair)
		}
	}
	roots := map[int32]int32{}
	for n := range c.Items {
		root := find(int32(n))
		if _, seen := roots[root]; !seen {
			roots[root] = int32(len(roots))
		}
		c.Items[n].Cluster = roots[root]
	}
	c.HasClusters = len(roots) < len(c.Items)
}
