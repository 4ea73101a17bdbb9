package mixed

import "math"

// A solution is the generalized least squares estimate under some ratios.
type solution struct {
	means       []float64 // by condition, − center
	information [][]float64
	covariance  [][]float64 // of the means, divided by the error's variance
	annotators  []float64   // best linear unbiased predictions
	residual    float64     // the error's variance
	squares     float64     // weighted sum of squared residuals
	logs        float64     // log |V| + log |X'V⁻¹X|, with V divided by the error's variance
	degrees     float64     // labels − conditions

	factor   [][]float64 // Cholesky factor of I + θa Za'W⁻¹Za
	crossing [][]float64 // Za'W⁻¹X
}

// deviance returns −2 log of the restricted likelihood at an error's variance, up to a constant.
func (s solution) deviance(residual float64) float64 {
	return s.degrees*math.Log(residual) + s.logs + s.squares/residual
}

// solve returns the estimate; false if the data do not determine it.
func (b *blocks) solve(θ ratios) (solution, bool) {
	product, logW := b.crossProduct(θ)
	q, p, width := b.annotators, b.conditions, b.width()
	at := func(i, j int) float64 { return product[min(i, j)*width+max(i, j)] }
	θa := θ[annotatorRatio]
	inner := newMatrix(q, q)
	for i := range q {
		for j := range q {
			inner[i][j] = θa * at(i, j)
		}
		inner[i][i]++
	}
	factor, ok := cholesky(inner)
	if !ok {
		return solution{}, false
	}
	// columns of Za'W⁻¹[X y], and the same times the inverse of the inner matrix
	crossing, solved := newMatrix(p+1, q), newMatrix(p+1, q)
	for c := range p + 1 {
		for i := range q {
			crossing[c][i] = at(i, q+c)
		}
		solved[c] = solveFactor(factor, crossing[c])
	}
	reduced := func(c, d int) float64 { return at(q+c, q+d) - θa*dot(crossing[c], solved[d]) }
	s := solution{information: newMatrix(p, p), degrees: float64(len(b.labels) - p), factor: factor, crossing: crossing}
	right := make([]float64, p)
	for c := range p {
		for d := range p {
			s.information[c][d] = reduced(c, d)
		}
		right[c] = reduced(c, p)
	}
	outer, ok := cholesky(s.information)
	if !ok {
		return solution{}, false
	}
	s.means, s.covariance = solveFactor(outer, right), invertFactor(outer)
	s.squares = max(0, reduced(p, p)-dot(right, s.means))
	s.residual = s.squares / s.degrees
	s.logs = logW + logDeterminant(factor) + logDeterminant(outer)
	s.annotators = make([]float64, q)
	for i := range q {
		s.annotators[i] = θa * solved[p][i]
		for c, mean := range s.means {
			s.annotators[i] -= θa * mean * solved[c][i]
		}
	}
	return s, true
}

// fitRatios returns the ratios that maximize the restricted likelihood, those that are fixed aside. The search is over
// square roots, as in lme4 (Bates et al. 2015, Journal of Statistical Software 67): there it is smooth also at a
// variance of 0.
func (b *blocks) fitRatios(components []int, fixed ratios) ratios {
	criterion := func(roots []float64) float64 {
		θ := fixed
		for i, c := range components {
			θ[c] = roots[i] * roots[i]
		}
		s, ok := b.solve(θ)
		if !ok || s.residual <= 0 {
			return math.Inf(1)
		}
		return s.deviance(s.residual)
	}
	start := make([]float64, len(components))
	for i := range start {
		start[i] = 0.7
	}
	best := minimize(criterion, start)
	best = minimize(criterion, best) // again, from a simplex of full size
	θ := fixed
	for i, c := range components {
		if θ[c] = best[i] * best[i]; θ[c] < zeroRatio {
			θ[c] = 0
		}
	}
	return θ
}

// zeroRatio is the ratio from which a variance counts as 0.
const zeroRatio = 1e-6
