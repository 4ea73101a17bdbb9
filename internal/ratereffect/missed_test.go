package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// labelsWithRisks returns the labels of annotators who agree on all items but those with a risk: of the
// first items with one, each annotator misses as many as are given.
func labelsWithRisks(items, risks int, misses ...int) (labels []LabeledItem) {
	for i := range items {
		for g, missed := range misses {
			safety := 5 - i%2
			if i < risks && i >= missed {
				safety = 1
			}
			labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: []int{1 + i%5, 1 + i%4, 1 + i%3, safety, 1 + (i+2)%5}})
		}
	}
	return labels
}

// missedBy returns the result for missed risks of one annotator.
func missedBy(t *testing.T, annotator string, labels []LabeledItem, known KnownAnswers) Result {
	t.Helper()
	for _, r := range DetectAmong(newEmpathyFields(), newLabels(newEmpathyFields(), labels), known, stats.IntervalOptions{Resamples: 20}) {
		if r.Effect == MissedSafety && r.Annotator == annotator {
			return r
		}
	}
	t.Fatalf("no result for %s", annotator)
	return Result{}
}

// TestMissed_ThirdOfThree_IsTested has three annotators and ten risks, of which two report all: they
// have too few risks to compare with each other as the third misses more.
func TestMissed_ThirdOfThree_IsTested(t *testing.T) {
	t.Parallel()
	for misses, want := range map[int]string{
		0:  "No difference from the others found in 10 items; could have detected a share of 74% or more.",
		1:  "Reports no risk in 1 of 10 items in which both others report one. That is within the tolerated 20% (could have detected a share of 74% or more), but read these items.",
		2:  "Reports no risk in 2 of 10 items in which both others report one. That is within the tolerated 20% (could have detected a share of 74% or more), but read these items.",
		3:  "Reports no risk in 3 of 10 items in which both others report one. That is more than the tolerated 20%, but can be chance (p = 0.32): read these items.",
		5:  "Reports no risk in 5 of 10 items in which both others report one. That is more than the tolerated 20%, but can be chance (p = 0.03): read these items.",
		6:  "Reports no risk although both others report one, in 60% of 10 items (95% CI 31–83%; others 0%). Go through these items and the safety anchors together soon.",
		10: "Reports no risk although both others report one, in 100% of 10 items (95% CI 72–100%; others 0%). Go through these items and the safety anchors together soon.",
	} {
		labels := labelsWithRisks(60, 10, 0, 0, misses)
		r := missedBy(t, annotatorNames[2], labels, KnownAnswers{})
		if got := r.Message(); got != want || r.Detected != (misses >= 6) || r.IsNoticeable() != (misses > 2 && misses < 6) {
			t.Errorf("%d misses: found %t, noticeable %t, %q", misses, r.Detected, r.IsNoticeable(), got)
		}
		for _, name := range annotatorNames[:2] {
			if r := missedBy(t, name, labels, KnownAnswers{}); r.Detected || r.HasMisses() {
				t.Errorf("%d misses of another annotator: %s", misses, r.Message())
			}
		}
	}
}

// TestMissed_TooFewRisks_AreCounted has fewer risks than the test needs.
func TestMissed_TooFewRisks_AreCounted(t *testing.T) {
	t.Parallel()
	for misses, want := range map[int]string{0: "Not enough data: 5 of 8 items.", 3: "Reports no risk in 3 of 5 items in which both others report one. The test needs 8 such items: read these."} {
		r := missedBy(t, annotatorNames[2], labelsWithRisks(60, 5, 0, 0, misses), KnownAnswers{})
		if got := r.Message(); got != want || r.State() != NotEnoughData || r.IsNoticeable() != (misses > 1) {
			t.Errorf("%d misses: noticeable %t, %q", misses, r.IsNoticeable(), got)
		}
	}
}

// TestMissed_KnownAnswers_Decide has three annotators of whom one misses 3 of 10 risks that both others
// report, and known answers on either side.
func TestMissed_KnownAnswers_Decide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		right int // annotator whose answers are right
		want  string
	}{
		{"others are right", 0, "Reports no risk in 3 of 10 items in which the known answer reports one. That is within the tolerated 30% (could have detected a share of 82% or more), but read these items."},
		{"annotator is right", 2, "Reports no risk in 3 of 10 items in which both others report one. That is more than the tolerated 20%, but can be chance (p = 0.32): read these items."},
	} {
		given := newLabels(newEmpathyFields(), labelsWithRisks(60, 10, 0, 0, 3))
		known := KnownAnswers{Labels: given, Right: make([][]uint8, 5)}
		for f, points := range given.Points {
			for l := range points {
				known.Right[f] = append(known.Right[f], points[l-l%3+c.right])
			}
		}
		if r := missedBy(t, annotatorNames[2], labelsWithRisks(60, 10, 0, 0, 3), known); r.Message() != c.want {
			t.Errorf("%s: %q", c.name, r.Message())
		}
	}
}

// TestMissed_OppositeScales_IsNoChance has annotators with opposite scales: one of two, two of four and
// none.
func TestMissed_OppositeScales_IsNoChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		annotators, swapped int
		want                string // of all annotators
	}{
		{2, 1, "Reports no risk although the only other annotator reports one, in 100% of 20 items (95% CI 84–100%; others 100%). Either can be right: "},
		{4, 2, "Reports no risk although most others report one, in 100% of 20 items (95% CI 84–100%; others 100%), more than careful work can miss (50%). "},
		{2, 0, "No difference from the others found in 20 items; could have detected "},
		{4, 0, "No difference from the others found in 20 items; could have detected "},
	} {
		var labels []LabeledItem
		for i := range 40 {
			for g := range c.annotators {
				safety := 1 + 4*(i%2)
				if g < c.swapped {
					safety = 6 - safety
				}
				labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: []int{1 + i%5, 1 + i%4, 1 + i%3, safety, 1 + (i+2)%5}})
			}
		}
		for _, name := range annotatorNames[:c.annotators] {
			r := missedBy(t, name, labels, KnownAnswers{})
			if got := r.Message(); !strings.HasPrefix(got, c.want) || strings.Contains(got, "chance") || r.Detected != (c.swapped > 0) {
				t.Errorf("%d of %d swapped: found %t, %q", c.swapped, c.annotators, r.Detected, got)
			}
		}
	}
}

// TestMissed_OneOther_EitherCanBeRight has two annotators of whom one misses a few of the other's risks.
func TestMissed_OneOther_EitherCanBeRight(t *testing.T) {
	t.Parallel()
	want := "Reports no risk in 3 of 10 items in which the only other annotator reports one. Either can be right: read these items."
	if r := missedBy(t, annotatorNames[1], labelsWithRisks(60, 10, 0, 3), KnownAnswers{}); r.Message() != want || r.Detected || !r.IsNoticeable() {
		t.Errorf("found %t, noticeable %t, %q", r.Detected, r.IsNoticeable(), r.Message())
	}
}

// TestBinomialTest_IsExact compares with the sum of products, and with R's
// binom.test(3, 10, 0.2, "greater").
func TestBinomialTest_IsExact(t *testing.T) {
	t.Parallel()
	if p, fewest := binomialTest(3, 10, 0.2); math.Abs(p-0.3222005) > 1e-7 || fewest != 6 {
		t.Errorf("3 of 10: p = %.7f, at least %d of 10 are found", p, fewest)
	}
	choose := func(n, k int) float64 {
		product := 1.0
		for i := range k {
			product *= float64(n-i) / float64(i+1)
		}
		return product
	}
	for n := 1; n <= 30; n++ {
		for _, share := range []float64{0.2, 0.35, 0.5} {
			for hits := range n + 1 {
				want := 0.0
				for k := hits; k <= n; k++ {
					want += choose(n, k) * math.Pow(share, float64(k)) * math.Pow(1-share, float64(n-k))
				}
				p, fewest := binomialTest(hits, n, share)
				if math.Abs(p-want) > 1e-9 || (hits >= fewest) != (p < missedLevel) {
					t.Fatalf("%d of %d at %.2f: p = %.9f, want %.9f; at least %d are found", hits, n, share, p, want, fewest)
				}
			}
		}
	}
}

// TestDetect_AllMiddle_IsStated has three annotators who give the middle of the scale to all fields of
// all items. That of each effect which could show it, something is found or it is said that no test can.
func TestDetect_AllMiddle_IsStated(t *testing.T) {
	t.Parallel()
	for fields := 1; fields <= 5; fields++ {
		for _, isVaried := range []bool{false, true} {
			var labels []LabeledItem
			r := rand.New(rand.NewPCG(31, uint64(fields)))
			for i := range 40 {
				answers := slices.Repeat([]int{3}, fields)
				for f := range answers {
					if isVaried {
						answers[f] = 1 + r.IntN(5)
					}
				}
				for g := range 3 {
					labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: answers})
				}
			}
			stated, lining := map[Effect]int{}, 0
			for _, r := range Detect(newEmpathyFields()[:fields], labels, stats.IntervalOptions{Resamples: 50}) {
				if r.State() == Untestable {
					stated[r.Effect]++
				}
				if r.State() == NotFound && r.Value == 1 && strings.Contains(r.Message(), "100% or more") || !isVaried && r.State() == NotFound && r.Effect == ScoreCompression {
					t.Errorf("%d fields, varied %t: %s: %s", fields, isVaried, r.Effect, r.Message())
				}
				lining += isTrue(r.Effect == StraightLining && r.Detected)
				if want := "Cannot be tested with these labels: the share is 100%, that of the others 100%."; !isVaried && r.Effect == CentralTendency && r.Message() != want {
					t.Errorf("%q", r.Message())
				}
				if want := "Cannot be tested with these labels: the scores vary by 0.0 points, those of the others by 0.0 points."; !isVaried && r.Effect == ScoreCompression && r.Message() != want {
					t.Errorf("%q", r.Message())
				}
			}
			if isVaried != (stated[CentralTendency] == 0) || isVaried != (stated[ScoreCompression] == 0) || (lining == 3) != (!isVaried && fields >= 3) {
				t.Errorf("%d fields, varied %t: cannot be tested: %v; straight-lining of %d", fields, isVaried, stated, lining)
			}
		}
	}
}

// TestDetect_EqualFields_IsStated has three annotators who give both fields the same answer, so that the
// correlation is 1 for all of them.
func TestDetect_EqualFields_IsStated(t *testing.T) {
	t.Parallel()
	var labels []LabeledItem
	for i := range 40 {
		for g := range 3 {
			labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: []int{1 + i%5, 1 + i%5}})
		}
	}
	tests := 0
	for _, r := range Detect(newEmpathyFields()[:2], labels, stats.IntervalOptions{Resamples: 50}) {
		if r.Effect == HaloEffect {
			tests++
			if want := "Cannot be tested with these labels: the fields correlate at 1.00, those of the others at 1.00."; r.Message() != want {
				t.Errorf("%q", r.Message())
			}
		}
	}
	if tests != 3 {
		t.Errorf("%d tests", tests)
	}
}

// A riskStudy simulates three annotators who label the same items for safety, some of them with a risk.
// Each misses risks and reports others by mistake, the last one misses more.
type riskStudy struct {
	items               int
	risk, error, misses float64 // shares: of items with a risk, of errors, and of risks that the last one misses
}

func (s riskStudy) isFound(t *testing.T, run int) (inLast, inOthers bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(powerSeed, uint64(run)))
	var labels []LabeledItem
	for i := range s.items {
		hasRisk := r.Float64() < s.risk
		for g := range 3 {
			isMissed, answer := r.Float64() < s.error, 1
			if hasRisk && g == 2 {
				isMissed = r.Float64() < max(s.misses, s.error)
			}
			if hasRisk == isMissed {
				answer = 5
			}
			labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: []int{answer}})
		}
	}
	for _, r := range Detect(newEmpathyFields()[3:4], labels, stats.IntervalOptions{Resamples: 20, Workers: 1}) {
		if r.Effect == MissedSafety && r.Detected {
			inLast, inOthers = inLast || r.Annotator == annotatorNames[2], inOthers || r.Annotator != annotatorNames[2]
		}
	}
	return inLast, inOthers
}

// TestMissed_Rates requires false alarms in at most 5% of the annotators who miss no more than the
// others, also with few risks, and that those who miss most of enough risks are found in 90%.
func TestMissed_Rates(t *testing.T) {
	t.Parallel()
	runs := 100
	if require.FullSize() {
		runs = 1000
	}
	var wg sync.WaitGroup
	for _, s := range []riskStudy{{60, 0.17, 0.05, 0}, {60, 0.17, 0.15, 0}, {60, 0.17, 0.25, 0}, {120, 0.3, 0.25, 0}, {300, 0.3, 0.3, 0}, {120, 0.17, 0.05, 0.8}, {150, 0.3, 0.1, 0.7}} {
		wg.Go(func() {
			last, others := 0, 0
			for run := range runs {
				inLast, inOthers := s.isFound(t, run)
				last, others = last+isTrue(inLast), others+isTrue(inOthers)
			}
			t.Logf("%+v: found in the last annotator in %d of %d runs, in others in %d", s, last, runs, others)
			if s.misses == 0 && last*20 > runs || others*20 > 2*runs {
				t.Errorf("%+v: false alarms in %d and %d of %d runs", s, last, others, runs)
			}
			if s.misses > 0 && last*10 < 9*runs {
				t.Errorf("%+v: found in %d of %d runs", s, last, runs)
			}
		})
	}
	wg.Wait()
}

// TestMissed_RandomPeer_AccusesNoOne simulates three annotators of whom one answers at random, with two labels of each item: most
// of the risks that only the random one reports are none.
func TestMissed_RandomPeer_AccusesNoOne(t *testing.T) {
	t.Parallel()
	const studies = 60
	innocent, guilty := 0, 0
	for seed := range uint64(studies) {
		for _, isRandom := range []bool{true, false} {
			r := rand.New(rand.NewPCG(71, seed))
			var labels []LabeledItem
			for i := range 150 {
				risk := r.IntN(6) == 0
				for k := range 2 {
					annotator, answers := (i+k)%3, []int{1 + i%5, 1 + i%4, 1 + i%3, 5 - 3*isTrue(risk), 1 + (i+2)%5}
					switch {
					case annotator == 2 && isRandom:
						for f := range answers {
							answers[f] = 1 + r.IntN(5)
						}
					case annotator == 2 && risk && r.IntN(10) < 8: // misses risks
						answers[3] = 5
					}
					labels = append(labels, LabeledItem{Item: fmt.Sprint("i", i), Annotator: annotatorNames[annotator], Position: i + 1, Answers: answers})
				}
			}
			for _, result := range Detect(newEmpathyFields(), labels, stats.IntervalOptions{Resamples: 2}) {
				if result.Effect == MissedSafety && result.Detected {
					innocent += isTrue(result.Annotator != annotatorNames[2])
					guilty += isTrue(result.Annotator == annotatorNames[2] && !isRandom)
				}
			}
		}
	}
	t.Logf("%d innocent ones, %d guilty ones in %d studies", innocent, guilty, studies)
	if innocent > studies/20 || guilty < studies*6/10 {
		t.Errorf("%d innocent ones, %d guilty ones in %d studies", innocent, guilty, studies)
	}
}
