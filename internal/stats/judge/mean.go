package judge

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Judgment is a judge's answer to an item.
type Judgment struct {
	Value   float64
	Cluster int // used if Sample.IsClustered
}

// A LabeledJudgment is a judgment of an item that annotators have labeled.
type LabeledJudgment struct {
	Judgment
	Label  float64 // mean of the annotators' answers
	Weight float64 // judged items that the label represents, up to a common factor
}

// A Sample is some items with labels, and others with judgments alone.
type Sample struct {
	Labeled     []LabeledJudgment
	Judged      []Judgment
	IsClustered bool
	// IsDrawn says that labeled items were drawn with known probabilities: the labels have
	// weights of WeightLabels, so that they represent all judged items. What remains without a
	// label is then no random sample, so the mean judgment is that of all items.
	IsDrawn bool
}

// An Estimate is a prediction-powered estimate with its 95% interval.
type Estimate struct {
	Undefined        ReasonCode // NoVariation: Value is defined, its interval is not
	Value, Low, High float64
	Lambda           float64    // 0: the judge is not used; 1: its judgments count in full
	EquivalentLabels float64    // labels that give the same precision without the judge, in a conclusion an interval as wide; 0 without it
	GainUndefined    ReasonCode // why a conclusion has no EquivalentLabels
}

// EstimateMean returns the mean label of all items by prediction-powered inference with a
// tuned λ (PPI++; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453, example 1 and
// proposition 2): λ · mean judgment of the unlabeled items + mean of label − λ · judgment
// of the labeled ones. It is unbiased for any λ if the labeled items are a random sample.
// Without clusters it equals ppi-python. With clusters, the variance is that of their
// influences, with a t quantile for the number of clusters with a label.
//
// If the sample is drawn, the means of labels are weighted (Hájek), λ has the smallest
// variance for these weights, and the interval has a t quantile for the effective number of
// items or clusters. It then differs from ppi-python in two ways. Influences are weight · (r − r̄)
// instead of weight · r − mean, which depends on the origin of the scale. And the mean judgment is
// that of all items, so its covariance with the labeled ones counts.
func EstimateMean(s Sample) Estimate {
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	s.normalizeWeights()
	p := s.estimate(s.tuneLambda())
	p.EquivalentLabels = s.randomLabelVariance() / p.variance()
	return p.withInterval()
}

// EstimateLabels returns the mean label of the labeled items alone, with the same weights and
// clusters as EstimateMean.
func EstimateLabels(s Sample) Estimate {
	s = s.withoutJudge()
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	s.normalizeWeights()
	p := s.estimate(0)
	p.EquivalentLabels = float64(len(s.Labeled))
	return p.withInterval()
}

// withoutJudge returns the labeled items, for an estimate with λ = 0. The judgments are there because
// a mean needs two of them, and change nothing.
func (s Sample) withoutJudge() Sample {
	s.Judged = make([]Judgment, 2)
	return s
}

// randomLabelVariance is the variance of the mean of labels without the judge, times their number.
// Drawn labels are compared with labels of items that are drawn at random.
func (s Sample) randomLabelVariance() float64 {
	if !s.IsDrawn {
		return s.estimate(0).variance() * float64(len(s.Labeled))
	}
	center, sum := s.estimate(0).Value, 0.0
	for _, l := range s.Labeled {
		sum += l.Weight * (l.Label - center) * (l.Label - center)
	}
	return sum / float64(len(s.Labeled))
}

func (s Sample) undefinedReason() ReasonCode {
	switch {
	case len(s.Labeled) < 2:
		return FewLabels
	case len(s.Judged) < 2:
		return NoJudgedItems
	}
	units := s.countLabeledUnits()
	switch {
	case s.IsDrawn && units < minDrawnUnits:
		return FewDrawnLabels
	case s.IsClustered && units < 2:
		return FewLabels
	}
	return ""
}

// minDrawnUnits is the effective number of labeled items or clusters below which the variance
// of weighted labels is not known well enough for an interval.
const minDrawnUnits = 2

// countLabeledUnits returns the number of items, or of clusters, with labels. With unequal
// weights it is the effective one (Kish 1965, Survey Sampling).
func (s Sample) countLabeledUnits() float64 {
	weights := make([]float64, len(s.Labeled))
	for i, l := range s.Labeled {
		weights[i] = l.Weight
	}
	weights, _ = s.sumByUnit(weights)
	if !s.IsDrawn {
		return float64(len(weights))
	}
	return EffectiveSize(weights)
}

// normalizeWeights gives the weights the mean 1, in a copy.
func (s *Sample) normalizeWeights() {
	total := 0.0
	for _, l := range s.Labeled {
		total += l.Weight
	}
	weighted := make([]LabeledJudgment, len(s.Labeled))
	for i, l := range s.Labeled {
		l.Weight *= float64(len(s.Labeled)) / total
		weighted[i] = l
	}
	s.Labeled = weighted
}

// tuneLambda returns the λ with the smallest variance, 0 to 1.
func (s Sample) tuneLambda() float64 {
	if s.IsDrawn {
		return s.tuneForDraw()
	}
	n, m := float64(len(s.Labeled)), float64(len(s.Judged))
	value := s.estimate(1).Value
	var labels, judgments, all []float64 // influences
	for _, l := range s.Labeled {
		labels, judgments = append(labels, l.Weight*(l.Label-value)), append(judgments, l.Weight*(l.Value-value))
	}
	all = append(all, judgments...)
	for _, j := range s.Judged {
		all = append(all, j.Value-value)
	}
	covariance, meanLabel, meanJudgment := 0.0, mean(labels), mean(judgments)
	for i, v := range labels {
		covariance += (v - meanLabel) * (judgments[i] - meanJudgment) / n
	}
	variance := meanSquare(all) * (n + m) / (n + m - 1)
	if variance < 1e-15 { // a constant judge
		return 0
	}
	return min(max(covariance/((1+n/m)*variance), 0), 1)
}

// tuneForDraw minimizes the estimated variance itself. Influences are linear in λ.
func (s Sample) tuneForDraw() float64 {
	without, with := s.estimate(0).influences, s.estimate(1).influences
	product, square := 0.0, 0.0
	for unit, influence := range without {
		slope := with[unit] - influence
		product, square = product+influence*slope, square+slope*slope
	}
	if square < 1e-15/float64(len(without)) { // a constant judge
		return 0
	}
	return min(max(-product/square, 0), 1)
}

// sumByUnit adds values of items, labeled ones first, by cluster in the order of its first item.
// Without clusters, each item is a unit.
func (s Sample) sumByUnit(values []float64) (sums []float64, clusters []int) {
	if !s.IsClustered {
		return values, nil
	}
	numbers := map[int]int{}
	for i, v := range values {
		cluster := s.cluster(i)
		number, isKnown := numbers[cluster]
		if !isKnown {
			number = len(sums)
			numbers[cluster], sums, clusters = number, append(sums, 0), append(clusters, cluster)
		}
		sums[number] += v
	}
	return sums, clusters
}

// cluster returns that of an item, labeled ones first.
func (s Sample) cluster(item int) int {
	if item < len(s.Labeled) {
		return s.Labeled[item].Cluster
	}
	return s.Judged[item-len(s.Labeled)].Cluster
}

// prediction is an estimate and what its variance comes from.
type prediction struct {
	Estimate
	influences []float64 // of clusters, or of items
	clusters   []int     // of the influences; nil without clusters
	units      float64   // with a label: clusters, or drawn items; 0: a normal quantile is enough
	isDrawn    bool
}

func (s Sample) estimate(lambda float64) prediction {
	value, influences := s.influences(lambda)
	p := prediction{Estimate: Estimate{Value: value, Lambda: lambda}, isDrawn: s.IsDrawn}
	if s.IsClustered || s.IsDrawn {
		p.units = s.countLabeledUnits()
	}
	p.influences, p.clusters = s.sumByUnit(influences)
	return p
}

// influences returns the estimate for a λ, and how far each item moves it, labeled ones first. The
// variance of the estimate is the sum of their squares.
func (s Sample) influences(lambda float64) (value float64, influences []float64) {
	n, all := float64(len(s.Labeled)), float64(len(s.Judged)) // the weights have the sum n
	judgment, rectifier := 0.0, 0.0
	for _, j := range s.Judged {
		judgment += lambda * j.Value
	}
	for _, l := range s.Labeled {
		rectifier += l.Weight * (l.Label - lambda*l.Value)
		if s.IsDrawn {
			judgment, all = judgment+lambda*l.Value, all+1
		}
	}
	judgment, rectifier = judgment/all, rectifier/n
	influences = make([]float64, 0, len(s.Labeled)+len(s.Judged))
	for _, l := range s.Labeled {
		influence := l.Weight * (l.Label - lambda*l.Value - rectifier) / n
		if s.IsDrawn {
			influence += (lambda*l.Value - judgment) / all
		}
		influences = append(influences, influence)
	}
	for _, j := range s.Judged {
		influences = append(influences, (lambda*j.Value-judgment)/all)
	}
	return judgment + rectifier, influences
}

func (p prediction) variance() float64 {
	sum := p.sumSquares()
	if p.units == 0 {
		return sum
	}
	return sum * p.units / (p.units - 1)
}

func (p prediction) sumSquares() (sum float64) {
	for _, influence := range p.influences {
		sum += influence * influence
	}
	return sum
}

func (p prediction) sumFourthPowers() (sum float64) {
	for _, influence := range p.influences {
		sum += influence * influence * influence * influence
	}
	return sum
}

// degrees returns the degrees of freedom of the variance. Where a judge is mostly right, the
// variance of drawn labels rests on the few items where it is wrong: the degrees are then those of
// a variance with the kurtosis of the influences.
func (p prediction) degrees() float64 {
	squares := p.sumSquares()
	if !p.isDrawn || squares == 0 {
		return p.units - 1
	}
	kurtosis := p.units * p.sumFourthPowers() / (squares * squares)
	return max(min(2*p.units/max(kurtosis-1, 1), p.units-1), 1)
}

func (p prediction) withInterval() Estimate {
	critical := math.Sqrt2 * math.Erfinv(0.95)
	if p.units > 0 {
		critical = stats.StudentQuantile(0.975, p.degrees())
	}
	p.setInterval(critical, p.variance())
	return p.Estimate
}

// setInterval sets the interval, or the reason why there is none.
func (e *Estimate) setInterval(critical, variance float64) {
	if variance < noVariance {
		e.Undefined, e.EquivalentLabels = NoVariation, 0
		return
	}
	margin := critical * math.Sqrt(variance)
	e.Low, e.High = e.Value-margin, e.Value+margin
}

// noVariance is a variance below which labels count as without variation.
const noVariance = 1e-20

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// meanSquare returns the mean squared deviation from the mean.
func meanSquare(values []float64) float64 {
	center, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - center) * (v - center)
	}
	return sum / float64(len(values))
}
