package mixed

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// An Estimate is a mean or a difference with its 95% interval.
type Estimate struct {
	Value, Low, High float64
	Error            float64 // standard error
	Degrees          float64 // of freedom
	PValue           float64 // of the value 0, two-sided
}

// A Contrast is a weight for the mean of each condition.
type Contrast []float64

// Mean returns the contrast that is the adjusted mean of a condition: what annotators of mean
// severity would give.
func (m Model) Mean(condition int) Contrast {
	c := make(Contrast, len(m.Means))
	c[condition] = 1
	return c
}

// Difference returns the contrast that is the adjusted mean of the second condition minus that of
// the first.
func (m Model) Difference(first, second int) Contrast {
	c := m.Mean(second)
	c[first] = -1
	return c
}

// Estimate returns the value of a contrast. Its interval accounts for annotators, records and items.
func (m Model) Estimate(c Contrast) Estimate {
	return NewEstimate(dot(c, m.Means), math.Sqrt(m.Residual*quadratic(c, m.solution.covariance)), m.degrees(c))
}

// NewEstimate returns an estimate with the interval and the test of Student's t.
func NewEstimate(value, standardError, degrees float64) Estimate {
	margin := stats.StudentQuantile(0.975, degrees) * standardError
	return Estimate{Value: value, Error: standardError, Degrees: degrees, Low: value - margin, High: value + margin,
		PValue: 2 * stats.StudentCDF(-math.Abs(value/standardError), degrees)}
}

func quadratic(v []float64, matrix [][]float64) (sum float64) {
	for i, row := range matrix {
		sum += v[i] * dot(row, v)
	}
	return sum
}

// maxDegrees is the number of degrees of freedom from which t is as good as normal.
const maxDegrees = 1e6

// degrees returns the degrees of freedom of an estimate by Satterthwaite's method, as lmerTest
// does (Kuznetsova et al. 2017, Journal of Statistical Software 82): 2v²/(g'Ag), where v is the
// variance of the estimate, g its gradient in the variances, and A the covariance of these, twice
// the inverse of the deviance's second derivatives. The variances are taken on the log scale;
// those of 0 are left out.
func (m Model) degrees(contrast Contrast) float64 {
	logs := m.logVariances()
	variance := func(at []float64) (v, deviance float64) {
		θ, residual := m.ratiosAt(at)
		s, ok := m.variance.solve(θ)
		if !ok {
			return math.NaN(), math.NaN()
		}
		return residual * quadratic(contrast, s.covariance), s.deviance(residual)
	}
	gradient, hessian := differentiate(variance, logs)
	factor, ok := cholesky(hessian)
	if !ok {
		return max(1, float64(m.variance.recordCount-1))
	}
	v, _ := variance(logs)
	uncertainty := 2 * dot(gradient, solveFactor(factor, gradient))
	return min(max(1, 2*v*v/uncertainty), maxDegrees)
}

// logVariances returns the logarithms of the variances above 0, that of the error last.
func (m Model) logVariances() (logs []float64) {
	for _, c := range m.components {
		if m.ratios[c] > 0 {
			logs = append(logs, math.Log(m.ratios[c]*m.Residual))
		}
	}
	return append(logs, math.Log(m.Residual))
}

func (m Model) ratiosAt(logs []float64) (θ ratios, residual float64) {
	θ, residual = m.ratios, math.Exp(logs[len(logs)-1])
	n := 0
	for _, c := range m.components {
		if m.ratios[c] > 0 {
			θ[c] = math.Exp(logs[n]) / residual
			n++
		}
	}
	return θ, residual
}

// differentiate returns the gradient of the first result of f and the second derivatives of the
// other, by central differences.
func differentiate(f func([]float64) (float64, float64), at []float64) (gradient []float64, hessian [][]float64) {
	const step = 0.05
	n := len(at)
	gradient, hessian = make([]float64, n), newMatrix(n, n)
	shifted := func(i int, by float64, j int, and float64) (float64, float64) {
		point := append([]float64(nil), at...)
		point[i] += by * step
		point[j] += and * step
		return f(point)
	}
	_, center := f(at)
	for i := range n {
		up, above := shifted(i, 1, i, 0)
		down, below := shifted(i, -1, i, 0)
		gradient[i] = (up - down) / (2 * step)
		hessian[i][i] = (above - 2*center + below) / (step * step)
		for j := range i {
			_, a := shifted(i, 1, j, 1)
			_, b := shifted(i, 1, j, -1)
			_, c := shifted(i, -1, j, 1)
			_, d := shifted(i, -1, j, -1)
			hessian[i][j] = (a - b - c + d) / (4 * step * step)
			hessian[j][i] = hessian[i][j]
		}
	}
	return gradient, hessian
}
