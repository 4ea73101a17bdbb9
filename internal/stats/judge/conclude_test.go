package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// drawRates returns labels and 500 judgments, of which the judge has 90% right.
func drawRates(r *rand.Rand, labels int, rate float64) (s Sample) {
	for i := range labels + 500 {
		label := float64(boolToInt(r.Float64() < rate))
		judgment := Judgment{Value: label}
		if r.Float64() < 0.1 {
			judgment.Value = 1 - label
		}
		if i < labels {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label, 1})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// TestConcludeMean_FewLabels_CoversTruth checks coverage, and that equivalent labels are not overstated: with a judge
// that has 90% right, 60 labels of a rate of 50% count as 144 at most.
func TestConcludeMean_FewLabels_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 300
	if require.FullSize() {
		studies = 3000
	}
	for _, rate := range []float64{0.5, 0.12} {
		for _, labels := range []int{10, 20, 30, 60, 100, 300} {
			covered, alone, equivalent := 0.0, 0.0, 0.0
			for seed := range studies {
				s := drawRates(rand.New(rand.NewPCG(7, uint64(seed))), labels, rate)
				e, l := ConcludeMean(s, Range{0, 1, true}), ConcludeLabels(s, Range{0, 1, true})
				covered += float64(boolToInt(e.Low <= rate && rate <= e.High)) / float64(studies)
				alone += float64(boolToInt(l.Low <= rate && rate <= l.High)) / float64(studies)
				equivalent += e.EquivalentLabels / float64(studies)
				if e.GainUndefined != SelectedLabels && e.GainUndefined != FewRarerLabels && (e.GainUndefined != "") != (labels < 30) { // one of 1,000 samples looks selected
					t.Fatalf("%d labels: %+v", labels, e)
				}
			}
			t.Logf("rate %v, %d labels: coverage %.1f%%, of the labels alone %.1f%%, equivalent to %.0f", rate, labels, 100*covered, 100*alone, equivalent)
			gain := map[float64]float64{0.5: 2.78, 0.12: 1.76}[rate] // 1 / (1 − R²)
			if covered < 0.91 || labels >= 60 && covered > 0.99 || equivalent > gain*float64(labels) {
				t.Errorf("rate %v, %d labels: coverage %.3f, equivalent to %.0f", rate, labels, covered, equivalent)
			}
		}
	}
}

func TestConclude_NeedsTenLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[int]ReasonCode{3: FewUnits, 9: FewUnits, 10: "", 30: ""} {
		s := drawRates(rand.New(rand.NewPCG(8, 0)), labels, 0.5)
		other := drawRates(rand.New(rand.NewPCG(9, 0)), 40, 0.5)
		e, d := ConcludeMean(s, Range{0, 1, true}), ConcludeDifference(s, other, Range{0, 1, true})
		if e.Undefined != want || (d.Undefined == FewUnitsOfGroup) != (want != "") || (d.GainUndefined != "") != (labels == 10) || want == "" && e.Value != EstimateMean(s).Value {
			t.Errorf("%d labels: %+v, %+v", labels, e, d)
		}
	}
}

// rareStudy is a yes/no field and a judge that misses some yes and has some false ones.
type rareStudy struct {
	rate, misses, falseYes float64
	perRecord              int // items; their rates differ by record
}

// newSample returns labels and 500 judgments. Items of the same records come from the same generator.
func (s rareStudy) newSample(r *rand.Rand, labels int) (sample Sample) {
	sample.IsClustered = s.perRecord > 1
	rate := s.rate
	for i := range labels + 500 {
		if s.perRecord > 1 && i%s.perRecord == 0 { // a third of the records have twice the rate, a third none
			rate = s.rate * float64(r.IntN(3))
		}
		label := float64(boolToInt(r.Float64() < rate))
		judgment := Judgment{Value: label, Cluster: i / s.perRecord}
		if wrong := map[float64]float64{0: s.falseYes, 1: s.misses}[label]; r.Float64() < wrong {
			judgment.Value = 1 - label
		}
		if i < labels {
			sample.Labeled = append(sample.Labeled, LabeledJudgment{judgment, label, 1})
		} else {
			sample.Judged = append(sample.Judged, judgment)
		}
	}
	return sample
}

var rareStudies = []rareStudy{
	{0.4, 0.3, 0.03, 1}, {0.12, 0.3, 0.03, 1}, {0.05, 0.3, 0.03, 1}, {0.4, 0.1, 0.1, 1}, {0.12, 0.1, 0.1, 1}, {0.05, 0.1, 0.1, 1},
	{0.4, 0, 0, 1}, {0.12, 0, 0, 1}, {0.3, 0.3, 0.03, 5}, {0.12, 0.3, 0.03, 5},
}

// TestConclude_RareAnswer_CoversTruth checks intervals of a rate and of a difference with few labels. Each study with
// 10 labels has them, so that the rate of wrong ones is not that of a selection of studies.
func TestConclude_RareAnswer_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, limit := 80, 0.12
	if require.FullSize() {
		studies, limit = 3000, 0.06
	}
	r := Range{0, 1, true}
	for _, s := range rareStudies {
		for _, labels := range []int{10, 15, 30, 100} {
			if s.perRecord > 1 && labels < 100 {
				continue // no 10 records
			}
			var means, alone, equal, unequal wrongCount
			for seed := range studies {
				random, higher := rand.New(rand.NewPCG(11, uint64(seed))), s
				higher.rate += 0.15
				a, b, c := s.newSample(random, labels), s.newSample(random, labels), higher.newSample(random, labels)
				means.add(ConcludeMean(a, r), s.rate)
				alone.add(ConcludeLabels(a, r), s.rate)
				d := ConcludeDifference(a, b, r)
				equal.add(d.Estimate, 0)
				unequal.add(ConcludeDifference(a, c, r).Estimate, 0.15)
				if (d.PValue < 0.05) != (d.Low > 0 || d.High < 0) {
					t.Fatalf("p %v for %v to %v", d.PValue, d.Low, d.High)
				}
			}
			t.Logf("%+v, %d labels: mean %v; labels alone %v; equal rates %v; unequal ones %v", s, labels, means, alone, equal, unequal)
			for name, c := range map[string]wrongCount{"mean": means, "labels alone": alone, "equal rates": equal, "unequal rates": unequal} {
				if c.given != c.all || c.wrong > limit*c.all || labels == 100 && s.rate >= 0.12 && s.misses > 0 && c.wrong < 0.01*c.all && require.FullSize() {
					t.Errorf("%+v, %d labels: %s %v", s, labels, name, c)
				}
			}
		}
	}
}

// wrongCount counts intervals without the truth.
type wrongCount struct{ all, given, wrong float64 }

func (c *wrongCount) add(e Estimate, truth float64) {
	c.all++
	if e.Undefined == "" {
		c.given++
		c.wrong += float64(boolToInt(truth < e.Low || truth > e.High))
	}
}

func (c wrongCount) String() string {
	return fmt.Sprintf("wrong in %.1f%% of %.0f intervals of %.0f studies", 100*c.wrong/max(c.given, 1), c.given, c.all)
}

// TestConcludeLabels_Rate_CoversExactly adds the probabilities of all samples of a rate.
func TestConcludeLabels_Rate_CoversExactly(t *testing.T) {
	t.Parallel()
	for _, labels := range []int{10, 11, 15, 30, 60, 100} {
		var intervals []Estimate
		for yes := range labels + 1 {
			s := Sample{}
			for i := range labels {
				s.Labeled = append(s.Labeled, LabeledJudgment{Label: 1 + float64(boolToInt(i < yes)), Weight: 1})
			}
			intervals = append(intervals, ConcludeLabels(s, Range{1, 2, true}))
		}
		average := 0.0
		for percent := 1; percent < 100; percent++ {
			rate, covered := float64(percent)/100, 0.0
			for yes, e := range intervals {
				if e.Low <= 1+rate && 1+rate <= e.High {
					covered += binomialTail(yes, labels, rate) - binomialTail(yes+1, labels, rate)
				}
			}
			if average += covered / 99; covered < 0.95 {
				t.Errorf("%d labels, rate %v: coverage %.4f", labels, rate, covered)
			}
		}
		if average > 0.99 {
			t.Errorf("%d labels: coverage %.4f on average, so the intervals are too wide", labels, average)
		}
	}
}

// TestConclude_FewRarerLabels_AreLabelsAlone checks that the judge is used from 3 labels of the rarer answer on.
func TestConclude_FewRarerLabels_AreLabelsAlone(t *testing.T) {
	t.Parallel()
	for rarer, isUsed := range map[int]bool{0: false, 1: false, 2: false, 3: true, 37: true, 38: false, 40: false} {
		r, random := Range{0, 1, true}, rand.New(rand.NewPCG(12, 0))
		s, other := rareStudy{float64(rarer) / 40, 0, 0, 1}.newSample(random, 0), rareStudy{0.5, 0.1, 0.1, 1}.newSample(random, 40)
		for i := range 40 {
			label := float64(boolToInt(i < rarer))
			s.Labeled = append(s.Labeled, LabeledJudgment{Judgment{label, 0}, label, 1})
		}
		e, alone := ConcludeMean(s, r), ConcludeLabels(s, r)
		isAlone := e.Value == alone.Value && e.Low == alone.Low && e.High == alone.High && e.Lambda == 0
		if e.Undefined != "" || isAlone == isUsed || (e.GainUndefined == FewRarerLabels) == isUsed || (e.EquivalentLabels > 0) != isUsed {
			t.Errorf("%d of 40: %+v, labels alone %+v", rarer, e, alone)
		}
		for _, d := range []Difference{ConcludeDifference(s, other, r), ConcludeDifference(other, s, r)} {
			if d.Undefined != "" || (d.GainUndefined == FewRarerOfGroup) == isUsed || (d.EquivalentLabels > 0) != isUsed {
				t.Errorf("%d of 40: %+v", rarer, d)
			}
		}
		both, labels := ConcludeDifference(s, s, r), ConcludeLabelDifference(s, s, r)
		if isSame := both.Low == labels.Low && both.High == labels.High; isSame == isUsed || both.Undefined != "" || both.PValue < 0.99 || labels.EquivalentLabels != 80 {
			t.Errorf("%d of 40 in both: %+v, labels alone %+v", rarer, both, labels)
		}
	}
}

// TestRate_Difference_IsNewcombes compares with his example: 56 of 70 and 48 of 80, 0.0524 to 0.3339.
func TestRate_Difference_IsNewcombes(t *testing.T) {
	t.Parallel()
	r := Range{0, 1, true}
	first, second := rate{r, 48. / 80, 80, 0}, rate{r, 56. / 70, 70, 0}
	low, high := first.difference(second, 0.2, 0, 0.05)
	if math.Abs(low-0.0524) > 5e-5 || math.Abs(high-0.3339) > 5e-5 {
		t.Errorf("%v to %v", low, high)
	}
	p := first.differencePValue(second, 0.2, 0)
	if low, _ := first.difference(second, 0.2, 0, p); math.Abs(low) > 1e-9 || p < 0.001 || p > 0.02 {
		t.Errorf("p %v: interval from %v", p, low)
	}
	scaled := Range{1, 2, true}
	if l, h := (rate{scaled, 48. / 80, 80, 0}).difference(rate{scaled, 56. / 70, 70, 0}, 0.2, 0, 0.05); math.Abs(l-low) > 1e-12 || math.Abs(h-high) > 1e-12 {
		t.Errorf("on 1 to 2: %v to %v", l, h)
	}
	if l, h := first.difference(second, 0.2, 0.5, 0.05); l < low || h > high {
		t.Errorf("with a correlation: %v to %v", l, h)
	}
}

// TestConcludeMean_SelectedLabels_HaveNoGain checks that labels of one condition are noticed, and random ones are not.
func TestConcludeMean_SelectedLabels_HaveNoGain(t *testing.T) {
	t.Parallel()
	const studies = 400
	for _, c := range []struct {
		study    rareStudy
		selected float64 // rate of the labeled items
		labels   int
		isFound  bool
	}{{rareStudy{0.4, 0.1, 0.1, 1}, 0.4, 60, false}, {rareStudy{0.4, 0.1, 0.1, 1}, 0.9, 60, true}, {rareStudy{0.12, 0.1, 0.1, 1}, 0.12, 30, false}, {rareStudy{0.2, 0.1, 0.1, 5}, 0.2, 150, false}} {
		found := 0
		for seed := range studies {
			r := rand.New(rand.NewPCG(13, uint64(seed)))
			s, chosen := c.study.newSample(r, c.labels), c.study
			chosen.rate = c.selected
			s.Labeled = chosen.newSample(r, c.labels).Labeled
			for i := range s.Labeled {
				s.Labeled[i].Cluster += 1000
			}
			e := ConcludeMean(s, Range{0, 1, true})
			found += boolToInt(e.GainUndefined == SelectedLabels && e.EquivalentLabels == 0)
			if s.IsDrawn = true; s.looksSelected() {
				t.Fatal("drawn labels look selected")
			}
		}
		if c.isFound && found < studies*9/10 || !c.isFound && found > studies/100 {
			t.Errorf("%+v: labels look selected in %d of %d studies", c, found, studies)
		}
	}
}

// TestConclude_Drawn_RareAnswer_CoversTruth does the same where labeled items are drawn by the expected gain of their
// labels, with a judge that often misses a yes, so that labels of what it missed are few and have large weights.
func TestConclude_Drawn_RareAnswer_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, limit := 60, 0.12
	if require.FullSize() {
		studies, limit = 2000, 0.06
	}
	r := Range{0, 1, true}
	for _, rate := range []float64{0.05, 0.15, 0.4} {
		for _, labels := range [][2]int{{0, 30}, {20, 40}, {60, 60}} { // before the draw, and drawn
			for _, misses := range []float64{0.2, 0.4} {
				s := drawStudy{items: 1000, first: labels[0], draws: []int{labels[1]}, perRecord: 1, scale: []int{0, 1}, newItem: func(r *rand.Rand, _ float64) (int, int) {
					if r.Float64() < rate {
						return 1, boolToInt(r.Float64() >= misses)
					}
					return 0, boolToInt(r.Float64() < 0.02)
				}}
				var means, alone, differences wrongCount
				for seed := range studies {
					p := s.run(rand.New(rand.NewPCG(14, uint64(seed))))
					means.add(ConcludeMean(p.sample(true), r), rate)
					alone.add(ConcludeLabels(p.sample(true), r), rate)
					differences.add(ConcludeDifference(p.conditionSample(0, true), p.conditionSample(1, true), r).Estimate, 0)
				}
				t.Logf("rate %v, %v labels, misses %v: mean %v; labels alone %v; difference %v", rate, labels, misses, means, alone, differences)
				for name, c := range map[string]wrongCount{"mean": means, "labels alone": alone, "difference": differences} {
					if c.given < c.all/2 || c.wrong > limit*c.given || labels[0] == 60 && rate == 0.4 && c.wrong == 0 && require.FullSize() {
						t.Errorf("rate %v, %v labels, misses %v: %s %v", rate, labels, misses, name, c)
					}
				}
			}
		}
	}
}

// TestConclude_Scores_CoversTruth has a judge that gives a fifth of the items, or a twelfth, far too low a score: few labels show
// few of its errors.
func TestConclude_Scores_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, limit := 60, 0.125
	if require.FullSize() {
		studies, limit = 2000, 0.07
	}
	r := Range{1, 5, false}
	for _, right := range []float64{0, 0.6} {
		for _, labels := range [][2]int{{10, 0}, {15, 0}, {30, 0}, {60, 0}, {0, 30}, {20, 40}} { // at random, and drawn
			s := drawStudy{items: 800, first: labels[0], perRecord: 1, scale: []int{1, 2, 3, 4, 5}, newItem: func(r *rand.Rand, effect float64) (int, int) {
				label, judgment := fivePoints(r, effect)
				if r.Float64() < right {
					judgment = label
				}
				return label, judgment
			}}
			isDrawn := labels[1] > 0
			if isDrawn {
				s.draws = labels[1:]
			}
			var means, alone, differences wrongCount
			for seed := range studies {
				p := s.run(rand.New(rand.NewPCG(15, uint64(seed))))
				means.add(ConcludeMean(p.sample(isDrawn), r), 3)
				alone.add(ConcludeLabels(p.sample(isDrawn), r), 3)
				differences.add(ConcludeDifference(p.conditionSample(0, isDrawn), p.conditionSample(1, isDrawn), r).Estimate, 0)
			}
			t.Logf("right in %.0f%%, %v labels: mean %v; labels alone %v; difference %v", 100*right, labels, means, alone, differences)
			for name, c := range map[string]wrongCount{"mean": means, "labels alone": alone, "difference": differences} {
				if c.wrong > limit*c.given || name != "difference" && (c.given < c.all || labels[0] == 60 && c.wrong < 0.01*c.all) {
					t.Errorf("right in %.0f%%, %v labels: %s %v", 100*right, labels, name, c)
				}
			}
		}
	}
}

// TestConclude_EquivalentLabels_FollowIntervals checks that the worth of the judge never contradicts the widths of the intervals,
// also where items were drawn and one answer is rare: a judge that is said to add labels has the narrower interval.
func TestConclude_EquivalentLabels_FollowIntervals(t *testing.T) {
	t.Parallel()
	isClaimed := map[bool]int{}
	for seed := range uint64(400) {
		random, r := rand.New(rand.NewPCG(16, seed)), Range{0, 1, true}
		rate, misses := []float64{0.05, 0.15, 0.4}[random.IntN(3)], 0.6*random.Float64()
		s := drawStudy{items: 600, first: 30 * random.IntN(2), draws: []int{60 + random.IntN(60)}, perRecord: 1, scale: []int{0, 1}, newItem: func(r *rand.Rand, _ float64) (int, int) {
			if r.Float64() < rate {
				return 1, boolToInt(r.Float64() >= misses)
			}
			return 0, boolToInt(r.Float64() < 0.03)
		}}
		if seed%4 == 0 {
			s.scale, s.newItem, r = []int{1, 2, 3, 4, 5}, fivePoints, Range{1, 5, false}
		}
		p := s.run(random)
		isDrawn := seed%3 > 0
		sample, first, second := p.sample(isDrawn), p.conditionSample(0, isDrawn), p.conditionSample(1, isDrawn)
		span := r.Most - r.Least
		for _, c := range []struct {
			with, alone Estimate
			labels      int
			from, to    float64
		}{
			{ConcludeMean(sample, r), ConcludeLabels(sample, r), len(sample.Labeled), r.Least, r.Most},
			{ConcludeDifference(first, second, r).Estimate, ConcludeLabelDifference(first, second, r).Estimate, len(first.Labeled) + len(second.Labeled), -span, span},
		} {
			if c.with.Undefined != "" || c.with.GainUndefined != "" {
				if c.with.EquivalentLabels != 0 {
					t.Fatalf("study %d: %+v", seed, c.with)
				}
				continue
			}
			width := func(e Estimate) float64 { return min(e.High, c.to) - max(e.Low, c.from) }
			gain, narrower := c.with.EquivalentLabels/float64(c.labels), width(c.alone)/width(c.with)
			if isClaimed[gain >= 1.1]++; math.Abs(gain-narrower*narrower) > 1e-9 || c.alone.EquivalentLabels != float64(c.labels) {
				t.Fatalf("study %d: %d labels count as %.1f, but the intervals are %.4f with the judge and %.4f without", seed, c.labels, c.with.EquivalentLabels, width(c.with), width(c.alone))
			}
		}
	}
	if isClaimed[true] < 50 || isClaimed[false] < 50 {
		t.Errorf("%v", isClaimed)
	}
}
