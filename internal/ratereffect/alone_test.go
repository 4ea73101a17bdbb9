package ratereffect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// newRangeFields returns fields with the same scale.
func newRangeFields(n, low, high int) (fields []FieldSpec) {
	for range n {
		fields = append(fields, FieldSpec{Scale: stats.NewRangeScale(low, high)})
	}
	return fields
}

// randomLabels returns 60 labels of each of some annotators, who answer by chance at a normal pace.
func randomLabels(fields []FieldSpec, annotators int) (labels []LabeledItem) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		for g := range annotators {
			l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ItemsSinceBreak: i % 30, ActiveSeconds: 70, TextLength: 300 + float64(i)}
			for _, f := range fields {
				l.Answers = append(l.Answers, f.Scale[r.IntN(len(f.Scale))])
			}
			labels = append(labels, l)
		}
	}
	return labels
}

// testEffect returns the message of an effect on the first annotator; empty if it is not listed.
func testEffect(t *testing.T, fields []FieldSpec, labels []LabeledItem, effect Effect) (message string) {
	t.Helper()
	for _, r := range Detect(fields, labels, stats.IntervalOptions{Resamples: 200}) {
		if r.Effect == effect && r.Annotator == annotatorNames[0] {
			message = string(r.State()) + ": " + r.Message()
		}
	}
	return message
}

// TestDetect_OneAnnotator_ListsWhatFieldsCanShow has an annotator without others: effects that scales cannot show are not
// listed, and tests without comparison count.
func TestDetect_OneAnnotator_ListsWhatFieldsCanShow(t *testing.T) {
	t.Parallel()
	yesNo, empathy := newRangeFields(4, 0, 1), newRangeFields(5, 1, 5)
	const noOthers = "not_enough_data: Not enough data: no other annotator has labeled items."
	for _, tt := range []struct {
		fields []FieldSpec
		effect Effect
		want   string
	}{
		{yesNo, ScoreCompression, ""}, {yesNo, CentralTendency, ""}, {yesNo, MissedSafety, ""}, {newRangeFields(1, 1, 5), HaloEffect, ""},
		{yesNo, Leniency, noOthers}, {empathy, ScoreCompression, noOthers}, {empathy, CentralTendency, noOthers},
		{empathy, StraightLining, "not_found: Not found in 60 items; could have detected a share of 71% or more."},
		{yesNo, StraightLining, noOthers},
		{yesNo, Speeding, "not_found: Not found in 60 items; could have detected a share of 39% or more."},
	} {
		if got := testEffect(t, tt.fields, randomLabels(tt.fields, 1), tt.effect); got != tt.want {
			t.Errorf("%s of %d fields: %q, want %q", tt.effect, len(tt.fields), got, tt.want)
		}
	}
}

// TestDetect_EqualMiddles_OfAllAnnotators has three annotators who give nearly all items the same answer, at a normal pace. On a
// short scale items can deserve it, so that it is only found if others contradict it.
func TestDetect_EqualMiddles_OfAllAnnotators(t *testing.T) {
	t.Parallel()
	fields := newRangeFields(6, 0, 2)
	for _, tt := range []struct {
		answer, varied int // varied: annotators with other answers
		want           string
	}{
		{1, 0, "untestable: Cannot be tested with these labels: the share is 100%, that of the others 100%."},
		{1, 2, "found: "},
		{2, 0, "untestable: "}, {0, 0, "untestable: "}, {1, 3, "not_found: "},
	} {
		labels := randomLabels(fields, 3)
		for i, l := range labels {
			if i%3 < 3-tt.varied {
				for f := range l.Answers {
					l.Answers[f] = tt.answer
				}
			}
		}
		if got := testEffect(t, fields, labels, StraightLining); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%d by %d: %s", tt.answer, 3-tt.varied, got)
		}
	}
}

// TestDetect_ImportedLabels_LackBreaksAndLengths has labels of which neither is known.
func TestDetect_ImportedLabels_LackBreaksAndLengths(t *testing.T) {
	t.Parallel()
	fields := newRangeFields(5, 1, 5)
	labels := randomLabels(fields, 3)
	for i := range labels {
		labels[i].ItemsSinceBreak, labels[i].TextLength = 0, 0
	}
	for effect, want := range map[Effect]string{
		FatigueDrift: "not_enough_data: Not enough data: no breaks are recorded.",
		LengthBias:   "not_enough_data: Not enough data: the lengths of the texts are unknown.",
	} {
		if got := testEffect(t, fields, labels, effect); got != want {
			t.Errorf("%s: %q", effect, got)
		}
	}
}

// TestDetect_NothingDetectable_IsNotEnoughData has answers by chance to a yes/no field, among which not even a drift of the whole
// scale would be detected.
func TestDetect_NothingDetectable_IsNotEnoughData(t *testing.T) {
	t.Parallel()
	fields := newRangeFields(1, 0, 1)
	labels := randomLabels(fields, 2)
	for i := range labels {
		labels[i].ItemsSinceBreak %= 12
	}
	const want = "not_enough_data: Not enough data: the labels differ so much that not even a difference of the whole scale would be detected."
	if got := testEffect(t, fields, labels, FatigueDrift); got != want {
		t.Error(got)
	}
}

// TestDetect_FewKnownAnswers_AreCounted has one annotator with fewer known answers than the test needs.
func TestDetect_FewKnownAnswers_AreCounted(t *testing.T) {
	t.Parallel()
	fields := newRangeFields(5, 1, 5)
	list := newLabels(fields, randomLabels(fields, 1)[:12])
	for _, r := range DetectAmong(fields, newLabels(fields, randomLabels(fields, 1)), KnownAnswers{Labels: list, Right: list.Points}, stats.IntervalOptions{Resamples: 200}) {
		if want := "Not enough data: no other annotator has labeled items, and only 12 of 20 items needed have a known answer."; r.Effect == HaloEffect && r.Message() != want {
			t.Errorf("%s: %s", r.Effect, r.Message())
		}
	}
}

// TestDetect_AllFieldsAtEnd_SaysNothing has one annotator who gives all fields one end of a short scale, or always the same
// different answers: no test without others can tell.
func TestDetect_AllFieldsAtEnd_SaysNothing(t *testing.T) {
	t.Parallel()
	for _, scaleEnd := range []int{2, 5} {
		fields := newRangeFields(6, 0, scaleEnd)
		for _, answers := range [][]int{{2, 2, 2, 2, 2, 2}, {0, 1, 2, 0, 1, 2}} {
			labels := randomLabels(fields, 1)
			for i := range labels {
				labels[i].Answers = answers
			}
			if got := testEffect(t, fields, labels, StraightLining); !strings.HasPrefix(got, "not_enough_data: ") {
				t.Errorf("%v of %d points: %s", answers, scaleEnd+1, got)
			}
		}
	}
}

// TestDetect_FewVariedItems_AccusesNoOne has careful annotators on items that nearly all deserve one answer: a spread or a correlation then
// rests on one or two items.
func TestDetect_FewVariedItems_AccusesNoOne(t *testing.T) {
	t.Parallel()
	fields, accused, annotators := newRangeFields(6, 0, 2), 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		var labels []LabeledItem
		for i := range 60 {
			answers := []int{1, 1, 1, 1, 1, 1}
			if r.Float64() < 0.03 {
				for f := range answers {
					answers[f] = r.IntN(3)
				}
			}
			for g := range 2 {
				l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ItemsSinceBreak: i % 30, ActiveSeconds: 70, TextLength: 300 + float64(i), Answers: answers}
				if r.Float64() < 0.2 { // a deviation that is missed
					l.Answers = []int{1, 1, 1, 1, 1, 1}
				}
				labels = append(labels, l)
			}
		}
		found := map[string]bool{}
		for _, result := range Detect(fields, labels, stats.IntervalOptions{Resamples: 200, Seed: seed}) {
			found[result.Annotator] = found[result.Annotator] || result.Detected
		}
		for _, isFound := range found {
			annotators++
			accused += isTrue(isFound)
		}
	}
	if 20*accused > annotators {
		t.Errorf("%d of %d careful annotators are accused", accused, annotators)
	}
}
