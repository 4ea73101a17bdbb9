package ratereffect

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// newEmpathyFields are five fields on 1..5; the fourth is about safety.
func newEmpathyFields() []FieldSpec {
	fields := make([]FieldSpec, 5)
	for f := range fields {
		fields[f].Scale = stats.NewRangeScale(1, 5)
	}
	fields[3].UnsafeAnswers = []int{1, 2}
	return fields
}

// A simulation is a day's work to be simulated: five people, 150 items as a rule, each
// judged by three of them, a break every thirty. Clean people differ a little in level and
// pace, and err.
type simulation struct {
	rand              *rand.Rand
	plantedEffect     EffectName // in the first person; blank: in nobody
	itemsPerAnnotator int        // a person has, about; 0: 90
}

type simulatedItem struct {
	quality [5]float64
	length  float64
}

func (b simulation) generateLabels() []LabeledItem {
	const annotators, overlap = 5, 3
	items := cmp.Or(b.itemsPerAnnotator, 90) * annotators / overlap
	order := b.rand.Perm(items)
	queue := make([][]simulatedItem, annotators)
	queued := make([][]int, annotators)
	for _, i := range order {
		item := b.drawItem()
		for _, g := range b.rand.Perm(annotators)[:overlap] {
			queue[g], queued[g] = append(queue[g], item), append(queued[g], i)
		}
	}
	var labels []LabeledItem
	for g := range annotators {
		level, pace := 0.12*b.rand.NormFloat64(), 0.2*b.rand.NormFloat64()
		for n, item := range queue[g] {
			l := LabeledItem{
				Item: fmt.Sprint("i", queued[g][n]), Annotator: annotatorNames[g], Position: n + 1, ItemsSinceBreak: n % 30,
				ActiveSeconds: 70 * math.Exp(pace+0.4*b.rand.NormFloat64()), TextLength: item.length,
			}
			effect := b.plantedEffect
			if g > 0 {
				effect = ""
			}
			b.fillAnswers(&l, item, level, effect)
			labels = append(labels, l)
		}
	}
	return labels
}

func (b simulation) drawItem() simulatedItem {
	item := simulatedItem{length: 600 * math.Exp(0.5*b.rand.NormFloat64())}
	overall := b.rand.NormFloat64()
	for f := range item.quality {
		item.quality[f] = 3 + 1.2*(0.5*overall+math.Sqrt(0.75)*b.rand.NormFloat64())
	}
	return item
}

// fillAnswers fills in what a person with the habit makes of an item.
func (b simulation) fillAnswers(l *LabeledItem, item simulatedItem, level float64, effect EffectName) {
	overall := 0.0
	for _, q := range item.quality {
		overall += q / 5
	}
	l.Answers = make([]int, 5)
	for f, q := range item.quality {
		v := q + level + 0.6*b.rand.NormFloat64()
		switch effect {
		case Leniency:
			v += 0.9
		case ScoreCompression:
			v = 3 + 0.5*(v-3)
		case CentralTendency:
			if b.rand.Float64() < 0.5 {
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
		case MissedRisks:
			if f == 3 {
				v = max(v, 3.6)
			}
		}
		l.Answers[f] = min(5, max(1, int(math.Round(v))))
	}
	if effect == StraightLining && b.rand.Float64() < 0.5 {
		for f := range l.Answers {
			l.Answers[f] = l.Answers[0]
		}
	}
	if effect == Speeding && b.rand.Float64() < 0.4 {
		l.ActiveSeconds = 8
	}
}

// countDetections counts, over the runs, in how many a habit was found in the first person
// and in how many in anybody else.
func countDetections(planted EffectName, runs int) (inFirst, inOthers map[EffectName]int) {
	inFirst, inOthers = map[EffectName]int{}, map[EffectName]int{}
	for run := range runs {
		b := simulation{rand: rand.New(rand.NewPCG(77, uint64(run))), plantedEffect: planted}
		others := map[EffectName]bool{}
		for _, h := range DetectEffects(newEmpathyFields(), b.generateLabels(), stats.IntervalOptions{Resamples: 200, Seed: uint64(run)}) {
			if h.Detected && h.Annotator == annotatorNames[0] {
				inFirst[h.Name]++
			} else if h.Detected {
				others[h.Name] = true
			}
		}
		for name := range others {
			inOthers[name]++
		}
	}
	return inFirst, inOthers
}

// TestDetectEffects_OnlyPlanted asks for a planted habit in 90 %
// of the runs, and for a habit in any of the clean people in at most 5 %, be it
// among clean people or beside one who has it. By default it takes 20 runs; with
// LABELWRIGHT_SLOW=1, 200.
func TestDetectEffects_OnlyPlanted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations are left out of short runs")
	}
	runs, falseAlarms := 20, 3
	if runsSlowTests() {
		runs, falseAlarms = 200, 10
	}
	cleanFirst, cleanOthers := countDetections("", runs)
	for _, spec := range effectSpecs() {
		t.Run(string(spec.name), func(t *testing.T) {
			t.Parallel()
			inFirst, inOthers := countDetections(spec.name, runs)
			t.Logf("%s: planted, found in %d of %d runs, and in somebody else in %d; clean, found in %d",
				spec.name, inFirst[spec.name], runs, inOthers[spec.name], cleanFirst[spec.name]+cleanOthers[spec.name])
			if inFirst[spec.name] < runs*9/10 {
				t.Errorf("found in %d of %d runs where it was planted", inFirst[spec.name], runs)
			}
			if n := inOthers[spec.name]; n > falseAlarms {
				t.Errorf("found in somebody else in %d of %d runs", n, runs)
			}
			if n := cleanFirst[spec.name] + cleanOthers[spec.name]; n > falseAlarms {
				t.Errorf("found in clean people in %d of %d runs", n, runs)
			}
		})
	}
}

// TestDetectEffects_ConstantAnswers_Detected: no resample of such answers differs, so that
// there is no interval, and still no doubt.
func TestDetectEffects_ConstantAnswers_Detected(t *testing.T) {
	t.Parallel()
	labels := simulation{rand: rand.New(rand.NewPCG(8, 8))}.generateLabels()
	for i, l := range labels {
		if l.Annotator == annotatorNames[0] {
			labels[i].Answers = []int{3, 3, 3, 3, 3}
		}
	}
	want := map[EffectName]bool{ScoreCompression: true, CentralTendency: true, StraightLining: true, MissedRisks: true}
	for _, h := range DetectEffects(newEmpathyFields(), labels, stats.IntervalOptions{Resamples: 100}) {
		if h.Annotator == annotatorNames[0] && want[h.Name] && !h.Detected {
			t.Errorf("%s: %+v", h.Name, h)
		}
		if h.Annotator == annotatorNames[0] && h.Name == HaloEffect && h.Undefined != "the items do not vary enough to show it" {
			t.Errorf("halo: %+v", h)
		}
		if h.Annotator != annotatorNames[0] && h.Detected {
			t.Errorf("%s of %s: %s", h.Name, h.Annotator, h.Message)
		}
	}
}

func TestEffectResult_Undefined_HasReason(t *testing.T) {
	t.Parallel()
	all := simulation{rand: rand.New(rand.NewPCG(1, 2))}.generateLabels()
	var few []LabeledItem
	for _, l := range all {
		if l.Position <= 8 {
			few = append(few, l)
		}
	}
	alone := all[:60]
	for _, c := range []struct {
		name   string
		fields []FieldSpec
		labels []LabeledItem
		habit  EffectName
		want   string
	}{
		{"few items", newEmpathyFields(), few, ScoreCompression, "Cannot be told yet: 8 items so far; it takes 30 to tell."},
		{"one annotator", newEmpathyFields(), alone, Leniency, "Cannot be told yet: nobody else has answered: habits show against others."},
		{"no safety field", make([]FieldSpec, 5), all, MissedRisks, "Cannot be told yet: no field is about safety."},
		{"binary fields", []FieldSpec{{Scale: stats.NewRangeScale(0, 1)}}, nil, ScoreCompression, ""},
	} {
		for _, h := range DetectEffects(c.fields, c.labels, stats.IntervalOptions{Resamples: 20}) {
			if h.Name == c.habit && (h.Message != c.want || h.Detected) {
				t.Errorf("%s: %q, want %q", c.name, h.Message, c.want)
			}
		}
	}
}

func TestEffectResult_Detected_HasMessage(t *testing.T) {
	t.Parallel()
	for _, spec := range effectSpecs() {
		b := simulation{rand: rand.New(rand.NewPCG(5, 6)), plantedEffect: spec.name}
		for _, h := range DetectEffects(newEmpathyFields(), b.generateLabels(), stats.IntervalOptions{Resamples: 200}) {
			if h.Annotator != annotatorNames[0] || h.Name != spec.name {
				continue
			}
			t.Log(h.Message)
			if !h.Detected || !strings.HasSuffix(h.Message, ".") || !strings.Contains(h.Message, fmt.Sprint(h.ItemCount)) {
				t.Errorf("%s: found %v, %q", h.Name, h.Detected, h.Message)
			}
		}
	}
}
