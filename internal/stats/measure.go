package stats

// A PointEstimate is a coefficient or the reason why there is none, with what it rests
// on: the items, annotators and ratings that the coefficient could use.
type PointEstimate struct {
	Value     float64
	Undefined string // why there is no value; blank where there is one

	Items, Annotators, Ratings int
}

// Defined says whether there is a value.
func (f PointEstimate) Defined() bool { return f.Undefined == "" }

// missingData is what data miss for a coefficient to be defined.
type missingData int

const (
	missingNothing   missingData = iota
	missingOverlap               // no item with two ratings
	missingVariation             // every answer is the same; the value given is then 1, for resamples
)

// A Measure is one coefficient of agreement in one variant.
type Measure struct {
	Coefficient, Variant string

	needsAnnotators bool // whether it matters who answered
	needsPairs      bool // whether it matters what every two annotators answered
	includesSingles bool // whether items with a single rating count
	value           func(*agreementSums) (float64, missingData)
}

// Compute returns the figure of t.
func (m Measure) Compute(t RatingTable) PointEstimate {
	return m.computeFrom(t, newAgreementSums(t, m.needsAnnotators, m.needsPairs).addAll())
}

// countBasis returns what of t the measure rests on, without its value.
func (m Measure) countBasis(t RatingTable) PointEstimate {
	if !m.includesSingles {
		return t.countPaired()
	}
	return PointEstimate{Items: t.Items(), Annotators: len(t.annotators), Ratings: t.Ratings()}
}

// needsOrder says whether it matters how far answers lie apart.
func (m Measure) needsOrder() bool {
	switch m.Variant {
	case string(Linear), string(Quadratic), string(OrdinalDistance), string(IntervalDistance):
		return true
	}
	return false
}

func (m Measure) computeFrom(t RatingTable, s *agreementSums) PointEstimate {
	f := m.countBasis(t)
	value, missing := m.value(s)
	if missing != missingNothing {
		f.Undefined = explainMissing(missing, t, s)
		return f
	}
	f.Value = value
	return f
}

// countPaired counts what t.Paired holds.
func (t RatingTable) countPaired() (f PointEstimate) {
	seen := make([]bool, len(t.annotators))
	for i := range t.items {
		annotators, _ := t.row(i)
		if len(annotators) < 2 {
			continue
		}
		f.Items, f.Ratings = f.Items+1, f.Ratings+len(annotators)
		for _, g := range annotators {
			if !seen[g] {
				seen[g] = true
				f.Annotators++
			}
		}
	}
	return f
}

// correctForChance is (observed − chance) / (1 − chance), the form of every κ. Where
// chance alone agrees fully there is no variation.
func correctForChance(observed, chance float64) (float64, missingData) {
	if 1-chance < epsilon {
		return 1, missingVariation
	}
	return (observed - chance) / (1 - chance), missingNothing
}

// epsilon is below what rounding can leave of a sum that is zero.
const epsilon = 1e-11

// PercentAgreement is the mean, over items with two ratings or more, of the
// share of pairs of ratings that are equal (Gwet 2014, Handbook of Inter-Rater
// Reliability, 4th ed., eq. 2.6.1 with identity weights).
func PercentAgreement() Measure {
	return Measure{Coefficient: "percent_agreement", value: func(s *agreementSums) (float64, missingData) {
		return s.observedAgreement(Unweighted)
	}}
}

// observedAgreement is the weighted share of agreeing pairs, averaged over paired items.
func (s *agreementSums) observedAgreement(w Weighting) (float64, missingData) {
	if s.pairedItems < epsilon {
		return 0, missingOverlap
	}
	return weightedSum(s.pairShares, s.weightMatrix(w)) / s.pairedItems, missingNothing
}

// weightMatrix returns the weights of w on the scale.
func (s *agreementSums) weightMatrix(w Weighting) []float64 {
	for i, name := range weightings {
		if name == w {
			return s.weights[i]
		}
	}
	return nil
}

func weightedSum(cells, weights []float64) float64 {
	sum := 0.0
	for i, n := range cells {
		sum += n * weights[i]
	}
	return sum
}

// chanceAgreement is Σ w_ck p_c p_k.
func chanceAgreement(p, weights []float64) float64 {
	sum, q := 0.0, len(p)
	for c, pc := range p {
		if pc == 0 {
			continue
		}
		for k, pk := range p {
			sum += weights[c*q+k] * pc * pk
		}
	}
	return sum
}

// divideAll returns sums / n.
func divideAll(sums []float64, n float64) []float64 {
	p := make([]float64, len(sums))
	for i, v := range sums {
		p[i] = v / n
	}
	return p
}
