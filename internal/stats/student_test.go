package stats

import (
	"math"
	"testing"
)

func TestStudentCDF(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ t, degrees, want float64 }{ // scipy.stats.t.cdf
		{0, 5, 0.5}, {-2, 1, 0.14758361765043326}, {1.5, 29, 0.9277881519798071}, {-3, 100, 0.001703957671786923}, {-0.1, 2132, 0.460176863689112},
	} {
		if got := StudentCDF(c.t, c.degrees); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("t %v with %v degrees: %v, want %v", c.t, c.degrees, got, c.want)
		}
	}
}
