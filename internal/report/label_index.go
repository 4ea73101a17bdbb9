package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// A labelIndex is the current work labels of a source, and the items and annotators that they are
// of. Labels are numbered in order of id, items by their own id, annotators by name. Of an
// annotator's work labels on one item only the latest is current.
type labelIndex struct {
	itemIndex
	labelColumns
	labeled    []int32 // items with work labels, in order of id
	annotators []string
	byItem     rows    // item → labels
	byPerson   rows    // annotator → labels
	others     []Label // calibration and hidden duplicates
	lastID     int64   // of all labels

	calibration, duplicates map[string][]int32 // annotator → places in others
}

// workLabels are columns of labels.
type workLabels struct {
	item, annotator           []int32
	submittedAt, activeMS     []int64 // microseconds since 1970; milliseconds
	itemsSinceBreak, revision []int32
	location                  *time.Location // of the times
}

func (w *workLabels) len() int { return len(w.item) }

func (w *workLabels) grow(n int) {
	w.item, w.annotator = slices.Grow(w.item, n), slices.Grow(w.annotator, n)
	w.submittedAt, w.activeMS = slices.Grow(w.submittedAt, n), slices.Grow(w.activeMS, n)
	w.itemsSinceBreak, w.revision = slices.Grow(w.itemsSinceBreak, n), slices.Grow(w.revision, n)
}

func (w *workLabels) add(l *Label, item, annotator int32) {
	w.item, w.annotator = append(w.item, item), append(w.annotator, annotator)
	w.submittedAt, w.activeMS = append(w.submittedAt, l.SubmittedAt.UnixMicro()), append(w.activeMS, l.ActiveMS)
	w.itemsSinceBreak, w.revision = append(w.itemsSinceBreak, int32(l.ItemsSinceBreak)), append(w.revision, int32(l.Revision))
}

// pick returns some labels, in their order.
func (w *workLabels) pick(labels []int32) workLabels {
	return workLabels{item: pickFrom(w.item, labels), annotator: pickFrom(w.annotator, labels), submittedAt: pickFrom(w.submittedAt, labels), activeMS: pickFrom(w.activeMS, labels),
		itemsSinceBreak: pickFrom(w.itemsSinceBreak, labels), revision: pickFrom(w.revision, labels), location: w.location}
}

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

// newLabelIndex returns the index of a source.
func newLabelIndex(source *LabelSource) labelIndex {
	source.sort()
	x := labelIndex{itemIndex: source.itemIndex, labelColumns: source.columns, others: source.others, lastID: source.lastID}
	x.calibration, x.duplicates = x.groupOthers(Calibration), x.groupOthers(Duplicate)
	x.byItem = groupNumbers(x.work.item, len(x.items))
	if current := x.selectCurrent(); current != nil {
		x.labelColumns = source.columns.pick(current)
		x.byItem = groupNumbers(x.work.item, len(x.items))
	}
	x.numberAnnotators(source.annotators)
	x.byPerson = groupNumbers(x.work.annotator, len(x.annotators))
	for item := range int32(len(x.items)) {
		if x.byItem.len(item) > 0 {
			x.labeled = append(x.labeled, item)
		}
	}
	slices.SortFunc(x.labeled, func(a, b int32) int { return cmp.Compare(x.items[a].ID, x.items[b].ID) })
	return x
}

// selectCurrent returns the labels that no later one of the same annotator and item replaces; nil
// if none is replaced.
func (x *labelIndex) selectCurrent() []int32 {
	replaced := map[int32]bool{}
	for item := range int32(len(x.items)) {
		labels := x.byItem.at(item)
		for i, l := range labels {
			for _, later := range labels[i+1:] {
				if x.work.annotator[l] == x.work.annotator[later] {
					replaced[l] = true
				}
			}
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	current := make([]int32, 0, x.work.len()-len(replaced))
	for l := range int32(x.work.len()) {
		if !replaced[l] {
			current = append(current, l)
		}
	}
	return current
}

// groupOthers returns the places of the other labels of a kind, by annotator.
func (x *labelIndex) groupOthers(kind LabelKind) map[string][]int32 {
	places := map[string][]int32{}
	for n := range x.others {
		if l := &x.others[n]; l.Kind == kind {
			places[l.Annotator] = append(places[l.Annotator], int32(n))
		}
	}
	return places
}

// numberAnnotators numbers the annotators with labels by name. names are in the order of the
// numbers so far.
func (x *labelIndex) numberAnnotators(names []string) {
	x.annotators = slices.Sorted(slices.Values(names))
	if slices.Equal(names, x.annotators) {
		return
	}
	newNumbers := make([]int32, len(names))
	for n, name := range names {
		place, _ := slices.BinarySearch(x.annotators, name)
		newNumbers[n] = int32(place)
	}
	annotatorOf := make([]int32, x.work.len())
	for l, n := range x.work.annotator {
		annotatorOf[l] = newNumbers[n]
	}
	x.work.annotator = annotatorOf
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
