package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
)

// A labelIndex finds items by id, and the current work labels by item and by
// annotator. Of an annotator's work labels on one item only the latest is current.
type labelIndex struct {
	itemsByID     map[project.ItemID]*ItemData
	itemsBySource map[string]*ItemData
	isClustered   bool // some items share a record
	work          []*Label
	byAnnotator   map[string][]*Label // in order of submission
	byItem        map[project.ItemID][]*Label
}

func newLabelIndex(items []ItemData, labels []Label) labelIndex {
	x := labelIndex{itemsByID: map[project.ItemID]*ItemData{}, itemsBySource: map[string]*ItemData{},
		byAnnotator: map[string][]*Label{}, byItem: map[project.ItemID][]*Label{}}
	records := map[string]bool{}
	for i := range items {
		item := &items[i]
		x.itemsByID[item.ID], x.itemsBySource[item.SourceID] = item, item
		x.isClustered = x.isClustered || item.RecordID != "" && records[item.RecordID]
		records[item.RecordID] = true
	}
	x.work = x.currentWork(labels)
	for _, l := range x.work {
		x.byAnnotator[l.Annotator] = append(x.byAnnotator[l.Annotator], l)
		x.byItem[l.ItemID] = append(x.byItem[l.ItemID], l)
	}
	return x
}

// currentWork returns the latest work label of each annotator and item, by id.
func (x *labelIndex) currentWork(labels []Label) []*Label {
	latest, count := map[project.ItemID][]*Label{}, 0
	for i := range labels {
		l := &labels[i]
		if l.Kind != Work || x.itemsByID[l.ItemID] == nil {
			continue
		}
		itemLabels := latest[l.ItemID]
		index := slices.IndexFunc(itemLabels, func(o *Label) bool { return o.Annotator == l.Annotator })
		switch {
		case index < 0:
			latest[l.ItemID] = append(itemLabels, l)
			count++
		case l.ID >= itemLabels[index].ID:
			itemLabels[index] = l
		}
	}
	work := make([]*Label, 0, count)
	for _, itemLabels := range latest {
		work = append(work, itemLabels...)
	}
	slices.SortFunc(work, func(a, b *Label) int { return cmp.Compare(a.ID, b.ID) })
	return work
}

// cluster returns what an item is resampled with: its record, where items share one.
func (x *labelIndex) cluster(item *ItemData) string {
	if !x.isClustered {
		return ""
	}
	return item.RecordID
}

// answersTo returns the answers of all annotators to one field of an item.
func (x *labelIndex) answersTo(item project.ItemID, field string) (values []int) {
	for _, l := range x.byItem[item] {
		if v, ok := l.Values[field]; ok {
			values = append(values, v)
		}
	}
	return values
}

// answered returns the labels among some that answer a field.
func answered(labels []*Label, field string) (list []*Label) {
	for _, l := range labels {
		if _, ok := l.Values[field]; ok {
			list = append(list, l)
		}
	}
	return list
}

// labeledItems returns the ids of the labeled items, ascending.
func (x *labelIndex) labeledItems() []project.ItemID { return slices.Sorted(maps.Keys(x.byItem)) }

// workAnnotators returns the annotators with work labels, in order of name.
func (x *labelIndex) workAnnotators() []string { return slices.Sorted(maps.Keys(x.byAnnotator)) }
