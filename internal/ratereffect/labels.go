package ratereffect

import (
	"cmp"
	"maps"
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
	ShortestPace    float64 // seconds for an item, by the protocol; 0: not set
	TextLength      func(label int32) float64
	IsForced        func(label int32, field int) bool // rules leave one answer, because of a ticked observation; nil: nowhere
}

// newLabels converts a list of labels. An answer off its scale counts as none.
func newLabels(fields []FieldSpec, list []LabeledItem) Labels {
	l := Labels{AnnotatorOf: make([]int32, len(list)), ItemOf: make([]int32, len(list)), Points: make([][]uint8, len(fields)),
		Position:        func(n int32) int { return list[n].Position },
		ItemsSinceBreak: func(n int32) int { return list[n].ItemsSinceBreak },
		ActiveSeconds:   func(n int32) float64 { return list[n].ActiveSeconds },
		TextLength:      func(n int32) float64 { return list[n].TextLength }}
	annotators, items := map[string]int32{}, map[string]int32{}
	for i, label := range list {
		annotators[label.Annotator] = 0
		if _, known := items[label.Item]; !known {
			items[label.Item] = int32(len(items))
		}
		l.ItemOf[i] = items[label.Item]
	}
	l.Annotators = slices.Sorted(maps.Keys(annotators))
	for n, name := range l.Annotators {
		annotators[name] = int32(n)
	}
	for i, label := range list {
		l.AnnotatorOf[i] = annotators[label.Annotator]
	}
	for f, field := range fields {
		l.Points[f] = make([]uint8, len(list))
		for i, label := range list {
			l.Points[f][i] = NoPoint
			if f < len(label.Answers) {
				if point, ok := field.Scale.Index(label.Answers[f]); ok {
					l.Points[f][i] = uint8(point)
				}
			}
		}
	}
	return l
}

// without returns the labels of the other annotators, who keep their numbers.
func (l Labels) without(annotators map[string]bool) Labels {
	var kept []int32
	for label, annotator := range l.AnnotatorOf {
		if !annotators[l.Annotators[annotator]] {
			kept = append(kept, int32(label))
		}
	}
	rest := l
	rest.AnnotatorOf, rest.ItemOf, rest.Points = pick(l.AnnotatorOf, kept), pick(l.ItemOf, kept), make([][]uint8, len(l.Points))
	for f, points := range l.Points {
		rest.Points[f] = pick(points, kept)
	}
	rest.Position = func(n int32) int { return l.Position(kept[n]) }
	rest.ItemsSinceBreak = func(n int32) int { return l.ItemsSinceBreak(kept[n]) }
	rest.ActiveSeconds = func(n int32) float64 { return l.ActiveSeconds(kept[n]) }
	rest.TextLength = func(n int32) float64 { return l.TextLength(kept[n]) }
	if l.IsForced != nil {
		rest.IsForced = func(n int32, field int) bool { return l.IsForced(kept[n], field) }
	}
	return rest
}

func pick[T any](values []T, places []int32) []T {
	picked := make([]T, len(places))
	for i, place := range places {
		picked[i] = values[place]
	}
	return picked
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
		slices.SortStableFunc(r.at(item), func(a, b int32) int { return cmp.Compare(l.AnnotatorOf[a], l.AnnotatorOf[b]) })
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
