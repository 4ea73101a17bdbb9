package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// A teamStudy simulates a team of two annotators and one of three without effects, who label different items.
// A number of items is labeled by all five.
type teamStudy struct {
	mean, sd, length [2]float64 // of the items of each team
	common           int
}

func (s teamStudy) generateLabels(r *rand.Rand) (labels []LabeledItem) {
	position := map[int]int{}
	for team, members := range [][]int{{0, 1}, {2, 3, 4}} {
		for i := range 60 {
			annotators := members
			if team == 0 && i < s.common {
				annotators = []int{0, 1, 2, 3, 4}
			}
			var quality []float64
			for range 5 {
				quality = append(quality, s.mean[team]+s.sd[team]*r.NormFloat64())
			}
			length := s.length[team] * math.Exp(0.2*r.NormFloat64())
			for _, g := range annotators {
				labels = append(labels, LabeledItem{Item: fmt.Sprint(team, "-", i), Annotator: annotatorNames[g], Position: position[g] + 1, ItemsSinceBreak: position[g] % 30,
					TextLength: length, ActiveSeconds: (10 + 0.06*length) * math.Exp(0.2*r.NormFloat64()), Answers: answersTo(r, quality, 0.35)})
				position[g]++
			}
		}
	}
	return labels
}

// TestDetect_DifferentItems_NoFalseAlarms has teams whose items differ in quality or length. Without a common
// item, or with few, no member of one looks unusual next to the other.
func TestDetect_DifferentItems_NoFalseAlarms(t *testing.T) {
	t.Parallel()
	equal := [2]float64{600, 600}
	for name, study := range map[string]teamStudy{
		"a good system, and a mixed one": {mean: [2]float64{4.6, 3}, sd: [2]float64{0.5, 1}, length: equal},
		"narrow and wide quality":        {mean: [2]float64{3, 3}, sd: [2]float64{0.5, 1.1}, length: equal},
		"short and long texts":           {mean: [2]float64{3, 3}, sd: [2]float64{1, 1}, length: [2]float64{150, 1500}},
	} {
		for _, common := range []int{0, 20} {
			study.common = common
			reported := countReported(simulatedRuns(), study.generateLabels)
			t.Logf("%s, %d common items: %.1f%% of annotators are reported", name, common, 100*reported)
			if reported > 0.05 {
				t.Errorf("%s, %d common items: %.1f%% of annotators without effects are reported", name, common, 100*reported)
			}
		}
	}
}

// TestMissed_DifferentItems_NoFalseAlarms has teams of which one labels items whose risks are hard to tell. Who misses
// more of them than the other team does of its own misses no more than careful work.
func TestMissed_DifferentItems_NoFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, common := range []int{0, 20} {
		study := teamStudy{mean: [2]float64{3, 3}, sd: [2]float64{0.5, 1.1}, length: [2]float64{600, 600}, common: common}
		reported := countReported(3*simulatedRuns(), study.generateLabels, MissedSafety)
		t.Logf("%d common items: %.1f%% of annotators are reported", common, 100*reported)
		if reported > 0.01 {
			t.Errorf("%d common items: %.1f%% of annotators without effects are reported", common, 100*reported)
		}
	}
}

// TestDetect_FewSharedItems_NotEnoughData has two annotators who share fewer items than the tests need, or as
// many.
func TestDetect_FewSharedItems_NotEnoughData(t *testing.T) {
	t.Parallel()
	for _, spec := range effectSpecs {
		if spec.bind == nil {
			continue
		}
		for shared, want := range map[int]UntestableReason{0: NoSharedItems, spec.minItems - 1: TooFewItems, spec.minItems + 1: ""} {
			var labels []LabeledItem
			for n := range 80 {
				for g := range 2 {
					item := fmt.Sprint(n)
					if n >= shared {
						item = fmt.Sprint(g, "-", n)
					}
					labels = append(labels, LabeledItem{Item: item, Annotator: annotatorNames[g], Position: n + 1, ActiveSeconds: 40, TextLength: 400, Answers: []int{1 + n%5, 1 + n*7%5, 1 + n/5%5, 4 + n%2, 1 + n/3%5}})
				}
			}
			c := newLabelSet(newEmpathyFields(), labels)
			if m := spec.measureAnnotator(c, c.labelsByAnnotator[0], c.pairLabels(c.labelsByAnnotator[0])); m.undefined != want || m.hasPeers != (want == "") {
				t.Errorf("%s with %d shared items: %q, want %q", spec.effect, shared, m.undefined, want)
			}
		}
	}
}

// TestPairLabels_GroupsTheRest has an annotator who shares some items with one other, and fewer with each of
// three: those are compared together.
func TestPairLabels_GroupsTheRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shared []int // with each other annotator
		want   []int // items of the pairs
	}{
		{[]int{12, 4, 4, 4}, []int{12, 12}},
		{[]int{12, 3, 3, 3}, []int{12}},
		{[]int{10, 10, 0, 0}, []int{10, 10}},
		{[]int{2 * maxPairItems, 0, 0, 0}, []int{maxPairItems}},
	} {
		var labels []LabeledItem
		for other, shared := range tt.shared {
			for n := range shared {
				for _, g := range []int{0, other + 1} {
					labels = append(labels, LabeledItem{Item: fmt.Sprint(other, "-", n), Annotator: annotatorNames[g], Answers: []int{1, 2, 3, 4, 5}})
				}
			}
		}
		c := newLabelSet(newEmpathyFields(), labels)
		var got []int
		for _, pair := range c.pairLabels(c.labelsByAnnotator[0]) {
			got = append(got, len(pair.own))
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%v shared items: pairs of %v, want %v", tt.shared, got, tt.want)
		}
	}
}

// TestDifferenceFromMost_WeightsItems has differences of equally and of differently many items.
func TestDifferenceFromMost_WeightsItems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list []difference
		want float64
		ok   bool
	}{
		{nil, 0, false},
		{[]difference{{0.3, 10}}, 0.3, true},
		{[]difference{{0.3, 10}, {0.1, 10}}, 0.1, true},
		{[]difference{{0.3, 19}, {0.1, 10}}, 0.1, true},
		{[]difference{{0.3, 20}, {0.1, 10}}, 0.1, true},
		{[]difference{{0.1, 20}, {0.3, 10}}, 0.1, true},
		{[]difference{{0.3, 30}, {0.1, 10}, {0.2, 10}}, 0.3, true},
		{[]difference{{-0.3, 10}, {-0.1, 10}}, -0.1, true},
		{[]difference{{-0.3, 10}, {-0.1, 20}}, -0.1, true},
		{[]difference{{0.9, 10}, {0.1, 10}, {0.2, 10}}, 0.2, true},
		{[]difference{{0.9, 10}, {0.1, 10}, {0.2, 10}, {0.4, 10}}, 0.2, true},
	} {
		if got, ok := differenceFromMost(tt.list); got != tt.want || ok != tt.ok {
			t.Errorf("%v: %g, %t, want %g, %t", tt.list, got, ok, tt.want, tt.ok)
		}
	}
}

// TestDetect_OneExtremist_AccusesNoOther has one annotator who exaggerates, or gives 1 or 5 only. From three
// annotators on, the others are right not to, as most of them agree.
func TestDetect_OneExtremist_AccusesNoOther(t *testing.T) {
	t.Parallel()
	for name, exaggerate := range map[string]func(deviation float64) float64{
		"exaggerates": func(d float64) float64 { return 2.6 * d },
		"only ends":   func(d float64) float64 { return math.Copysign(2, d) },
	} {
		for _, annotators := range []int{2, 3, 4, 5} {
			generate := func(r *rand.Rand) (labels []LabeledItem) {
				for i := range 60 {
					var quality, exaggerated []float64
					for range 5 {
						d := min(1, max(-1, 0.6*r.NormFloat64()))
						quality, exaggerated = append(quality, 3+d), append(exaggerated, 3+exaggerate(d))
					}
					for g := range annotators {
						if i == 0 && g == annotators-1 {
							continue // the last annotator shares one item less
						}
						l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ActiveSeconds: 40, TextLength: 600, Answers: answersTo(r, quality, 0.1)}
						if g == 0 {
							l.Answers = answersTo(r, exaggerated, 0.1)
						}
						labels = append(labels, l)
					}
				}
				return labels
			}
			alarms := 0
			for run := range simulatedRuns() {
				c := newLabelSet(newEmpathyFields(), generate(rand.New(rand.NewPCG(94, uint64(run)))))
				for _, own := range c.labelsByAnnotator[1:] {
					alarms += isTrue(measureUnusedEnds(c, own).itemCount > 0)
				}
			}
			reported := 0.0
			if annotators > 2 { // of two, either can be the unusual one
				reported = countReported(simulatedRuns(), generate, ScoreCompression, CentralTendency)
			}
			t.Logf("%s, %d annotators: %d others by unused ends, %.1f%% by any test", name, annotators, alarms, 100*reported)
			if alarms > 0 || reported > 0.05 {
				t.Errorf("%s, %d annotators: %d others are reported by unused ends, %.1f%% by any test", name, annotators, alarms, 100*reported)
			}
		}
	}
}

// TestDetect_DeservedEqualAnswers has items of which most deserve the same answer to all fields. Careful
// annotators agree on these; those who give one value to everything do not agree beyond chance.
func TestDetect_DeservedEqualAnswers(t *testing.T) {
	t.Parallel()
	study := func(quality func(r *rand.Rand, item int) []float64, constant int) func(r *rand.Rand) []LabeledItem {
		return func(r *rand.Rand) (labels []LabeledItem) {
			for i := range 60 {
				q := quality(r, i)
				for g := range 3 {
					l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ItemsSinceBreak: i % 30, ActiveSeconds: 40, TextLength: 600, Answers: answersTo(r, q, 0.1)}
					if g < constant {
						l.Answers = []int{3, 3, 3, 3, 3}
					}
					labels = append(labels, l)
				}
			}
			return labels
		}
	}
	good := func(r *rand.Rand, _ int) (list []float64) {
		overall := 5.2 + 0.5*r.NormFloat64()
		for range 5 {
			list = append(list, overall+0.2*r.NormFloat64())
		}
		return list
	}
	empty := func(r *rand.Rand, item int) (list []float64) {
		for range 5 {
			q := 3 + r.NormFloat64()
			if item%10 < 7 {
				q = 1
			}
			list = append(list, q)
		}
		return list
	}
	for _, tt := range []struct {
		name      string
		generate  func(r *rand.Rand) []LabeledItem
		low, high float64 // share of annotators
	}{
		{"a good system", study(good, 0), 0, 0.05},
		{"70% empty responses", study(empty, 0), 0, 0.05},
		{"one annotator gives 3 to everything", study(good, 1), 0.33, 0.37},
		{"all give 3 to everything", study(good, 3), 1, 1},
	} {
		reported := countReported(simulatedRuns(), tt.generate, StraightLining)
		t.Logf("%s: straight-lining in %.1f%%", tt.name, 100*reported)
		if reported < tt.low || reported > tt.high {
			t.Errorf("%s: straight-lining in %.1f%% of annotators, want %.0f to %.0f%%", tt.name, 100*reported, 100*tt.low, 100*tt.high)
		}
	}
}

// TestDetect_OneOfThree_AccusesNoOther plants each effect in one of three annotators, whose labels are compared with
// each other only. Where all label the items in the same order, an effect that depends on the order looks opposite in
// the others, unless it is known whose it is.
func TestDetect_OneOfThree_AccusesNoOther(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	runs := 20
	if require.FullSize() {
		runs = 200
	}
	for _, isSameOrder := range []bool{false, true} {
		for _, spec := range effectSpecs {
			found, alarms := sharedStudy{plantedEffect: spec.effect, affected: 1, items: 120, isSameOrder: isSameOrder}.count(runs)
			t.Logf("%s, same order %t: found in %.1f%%, an effect in %.1f%% of the others", spec.effect, isSameOrder, 100*found, 100*alarms)
			if found < 0.9 || alarms > upperShare(0.05, runs) {
				t.Errorf("%s, same order %t: found in %.1f%%, an effect in %.1f%% of the others", spec.effect, isSameOrder, 100*found, 100*alarms)
			}
		}
	}
}

// TestDetect_OneOfTwo_EitherCanBeRight has two annotators who share items only with each other. Their whole difference
// is stated, and that either can be right; a third one shows whose it is.
func TestDetect_OneOfTwo_EitherCanBeRight(t *testing.T) {
	t.Parallel()
	for _, annotators := range []int{2, 3} {
		var labels []LabeledItem
		r := rand.New(rand.NewPCG(96, 0))
		for i := range 200 {
			quality := []float64{2 + r.Float64(), 2 + r.Float64(), 2 + r.Float64()}
			for g := range annotators {
				l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ActiveSeconds: 40, TextLength: 600, Answers: answersTo(r, quality, 0.2)}
				for f := range l.Answers {
					l.Answers[f] += isTrue(g == 0)
				}
				labels = append(labels, l)
			}
		}
		for _, result := range Detect(newEmpathyFields()[:3], labels, stats.IntervalOptions{Resamples: 200}) {
			if result.Effect != Leniency {
				continue
			}
			want := map[string]float64{annotatorNames[0]: 0.25, annotatorNames[1]: -0.25} // 1 point of 4
			if annotators == 3 {
				want = map[string]float64{annotatorNames[0]: 0.25}
			}
			if d := result.Value - want[result.Annotator]; math.Abs(d) > 0.02 || result.Detected != (want[result.Annotator] != 0) {
				t.Errorf("%d annotators, %s: %.3f, detected %t", annotators, result.Annotator, result.Value, result.Detected)
			}
			if result.Detected && strings.Contains(result.Message(), "Either can be right") != (annotators == 2) {
				t.Errorf("%d annotators: %s", annotators, result.Message())
			}
		}
	}
}
