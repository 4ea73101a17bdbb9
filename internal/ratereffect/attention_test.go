package ratereffect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// equalAnswersStudy returns 60 labels of the first annotator, most with equal answers or all varied. A second one labels
// the same items first, with varied answers, and as many others as are missing.
func equalAnswersStudy(isEqual bool, shared int) (labels []LabeledItem) {
	for n := range 60 {
		varied := []int{1 + n%5, 1 + n*7%5, 1 + n/5%5, 4 + n%2, 1 + n/3%5}
		own := varied
		if isEqual && n%10 < 8 {
			own = slices.Repeat([]int{1 + n%5}, 5)
		}
		item := fmt.Sprint(n)
		labels = append(labels, LabeledItem{Item: item, Annotator: annotatorNames[0], Position: n + 1, Answers: own})
		if n >= shared {
			item = fmt.Sprint("other ", n)
		}
		labels = append(labels, LabeledItem{Item: item, Annotator: annotatorNames[1], Position: n + 1, Answers: varied})
	}
	return labels
}

// TestDetect_EqualAnswersToUnsharedItems has equal answers that items can deserve or not: without shared items or known
// answers nothing shows it.
func TestDetect_EqualAnswersToUnsharedItems(t *testing.T) {
	t.Parallel()
	fields := newEmpathyFields()
	for _, tt := range []struct {
		name          string
		isEqual       bool
		shared, known int
		isAlone       bool
		want          ResultState
		part          string
	}{
		{name: "not shared", isEqual: true, want: NotEnoughData, part: "Not enough data: all fields have the same answer in 80% of 60 items, and neither other annotators nor known answers"},
		{name: "alone", isEqual: true, isAlone: true, want: NotEnoughData, part: "Not enough data: all fields have the same answer in 80% of 60 items"},
		{name: "few shared", isEqual: true, shared: minPairItems - 1, want: NotEnoughData, part: "all fields have the same answer in 80% of 60 items"},
		{name: "varied", want: NotFound, part: "Not found in 60 items; could have detected a share of 71% or more."},
		{name: "varied, alone", isAlone: true, want: NotFound, part: "Not found in 60 items; could have detected a share of 71% or more."},
		{name: "some shared", isEqual: true, shared: minPairItems, want: Found, part: "Gives all fields the same answer in 80% of 60 items"},
		{name: "all shared", isEqual: true, shared: 60, want: Found, part: "Gives all fields the same answer"},
		{name: "varied, shared", shared: 60, want: NotFound, part: "Not found in 59 items"},
		{name: "known", isEqual: true, known: 60, want: Found, part: "known answers 0%"},
		{name: "varied, known", known: 60, want: NotFound, part: "Not found in 60 items with a known answer"},
	} {
		list := equalAnswersStudy(tt.isEqual, tt.shared)
		if tt.isAlone {
			list = slices.DeleteFunc(list, func(l LabeledItem) bool { return l.Annotator != annotatorNames[0] })
		}
		known := KnownAnswers{}
		if tt.known > 0 {
			known = KnownAnswers{Labels: newLabels(fields, list), Right: newLabels(fields, equalAnswersStudy(false, tt.shared)).Points}
		}
		for _, r := range DetectAmong(fields, newLabels(fields, list), known, stats.IntervalOptions{Resamples: 20}) {
			if r.Effect == StraightLining && r.Annotator == annotatorNames[0] && (r.State() != tt.want || !strings.Contains(r.Message(), tt.part)) {
				t.Errorf("%s: %s: %s", tt.name, r.State(), r.Message())
			}
		}
	}
}

// TestDetect_ForcedAnswers_AreNoStraightLining has an annotator who gives all fields 1 in most items, with a ticked
// observation that forces it or not.
func TestDetect_ForcedAnswers_AreNoStraightLining(t *testing.T) {
	t.Parallel()
	for _, forcedFields := range []int{0, 2, 3, 5} {
		var list []LabeledItem
		for n := range 90 {
			for g := range 3 {
				l := LabeledItem{Item: fmt.Sprint(n), Annotator: annotatorNames[g], Position: n + 1, Answers: []int{1 + n%5, 1 + n*7%5, 1 + n/5%5, 4 + n%2, 1 + n/3%5}}
				if g == 0 && n%3 > 0 {
					l.Answers = []int{1, 1, 1, 1, 1}
				}
				list = append(list, l)
			}
		}
		labels := newLabels(newEmpathyFields(), list)
		labels.IsForced = func(label int32, field int) bool {
			return field < forcedFields && list[label].Annotator == annotatorNames[0] && list[label].Answers[3] == 1
		}
		for _, r := range DetectAmong(newEmpathyFields(), labels, KnownAnswers{}, stats.IntervalOptions{Resamples: 20}) {
			if r.Effect != StraightLining {
				continue
			}
			isFree := forcedFields < 3 // three answers are free
			if want := isFree && r.Annotator == annotatorNames[0]; r.Detected != want {
				t.Errorf("%d forced: %s: %s", forcedFields, r.Annotator, r.Message())
			}
			if want := 89 - 60*isTrue(!isFree); r.Annotator == annotatorNames[0] && !r.IsAbsolute && r.ItemCount != want {
				t.Errorf("%d forced: %d items, want %d", forcedFields, r.ItemCount, want)
			}
		}
	}
}
