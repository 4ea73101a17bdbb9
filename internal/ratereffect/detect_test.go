package ratereffect

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// newEmpathyFields returns five fields on 1..5; the fourth is about safety.
func newEmpathyFields() []FieldSpec {
	fields := make([]FieldSpec, 5)
	for f := range fields {
		fields[f].Scale = stats.NewRangeScale(1, 5)
	}
	fields[3].UnsafeAnswers = []int{1, 2}
	return fields
}

// A simulation simulates five annotators. Each item has labels from three of them, and
// there is a break every 30 items. Annotators without an effect differ a little in level
// and pace, and make errors.
type simulation struct {
	rand              *rand.Rand
	plantedEffect     Effect // of the first annotator; blank: none
	itemsPerAnnotator int    // on average; 0: 90
	hasEqualLevels    bool   // annotators do not differ in level
}

type simulatedItem struct {
	quality [5]float64
	length  float64
}

func (s simulation) generateLabels() []LabeledItem {
	const annotators, overlap = 5, 3
	items := cmp.Or(s.itemsPerAnnotator, 90) * annotators / overlap
	order := s.rand.Perm(items)
	queue := make([][]simulatedItem, annotators)
	queued := make([][]int, annotators)
	for _, i := range order {
		item := s.drawItem()
		for _, g := range s.rand.Perm(annotators)[:overlap] {
			queue[g], queued[g] = append(queue[g], item), append(queued[g], i)
		}
	}
	var labels []LabeledItem
	for g := range annotators {
		level, pace := 0.12*s.rand.NormFloat64(), 0.2*s.rand.NormFloat64()
		if s.hasEqualLevels {
			level = 0
		}
		for n, item := range queue[g] {
			l := LabeledItem{
				Item: fmt.Sprint("i", queued[g][n]), Annotator: annotatorNames[g], Position: n + 1, ItemsSinceBreak: n % 30,
				ActiveSeconds: 70 * math.Exp(pace+0.4*s.rand.NormFloat64()), TextLength: item.length,
			}
			effect := s.plantedEffect
			if g > 0 {
				effect = ""
			}
			s.fillAnswers(&l, item, level, effect)
			labels = append(labels, l)
		}
	}
	return labels
}

func (s simulation) drawItem() simulatedItem {
	item := simulatedItem{length: 600 * math.Exp(0.5*s.rand.NormFloat64())}
	overall := s.rand.NormFloat64()
	for f := range item.quality {
		item.quality[f] = 3 + 1.2*(0.5*overall+math.Sqrt(0.75)*s.rand.NormFloat64())
	}
	return item
}

// fillAnswers sets the answers of an annotator with the effect.
func (s simulation) fillAnswers(l *LabeledItem, item simulatedItem, level float64, effect Effect) {
	overall := 0.0
	for _, q := range item.quality {
		overall += q / 5
	}
	l.Answers = make([]int, 5)
	for f, q := range item.quality {
		v := q + level + 0.6*s.rand.NormFloat64()
		switch effect {
		case Leniency:
			v += 0.9
		case ScoreCompression:
			v = 3 + 0.5*(v-3)
		case CentralTendency:
			if s.rand.Float64() < 0.5 {
				v = 3
			}
		case HaloEffect:
			v = 0.15*v + 0.85*(3+1.6*(overall-3))
		case AnchoringEffect:
			if l.Position <= earlyItems {
				v += 1.2
			}
		case FatigueDrift:
			v -= 1.2 * float64(l.ItemsSinceBreak) / 30
		case LengthBias:
			v += 0.6 * (math.Log(l.TextLength/600) / 0.5)
		case MissedSafety:
			if f == 3 {
				v = max(v, 3.6)
			}
		}
		l.Answers[f] = min(5, max(1, int(math.Round(v))))
	}
	if effect == StraightLining && s.rand.Float64() < 0.5 {
		for f := range l.Answers {
			l.Answers[f] = l.Answers[0]
		}
	}
	if effect == Speeding && s.rand.Float64() < 0.4 {
		l.ActiveSeconds = 8
	}
}

// countDetections returns the number of runs in which each effect is detected in the first
// annotator, and in any other.
func countDetections(planted Effect, runs int) (inFirst, inOthers map[Effect]int) {
	inFirst, inOthers = map[Effect]int{}, map[Effect]int{}
	for run := range runs {
		s := simulation{rand: rand.New(rand.NewPCG(77, uint64(run))), plantedEffect: planted}
		others := map[Effect]bool{}
		for _, r := range Detect(newEmpathyFields(), s.generateLabels(), stats.IntervalOptions{Resamples: 200, Seed: uint64(run)}) {
			if r.Detected && r.Annotator == annotatorNames[0] {
				inFirst[r.Effect]++
			} else if r.Detected {
				others[r.Effect] = true
			}
		}
		for name := range others {
			inOthers[name]++
		}
	}
	return inFirst, inOthers
}

// TestDetect_OnlyPlanted requires a planted effect to be detected in 90% of the runs, and an
// effect in any clean annotator in at most 5%. By default there are 20 runs; with
// LABELWRIGHT_SLOW=1, 200.
func TestDetect_OnlyPlanted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	runs, falseAlarms := 20, 3
	if require.FullSize() {
		runs, falseAlarms = 200, 10
	}
	cleanFirst, cleanOthers := countDetections("", runs)
	for _, spec := range effectSpecs {
		t.Run(string(spec.effect), func(t *testing.T) {
			t.Parallel()
			inFirst, inOthers := countDetections(spec.effect, runs)
			t.Logf("%s: planted, detected in %d of %d runs, in another annotator in %d; clean, detected in %d",
				spec.effect, inFirst[spec.effect], runs, inOthers[spec.effect], cleanFirst[spec.effect]+cleanOthers[spec.effect])
			if inFirst[spec.effect] < runs*9/10 {
				t.Errorf("planted, detected in %d of %d runs", inFirst[spec.effect], runs)
			}
			if n := inOthers[spec.effect]; n > falseAlarms {
				t.Errorf("detected in another annotator in %d of %d runs", n, runs)
			}
			if n := cleanFirst[spec.effect] + cleanOthers[spec.effect]; n > falseAlarms {
				t.Errorf("detected in clean annotators in %d of %d runs", n, runs)
			}
		})
	}
}

// TestDetect_ConstantAnswers_Detected covers values without an interval, because no
// resample of constant answers differs.
func TestDetect_ConstantAnswers_Detected(t *testing.T) {
	t.Parallel()
	labels := simulation{rand: rand.New(rand.NewPCG(8, 8))}.generateLabels()
	for i, l := range labels {
		if l.Annotator == annotatorNames[0] {
			labels[i].Answers = []int{3, 3, 3, 3, 3}
		}
	}
	want := map[Effect]bool{ScoreCompression: true, CentralTendency: true, StraightLining: true, MissedSafety: true}
	for _, r := range Detect(newEmpathyFields(), labels, stats.IntervalOptions{Resamples: 100}) {
		if r.Annotator == annotatorNames[0] && want[r.Effect] && !r.Detected {
			t.Errorf("%s: %+v", r.Effect, r)
		}
		if r.Annotator == annotatorNames[0] && r.Effect == HaloEffect && r.Undefined != ConstantAnswers {
			t.Errorf("halo: %+v", r)
		}
		if r.Annotator != annotatorNames[0] && r.Detected {
			t.Errorf("%s of %s: %s", r.Effect, r.Annotator, r.Message())
		}
	}
}

func TestResult_Undefined_HasReason(t *testing.T) {
	t.Parallel()
	all := simulation{rand: rand.New(rand.NewPCG(1, 2))}.generateLabels()
	var few []LabeledItem
	for _, l := range labelsOfThree(func(int, *LabeledItem) {}) {
		if l.Position <= 8 {
			few = append(few, l)
		}
	}
	alone := all[:60]
	for _, c := range []struct {
		name   string
		fields []FieldSpec
		labels []LabeledItem
		effect Effect
		want   string
	}{
		{"few items", newEmpathyFields(), few, AnchoringEffect, "Not enough data: 8 of 30 items."},
		{"few items", newEmpathyFields(), few, ScoreCompression, "Not enough data: 8 of 30 items."},
		{"one annotator", newEmpathyFields(), alone, Leniency, "Not enough data: no other annotator has labeled items."},
		{"binary fields", []FieldSpec{{Scale: stats.NewRangeScale(0, 1)}}, nil, ScoreCompression, ""},
	} {
		for _, r := range Detect(c.fields, c.labels, stats.IntervalOptions{Resamples: 20}) {
			if r.Effect == c.effect && (r.Message() != c.want || r.Detected) {
				t.Errorf("%s: %q, want %q", c.name, r.Message(), c.want)
			}
		}
	}
}

func TestResult_Detected_HasMessage(t *testing.T) {
	t.Parallel()
	for _, spec := range effectSpecs {
		s := simulation{rand: rand.New(rand.NewPCG(5, 6)), plantedEffect: spec.effect}
		for _, r := range Detect(newEmpathyFields(), s.generateLabels(), stats.IntervalOptions{Resamples: 200}) {
			if r.Annotator != annotatorNames[0] || r.Effect != spec.effect {
				continue
			}
			t.Log(r.Message())
			if !r.Detected || !strings.HasSuffix(r.Message(), ".") || !strings.Contains(r.Message(), fmt.Sprint(r.ItemCount)) {
				t.Errorf("%s: detected %v, %q", r.Effect, r.Detected, r.Message())
			}
		}
	}
}

// TestDetect_AllAnnotators_AreFound has three annotators who all give five equal scores in six
// milliseconds: no comparison among them shows it.
func TestDetect_AllAnnotators_AreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		fields []FieldSpec
		ms     float64
		want   bool
	}{
		{"five equal scores, in no time", newEmpathyFields(), 6, true},
		{"no to all questions, with time", []FieldSpec{{Scale: stats.NewRangeScale(0, 1)}, {Scale: stats.NewRangeScale(0, 1)}, {Scale: stats.NewRangeScale(0, 1)}}, 30_000, false},
	} {
		var labels []LabeledItem
		for i := range 40 {
			for g := range 3 {
				labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ActiveSeconds: c.ms / 1000, TextLength: 400,
					Answers: slices.Repeat([]int{(i+g)%len(c.fields[0].Scale) + c.fields[0].Scale[0]}, len(c.fields))})
			}
		}
		found := 0
		for _, r := range Detect(c.fields, labels, stats.IntervalOptions{Resamples: 50}) {
			if r.Detected && (r.Effect == StraightLining || r.Effect == Speeding) {
				found++
				if !r.IsAbsolute || r.State() != Found || strings.Contains(r.Message(), "others") {
					t.Errorf("%s: %s", c.name, r.Message())
				}
			}
		}
		if want := map[bool]int{true: 6}[c.want]; found != want {
			t.Errorf("%s: %d effects are found, want %d", c.name, found, want)
		}
	}
}

// TestDetect_Clean_FewFalseAlarms counts annotators without effects who are reported for any.
func TestDetect_Clean_FewFalseAlarms(t *testing.T) {
	t.Parallel()
	runs := 20
	if require.FullSize() {
		runs = 200
	}
	reported := 0
	for run := range runs {
		names := map[string]bool{}
		for _, r := range Detect(newEmpathyFields(), simulation{rand: rand.New(rand.NewPCG(78, uint64(run)))}.generateLabels(), stats.IntervalOptions{Resamples: 200, Seed: uint64(run)}) {
			if r.Detected {
				names[r.Annotator] = true
			}
		}
		reported += len(names)
	}
	t.Logf("%d of %d annotators without effects are reported", reported, 5*runs)
	if reported*20 > 5*runs {
		t.Errorf("%d of %d annotators without effects are reported", reported, 5*runs)
	}
}

func TestResult_NotFound_SaysWhatItCouldDetect(t *testing.T) {
	t.Parallel()
	for _, r := range Detect(newEmpathyFields(), simulation{rand: rand.New(rand.NewPCG(9, 9))}.generateLabels(), stats.IntervalOptions{Resamples: 200}) {
		if r.State() == NotFound && r.Value == 0 && !strings.Contains(r.Message(), "could have detected a") {
			t.Errorf("%s: %s", r.Effect, r.Message())
		}
	}
}

// labelsOfThree returns 60 items with labels of three annotators, who see the same qualities. change
// may alter the label of the annotator with that number.
func labelsOfThree(change func(g int, l *LabeledItem)) (labels []LabeledItem) {
	r := rand.New(rand.NewPCG(91, 0))
	for i := range 60 {
		item := simulation{rand: r}.drawItem()
		for g := range 3 {
			l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ActiveSeconds: 75 * math.Exp(0.3*r.NormFloat64()), TextLength: 400}
			simulation{rand: r}.fillAnswers(&l, item, 0, "")
			change(g, &l)
			labels = append(labels, l)
		}
	}
	return labels
}

// TestDetect_TargetPace_FindsAll has one, two or all of three annotators who need a third of the
// protocol's shortest time: enough to read, and not faster than each other.
func TestDetect_TargetPace_FindsAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fast int
		pace float64
		want int
	}{{0, 60, 0}, {1, 60, 1}, {2, 60, 2}, {3, 60, 3}, {3, 0, 0}} {
		labels := newLabels(newEmpathyFields(), labelsOfThree(func(g int, l *LabeledItem) {
			if g < c.fast {
				l.ActiveSeconds /= 2.5
			}
		}))
		labels.ShortestPace = c.pace
		found := 0
		for _, r := range DetectAmong(newEmpathyFields(), labels, KnownAnswers{}, stats.IntervalOptions{Resamples: 50}) {
			if found += isTrue(r.Effect == Speeding && r.Detected); r.Effect != Speeding && r.Detected {
				t.Errorf("%d fast: %s: %s", c.fast, r.Annotator, r.Message())
			}
		}
		if found != c.want {
			t.Errorf("%d fast annotators with a pace of %.0f s: %d are found, want %d", c.fast, c.pace, found, c.want)
		}
	}
}

// TestDetect_UnusedEnds_AreFound has annotators who never give 1 or 5 although both others do or, where
// more avoid the ends, reference answers do.
func TestDetect_UnusedEnds_AreFound(t *testing.T) {
	t.Parallel()
	avoidEnds := func(avoiding int) []LabeledItem {
		return labelsOfThree(func(g int, l *LabeledItem) {
			for f, v := range l.Answers {
				if g < avoiding {
					l.Answers[f] = min(4, max(2, v))
				}
			}
		})
	}
	for avoiding := range 4 {
		given := newLabels(newEmpathyFields(), avoidEnds(avoiding))
		known := KnownAnswers{Labels: given, Right: newLabels(newEmpathyFields(), avoidEnds(0)).Points}
		found := 0
		for _, r := range DetectAmong(newEmpathyFields(), given, known, stats.IntervalOptions{Resamples: 50}) {
			found += isTrue(r.Effect == ScoreCompression && r.Detected)
		}
		if found != avoiding {
			t.Errorf("%d of three annotators avoid the ends: %d are found", avoiding, found)
		}
		c := newLabelSet(newEmpathyFields(), avoidEnds(avoiding))
		for g, own := range c.labelsByAnnotator {
			m, want := measureUnusedEnds(c, own), g < avoiding && avoiding == 1
			if (m.itemCount >= 30) != want {
				t.Errorf("%d of three avoid the ends: annotator %d has %d items to which both others give one, want 30 or more: %t", avoiding, g, m.itemCount, want)
			}
		}
	}
}
