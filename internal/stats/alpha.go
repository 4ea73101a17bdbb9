package stats

// A Distance is how Krippendorff's α counts the difference of two answers.
type Distance string

// The distances of Krippendorff (2011), Computing Krippendorff's
// Alpha-Reliability: nominal is 1 where answers differ; ordinal the squared
// number of answers between them, by their marginal counts; interval the squared
// difference of their values.
const (
	NominalDistance  Distance = "nominal"
	OrdinalDistance  Distance = "ordinal"
	IntervalDistance Distance = "interval"
)

// Alpha is Krippendorff's α (2011): 1 − (n−1) Σ o δ² / Σ n_c n_k δ² over the
// coincidences o of paired answers. Items with a single rating do not enter.
func Alpha(d Distance) Measure {
	return Measure{Coefficient: "alpha", Variant: string(d), value: func(s *agreementSums) (float64, missingData) {
		return s.alpha(d)
	}}
}

func (s *agreementSums) alpha(d Distance) (float64, missingData) {
	if s.pairedItems < epsilon {
		return 0, missingOverlap
	}
	counts, n := s.coincidenceTotals()
	ranks := midranks(counts)
	observed, expected := 0.0, 0.0
	for c := range s.categoryCount {
		for k := range c {
			squared := s.squaredDistance(d, ranks, k, c)
			observed += s.coincidences[c*s.categoryCount+k] * squared
			expected += counts[c] * counts[k] * squared
		}
	}
	if expected < epsilon*n*n {
		return 1, missingVariation
	}
	return 1 - (n-1)*observed/expected, missingNothing
}

// coincidenceTotals returns how many paired answers each category has, and all.
func (s *agreementSums) coincidenceTotals() (counts []float64, n float64) {
	counts = make([]float64, s.categoryCount)
	for c := range counts {
		for _, o := range s.coincidences[c*s.categoryCount : (c+1)*s.categoryCount] {
			counts[c] += o
		}
		n += counts[c]
	}
	return counts, n
}

// midranks are the places of the categories where all answers stand in a row:
// those below, and half of a category's own.
func midranks(counts []float64) []float64 {
	ranks, below := make([]float64, len(counts)), 0.0
	for c, n := range counts {
		ranks[c], below = below+n/2, below+n
	}
	return ranks
}

// squaredDistance is δ² between the categories low and high, low < high.
func (s *agreementSums) squaredDistance(d Distance, ranks []float64, low, high int) float64 {
	switch d {
	case OrdinalDistance:
		between := ranks[high] - ranks[low]
		return between * between
	case IntervalDistance:
		difference := float64(s.scale[high] - s.scale[low])
		return difference * difference
	}
	return 1
}
