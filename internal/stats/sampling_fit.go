package stats

// CommittedProbability is the probability from which a verdict commits itself.
const CommittedProbability = 0.9

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
// interval comes from; false without an interval.
func (i Interval) ProbabilityAtLeast(limit float64) (float64, bool) {
	fit, ok := i.sampling()
	if !ok {
		return 0, false
	}
	return StudentCDF((fit.center-fit.locate(limit))/fit.standardError, i.degrees()), true
}
