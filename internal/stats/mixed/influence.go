package mixed

import (
	"math"
	"sync"
)

// Influences returns a value for each record whose mean is the value of the contrast: how far
// that would move if the record were drawn twice, times the number of records (the infinitesimal
// jackknife; Efron 1982). A bootstrap over them is one over records with the ratios of the
// variances kept, without fitting the model again.
func (m Model) Influences(contrast Contrast) []float64 {
	records, weights, residuals := float64(m.blocks.recordCount), m.weights(contrast), m.weightedResiduals()
	influences := make([]float64, 0, m.blocks.recordCount)
	sum, z, labels := 0.0, 0.0, m.blocks.labels
	for i, l := range labels {
		z += residuals[i] * (weights[l.Annotator] + weights[m.blocks.annotators+int(l.Condition)])
		if i+1 == len(labels) || labels[i+1].Record != l.Record {
			influences, sum, z = append(influences, z), sum+z, 0
		}
	}
	for i, z := range influences {
		influences[i] = records*z - sum + dot(contrast, m.Means)
	}
	return influences
}

// weights returns by column how far a residual moves the contrast: the rows of the inverse of the
// mixed model equations (Henderson 1950) for the contrast.
func (m Model) weights(contrast Contrast) []float64 {
	s := m.solution
	forMeans := make([]float64, len(contrast))
	for i, row := range s.covariance {
		forMeans[i] = dot(row, contrast)
	}
	right := make([]float64, m.blocks.annotators)
	for c, w := range forMeans {
		for i := range right {
			right[i] -= m.ratios[annotatorRatio] * s.crossing[c][i] * w
		}
	}
	return append(solveFactor(s.factor, right), forMeans...)
}

// weightedResiduals returns W⁻¹ · residuals by label. They are computed once.
func (m Model) weightedResiduals() []float64 {
	m.residuals.once.Do(func() {
		m.residuals.byLabel = make([]float64, 0, len(m.blocks.labels))
		for record := range eachRun(m.blocks.labels, func(l Label) int32 { return l.Record }) {
			m.residuals.byLabel = m.appendWeightedResiduals(m.residuals.byLabel, record)
		}
	})
	return m.residuals.byLabel
}

// appendWeightedResiduals appends those of a record.
func (m Model) appendWeightedResiduals(list []float64, record []Label) []float64 {
	θi, θr := m.ratios[itemRatio], m.ratios[recordRatio]
	var scale, total float64 // 1'A⁻¹1 and 1'A⁻¹r, where A is W without the record
	start := len(list)
	for item := range eachRun(record, func(l Label) int32 { return l.Item }) {
		n, sum := float64(len(item)), 0.0
		for _, l := range item {
			sum += m.labelResidual(l)
		}
		shrunk := 1 / (1 + n*θi)
		for _, l := range item {
			list = append(list, m.labelResidual(l)-θi*shrunk*sum)
		}
		scale, total = scale+n*shrunk, total+sum*shrunk
	}
	if θr == 0 {
		return list
	}
	next := start
	for item := range eachRun(record, func(l Label) int32 { return l.Item }) {
		shrunk := 1 / (1 + float64(len(item))*θi)
		for range item {
			list[next] -= θr / (1 + θr*scale) * total * shrunk
			next++
		}
	}
	return list
}

func (m Model) labelResidual(l Label) float64 {
	return l.Value - m.blocks.center - m.solution.means[l.Condition] - m.solution.annotators[l.Annotator]
}

// Jackknife returns the mean of influences with an interval that does not assume equal variances of conditions. Its
// degrees of freedom are those of a variance with their kurtosis: few if few records decide.
func Jackknife(influences []float64) Estimate {
	n, e := float64(len(influences)), Estimate{}
	for _, v := range influences {
		e.Value += v / n
	}
	squares, fourths := 0.0, 0.0
	for _, v := range influences {
		d := (v - e.Value) * (v - e.Value)
		squares, fourths = squares+d, fourths+d*d
	}
	if n < 2 || fourths == 0 {
		e.Low, e.High, e.PValue = e.Value, e.Value, math.NaN()
		return e
	}
	return NewEstimate(e.Value, math.Sqrt(squares/(n*(n-1))), min(max(3*squares*squares/fourths-1, 1), n-1))
}

// labelResiduals are the weighted residuals of a model, once they are computed.
type labelResiduals struct {
	once    sync.Once
	byLabel []float64
}
