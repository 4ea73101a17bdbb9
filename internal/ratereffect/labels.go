package ratereffect

import (
	"cmp"
	"slices"
)

// NoPoint marks a field that a label does not answer.
const NoPoint = 0xff

// Labels are the labels of all annotators, by number from 0.
type Labels struct {
	Annotators      []string  // sorted
	AnnotatorOf     []int32   // label → annotator
	ItemOf          []int32   // label → item, from 0
	Points          [][]uint8 // field → label → index of the answer on the scale, or NoPoint
	Position        func(label int32) int
	ItemsSinceBreak func(label int32) int
	ActiveSeconds   func(label int32) float64
	TextLength      func(label int32) float64
	SubmittedAt     func(label int32) int64 // nil: unknown
	// rules leave one answer, because of a ticked observation; nil: nowhere
	IsForced func(label int32, field int) bool
}

// rows are lists of labels, one for each item.
type rows struct{ start, labels []int32 }

func (r rows) at(row int32) []int32 { return r.labels[r.start[row]:r.start[row+1]] }

// groupByItem returns the labels of each item, by annotator.
func (l Labels) groupByItem() rows {
	items := int32(0)
	for _, item := range l.ItemOf {
		items = max(items, item+1)
	}
	r := rows{make([]int32, items+1), make([]int32, len(l.ItemOf))}
	for _, item := range l.ItemOf {
		r.start[item+1]++
	}
	for item := range items {
		r.start[item+1] += r.start[item]
	}
	next := slices.Clone(r.start)
	for label, item := range l.ItemOf {
		r.labels[next[item]] = int32(label)
		next[item]++
	}
	for item := range items {
		slices.SortStableFunc(r.at(item), func(a, b int32) int {
			return cmp.Compare(l.AnnotatorOf[a],
				l.AnnotatorOf[b])
		})
	}
	return r
}

// groupByAnnotator returns the labels of each annotator, by position.
func (l Labels) groupByAnnotator() [][]int32 {
	groups := make([][]int32, len(l.Annotators))
	for label, annotator := range l.AnnotatorOf {
		groups[annotator] = append(groups[annotator], int32(label))
	}
	for _, own := range groups {
		slices.SortStableFunc(own, func(a, b int32) int { return cmp.Compare(l.Position(a), l.Position(b)) })
	}
	return groups
}
