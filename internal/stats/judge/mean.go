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
	Weight float64 // inverse of the probability with which the item was drawn for labeling, up to a factor
}

// A Sample is some items with labels, and others with judgments alone.
type Sample struct {
	Labeled     []LabeledJudgment
	Judged      []Judgment
	IsClustered bool
}

// An Estimate is a prediction-powered estimate with its 95% interval.
type Estimate struct {
	Undefined        ReasonCode
	Value, Low, High float64
	Lambda           float64 // 0: the judge is not used; 1: its judgments count in full
	EquivalentLabels float64 // labels that give the same precision without the judge
}

// EstimateMean returns the mean label of all items by prediction-powered inference with a
// tuned λ (PPI++; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453, example 1 and
// proposition 2): λ · mean judgment of the unlabeled items + mean of label − λ · judgment
// of the labeled ones. It is unbiased for any λ if the labeled items are a random sample,
// or weighted by their sampling probabilities. Without clusters it equals ppi-python. With
// clusters, the variance is that of their influences, with a t quantile for
// the number of clusters with a label.
func EstimateMean(s Sample) Estimate {
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	s.normalizeWeights()
	p := s.estimate(s.tuneLambda())
	classical := s.estimate(0)
	p.EquivalentLabels = float64(len(s.Labeled)) * classical.variance() / p.variance()
	return p.withInterval()
}

// EstimateDifference returns the difference of two conditions, second − first, each
// estimated as by EstimateMean. Clusters may have items of both conditions, so that the
// comparison is within them.
func EstimateDifference(first, second Sample) Estimate {
	for _, s := range []Sample{first, second} {
		if reason := s.undefinedReason(); reason != "" {
			return Estimate{Undefined: reason}
		}
	}
	first.normalizeWeights()
	second.normalizeWeights()
	p := second.estimate(second.tuneLambda()).minus(first.estimate(first.tuneLambda()))
	classical := second.estimate(0).minus(first.estimate(0))
	p.EquivalentLabels = float64(len(first.Labeled)+len(second.Labeled)) * classical.variance() / p.variance()
	return p.withInterval()
}

func (s Sample) undefinedReason() ReasonCode {
	switch {
	case len(s.Labeled) < 2:
		return FewLabels
	case len(s.Judged) < 2:
		return NoJudgedItems
	}
	if s.IsClustered && s.countLabeledClusters() < 2 {
		return FewLabels
	}
	return ""
}

func (s Sample) countLabeledClusters() int {
	clusters := map[int]bool{}
	for _, l := range s.Labeled {
		clusters[l.Cluster] = true
	}
	return len(clusters)
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

// prediction is an estimate and what its variance comes from.
type prediction struct {
	Estimate
	itemVariance float64         // without clusters
	influences   map[int]float64 // by cluster; nil without clusters
	clusters     float64         // with a label
}

func (s Sample) estimate(lambda float64) prediction {
	n, m := float64(len(s.Labeled)), float64(len(s.Judged))
	var judged, rectifiers []float64
	for _, j := range s.Judged {
		judged = append(judged, lambda*j.Value)
	}
	for _, l := range s.Labeled {
		rectifiers = append(rectifiers, l.Weight*(l.Label-lambda*l.Value))
	}
	meanJudged, meanRectifier := mean(judged), mean(rectifiers)
	p := prediction{Estimate: Estimate{Value: meanJudged + meanRectifier, Lambda: lambda}, itemVariance: meanSquare(judged)/m + meanSquare(rectifiers)/n}
	if s.IsClustered {
		p.influences = map[int]float64{}
		for i, j := range s.Judged {
			p.influences[j.Cluster] += (judged[i] - meanJudged) / m
		}
		p.clusters = float64(s.countLabeledClusters())
		for i, l := range s.Labeled {
			p.influences[l.Cluster] += (rectifiers[i] - l.Weight*meanRectifier) / n
		}
	}
	return p
}

func (p prediction) minus(other prediction) prediction {
	p.Value, p.itemVariance, p.Lambda = p.Value-other.Value, p.itemVariance+other.itemVariance, (p.Lambda+other.Lambda)/2
	p.clusters = min(p.clusters, other.clusters)
	for cluster, influence := range other.influences {
		p.influences[cluster] -= influence
	}
	return p
}

func (p prediction) variance() float64 {
	if p.influences == nil {
		return p.itemVariance
	}
	sum := 0.0
	for _, influence := range p.influences {
		sum += influence * influence
	}
	return sum * p.clusters / (p.clusters - 1)
}

func (p prediction) withInterval() Estimate {
	critical := math.Sqrt2 * math.Erfinv(0.95)
	if p.influences != nil {
		critical = stats.StudentQuantile(0.975, p.clusters-1)
	}
	margin := critical * math.Sqrt(p.variance())
	p.Low, p.High = p.Value-margin, p.Value+margin
	return p.Estimate
}

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
