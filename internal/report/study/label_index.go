package study

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
	Labeled     []int32 // items with work labels, in order of id
	Annotators  []string
	ByItem      rows    // item → labels
	ByAnnotator rows    // annotator → labels
	Others      []Label // calibration, hidden duplicates and gold items
	LastID      int64   // of all labels

	Calibration, Duplicates, Gold map[string][]int32 // annotator → places in others
}

// WorkLabels are columns of labels.
type WorkLabels struct {
	Item, Annotator           []int32
	SubmittedAt, ActiveMS     []int64 // microseconds since 1970; milliseconds
	ItemsSinceBreak, Revision []int32
	location                  *time.Location // of the times
}

// Len returns the number of labels.
func (w *WorkLabels) Len() int { return len(w.Item) }

func (w *WorkLabels) grow(n int) {
	w.Item, w.Annotator = slices.Grow(w.Item, n), slices.Grow(w.Annotator, n)
	w.SubmittedAt, w.ActiveMS = slices.Grow(w.SubmittedAt, n), slices.Grow(w.ActiveMS, n)
	w.ItemsSinceBreak, w.Revision = slices.Grow(w.ItemsSinceBreak, n), slices.Grow(w.Revision, n)
}

func (w *WorkLabels) add(l *Label, item, annotator int32) {
	w.Item, w.Annotator = append(w.Item, item), append(w.Annotator, annotator)
	w.SubmittedAt, w.ActiveMS = append(w.SubmittedAt, l.SubmittedAt.UnixMicro()), append(w.ActiveMS, l.ActiveMS)
	w.ItemsSinceBreak, w.Revision = append(w.ItemsSinceBreak, int32(l.ItemsSinceBreak)),
		append(w.Revision, int32(l.Revision))
}

// pick returns some labels, in their order.
func (w *WorkLabels) pick(labels []int32) WorkLabels {
	return WorkLabels{Item: pickFrom(w.Item, labels), Annotator: pickFrom(w.Annotator, labels),
		SubmittedAt: pickFrom(w.SubmittedAt, labels), ActiveMS: pickFrom(w.ActiveMS, labels),
		ItemsSinceBreak: pickFrom(w.ItemsSinceBreak, labels), Revision: pickFrom(w.Revision, labels),
		location: w.location}
}

// TimeOf returns when a label was submitted.
func (w *WorkLabels) TimeOf(label int32) time.Time {
	return time.UnixMicro(w.SubmittedAt[label]).In(w.location)
}

// rows are lists of numbers, ascending, one for each row.
type rows struct{ start, numbers []int32 }

func (r rows) At(row int32) []int32 { return r.numbers[r.start[row]:r.start[row+1]] }

func (r rows) Len(row int32) int { return int(r.start[row+1] - r.start[row]) }

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

func newLabelIndex(source *LabelSource) labelIndex {
	source.sort()
	x := labelIndex{itemIndex: source.itemIndex, labelColumns: source.columns, Others: source.others,
		LastID: source.lastID}
	x.Calibration, x.Duplicates, x.Gold = x.groupOthers(Calibration), x.groupOthers(Duplicate), x.groupOthers(Gold)
	x.ByItem = groupNumbers(x.Work.Item, len(x.AllItems))
	if current := x.selectCurrent(); current != nil {
		x.labelColumns = source.columns.pick(current)
		x.ByItem = groupNumbers(x.Work.Item, len(x.AllItems))
	}
	x.numberAnnotators(source.annotators)
	x.ByAnnotator = groupNumbers(x.Work.Annotator, len(x.Annotators))
	for item := range int32(len(x.AllItems)) {
		if x.ByItem.Len(item) > 0 {
			x.Labeled = append(x.Labeled, item)
		}
	}
	slices.SortFunc(x.Labeled, func(a, b int32) int { return cmp.Compare(x.AllItems[a].ID, x.AllItems[b].ID) })
	return x
}

// selectCurrent returns the labels that no later one of the same annotator and item replaces; nil
// if none is replaced.
func (x *labelIndex) selectCurrent() []int32 {
	replaced := map[int32]bool{}
	for item := range int32(len(x.AllItems)) {
		labels := x.ByItem.At(item)
		for i, l := range labels {
			for _, later := range labels[i+1:] {
				if x.Work.Annotator[l] == x.Work.Annotator[later] {
					replaced[l] = true
				}
			}
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	current := make([]int32, 0, x.Work.Len()-len(replaced))
	for l := range int32(x.Work.Len()) {
		if !replaced[l] {
			current = append(current, l)
		}
	}
	return current
}

// groupOthers returns the places of the other labels of a kind, by annotator.
func (x *labelIndex) groupOthers(kind LabelKind) map[string][]int32 {
	places := map[string][]int32{}
	for n := range x.Others {
		if l := &x.Others[n]; l.Kind == kind {
			places[l.Annotator] = append(places[l.Annotator], int32(n))
		}
	}
	return places
}

// numberAnnotators numbers the annotators with labels by name. names are in the order of the
// numbers so far.
func (x *labelIndex) numberAnnotators(names []string) {
	x.Annotators = slices.Sorted(slices.Values(names))
	if slices.Equal(names, x.Annotators) {
		return
	}
	newNumbers := make([]int32, len(names))
	for n, name := range names {
		place, _ := slices.BinarySearch(x.Annotators, name)
		newNumbers[n] = int32(place)
	}
	annotatorOf := make([]int32, x.Work.Len())
	for l, n := range x.Work.Annotator {
		annotatorOf[l] = newNumbers[n]
	}
	x.Work.Annotator = annotatorOf
}

// Item returns the item with that id; nil if there is none.
func (x *labelIndex) Item(id project.ItemID) *ItemData {
	if n, ok := x.NumberOf[id]; ok {
		return x.AllItems[n]
	}
	return nil
}

// IsClustered reports whether some items share a record.
func (x *labelIndex) IsClustered() bool { return x.RecordOf != nil }

// cluster returns what an item is resampled with: its record, where items share one.
func (x *labelIndex) ClusterOf(item *ItemData) string {
	if !x.IsClustered() {
		return ""
	}
	return item.RecordID
}

// LabelsOf returns the work labels of an annotator, in order of submission.
func (x *labelIndex) LabelsOf(annotator string) []int32 {
	if n, ok := slices.BinarySearch(x.Annotators, annotator); ok {
		return x.ByAnnotator.At(int32(n))
	}
	return nil
}

// MedianPace returns the median active time in seconds; 0 if none was measured.
func (w *WorkLabels) MedianPace(labels []int32) float64 {
	var ms []int64
	for _, l := range labels {
		if w.ActiveMS[l] > 0 {
			ms = append(ms, w.ActiveMS[l])
		}
	}
	if len(ms) == 0 {
		return 0
	}
	slices.Sort(ms)
	return float64(ms[len(ms)/2]) / 1000
}
