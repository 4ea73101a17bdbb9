package judge

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Difference is the difference of the means under two conditions, second − first.
type Difference struct {
	Estimate         // without Lambda: each condition has its own
	PValue   float64 // of no difference, two-sided; 0 without an interval
}

// ConcludeDifference returns the difference of two conditions, each estimated as by EstimateMean with a λ of its own,
// with an interval for conclusions; see ConcludeMean. Clusters may have items of both conditions, so that the
// comparison is within them. The interval has a t quantile with Welch's degrees of freedom (1947, Biometrika 34), at
// most the number of labeled items or clusters − 1. That of rates is Newcombe's, and the p-value is the error rate at
// which it ends at 0. A rate with fewer than minRarerLabels of the rarer answer, and a condition whose items all have
// labels, is that of the labels alone.
func ConcludeDifference(first, second Sample, r Range) Difference {
	if len(first.Judged) < 2 && len(second.Judged) < 2 {
		return Difference{Estimate: Estimate{Undefined: NoJudgedItems}}
	}
	return estimateDifference([2]Sample{first, second}, true, r)
}

// ConcludeLabelDifference returns the difference of the mean labels with an interval of the same kind.
func ConcludeLabelDifference(first, second Sample, r Range) Difference {
	return estimateDifference([2]Sample{first, second}, false, r)
}

func estimateDifference(samples [2]Sample, usesJudge bool, r Range) (d Difference) {
	isLacking := false
	var sides, alone [2]prediction
	units := math.Inf(1) // of the smaller side
	for i, s := range samples {
		hasJudge := usesJudge && len(s.Judged) >= 2
		if !hasJudge {
			s = s.withoutJudge()
		}
		if d.Undefined = s.undefinedReason(); d.Undefined != "" {
			return d
		}
		alone[i] = s.estimate(0)
		alone[i].units = s.countLabeledUnits()
		sides[i] = alone[i]
		if hasJudge && s.lacksRarer(r) {
			isLacking = true
		} else if hasJudge {
			sides[i] = s.estimate(s.tuneLambda())
			sides[i].units = alone[i].units
		}
		units = min(units, sides[i].units)
	}
	d.Value = sides[1].Value - sides[0].Value
	if units < minConcludedUnits {
		d.Undefined = FewUnitsOfGroup
		return d
	}
	variance, degrees := combine(sides, countLabeledUnits(samples))
	if sides[0].Lambda+sides[1].Lambda > 0 {
		labelVariance, _ := combine(alone, countLabeledUnits(samples))
		variance = (units*variance + priorOfMean*labelVariance) / (units + priorOfMean)
	}
	switch {
	case usesJudge && (samples[0].looksSelected() || samples[1].looksSelected()):
		d.GainUndefined = SelectedLabels
	case isLacking:
		d.GainUndefined = FewRarerOfGroup
	case units < minGainUnits:
		d.GainUndefined = FewUnitsForGain
	}
	if r.IsRate {
		d.concludeRates(samples, sides, alone, r)
	} else {
		d.setInterval(stats.StudentQuantile(0.975, degrees), variance)
		if d.Undefined == "" {
			d.PValue = 2 * stats.StudentCDF(-math.Abs(d.Value)/math.Sqrt(variance), degrees)
		}
	}
	if d.Undefined == "" && d.GainUndefined == "" {
		d.EquivalentLabels = float64(len(samples[0].Labeled) + len(samples[1].Labeled))
		if usesJudge {
			span := r.Most - r.Least
			d.EquivalentLabels *= relativePrecision(d.Estimate,
				ConcludeLabelDifference(samples[0], samples[1], r).Estimate, -span, span)
		}
	}
	return d
}

// concludeRates sets the interval and the p-value of a difference of rates.
func (d *Difference) concludeRates(samples [2]Sample, sides, alone [2]prediction, r Range) {
	var rates [2]rate
	variances := [2]float64{}
	for i, s := range samples {
		rates[i], variances[i] = newRate(sides[i], alone[i], s, r), sides[i].variance()
	}
	variance, _ := combine(sides, 2)
	correlation := 0.0
	if product := variances[0] * variances[1]; product > 0 && sides[0].clusters != nil {
		correlation = min(max((variances[0]+variances[1]-variance)/2/math.Sqrt(product), -1), 1)
	}
	d.Low, d.High = rates[0].difference(rates[1], d.Value, correlation, 0.05)
	d.PValue = rates[0].differencePValue(rates[1], d.Value, correlation)
}

// combine returns the variance of the difference of two estimates, and its degrees of freedom. Each
// side is corrected for its number of items or clusters with a label. Clusters with items of both
// sides vary together.
func combine(sides [2]prediction, labeledUnits float64) (variance, degrees float64) {
	var sums []float64
	numbers := map[int]int{}
	variances, welch := 0.0, 0.0
	for i, p := range sides {
		factor := math.Sqrt(p.units / (p.units - 1))
		own := 0.0
		for n, influence := range p.influences {
			influence *= factor
			own += influence * influence
			if i == 0 {
				influence = -influence
			}
			if p.clusters == nil {
				sums = append(sums, influence)
				continue
			}
			number, isKnown := numbers[p.clusters[n]]
			if !isKnown {
				number = len(sums)
				numbers[p.clusters[n]], sums = number, append(sums, 0)
			}
			sums[number] += influence
		}
		variances += own
		welch += own * own / (p.units - 1)
	}
	for _, sum := range sums {
		variance += sum * sum
	}
	return variance, min(variances*variances/welch, labeledUnits-1)
}

// countLabeledUnits returns the number of items, or of clusters, with a label under any condition.
func countLabeledUnits(samples [2]Sample) float64 {
	clusters, items := map[int]bool{}, 0
	for _, s := range samples {
		items += len(s.Labeled)
		for _, l := range s.Labeled {
			clusters[l.Cluster] = true
		}
	}
	if samples[0].IsClustered {
		items = len(clusters)
	}
	return float64(items)
}
