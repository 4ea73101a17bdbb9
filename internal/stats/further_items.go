package stats

import (
	"math"
	"slices"
)

// CommittedProbability is the probability from which a verdict commits itself.
const CommittedProbability = 0.9

const (
	maxFurtherItems = 5000
	plausibleDraws  = 400
	stepFactor      = 1.1
)

// An ItemRange is a range of numbers of items; Unbounded: the upper end is beyond any that
// would be advised.
type ItemRange struct {
	Low, High int
	Unbounded bool
}

// FurtherItems returns how many more items would decide on which side of the limits κ is, with
// probability CommittedProbability. It simulates: κ is drawn from what its interval makes
// plausible, and the study grows until its interval, which narrows with the square root of the
// items, decides. The range is that of the middle half of the draws. It returns false if even
// the lower quarter needs more items than would be advised.
func (i Interval) FurtherItems(items int, limits []float64, seed uint64) (ItemRange, bool) {
	fit, ok := i.sampling()
	if !ok {
		return ItemRange{}, false
	}
	located := make([]float64, len(limits))
	for n, limit := range limits {
		located[n] = fit.locate(limit)
	}
	random := newResampleRand(seed, uint64(items))
	further := make([]float64, plausibleDraws)
	for n := range further {
		truth, deviation := fit.center+fit.standardError*random.NormFloat64(), random.NormFloat64()
		further[n] = furtherItems(items, func(total float64) bool {
			se := fit.standardError * math.Sqrt(float64(items)/total)
			return isDecided(truth+deviation*se, se, located)
		})
	}
	slices.Sort(further)
	low, high := Quantile(further, 0.25), Quantile(further, 0.75)
	if math.IsInf(low, 1) || math.IsNaN(low) {
		return ItemRange{}, false
	}
	r := ItemRange{Low: int(math.Ceil(low)), Unbounded: math.IsInf(high, 1) || math.IsNaN(high)}
	if !r.Unbounded {
		r.High = int(math.Ceil(high))
	}
	return r, true
}

// furtherItems returns the number of items to add until a study is decided; infinity if there
// are too many.
func furtherItems(items int, isDecided func(total float64) bool) float64 {
	for total := float64(items) * stepFactor; total-float64(items) <= maxFurtherItems; total *= stepFactor {
		if isDecided(total) {
			return total - float64(items)
		}
	}
	return math.Inf(1)
}

// isDecided reports whether an estimate of κ is between two limits, or beyond the outer ones, with
// probability CommittedProbability.
func isDecided(center, standardError float64, limits []float64) bool {
	below := 0.0 // probability up to the last limit
	for n := range len(limits) + 1 {
		upTo := 1.0
		if n < len(limits) {
			upTo = normalCDF((limits[n] - center) / standardError)
		}
		if upTo-below >= CommittedProbability {
			return true
		}
		below = upTo
	}
	return false
}

// A samplingFit is the distribution of a function of a coefficient: Student's t.
type samplingFit struct {
	center, standardError float64
	shape                 fitShape
}

// locate returns where a value of the coefficient is in the distribution.
func (f samplingFit) locate(value float64) float64 {
	return f.shape.locate(value)
}

// sampling returns the distribution that the jackknife found, else that of the ends of the interval.
func (i Interval) sampling() (samplingFit, bool) {
	switch {
	case !i.Defined() || i.High <= i.Low:
		return samplingFit{}, false
	case i.fit.standardError > 0:
		return i.fit, true
	}
	return samplingFit{center: (i.Low + i.High) / 2,
		standardError: (i.High - i.Low) / 2 / StudentQuantile((1+i.Level)/2, i.degrees())}, true
}

func (i Interval) degrees() float64 { return max(float64(i.Units-1), 5) }

// ProbabilityAtLeast returns the probability that a coefficient reaches a limit, by the distribution that the
// interval comes from; false without an interval. See TestProbabilityAtLeast_IsCalibrated.
func (i Interval) ProbabilityAtLeast(limit float64) (float64, bool) {
	fit, ok := i.sampling()
	if !ok {
		return 0, false
	}
	return StudentCDF((fit.center-fit.locate(limit))/fit.standardError, i.degrees()), true
}
