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
