package consensus

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// ordinalErrors are the parameters of the ordered error model, by annotator.
type ordinalErrors struct {
	points    []float64 // places on the scale: 0, 1, 2, …
	precision []float64
	severity  []float64
}

// Normal priors on the parameters, per point of the scale, keep the fit finite where an
// annotator never errs.
const (
	precisionMean, precisionSD = 2.0, 2.0
	severitySD                 = 1.0
)

func newOrdinalErrors(t stats.RatingTable) *ordinalErrors {
	e := &ordinalErrors{}
	for i := range t.Scale {
		e.points = append(e.points, float64(i))
	}
	for range t.Annotators() {
		e.precision, e.severity = append(e.precision, precisionMean), append(e.severity, 0)
	}
	return e
}

// estimate maximizes the penalized likelihood of the counts by Newton's method. It is
// concave: the parameters are those of an exponential family.
func (e *ordinalErrors) estimate(g int, counts, confusion [][]float64) {
	for range 20 {
		e.setConfusion(g, confusion)
		if e.step(g, counts, confusion) < 1e-9 {
			break
		}
	}
	e.setConfusion(g, confusion)
}

// setConfusion sets P(given | true) ∝ exp(−precision (given − true)²/2 + severity · given).
func (e *ordinalErrors) setConfusion(g int, confusion [][]float64) {
	for c, row := range confusion {
		logs := make([]float64, len(row))
		for k := range row {
			distance := e.points[k] - e.points[c]
			logs[k] = -e.precision[g]*distance*distance/2 + e.severity[g]*e.points[k]
		}
		exponentiate(logs, row)
		for k, p := range row {
			row[k] = max(p, minProbability)
		}
	}
}

// step makes one step of Newton's method and returns its size.
func (e *ordinalErrors) step(g int, counts, confusion [][]float64) float64 {
	// The gradient and the negative Hessian of the log-likelihood with the priors.
	gradientP := (precisionMean - e.precision[g]) / (precisionSD * precisionSD)
	gradientS := -e.severity[g] / (severitySD * severitySD)
	pp, ps, ss := 1/(precisionSD*precisionSD), 0.0, 1/(severitySD*severitySD)
	for c, row := range counts {
		n, meanP, meanS, squareP, square, product := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		for k, count := range row {
			distance := e.points[k] - e.points[c]
			featureP, featureS, p := -distance*distance/2, e.points[k], confusion[c][k]
			gradientP, gradientS, n = gradientP+count*featureP, gradientS+count*featureS, n+count
			meanP, meanS = meanP+p*featureP, meanS+p*featureS
			squareP, square, product = squareP+p*featureP*featureP, square+p*featureS*featureS, product+p*featureP*featureS
		}
		gradientP, gradientS = gradientP-n*meanP, gradientS-n*meanS
		pp, ps, ss = pp+n*(squareP-meanP*meanP), ps+n*(product-meanP*meanS), ss+n*(square-meanS*meanS)
	}
	determinant := pp*ss - ps*ps
	stepP, stepS := (ss*gradientP-ps*gradientS)/determinant, (pp*gradientS-ps*gradientP)/determinant
	// A long step is shortened: far from the maximum the curvature is not that of the start.
	scale := min(1, 1/max(math.Abs(stepP), math.Abs(stepS), 1e-300))
	newPrecision := max(0, e.precision[g]+scale*stepP)
	size := max(math.Abs(newPrecision-e.precision[g]), math.Abs(scale*stepS))
	e.precision[g], e.severity[g] = newPrecision, e.severity[g]+scale*stepS
	return size
}
