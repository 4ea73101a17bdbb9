package stats

// A PointEstimate is a coefficient, or the reason why there is none, and the number of
// items, annotators and ratings that the coefficient can use.
type PointEstimate struct {
	Value     float64
	Undefined Reason // why there is no value

	Items, Annotators, Ratings int
}

// Defined reports whether there is a value.
func (f PointEstimate) Defined() bool { return f.Undefined.Code == "" }

// missingData is what the data lack for a coefficient.
type missingData int

const (
	missingNothing        missingData = iota
	missingOverlap                    // no item with two ratings
	missingVariation                  // every answer is the same; the value is then 1, for resamples
	missingValue                      // no paired answer has the value
	missingKappaVariation             // every answer is the same: κ is 0/0, not full agreement
)

// A Measure is one coefficient of agreement in one variant.
type Measure struct {
	Coefficient, Variant string

	needsAnnotators bool           // depends on who answered
	needsPairs      bool           // depends on the answers of every two annotators
	includesSingles bool           // items with a single rating count
	isKappa         bool           // has no value in a resample without variation
	usesJackknife   bool           // has a jackknife interval by default, also over clusters
	itemMethod      IntervalMethod // of intervals over items by default; blank: that of the options
	value           func(*agreementSums) (float64, missingData)
}

func (m Measure) intervalMethod(o IntervalOptions, t RatingTable) IntervalMethod {
	switch {
	case o.Method != "":
		return o.Method
	case m.usesJackknife:
		return Jackknife
	case t.clusterOf == nil, m.itemMethod == Share:
		return m.itemMethod
	}
	return ""
}

// Compute returns the coefficient of t.
func (m Measure) Compute(t RatingTable) PointEstimate {
	return m.computeFrom(t, newAgreementSums(t, m.needsAnnotators, m.needsPairs).addAll())
}

// countBasis returns the data that the measure can use, without a value.
func (m Measure) countBasis(t RatingTable) PointEstimate {
	if !m.includesSingles {
		return t.countPaired()
	}
	return PointEstimate{Items: t.Items(), Annotators: len(t.annotators), Ratings: t.Ratings()}
}

// needsOrder reports whether the measure depends on distances between answers.
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
		f.Undefined = reasonFor(missing, t, s)
		return f
	}
	f.Value = value
	return f
}

// countPaired counts the data of t.Paired.
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

// correctForChance returns (observed − chance) / (1 − chance), the form of every κ. Full
// agreement by chance means that the answers do not vary.
func correctForChance(observed, chance float64) (float64, missingData) {
	if 1-chance < epsilon {
		return 1, missingVariation
	}
	return (observed - chance) / (1 - chance), missingNothing
}

// epsilon is above the rounding error of a sum that is zero.
const epsilon = 1e-11

// PercentAgreement returns the mean share of equal pairs of ratings, over items with at
// least two ratings (Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., eq. 2.6.1
// with identity weights).
func PercentAgreement() Measure {
	return Measure{Coefficient: "percent_agreement", itemMethod: Share,
		value: func(s *agreementSums) (float64, missingData) {
			return s.observedAgreement(Unweighted)
		}}
}

// observedAgreement returns the weighted share of agreeing pairs, averaged over paired items.
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

// chanceAgreement returns Σ w_ck p_c p_k.
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
