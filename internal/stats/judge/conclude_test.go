package judge

import (
	"math"
	"math/rand/v2"
	"testing"
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
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

func TestConclude_NeedsTenLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[int]ReasonCode{3: FewUnits, 9: FewUnits, 10: "", 30: ""} {
		s := drawRates(rand.New(rand.NewPCG(8, 0)), labels, 0.5)
		other := drawRates(rand.New(rand.NewPCG(9, 0)), 40, 0.5)
		e, d := ConcludeMean(s, Range{0, 1, true}), ConcludeDifference(s, other, Range{0, 1, true})
		if e.Undefined != want || (d.Undefined == FewUnitsOfGroup) != (want != "") ||
			(d.GainUndefined != "") != (labels == 10) || want == "" && e.Value != EstimateMean(s).Value {
			t.Errorf("%d labels: %+v, %+v", labels, e, d)
		}
	}
}

// TestConcludeLabels_Rate_CoversExactly adds the probabilities of all samples of a rate.
func TestConcludeLabels_Rate_CoversExactly(t *testing.T) {
	t.Parallel()
	for _, labels := range []int{10, 11, 15, 30, 60, 100} {
		var intervals []Estimate
		for yes := range labels + 1 {
			s := Sample{}
			for i := range labels {
				s.Labeled = append(s.Labeled, LabeledJudgment{Label: 1 + float64(boolToInt(i < yes))})
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
		s, other := Sample{}, drawRates(random, 40, 0.5)
		for range 500 {
			s.Judged = append(s.Judged, Judgment{Value: float64(boolToInt(random.Float64() < float64(rarer)/40))})
		}
		for i := range 40 {
			label := float64(boolToInt(i < rarer))
			s.Labeled = append(s.Labeled, LabeledJudgment{Judgment{label, 0}, label})
		}
		e, alone := ConcludeMean(s, r), ConcludeLabels(s, r)
		isAlone := e.Value == alone.Value && e.Low == alone.Low && e.High == alone.High && e.Lambda == 0
		if e.Undefined != "" || isAlone == isUsed || (e.GainUndefined == FewRarerLabels) == isUsed ||
			(e.EquivalentLabels > 0) != isUsed {
			t.Errorf("%d of 40: %+v, labels alone %+v", rarer, e, alone)
		}
		for _, d := range []Difference{ConcludeDifference(s, other, r), ConcludeDifference(other, s, r)} {
			if d.Undefined != "" || (d.GainUndefined == FewRarerOfGroup) == isUsed ||
				(d.EquivalentLabels > 0) != isUsed {
				t.Errorf("%d of 40: %+v", rarer, d)
			}
		}
		both, labels := ConcludeDifference(s, s, r), ConcludeLabelDifference(s, s, r)
		if isSame := both.Low == labels.Low && both.High == labels.High; isSame == isUsed || both.Undefined != "" ||
			both.PValue < 0.99 || labels.EquivalentLabels != 80 {
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
	if l, h := (rate{scaled, 48. / 80, 80, 0}).difference(rate{scaled, 56. / 70, 70, 0}, 0.2, 0,
		0.05); math.Abs(l-low) > 1e-12 || math.Abs(h-high) > 1e-12 {
		t.Errorf("on 1 to 2: %v to %v", l, h)
	}
	if l, h := first.difference(second, 0.2, 0.5, 0.05); l < low || h > high {
		t.Errorf("with a correlation: %v to %v", l, h)
	}
}

// TestConcludeMean_SelectedLabels_HaveNoGain checks that labels of one condition are noticed, and random ones are not.
func TestConcludeMean_SelectedLabels_HaveNoGain(t *testing.T) {
	t.Parallel()
	const studies = 200
	for selected, isFound := range map[float64]bool{0.4: false, 0.9: true} {
		found := 0
		for seed := range studies {
			r := rand.New(rand.NewPCG(13, uint64(seed)))
			s := drawRates(r, 60, 0.4)
			s.Labeled = drawRates(r, 60, selected).Labeled
			e := ConcludeMean(s, Range{0, 1, true})
			found += boolToInt(e.GainUndefined == SelectedLabels && e.EquivalentLabels == 0)
		}
		if isFound && found < studies*9/10 || !isFound && found > studies/50 {
			t.Errorf("%v: labels look selected in %d of %d studies", selected, found, studies)
		}
	}
}

// TestConclude_EquivalentLabels_FollowIntervals checks that the worth of the judge never contradicts the widths of the
// intervals, also where one answer is rare: a judge that is said to add labels has the narrower interval.
func TestConclude_EquivalentLabels_FollowIntervals(t *testing.T) {
	t.Parallel()
	isClaimed, r := map[bool]int{}, Range{0, 1, true}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(16, seed))
		first := drawRates(random, 40+random.IntN(60), []float64{0.07, 0.15, 0.4}[random.IntN(3)])
		second := drawRates(random, 60, 0.4)
		for _, c := range []struct {
			with, alone Estimate
			labels      int
			from, to    float64
		}{
			{ConcludeMean(first, r), ConcludeLabels(first, r), len(first.Labeled), 0, 1},
			{ConcludeDifference(first, second, r).Estimate, ConcludeLabelDifference(first, second, r).Estimate,
				len(first.Labeled) + len(second.Labeled), -1, 1},
		} {
			if c.with.Undefined != "" || c.with.GainUndefined != "" {
				if c.with.EquivalentLabels != 0 {
					t.Fatalf("study %d: %+v", seed, c.with)
				}
				continue
			}
			width := func(e Estimate) float64 { return min(e.High, c.to) - max(e.Low, c.from) }
			gain, narrower := c.with.EquivalentLabels/float64(c.labels), width(c.alone)/width(c.with)
			if isClaimed[gain >= 1.1]++; math.Abs(gain-narrower*narrower) > 1e-9 ||
				c.alone.EquivalentLabels != float64(c.labels) {
				t.Fatalf(
					"study %d: %d labels count as %.1f, but the intervals are %.4f with the judge and %.4f without",
					seed, c.labels, c.with.EquivalentLabels, width(c.with), width(c.alone))
			}
		}
	}
	if isClaimed[true] < 50 {
		t.Errorf("%v", isClaimed)
	}
}

// TestConcludeDifference_IsThatOfMeans checks the value, and that p and the interval say the same.
func TestConcludeDifference_IsThatOfMeans(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(17, seed))
		first, second := drawRates(random, 40, 0.4), drawRates(random, 60, 0.4+float64(seed)/150)
		for _, r := range []Range{{0, 1, true}, {0, 1, false}} {
			d, want := ConcludeDifference(first, second, r), EstimateMean(second).Value-EstimateMean(first).Value
			if math.Abs(d.Value-want) > 1e-12 || (d.PValue < 0.05) != (d.Low > 0 || d.High < 0) || d.Low >= d.Value ||
				d.High <= d.Value {
				t.Fatalf("study %d: %+v, want %v", seed, d, want)
			}
		}
	}
}

// binomialTail returns the probability of at least as many hits among n.
func binomialTail(hits, n int, p float64) (tail float64) {
	logOf := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	for k := hits; k <= n; k++ {
		tail += math.Exp(logOf(n) - logOf(k) - logOf(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return tail
}
