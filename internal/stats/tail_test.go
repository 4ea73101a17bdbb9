package stats

import (
	"math"
	"testing"
)

func TestFractionalBinomialTail_WholeNumbers_AreThoseOfBinomial(t *testing.T) {
	t.Parallel()
	for n := 1; n < 40; n += 3 {
		for hits := range n + 1 {
			for _, p := range []float64{0.01, 0.2, 0.5, 0.93} {
				if got, want := FractionalBinomialTail(float64(hits), float64(n), p),
					BinomialTail(hits, n, p); math.Abs(got-want) > 1e-9 {
					t.Errorf("%d of %d, %v: %v, want %v", hits, n, p, got, want)
				}
			}
		}
	}
}
