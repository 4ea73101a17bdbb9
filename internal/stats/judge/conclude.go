package judge

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Range is the values that a mean label can have.
type Range struct {
	Least, Most float64
	IsRate      bool // each answer is one of the two
}

const (
	// minConcludedUnits is how many items or records, effective ones if they were drawn, must have a
	// label for an interval.
	minConcludedUnits = 10
	// minGainUnits is how many must have one to say how many labels the judge is worth.
	minGainUnits = 30
)

// Prior labels count in the variance as if the judge added nothing about them: few labels
// with few errors of the judge do not show how often it errs.
const (
	priorOfRate = 2.0
	priorOfMean = 1.0
	priorOfGain = 5.0
)

// ConcludeMean returns the value of EstimateMean with an interval for conclusions: it also covers
// with 10 to 30 labels, where that of EstimateMean, as ppi-python's, is too narrow. Student's t
// has the degrees of freedom of the labeled items or records, one less for λ, and the variance is
// shrunk to that of the labels alone. The interval of a rate is Wilson's (1927, Journal of the American
// Statistical Association 22) for the effective number of labels, unless items were drawn.
func ConcludeMean(s Sample, r Range) Estimate { return s.conclude(r, true) }

// ConcludeLabels returns the value of EstimateLabels with an interval of the same kind.
func ConcludeLabels(s Sample, r Range) Estimate { return s.withoutJudge().conclude(r, false) }

func (s Sample) conclude(r Range, usesJudge bool) Estimate {
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	s.normalizeWeights()
	alone := s.estimate(0)
	alone.units = s.countLabeledUnits()
	p := alone
	if usesJudge {
		p = s.estimate(s.tuneLambda())
		p.units = alone.units
	}
	if p.units < minConcludedUnits {
		p.Undefined = FewUnits
		return p.Estimate
	}
	switch variance := p.shrunkVariance(alone, priorOfGain); {
	case p.units < minGainUnits:
		p.GainUndefined = FewUnitsForGain
	case variance > noVariance && s.IsDrawn:
		p.EquivalentLabels = s.randomLabelVariance() / variance
	case variance > noVariance:
		p.EquivalentLabels = float64(len(s.Labeled)) * alone.variance() / variance
	}
	if r.IsRate && !s.IsDrawn {
		p.setRateInterval(r, alone, float64(len(s.Labeled)))
	} else {
		p.setInterval(stats.StudentQuantile(0.975, p.concludedDegrees()), p.shrunkVariance(alone, priorOfMean))
	}
	return p.Estimate
}

// shrunkVariance returns the variance, shrunk to that of the labels alone.
func (p prediction) shrunkVariance(alone prediction, prior float64) float64 {
	if p.Lambda == 0 {
		return alone.variance()
	}
	own := p.sumPowers(2) * p.units / (p.units - 2)
	return (p.units*own + prior*alone.variance()) / (p.units + prior)
}

// concludedDegrees counts λ as an estimate of its own.
func (p prediction) concludedDegrees() float64 {
	if p.Lambda == 0 {
		return p.degrees()
	}
	return max(p.degrees()-1, 1)
}

// setRateInterval sets Wilson's interval for the labels that give the same variance, at most as many as
// there are for labels alone.
func (p *prediction) setRateInterval(r Range, alone prediction, labels float64) {
	span, n := r.Most-r.Least, p.units
	share := (alone.Value - r.Least) / span
	if variance := alone.variance() / (span * span); variance > noVariance {
		n = min(share*(1-share)/variance, labels) * alone.variance() / p.shrunkVariance(alone, priorOfRate)
	}
	critical := math.Sqrt2 * math.Erfinv(0.95)
	if p.clusters != nil {
		critical = stats.StudentQuantile(0.975, p.concludedDegrees())
	}
	share = min(max((p.Value-r.Least)/span, 0), 1)
	square := critical * critical / n
	center, margin := (share+square/2)/(1+square), math.Sqrt(square*share*(1-share)+square*square/4)/(1+square)
	p.Low, p.High = r.Least+span*(center-margin), r.Least+span*(center+margin)
}
