package stats

// A Distance is a difference function of Krippendorff's α.
type Distance string

// The distances of Krippendorff (2011), Computing Krippendorff's
// Alpha-Reliability. Nominal is 1 for different answers; ordinal is the squared number
// of answers between the two, by marginal counts; interval is the squared difference
// of the values.
const (
	NominalDistance  Distance = "nominal"
	OrdinalDistance  Distance = "ordinal"
	IntervalDistance Distance = "interval"
)

// Alpha returns Krippendorff's α (2011): 1 − (n−1) Σ o δ² / Σ n_c n_k δ² over the
// coincidences o of paired answers. Items with a single rating do not count.
func Alpha(d Distance) Measure {
	return Measure{Coefficient: "alpha", Variant: string(d), value: func(s *agreementSums) (float64, missingData) {
		return s.alpha(d)
	}}
}

// SuitableAlpha returns the α that suits a scale: nominal for two points, else ordinal.
func SuitableAlpha(scale NumericScale) Measure {
	if len(scale) == 2 {
		return Alpha(NominalDistance)
	}
	return Alpha(OrdinalDistance)
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

// coincidenceTotals returns the number of paired answers by category, and in total.
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

// midranks returns the midrank of each category: the answers below it, and half of its own.
func midranks(counts []float64) []float64 {
	ranks, below := make([]float64, len(counts)), 0.0
	for c, n := range counts {
		ranks[c], below = below+n/2, below+n
	}
	return ranks
}

// squaredDistance returns δ² between the categories low and high, low < high.
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
