package judge

import "github.com/labelwright/labelwright/internal/stats"

// A PPIResult is the mean of the annotators' answers, estimated with the judge.
type PPIResult struct {
	Mean      *float64 `json:"mean"` // null if Undefined has a reason
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Labels    int      `json:"labels"`    // items with labels and a judgment
	Judgments int      `json:"judgments"` // items with a judgment alone
	// null if Undefined, Concluded.Undefined or GainUndefined has a reason
	EquivalentLabels *float64   `json:"equivalent_labels"`
	Lambda           *float64   `json:"lambda"`
	Undefined        ReasonCode `json:"undefined"`

	// Low and High are those of ppi-python. These are for conclusions; see ConcludeMean.
	Concluded     ConcludedFigure `json:"concluded"`
	LabelsAlone   ConcludedFigure `json:"labels_alone"`
	GainUndefined ReasonCode      `json:"gain_undefined"` // why EquivalentLabels is null although there is an interval
}

// A ConcludedFigure is an estimate with its interval for conclusions.
type ConcludedFigure struct {
	Figure
	Undefined ReasonCode `json:"undefined"`
}

// estimatePPI estimates the mean of an ordered dimension, or the rate of the second of two
// values.
func (c judgeComparison) estimatePPI() PPIResult {
	if c.points == nil {
		return PPIResult{Undefined: UnorderedValues}
	}
	s := c.sample()
	r := PPIResult{Labels: len(s.Labeled), Judgments: len(s.Judged)}
	least, most := c.points[0], c.points[len(c.points)-1]
	bounds := Range{least, most, len(c.points) == 2}
	r.LabelsAlone = NewConcludedFigure(ConcludeLabels(s, bounds), bounds)
	m := EstimateMean(s)
	if m.Undefined != "" {
		r.Undefined, r.Concluded.Undefined = m.Undefined, m.Undefined
		return r
	}
	r.Mean, r.Low, r.High, r.Lambda = &m.Value, &m.Low, &m.High, &m.Lambda
	concluded := ConcludeMean(s, bounds)
	r.Concluded, r.GainUndefined = NewConcludedFigure(concluded, bounds), concluded.GainUndefined
	if concluded.Undefined == "" && concluded.GainUndefined == "" {
		r.EquivalentLabels = &concluded.EquivalentLabels
	}
	return r
}

// NewConcludedFigure returns an estimate whose interval ends at what is possible.
func NewConcludedFigure(e Estimate, r Range) (f ConcludedFigure) {
	if f.Undefined = e.Undefined; e.Undefined != "" && e.Undefined != NoVariation && e.Undefined != FewUnits &&
		e.Undefined != FewUnitsOfGroup {
		return f
	}
	if f.Value = &e.Value; e.Undefined == "" {
		low, high := max(e.Low, r.Least), min(e.High, r.Most)
		f.Low, f.High = &low, &high
	}
	return f
}

// sample pairs the mean label of each item with its judgment.
func (c judgeComparison) sample() Sample {
	means, s := map[string]float64{}, Sample{IsClustered: c.people.Table.HasClusters()}
	for item := range c.shared.ByItem() {
		for _, category := range item.Categories {
			means[item.Item] += c.points[category] / float64(len(item.Categories))
		}
	}
	for _, a := range c.answers {
		point, _ := c.people.Table.Scale.Index(a.Value)
		judgment := Judgment{Value: c.points[point], Cluster: a.Cluster}
		if label, ok := means[a.Item]; ok {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// NewSample pairs the mean label of each item with its judgment. Labels that are kept out do not count.
func NewSample(people stats.Dimension, answers []Answer, o Options) Sample {
	return newComparison(people, answers, o).sample()
}
