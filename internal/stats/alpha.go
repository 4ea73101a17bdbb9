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
	return Measure{Coefficient: "alpha", Variant: string(d), value: func(s *sums) (float64, lack) {
		return s.alpha(d)
	}}
}

func (s *sums) alpha(d Distance) (float64, lack) {
	if s.paired < tiny {
		return 0, lacksOverlap
	}
	counts, n := s.coincidences()
	middle := middles(counts)
	observed, expected := 0.0, 0.0
	for c := range s.q {
		for k := range c {
			apart := s.distance(d, middle, k, c)
			observed += s.coincide[c*s.q+k] * apart
			expected += counts[c] * counts[k] * apart
		}
	}
	if expected < tiny*n*n {
		return 1, lacksVariation
	}
	return 1 - (n-1)*observed/expected, lacksNothing
}

// coincidences returns how many paired answers each category has, and all.
func (s *sums) coincidences() (counts []float64, n float64) {
	counts = make([]float64, s.q)
	for c := range counts {
		for _, o := range s.coincide[c*s.q : (c+1)*s.q] {
			counts[c] += o
		}
		n += counts[c]
	}
	return counts, n
}

// middles are the places of the categories where all answers stand in a row:
// those below, and half of a category's own.
func middles(counts []float64) []float64 {
	middle, below := make([]float64, len(counts)), 0.0
	for c, n := range counts {
		middle[c], below = below+n/2, below+n
	}
	return middle
}

// distance is δ² between the categories low and high, low < high.
func (s *sums) distance(d Distance, middle []float64, low, high int) float64 {
	switch d {
	case OrdinalDistance:
		between := middle[high] - middle[low]
		return between * between
	case IntervalDistance:
		apart := float64(s.scale[high] - s.scale[low])
		return apart * apart
	}
	return 1
}
