package mixed

import "math"

func newMatrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// cholesky returns the lower factor L of a symmetric matrix LL'; false if it is not positive definite.
func cholesky(m [][]float64) ([][]float64, bool) {
	factor := newMatrix(len(m), len(m))
	for i := range m {
		for j := range i + 1 {
			rest := m[i][j] - dot(factor[i][:j], factor[j][:j])
			switch {
			case i != j:
				factor[i][j] = rest / factor[j][j]
			case rest <= 1e-12*math.Abs(m[i][i]) || math.IsNaN(rest):
				return nil, false
			default:
				factor[i][i] = math.Sqrt(rest)
			}
		}
	}
	return factor, true
}

// solveFactor solves LL'x = right.
func solveFactor(factor [][]float64, right []float64) []float64 {
	x := make([]float64, len(right))
	for i, v := range right {
		x[i] = (v - dot(factor[i][:i], x[:i])) / factor[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := i + 1; j < len(x); j++ {
			x[i] -= factor[j][i] * x[j]
		}
		x[i] /= factor[i][i]
	}
	return x
}

// invertFactor returns the inverse of LL'.
func invertFactor(factor [][]float64) [][]float64 {
	inverse := make([][]float64, len(factor))
	for i := range inverse {
		unit := make([]float64, len(factor))
		unit[i] = 1
		inverse[i] = solveFactor(factor, unit)
	}
	return inverse
}

// logDeterminant returns log |LL'|.
func logDeterminant(factor [][]float64) (sum float64) {
	for i, row := range factor {
		sum += 2 * math.Log(row[i])
	}
	return sum
}
