package stats

import (
	"math"
	"testing"
)

func TestStudentCDF(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ t, degrees, want float64 }{ // scipy.stats.t.cdf
		{0, 5, 0.5}, {-2, 1, 0.14758361765043326}, {1.5, 29, 0.9277881519798071}, {-3, 100, 0.001703957671786923},
		{-0.1, 2132, 0.460176863689112},
	} {
		if got := StudentCDF(c.t, c.degrees); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("t %v with %v degrees: %v, want %v", c.t, c.degrees, got, c.want)
		}
	}
}

func TestStudentQuantile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ p, degrees, want float64 }{ // scipy.stats.t.ppf
		{0.975, 1, 12.706204736174694}, {0.975, 2, 4.302652729749462}, {0.025, 4.5, -2.658912347204404},
		{0.95, 19, 1.7291328115213682},
		{0.975, 1e6, 1.959966356814107}, {0.5, 3, 0}, {0.999999, 1, 318309.88617359026},
		{0.9999, 0.7, 97570.04017878421}, {0.500001, 2, 2.8284271248331806e-06},
	} {
		if got := StudentQuantile(c.p, c.degrees); math.Abs(got-c.want) > 1e-9*max(1, math.Abs(c.want)) {
			t.Errorf("quantile %v with %v degrees: %.12f, want %.12f", c.p, c.degrees, got, c.want)
		}
	}
}

func TestExactBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hits, n, low, high float64 }{ // scipy.stats.beta.ppf
		{0, 10, 0, 0.3084971078187607}, {3, 30, 0.02111713702972257, 0.2652884504742081},
		{30, 30, 0.8842966917779722, 1},
		{2.5, 20.5, 0.020836407857824268, 0.3412327480678387}, {500, 1000, 0.46854917297179194, 0.531450827028208},
	} {
		if low, high := ExactBounds(c.hits/c.n, c.n, 0.95); math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 {
			t.Errorf("%v of %v: %.12f to %.12f, want %.12f to %.12f", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}

func TestBinomialTail_SumsOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, n int
		p, want float64
	}{ // scipy.stats.binom.sf(hits - 1, n, p)
		{0, 5, 0.3, 1}, {3, 10, 0.2, 0.32220047359999985}, {10, 10, 0.5, 0.0009765625}, {6, 5, 0.5, 0}, {2, 5, 0, 0},
		{2, 5, 1, 1}, {900, 2000, 0.45, 0.508665731707194},
	} {
		if got := BinomialTail(c.hits, c.n, c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d with %v: %v, want %v", c.hits, c.n, c.p, got, c.want)
		}
	}
}
