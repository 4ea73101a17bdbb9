package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// The values are those of R: p.adjust(p, "holm") and t.test.
func TestAdjustHolm_EqualsR(t *testing.T) {
	t.Parallel()
	for i, got := range AdjustHolm([]float64{0.01, 0.04, 0.03, 0.005, 0.5}) {
		if want := []float64{0.04, 0.09, 0.09, 0.025, 0.5}[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("p %d = %g, want %g", i, got, want)
		}
	}
}

func TestPValues_EqualR(t *testing.T) {
	t.Parallel()
	values, second := []float64{1, 2, 3, 4, 2, 4, 5, 7, 6, 9}, []bool{false, false, false, false, false, true, true, true, true, true}
	var pairs []string
	for i := range values {
		pairs = append(pairs, string(rune('a'+i%5)))
	}
	differences := []float64{3, 3, 4, 2, 7}
	for name, tt := range map[string][2]float64{
		"Welch":            {CompareConditions(values, second, nil, IntervalOptions{Resamples: 20}).PValue, welchP},
		"clusters of two":  {CompareConditions(values, second, pairs, IntervalOptions{Resamples: 20}).PValue, pairedP},
		"mean":             {MeanPValue(differences, nil), pairedP},
		"mean of clusters": {MeanPValue(append(differences, differences...), append(pairs[:5:5], pairs[:5]...)), pairedP},
	} {
		if !(math.Abs(tt[0]-tt[1]) <= 1e-6) {
			t.Errorf("%s: p = %g, want %g", name, tt[0], tt[1])
		}
	}
	if p := MeanPValue([]float64{2, 2, 2}, nil); !math.IsNaN(p) {
		t.Errorf("without variation p = %g", p)
	}
}

const (
	welchP  = 0.00771114754668
	pairedP = 0.0115340487998
)

// A shareDesign is a study of yes/no items under two conditions without a difference.
type shareDesign struct {
	share         float64 // of yes
	first, second int     // items of a cluster under each condition
	clusters      [2]int  // of each condition
	areShared     bool    // clusters have items of both conditions
}

func (d shareDesign) simulate(r *rand.Rand) (values []float64, isSecond []bool, clusters []string) {
	for side, count := range d.clusters {
		if d.areShared && side == 1 {
			break
		}
		for n := range count {
			common := boolToFloat(r.Float64() < d.share) // of the cluster, in 60% of its items
			for condition, items := range [2]int{d.first, d.second} {
				if !d.areShared && condition != side {
					continue
				}
				for range items {
					v := boolToFloat(r.Float64() < d.share)
					if (items > 1 || d.areShared) && r.Float64() < 0.6 {
						v = common
					}
					values, isSecond, clusters = append(values, v), append(isSecond, condition == 1), append(clusters, fmt.Sprint(side, "-", n))
				}
			}
		}
	}
	return values, isSecond, clusters
}

// TestCompareShares_CoversTruth simulates 150 studies of each design, and with LABELWRIGHT_SLOW=1
// 4,000: intervals contain the difference in at least 94% of them, and p is at most 0.05 in at
// most 6.5%. Of rare answers they contain it in up to 100%.
func TestCompareShares_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations run without -short")
	}
	studies, least, most := 150, 0.9, 0.12
	if require.FullSize() {
		studies, least, most = 4000, 0.94, 0.065
	}
	for _, d := range []shareDesign{
		{0.5, 1, 1, [2]int{10, 10}, false}, {0.3, 1, 1, [2]int{10, 30}, false}, {0.1, 1, 1, [2]int{10, 100}, false}, {0.03, 1, 1, [2]int{30, 200}, false},
		{0.1, 1, 1, [2]int{40, 40}, false}, {0.3, 3, 3, [2]int{12, 30}, false}, {0.1, 3, 3, [2]int{30, 30}, false},
		{0.3, 1, 1, [2]int{12, 12}, true}, {0.1, 1, 1, [2]int{30, 30}, true}, {0.05, 1, 1, [2]int{100, 100}, true}, {0.5, 2, 2, [2]int{15, 15}, true},
	} {
		covered, found := 0, 0
		for seed := range studies {
			values, isSecond, clusters := d.simulate(rand.New(rand.NewPCG(uint64(seed), 9)))
			c := CompareShares(values, isSecond, clusters, "items", IntervalOptions{})
			covered += int(boolToFloat(c.Interval.Low <= epsilon && c.Interval.High >= -epsilon))
			found += int(boolToFloat(c.PValue <= 0.05))
		}
		t.Logf("%+v: covered %.1f%%, p ≤ 0.05 in %.1f%%", d, 100*float64(covered)/float64(studies), 100*float64(found)/float64(studies))
		if float64(covered) < least*float64(studies) || float64(found) > most*float64(studies) {
			t.Errorf("%+v: %d of %d intervals contain the difference, p ≤ 0.05 in %d", d, covered, studies, found)
		}
	}
}

// A condition with fewer than ten items has no interval, however many the other has.
func TestCompareConditions_FewUnitsOfOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, second, perCluster int
		want                      string
	}{
		{10, 10, 1, ""}, {100, 9, 1, "an interval needs at least 10 items in each group"}, {9, 100, 1, "an interval needs at least 10 items in each group"},
		{60, 30, 3, ""}, {60, 27, 3, "an interval needs at least 10 clusters of items in each group"},
	} {
		var values []float64
		var isSecond []bool
		var clusters []string
		for side, items := range [2]int{c.first, c.second} {
			for i := range items {
				values, isSecond = append(values, float64((i*7+side)%2)), append(isSecond, side == 1)
				if c.perCluster > 1 {
					clusters = append(clusters, strconv.Itoa(side*1000+i/c.perCluster))
				}
			}
		}
		for name, contrast := range map[string]Contrast{
			"means": CompareConditions(values, isSecond, clusters, IntervalOptions{Resamples: 100}), "shares": CompareShares(values, isSecond, clusters, "items in each group", IntervalOptions{}),
		} {
			if got := contrast.Interval.Undefined.Text(); got != c.want || math.IsNaN(contrast.PValue) {
				t.Errorf("%s of %+v: %q, p %g", name, c, got, contrast.PValue)
			}
		}
	}
}

// A yes that is absent under one condition leaves the difference uncertain.
func TestCompareShares_NoneUnderOne(t *testing.T) {
	t.Parallel()
	var values []float64
	var isSecond []bool
	for i := range 40 {
		values, isSecond = append(values, boolToFloat(i >= 10 && i < 13)), append(isSecond, i >= 10)
	}
	// Newcombe's interval without Student's t is −0.179 to 0.256.
	if c := CompareShares(values, isSecond, nil, "items", IntervalOptions{}); c.Interval.Low > -0.18 || c.Interval.High < 0.2 || c.Interval.High > 0.3 || c.PValue < 0.2 {
		t.Errorf("%+v", c)
	}
	all := slices.Repeat([]float64{1}, 40)
	if c := CompareShares(all, isSecond, nil, "items", IntervalOptions{}); c.Difference != 0 || c.PValue != 1 || c.Interval.Low > -0.1 || c.Interval.High < 0.1 {
		t.Errorf("%+v", c)
	}
}

// TestEqualMeanInterval_OthersAreMissed checks that as many others as the interval allows for are missed with a chance of 2.5%.
func TestEqualMeanInterval_OthersAreMissed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		n, value := 10+r.IntN(200), float64(r.IntN(9)-4)
		low, high, p := EqualMeanInterval(n, value, 1)
		if others := value - low; math.Abs(math.Pow(1-others, float64(n))-0.025) > 1e-12 || math.Abs(high-value-others) > 1e-12 {
			t.Fatalf("%d of %g: %g to %g", n, value, low, high)
		}
		if isOutside := low > 0 || high < 0; isOutside != (p < 0.05) {
			t.Fatalf("%d of %g: %g to %g, p %g", n, value, low, high, p)
		}
	}
}

// TestCompareShares_Pairs_Cover simulates pairs of which few differ.
func TestCompareShares_Pairs_Cover(t *testing.T) {
	t.Parallel()
	for _, pairs := range []int{20, 30, 60, 150} {
		for _, base := range []float64{0.1, 0.5} {
			for _, difference := range []float64{0, 0.02, 0.05, 0.2} {
				r, covered, different, studies := rand.New(rand.NewPCG(uint64(pairs), uint64(100*difference))), 0, 0, 400
				clusters, isSecond := make([]string, 2*pairs), make([]bool, 2*pairs)
				for i := range clusters {
					clusters[i], isSecond[i] = strconv.Itoa(i/2), i%2 == 1
				}
				for range studies {
					values := make([]float64, 2*pairs)
					for i := range pairs {
						values[2*i] = boolToFloat(r.Float64() < base)
						if values[2*i+1] = values[2*i]; values[2*i] == 0 && r.Float64() < difference/(1-base) {
							values[2*i+1] = 1
						}
					}
					c := CompareShares(values, isSecond, clusters, "items", IntervalOptions{})
					covered += int(boolToFloat(c.Interval.Low <= difference && difference <= c.Interval.High))
					different += int(boolToFloat(c.Interval.Low > 0 || c.Interval.High < 0))
				}
				if share := float64(covered) / float64(studies); share < 0.92 {
					t.Errorf("%d pairs, %g and %g more: %.3f covered", pairs, base, difference, share)
				}
				if difference == 0 && different > 0 {
					t.Errorf("%d pairs that never differ: %d differences", pairs, different)
				}
			}
		}
	}
}

// TestBoundPairMean_NearlyEqual_Covers simulates pairs of which few differ, by a step in either direction.
func TestBoundPairMean_NearlyEqual_Covers(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 60} {
		for _, up := range []float64{0.03, 0.08} {
			r, missed, studies := rand.New(rand.NewPCG(uint64(n), uint64(100*up))), 0, 1000
			for range studies {
				differences := make([]float64, n)
				for i := range differences {
					switch p := r.Float64(); {
					case p < up:
						differences[i] = 1
					case p < up+0.03:
						differences[i] = -1
					}
				}
				if low, high := BoundPairMean(differences, nil, 1); low > up-0.03 || high < up-0.03 {
					missed++
				}
			}
			if 20*missed > studies {
				t.Errorf("%d pairs, %g higher: missed in %d of %d studies", n, up, missed, studies)
			}
		}
	}
}
