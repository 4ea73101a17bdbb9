package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// A labelIndex is the current work labels as columns, and the items and annotators that they
// are of. Labels are numbered in order of id, items by their own id, annotators by name. Of an
// annotator's work labels on one item only the latest is current.
type labelIndex struct {
	items      []*ItemData // with and without labels
	numberOf   map[project.ItemID]int32
	labeled    []int32 // items with work labels, in order of id
	recordOf   []int32 // item → number of its record, −1: none; nil unless items share records
	annotators []string
	work       workLabels
	byItem     rows    // item → labels
	byPerson   rows    // annotator → labels
	others     []Label // calibration and hidden duplicates
	lastID     int64   // of all labels
}

// workLabels are columns of labels.
type workLabels struct {
	item, annotator           []int32
	submittedAt, activeMS     []int64 // microseconds since 1970; milliseconds
	itemsSinceBreak, revision []int32
	location                  *time.Location // of the times
}

func (w *workLabels) len() int { return len(w.item) }

// timeOf returns when a label was submitted.
func (w *workLabels) timeOf(label int32) time.Time {
	return time.UnixMicro(w.submittedAt[label]).In(w.location)
}

// rows are lists of numbers, ascending, one for each row.
type rows struct{ start, numbers []int32 }

func (r rows) at(row int32) []int32 { return r.numbers[r.start[row]:r.start[row+1]] }

func (r rows) len(row int32) int { return int(r.start[row+1] - r.start[row]) }

// groupNumbers returns the places of each of n keys.
func groupNumbers(keys []int32, n int) rows {
	r := rows{make([]int32, n+1), make([]int32, len(keys))}
	for _, k := range keys {
		r.start[k+1]++
	}
	for k := range n {
		r.start[k+1] += r.start[k]
	}
	next := slices.Clone(r.start)
	for place, k := range keys {
		r.numbers[next[k]] = int32(place)
		next[k]++
	}
	return r
}

// newLabelIndex returns the index, and the work labels in the order of their numbers.
func newLabelIndex(items []ItemData, labels []Label) (x labelIndex, work []*Label) {
	x.addItems(items)
	work = x.selectWork(labels)
	names := x.numberAnnotators(work)
	itemOf, annotatorOf := make([]int32, len(work)), make([]int32, len(work))
	for i, l := range work {
		itemOf[i], annotatorOf[i] = x.numberOf[l.ItemID], names[l.Annotator]
	}
	if current := dropReplaced(work, groupNumbers(itemOf, len(x.items)), annotatorOf); len(current) < len(work) {
		itemOf, annotatorOf = itemOf[:0], annotatorOf[:0]
		for _, l := range current {
			itemOf, annotatorOf = append(itemOf, x.numberOf[l.ItemID]), append(annotatorOf, names[l.Annotator])
		}
		work = current
	}
	x.addColumns(work, itemOf, annotatorOf)
	return x, work
}

func (x *labelIndex) addItems(items []ItemData) {
	x.items, x.numberOf = make([]*ItemData, len(items)), make(map[project.ItemID]int32, len(items))
	for i := range items {
		x.items[i] = &items[i]
	}
	slices.SortStableFunc(x.items, func(a, b *ItemData) int { return cmp.Compare(a.SourceID, b.SourceID) })
	records, isShared := map[string]int32{"": -1}, false
	recordOf := make([]int32, len(items))
	for n, item := range x.items {
		x.numberOf[item.ID] = int32(n)
		record, seen := records[item.RecordID]
		if isShared = isShared || seen && record >= 0; !seen {
			record = int32(len(records) - 1)
			records[item.RecordID] = record
		}
		recordOf[n] = record
	}
	if isShared {
		x.recordOf = recordOf
	}
}

// selectWork returns the work labels by id, and keeps the others.
func (x *labelIndex) selectWork(labels []Label) []*Label {
	work := make([]*Label, 0, len(labels))
	for i := range labels {
		l := &labels[i]
		x.lastID = max(x.lastID, l.ID)
		if l.Kind != Work {
			x.others = append(x.others, *l)
		} else if _, ok := x.numberOf[l.ItemID]; ok {
			work = append(work, l)
		}
	}
	byID := func(a, b *Label) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(work, byID) {
		slices.SortStableFunc(work, byID)
	}
	return work
}

// numberAnnotators numbers the annotators with work labels.
func (x *labelIndex) numberAnnotators(work []*Label) map[string]int32 {
	numbers := map[string]int32{}
	for _, l := range work {
		if _, seen := numbers[l.Annotator]; !seen {
			numbers[l.Annotator] = 0
			x.annotators = append(x.annotators, l.Annotator)
		}
	}
	slices.Sort(x.annotators)
	for n, name := range x.annotators {
		numbers[name] = int32(n)
	}
	return numbers
}

// dropReplaced returns the labels that no later one of the same annotator and item replaces.
func dropReplaced(work []*Label, byItem rows, annotatorOf []int32) []*Label {
	replaced := map[int32]bool{}
	for item := range int32(len(byItem.start) - 1) {
		labels := byItem.at(item)
		for i, l := range labels {
			for _, later := range labels[i+1:] {
				if annotatorOf[l] == annotatorOf[later] {
					replaced[l] = true
				}
			}
		}
	}
	if len(replaced) == 0 {
		return work
	}
	current := make([]*Label, 0, len(work)-len(replaced))
	for i, l := range work {
		if !replaced[int32(i)] {
			current = append(current, l)
		}
	}
	return current
}

func (x *labelIndex) addColumns(work []*Label, itemOf, annotatorOf []int32) {
	n := len(work)
	x.work = workLabels{item: itemOf, annotator: annotatorOf, submittedAt: make([]int64, n), activeMS: make([]int64, n),
		itemsSinceBreak: make([]int32, n), revision: make([]int32, n), location: time.UTC}
	for i, l := range work {
		x.work.submittedAt[i], x.work.activeMS[i] = l.SubmittedAt.UnixMicro(), l.ActiveMS
		x.work.itemsSinceBreak[i], x.work.revision[i] = int32(l.ItemsSinceBreak), int32(l.Revision)
	}
	if n > 0 {
		x.work.location = work[0].SubmittedAt.Location()
	}
	x.byItem, x.byPerson = groupNumbers(itemOf, len(x.items)), groupNumbers(annotatorOf, len(x.annotators))
	for item := range int32(len(x.items)) {
		if x.byItem.len(item) > 0 {
			x.labeled = append(x.labeled, item)
		}
	}
	slices.SortFunc(x.labeled, func(a, b int32) int { return cmp.Compare(x.items[a].ID, x.items[b].ID) })
}

// item returns the item with that id; nil if there is none.
func (x *labelIndex) item(id project.ItemID) *ItemData {
	if n, ok := x.numberOf[id]; ok {
		return x.items[n]
	}
	return nil
}

// isClustered reports whether some items share a record.
func (x *labelIndex) isClustered() bool { return x.recordOf != nil }

// cluster returns what an item is resampled with: its record, where items share one.
func (x *labelIndex) cluster(item *ItemData) string {
	if !x.isClustered() {
		return ""
	}
	return item.RecordID
}

// labelsOf returns the work labels of an annotator, in order of submission.
func (x *labelIndex) labelsOf(annotator string) []int32 {
	if n, ok := slices.BinarySearch(x.annotators, annotator); ok {
		return x.byPerson.at(int32(n))
	}
	return nil
}
