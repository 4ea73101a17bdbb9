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
		if limit := upperShare(0.05, careful*runs); float64(accused) > limit*float64(careful*runs) || isShown && 100*found < 85*s.careless*runs {
			t.Errorf("%+v: found in %d, careful ones accused in %d of %d studies", s, found, accused, runs)
		}
		t.Logf("%+v: found in %.1f%%, careful ones accused in %.1f%%", s, 100*float64(found)/float64(max(s.careless*runs, 1)), 100*float64(accused)/float64(max(careful*runs, 1)))
	}
}

// A colleague is how the first annotators of a study answer, next to careful ones.
type colleague string

const (
	careful       colleague = ""
	randomAnswers colleague = "random"
	randomEqual   colleague = "equal"  // a random answer to all fields
	highEqual     colleague = "high"   // 4 or 5 to all fields
	oneAnswer     colleague = "one"    // 4
	severe        colleague = "severe" // by 0.9 points
	halfCopied    colleague = "copied" // the first answer to all fields, in half of the items
	halfHigh      colleague = "fives"  // 5 to all fields, in half of the items
)

// answer changes careful answers of an annotator.
func (c colleague) answer(r *rand.Rand, quality []float64, errors float64) []int {
	answers := answersTo(r, quality, errors)
	value, isHalf := map[colleague]int{randomEqual: 1 + r.IntN(5), highEqual: 4 + r.IntN(2), oneAnswer: 4, halfCopied: answers[0], halfHigh: 5}[c], r.IntN(2) == 0
	for f := range answers {
		switch c {
		case randomAnswers:
			answers[f] = 1 + r.IntN(5)
		case randomEqual, highEqual, oneAnswer:
			answers[f] = value
		case halfCopied, halfHigh:
			if isHalf {
				answers[f] = value
			}
		case severe:
			answers[f] = answersTo(r, []float64{quality[f] - 0.9}, errors)[0]
		}
	}
	return answers
}

// TestDetect_EqualAnswers_AreContrasted has careful annotators of items of which many deserve the same answer to all fields, next
// to others who answer carelessly, or differently. Careful ones are not accused, whoever the others are.
func TestDetect_EqualAnswers_AreContrasted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	runs := 12
	if require.FullSize() {
		runs = 200
	}
	for _, s := range []struct {
		annotators, items int
		quality, share    float64 // of the items, in all fields
		errors            []float64
		first             colleague
		unusual           int
		isFound           bool
	}{
		{3, 120, 5.3, 0.8, []float64{0.3}, randomAnswers, 1, false}, {3, 120, 5.3, 0.8, []float64{0.3}, randomEqual, 1, true}, {3, 120, 5.3, 0.8, []float64{0.3}, highEqual, 1, true}, {3, 120, 5.3, 0.8, []float64{0.3}, severe, 1, false},
		{4, 120, 5.3, 0.8, []float64{0.3}, randomAnswers, 2, false}, {2, 120, 5.3, 0.8, []float64{0.3}, randomEqual, 1, true}, {3, 150, 5, 0.6, []float64{0.3}, randomAnswers, 2, false},
		{3, 120, 5, 0.9, []float64{0.3}, careful, 0, false}, {3, 120, 5, 0.95, []float64{0.4}, careful, 0, false}, {3, 120, 4, 0.9, []float64{0.25}, careful, 0, false}, {3, 100, 4, 1, []float64{0.25}, careful, 0, false}, {2, 100, 5, 0.9, []float64{0.3}, careful, 0, false},
		{3, 150, 5, 0.6, []float64{0.3, 0.6, 0.6}, careful, 0, false}, {3, 150, 5.3, 0.6, []float64{0.2, 0.9, 0.9}, careful, 0, false},
		{3, 120, 3, 0, []float64{0.4}, halfCopied, 1, true}, {3, 120, 5, 0.5, []float64{0.4}, halfCopied, 1, true}, {3, 120, 5, 0.5, []float64{0.4}, halfHigh, 1, true}, {3, 120, 5, 0.5, []float64{0.4}, oneAnswer, 1, true},
	} {
		found, accused := 0, 0
		for run := range runs {
			r := rand.New(rand.NewPCG(4, uint64(run)))
			var labels []LabeledItem
			for i := range s.items {
				quality, isEqual := make([]float64, 5), r.Float64() < s.share
				for f := range quality {
					if quality[f] = 1 + 4*r.Float64(); isEqual {
						quality[f] = s.quality
					}
				}
				for g := range s.annotators {
					kind := careful
					if g < s.unusual {
						kind = s.first
					}
					labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ItemsSinceBreak: i % 30, ActiveSeconds: 40, TextLength: 600, Answers: kind.answer(r, quality, s.errors[g%len(s.errors)])})
				}
			}
			for _, result := range Detect(newEmpathyFields(), labels, stats.IntervalOptions{Resamples: 2}) {
				if result.Effect == StraightLining && result.Detected {
					if result.Annotator < annotatorNames[s.unusual] {
						found++
					} else {
						accused++
					}
				}
			}
		}
		careful := s.annotators - s.unusual
		t.Logf("%+v: found in %d, accused %d careful ones in %d studies", s, found, accused, runs)
		if float64(accused) > upperShare(0.05, careful*runs)*float64(careful*runs) || s.isFound && 100*found < 85*s.unusual*runs {
			t.Errorf("%+v: found in %d, accused %d careful ones in %d studies", s, found, accused, runs)
		}
	}
}
