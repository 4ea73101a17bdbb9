package mixed

import "math"

// Influences returns a value for each record whose mean is the value of the contrast: how far
// that would move if the record were drawn twice, times the number of records (the infinitesimal
// jackknife; Efron 1982). A bootstrap over them is one over records with the ratios of the
// variances kept, without fitting the model again.
func (m Model) Influences(contrast Contrast) []float64 {
	records, weights := float64(m.blocks.recordCount), m.weights(contrast)
	influences := make([]float64, 0, m.blocks.recordCount)
	sum := 0.0
	for record := range eachRun(m.blocks.labels, func(l Label) int32 { return l.Record }) {
		z := m.score(record, weights)
		influences, sum = append(influences, z), sum+z
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

// score returns the weighted sum of W⁻¹ · residuals of a record's labels.
func (m Model) score(record []Label, weights []float64) (score float64) {
	θi, θr := m.ratios[itemRatio], m.ratios[recordRatio]
	var ones, scale, total float64 // 1'A⁻¹w, 1'A⁻¹1 and 1'A⁻¹r, where A is W without the record
	for item := range eachRun(record, func(l Label) int32 { return l.Item }) {
		n, sumW, sumR := float64(len(item)), 0.0, 0.0
		for _, l := range item {
			w, r := m.labelWeight(l, weights), m.labelResidual(l)
			sumW, sumR, score = sumW+w, sumR+r, score+w*r
		}
		shrunk := 1 / (1 + n*θi)
		score -= θi * shrunk * sumW * sumR
		ones, scale, total = ones+sumW*shrunk, scale+n*shrunk, total+sumR*shrunk
	}
	return score - θr/(1+θr*scale)*ones*total
}

func (m Model) labelWeight(l Label, weights []float64) float64 {
	return weights[l.Annotator] + weights[m.blocks.annotators+int(l.Condition)]
}

func (m Model) labelResidual(l Label) float64 {
	return l.Value - m.blocks.center - m.solution.means[l.Condition] - m.solution.annotators[l.Annotator]
}

// EstimateRobust returns the mean of influences with an interval that does not assume equal variances of conditions. Its degrees
// of freedom are those of a variance with their kurtosis: few if few records decide.
func EstimateRobust(influences []float64) Estimate {
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
	e.Error = math.Sqrt(squares / (n * (n - 1)))
	e.Degrees = min(max(3*squares*squares/fourths-1, 1), n-1)
	return e.withInterval()
}
