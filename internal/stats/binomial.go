package stats

import (
	"math"
	"math/rand/v2"
)

// drawBinomial draws from the binomial distribution of n and p: by inversion if the mean
// is small, else by transformed rejection (Hörmann 1993, Journal of Statistical
// Computation and Simulation 46, algorithm BTRS).
func drawBinomial(r *rand.Rand, n int, p float64) int {
	switch {
	case n <= 0 || p <= 0:
		return 0
	case p >= 1:
		return n
	case p > 0.5:
		return n - drawBinomial(r, n, 1-p)
	case float64(n)*p < 10:
		return drawByInversion(r, n, p)
	}
	return drawByRejection(r, n, p)
}

// drawByInversion returns the quantile of a uniform random number.
func drawByInversion(r *rand.Rand, n int, p float64) int {
	odds := p / (1 - p)
	mass, height := math.Pow(1-p, float64(n)), r.Float64()
	for k := 0; k < n; k++ {
		if height < mass {
			return k
		}
		height -= mass
		mass *= odds * float64(n-k) / float64(k+1)
	}
	return n
}

func drawByRejection(r *rand.Rand, n int, p float64) int {
	spread := math.Sqrt(float64(n) * p * (1 - p))
	b := 1.15 + 2.53*spread
	a := -0.0873 + 0.0248*b + 0.01*p
	center, quickAccept, alpha := float64(n)*p+0.5, 0.92-4.2/b, (2.83+5.1/b)*spread
	mode, odds := math.Floor(float64(n+1)*p), math.Log(p/(1-p))
	modeLogFactorials := logFactorials(n, mode)
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + center)
		if us >= 0.07 && v <= quickAccept {
			return int(k)
		}
		if k < 0 || k > float64(n) {
			continue
		}
		if v *= alpha / (a/(us*us) + b); math.Log(v) <= modeLogFactorials-logFactorials(n, k)+(k-mode)*odds {
			return int(k)
		}
	}
}

// logFactorials returns ln k! + ln (n−k)!.
func logFactorials(n int, k float64) float64 {
	first, _ := math.Lgamma(k + 1)
	second, _ := math.Lgamma(float64(n) - k + 1)
	return first + second
}
