package stats

import "math"

// StudentCDF is the distribution function of Student's t.
func StudentCDF(t, degrees float64) float64 {
	tail := incompleteBeta(degrees/2, 0.5, degrees/(degrees+t*t)) / 2
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// incompleteBeta is the regularized incomplete beta function, by the continued fraction of
// Abramowitz & Stegun (1964), 26.5.8, evaluated as in Lentz (1976).
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(b, a, 1-x)
	}
	logA, _ := math.Lgamma(a)
	logB, _ := math.Lgamma(b)
	logAB, _ := math.Lgamma(a + b)
	front := math.Exp(logAB-logA-logB+a*math.Log(x)+b*math.Log1p(-x)) / a
	c, d := 1.0, 1-(a+b)*x/(a+1)
	d = 1 / avoidZero(d)
	fraction := d
	for m := 1.0; m < 1000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/avoidZero(1+even*d), avoidZero(1+even/c)
		fraction *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/avoidZero(1+odd*d), avoidZero(1+odd/c)
		fraction *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return front * fraction
}

// avoidZero returns v, or a tiny number in place of zero.
func avoidZero(v float64) float64 {
	const tiny = 1e-300
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

// StudentQuantile returns the quantile of Student's t by Newton's method. It starts at the normal quantile, which is
// closer to 0; the tail is convex, so each step stays on that side.
func StudentQuantile(p, degrees float64) float64 {
	if p < 0.5 {
		return -StudentQuantile(1-p, degrees)
	}
	if p >= 1 || degrees <= 0 {
		return math.Inf(1)
	}
	logUpper, _ := math.Lgamma((degrees + 1) / 2)
	logLower, _ := math.Lgamma(degrees / 2)
	peak := math.Exp(logUpper-logLower) / math.Sqrt(degrees*math.Pi)
	t := NormalQuantile(p)
	for range 1000 {
		density := peak * math.Exp(-(degrees+1)/2*math.Log1p(t*t/degrees))
		step := (StudentCDF(-t, degrees) - (1 - p)) / density
		t += step
		if math.Abs(step) <= 1e-14*math.Abs(t) || math.IsNaN(t) {
			break
		}
	}
	return t
}
