package stats

import (
	"math"
	"testing"
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
		if math.Abs(tt[0]-tt[1]) > 1e-6 {
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
