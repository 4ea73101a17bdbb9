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
	// minConcludedUnits is how many items or records must have a label for an interval.
	minConcludedUnits = 10
	// minGainUnits is how many must have one to say how many labels the judge is worth.
	minGainUnits = 30
)

// Prior labels count in the variance as if the judge added nothing about them: few labels
// with few errors of the judge do not show how often it errs.
const (
	priorOfRate = 3.0
	priorOfMean = 5.0 // also of what the judge is worth
)

// minRarerLabels is how many labels must have the rarer of two answers to use the judge.
const minRarerLabels = 3

// ConcludeMean returns the value of EstimateMean with an interval for conclusions: it also covers
// with 10 to 30 labels, where that of EstimateMean, as ppi-python's, is too narrow. Student's t
// has the degrees of freedom of the labeled items or records, one less for λ, and the variance is
// shrunk to that of the labels alone. The interval of a rate is the exact one for the effective number
// of labels.
//
// EquivalentLabels is the number of labels, chosen in the same way, whose interval without the judge is as wide.
//
// Without minRarerLabels of the rarer answer, a rate is that of the labels alone. To give no interval would be
// worse: the studies with enough of these labels are no random ones, and their intervals miss the truth too often.
func ConcludeMean(s Sample, r Range) Estimate { return s.conclude(r, true) }

// ConcludeLabels returns the mean label of the labeled items alone with an interval of the same kind.
func ConcludeLabels(s Sample, r Range) Estimate { return s.withoutJudge().conclude(r, false) }

func (s Sample) conclude(r Range, usesJudge bool) Estimate {
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	alone := s.estimate(0)
	alone.units = s.countLabeledUnits()
	p, isLacking := alone, s.lacksRarer(r)
	if usesJudge && !isLacking {
		p = s.estimate(s.tuneLambda())
		p.units = alone.units
	}
	if p.units < minConcludedUnits {
		p.Undefined = FewUnits
		return p.Estimate
	}
	switch {
	case usesJudge && s.looksSelected():
		p.GainUndefined = SelectedLabels
	case usesJudge && isLacking:
		p.GainUndefined = FewRarerLabels
	case p.units < minGainUnits:
		p.GainUndefined = FewUnitsForGain
	}
	if r.IsRate {
		p.Low, p.High = newRate(p, alone, s, r).exact()
	} else {
		p.setInterval(stats.StudentQuantile(0.975, p.concludedDegrees()), p.shrunkVariance(alone))
	}
	switch {
	case p.Undefined != "" || p.GainUndefined != "":
	case usesJudge:
		p.EquivalentLabels = float64(len(s.Labeled)) * relativePrecision(p.Estimate,
			s.withoutJudge().conclude(r, false), r.Least, r.Most)
	default:
		p.EquivalentLabels = float64(len(s.Labeled))
	}
	return p.Estimate
}

// relativePrecision returns how many labels one label of an estimate is worth, compared with another estimate of the
// same labels: an interval from twice as many labels is narrower by √2. It follows from the intervals as they are
// shown, which end at the least and most possible value, so that it cannot contradict them.
func relativePrecision(e, other Estimate, least, most float64) float64 {
	width := func(e Estimate) float64 { return min(e.High, most) - max(e.Low, least) }
	return math.Pow(width(other)/width(e), 2)
}

// lacksRarer reports whether a rate has too few labels of the rarer answer to use the judge.
func (s Sample) lacksRarer(r Range) bool {
	return r.IsRate && s.countRarer(r) < minRarerLabels-1e-9
}

// selectedLevel is the level of the test whether labels are a random sample.
const selectedLevel = 0.001

// looksSelected reports whether the judge's mean answers to labeled items and to the others differ more
// than those of random samples of items or records. The variance is that without a difference,
// because labels of a rare answer are often all the same.
func (s Sample) looksSelected() bool {
	n, m := float64(len(s.Labeled)), float64(len(s.Judged))
	if n < 2 || m < 2 {
		return false
	}
	labeled, judged := 0.0, 0.0
	for _, l := range s.Labeled {
		labeled += l.Value / n
	}
	for _, j := range s.Judged {
		judged += j.Value / m
	}
	center, influences, clusters := (n*labeled+m*judged)/(n+m), make([]float64, 0, len(s.Labeled)+len(s.Judged)),
		map[int]bool{}
	for _, l := range s.Labeled {
		influences = append(influences, (l.Value-center)/n)
	}
	for _, j := range s.Judged {
		influences, clusters[j.Cluster] = append(influences, (center-j.Value)/m), true
	}
	units := min(s.countLabeledUnits(), m)
	if s.IsClustered {
		units = min(units, float64(len(clusters)))
	}
	influences, _ = s.sumByUnit(influences)
	variance := prediction{influences: influences, units: float64(len(influences))}.variance()
	return units >= 2 && variance > noVariance && 2*stats.StudentCDF(-math.Abs(labeled-judged)/math.Sqrt(variance),
		units-1) < selectedLevel
}

// shrunkVariance returns the variance, shrunk to that of the labels alone.
func (p prediction) shrunkVariance(alone prediction) float64 {
	if p.Lambda == 0 {
		return alone.variance()
	}
	own := p.sumSquares() * p.units / (p.units - 2)
	return (p.units*own + priorOfMean*alone.variance()) / (p.units + priorOfMean)
}

// shrunkRateVariance does the same for rates. Labels of the rarer answer show how often the judge misses
// it, so at most twice their number counts.
func (p prediction) shrunkRateVariance(alone prediction, rarer float64) float64 {
	if p.Lambda == 0 {
		return alone.variance()
	}
	own, n := p.sumSquares()*p.units/(p.units-2), min(p.units, 2*rarer)
	return (n*own + priorOfRate*alone.variance()) / (n + priorOfRate)
}

// concludedDegrees counts λ as an estimate of its own.
func (p prediction) concludedDegrees() float64 {
	if p.Lambda == 0 {
		return p.units - 1
	}
	return max(p.units-2, 1)
}

// countRarer returns how many labels have the rarer of two answers, at most one of each unit.
func (s Sample) countRarer(r Range) float64 {
	largest, sums := map[int][2]float64{}, [2]float64{} // shares of both answers by unit
	for i, l := range s.Labeled {
		unit, share := i, (l.Label-r.Least)/(r.Most-r.Least)
		if s.IsClustered {
			unit = l.Cluster
		}
		known := largest[unit]
		largest[unit] = [2]float64{max(known[0], share), max(known[1], 1-share)}
		sums[0], sums[1] = sums[0]+largest[unit][0]-known[0], sums[1]+largest[unit][1]-known[1]
	}
	return min(sums[0], sums[1])
}

// A rate is a share of two answers, with the number of labels that give its variance.
type rate struct {
	Range
	share, labels, degrees float64 // degrees of freedom; 0: normal quantiles
}

// newRate returns the rate of a prediction, which counts as at most as many labels as there are, for labels alone.
func newRate(p, alone prediction, s Sample, r Range) rate {
	span, labels := r.Most-r.Least, p.units
	share := (alone.Value - r.Least) / span
	if variance := alone.variance() / (span * span); variance > noVariance {
		labels = min(share*(1-share)/variance, float64(len(s.Labeled))) * alone.variance() / p.shrunkRateVariance(alone,
			s.countRarer(r))
	}
	c := rate{r, min(max((p.Value-r.Least)/span, 0), 1), labels, 0}
	if p.clusters != nil {
		c.degrees = p.concludedDegrees()
	}
	return c
}

// exact returns the exact interval. With degrees of freedom, fewer labels count (Korn & Graubard 1998).
func (c rate) exact() (low, high float64) {
	labels, span := c.labels, c.Most-c.Least
	if c.degrees > 0 {
		labels *= math.Pow(normalQuantile(0.05)/c.criticalValue(0.05), 2)
	}
	low, high = stats.ExactBounds(c.share, labels, 0.95)
	return c.Least + span*low, c.Least + span*high
}

// normalQuantile returns the two-sided one for an error rate.
func normalQuantile(errorRate float64) float64 { return math.Sqrt2 * math.Erfinv(1-errorRate) }

func (c rate) criticalValue(errorRate float64) float64 {
	if c.degrees > 0 {
		return stats.StudentQuantile(1-errorRate/2, c.degrees)
	}
	return normalQuantile(errorRate)
}

// wilson returns Wilson's interval (1927, Journal of the American Statistical Association 22) with a two-sided error
// rate.
func (c rate) wilson(errorRate float64) (low, high float64) {
	critical := c.criticalValue(errorRate)
	square := critical * critical / c.labels
	center, margin := (c.share+square/2)/(1+square), math.Sqrt(square*c.share*(1-c.share)+square*square/4)/(1+square)
	span := c.Most - c.Least
	return c.Least + span*(center-margin), c.Least + span*(center+margin)
}

// difference returns Newcombe's interval (1998, Statistics in Medicine 17) of second − first around a value,
// for estimates with a correlation.
func (c rate) difference(second rate, value, correlation, errorRate float64) (low, high float64) {
	firstLow, firstHigh := c.wilson(errorRate)
	secondLow, secondHigh := second.wilson(errorRate)
	span := c.Most - c.Least
	from, to := c.Least+span*c.share, c.Least+span*second.share
	down, up := [2]float64{to - secondLow, firstHigh - from}, [2]float64{secondHigh - to, from - firstLow}
	length := func(parts [2]float64) float64 {
		return math.Sqrt(max(parts[0]*parts[0]+parts[1]*parts[1]-2*correlation*parts[0]*parts[1], 0))
	}
	return value - length(down), value + length(up)
}

// differencePValue returns the error rate at which the interval of a difference ends at 0.
func (c rate) differencePValue(second rate, value, correlation float64) float64 {
	least, most := 0.0, 1.0
	for range 50 {
		middle := (least + most) / 2
		if low, high := c.difference(second, value, correlation, middle); low <= 0 && 0 <= high {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}
