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
	Label float64 // mean of the annotators' answers
}

// A Sample is some items with labels, and others with judgments alone.
type Sample struct {
	Labeled     []LabeledJudgment
	Judged      []Judgment
	IsClustered bool
}

// An Estimate is a prediction-powered estimate with its 95% interval.
type Estimate struct {
	Undefined        ReasonCode // NoVariation: Value is defined, its interval is not
	Value, Low, High float64
	Lambda           float64 // 0: the judge is not used; 1: its judgments count in full
	// labels that give the same precision without the judge, in a conclusion an interval as wide; 0 without it
	EquivalentLabels float64
	GainUndefined    ReasonCode // why a conclusion has no EquivalentLabels
}

// A ReasonCode identifies why a figure of a judge is not defined.
type ReasonCode string

// The codes.
const (
	// no annotator has minItems items that the judge and another annotator answered too
	FewSharedItems ReasonCode = "few_shared_items"
	// fewer than two items or records have labels and a judgment
	FewLabels ReasonCode = "few_labels"
	// an interval of a conclusion needs minConcludedUnits items or records with labels and a judgment
	FewUnits        ReasonCode = "few_units"
	FewUnitsForGain ReasonCode = "few_units_for_gain"        // the gain needs minGainUnits of them
	FewUnitsOfGroup ReasonCode = "few_units_of_group"        // an interval needs minConcludedUnits in each group
	FewRarerLabels  ReasonCode = "few_rarer_labels"          // of two answers: the estimate is that of the labels alone
	FewRarerOfGroup ReasonCode = "few_rarer_labels_of_group" // of two answers in a group
	// labels look like no random sample: the judge answers labeled items differently from the others
	SelectedLabels  ReasonCode = "selected_labels"
	NoJudgedItems   ReasonCode = "no_judged_items"  // fewer than two items have a judgment and no label
	UnorderedValues ReasonCode = "unordered_values" // the values have no mean
	// the labels do not vary from item to item, or from record to record
	NoVariation ReasonCode = "no_variation"
)

// EstimateMean returns the mean label of all items by prediction-powered inference with a
// tuned λ (PPI++; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453, example 1 and
// proposition 2): λ · mean judgment of the unlabeled items + mean of label − λ · judgment
// of the labeled ones. It is unbiased for any λ if the labeled items are a random sample.
// Without clusters it equals ppi-python. With clusters, the variance is that of their
// influences, with a t quantile for the number of clusters with a label.
func EstimateMean(s Sample) Estimate {
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	p := s.estimate(s.tuneLambda())
	p.EquivalentLabels = s.estimate(0).variance() * float64(len(s.Labeled)) / p.variance()
	return p.withInterval()
}

// withoutJudge returns the labeled items, for an estimate with λ = 0. The judgments are there because
// a mean needs two of them, and change nothing.
func (s Sample) withoutJudge() Sample {
	s.Judged = make([]Judgment, 2)
	return s
}

func (s Sample) undefinedReason() ReasonCode {
	switch {
	case len(s.Labeled) < 2:
		return FewLabels
	case len(s.Judged) < 2:
		return NoJudgedItems
	case s.IsClustered && s.countLabeledUnits() < 2:
		return FewLabels
	}
	return ""
}

// countLabeledUnits returns the number of items, or of clusters, with labels.
func (s Sample) countLabeledUnits() float64 {
	units, _ := s.sumByUnit(make([]float64, len(s.Labeled)))
	return float64(len(units))
}

// tuneLambda returns the λ with the smallest variance, 0 to 1.
func (s Sample) tuneLambda() float64 {
	n, m := float64(len(s.Labeled)), float64(len(s.Judged))
	var labels, judgments, all []float64
	for _, l := range s.Labeled {
		labels, judgments = append(labels, l.Label), append(judgments, l.Value)
	}
	all = append(all, judgments...)
	for _, j := range s.Judged {
		all = append(all, j.Value)
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
	units      float64   // with a label; 0: a normal quantile is enough
}

func (s Sample) estimate(lambda float64) prediction {
	value, influences := s.influences(lambda)
	p := prediction{Estimate: Estimate{Value: value, Lambda: lambda}}
	if s.IsClustered {
		p.units = s.countLabeledUnits()
	}
	p.influences, p.clusters = s.sumByUnit(influences)
	return p
}

// influences returns the estimate for a λ, and how far each item moves it, labeled ones first. The
// variance of the estimate is the sum of their squares.
func (s Sample) influences(lambda float64) (value float64, influences []float64) {
	n, m := float64(len(s.Labeled)), float64(len(s.Judged))
	judgment, rectifier := 0.0, 0.0
	for _, j := range s.Judged {
		judgment += lambda * j.Value / m
	}
	for _, l := range s.Labeled {
		rectifier += (l.Label - lambda*l.Value) / n
	}
	influences = make([]float64, 0, len(s.Labeled)+len(s.Judged))
	for _, l := range s.Labeled {
		influences = append(influences, (l.Label-lambda*l.Value-rectifier)/n)
	}
	for _, j := range s.Judged {
		influences = append(influences, (lambda*j.Value-judgment)/m)
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

func (p prediction) withInterval() Estimate {
	critical := normalQuantile(0.05)
	if p.units > 0 {
		critical = stats.StudentQuantile(0.975, p.units-1)
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
