package ratereffect

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// An equalItemsStudy is a study in which a share of the items deserves the highest answer in all five fields. Each
// annotator labels 60 items, of which each other one has labeled a few too.
type equalItemsStudy struct {
	annotators, shared, careless int
	deserving                    float64
	isVaried                     bool // careless annotators choose the equal answer by chance; else it is 3
}

func (s equalItemsStudy) simulate(r *rand.Rand) (labels []LabeledItem) {
	add := func(item string, answers func(g int) []int, annotators ...int) {
		for _, g := range annotators {
			labels = append(labels, LabeledItem{Item: item, Annotator: annotatorNames[g], Position: len(labels) + 1, ItemsSinceBreak: len(labels) % 30, ActiveSeconds: 40, TextLength: 600, Answers: answers(g)})
		}
	}
	newItem := func() func(g int) []int {
		quality := []float64{5, 5, 5, 5, 5}
		if r.Float64() >= s.deserving {
			for f := range quality {
				quality[f] = 1 + 4*r.Float64()
			}
		}
		return func(g int) []int {
			equal := 3
			if s.isVaried {
				equal = 1 + r.IntN(5)
			}
			if g < s.careless {
				return []int{equal, equal, equal, equal, equal}
			}
			return answersTo(r, quality, 0.1)
		}
	}
	ownItems := make([]int, s.annotators)
	for g := range s.annotators {
		for other := range g {
			for i := range s.shared {
				add(fmt.Sprint(g, "-", other, "-", i), newItem(), g, other)
			}
			ownItems[g], ownItems[other] = ownItems[g]+s.shared, ownItems[other]+s.shared
		}
	}
	for g, n := range ownItems {
		for i := n; i < 60; i++ {
			add(fmt.Sprint(g, " alone ", i), newItem(), g)
		}
	}
	return labels
}

// TestDetect_FewSharedItems_AccuseNoOne checks that equal answers are found if other labels contradict them, and that
// careful annotators are not accused, however few items they share and however many of these deserve equal answers.
func TestDetect_FewSharedItems_AccuseNoOne(t *testing.T) {
	t.Parallel()
	runs := 40
	if require.FullSize() {
		runs = 400
	}
	for _, s := range []equalItemsStudy{
		{annotators: 3, shared: 10, deserving: 0.6}, {annotators: 3, shared: 10, deserving: 0.75}, {annotators: 3, shared: 10, deserving: 0.9},
		{annotators: 3, shared: 15, deserving: 0.75}, {annotators: 3, shared: 15, deserving: 0.9}, {annotators: 3, shared: 20, deserving: 0.9}, {annotators: 3, shared: 25, deserving: 0.85},
		{annotators: 2, shared: 10, deserving: 0.75}, {annotators: 2, shared: 10, deserving: 0.9}, {annotators: 2, shared: 30, deserving: 0.75}, {annotators: 2, shared: 30, deserving: 0.9}, {annotators: 2, shared: 60, deserving: 0.9},
		{annotators: 5, shared: 10, deserving: 0.75}, {annotators: 5, shared: 10, deserving: 0.9}, {annotators: 5, shared: 15, deserving: 0.9},
		{annotators: 3, shared: 10, deserving: 0.3, careless: 1}, {annotators: 3, shared: 15, deserving: 0.75, careless: 1}, {annotators: 3, shared: 30, deserving: 0.75, careless: 1}, {annotators: 3, shared: 30, deserving: 0.75, careless: 2},
		{annotators: 3, shared: 15, deserving: 0.3, careless: 3}, {annotators: 3, shared: 15, deserving: 0.3, careless: 3, isVaried: true}, {annotators: 3, shared: 30, deserving: 0.3, careless: 3, isVaried: true},
	} {
		accused, found := 0, 0
		for run := range runs {
			for _, result := range Detect(newEmpathyFields(), s.simulate(rand.New(rand.NewPCG(98, uint64(run)))), stats.IntervalOptions{Resamples: 2}) {
				if result.Effect == StraightLining && result.Detected {
					if result.Annotator < annotatorNames[s.careless%len(annotatorNames)] {
						found++
					} else {
						accused++
					}
				}
			}
		}
		careful := s.annotators - s.careless
		isShown := !(s.careless == 1 && s.shared < minJudgedItems/2 && s.deserving > 0.5)
		if limit := upperShare(0.05, careful*runs); float64(accused) > limit*float64(careful*runs) || isShown && 10*found < 9*s.careless*runs {
			t.Errorf("%+v: found in %d, careful ones accused in %d of %d studies", s, found, accused, runs)
		}
		t.Logf("%+v: found in %.1f%%, careful ones accused in %.1f%%", s, 100*float64(found)/float64(max(s.careless*runs, 1)), 100*float64(accused)/float64(max(careful*runs, 1)))
	}
}
