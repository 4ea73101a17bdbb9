package stats

// A Figure is a coefficient or the reason why there is none, with what it rests
// on: the items, annotators and ratings that the coefficient could use.
type Figure struct {
	Value     float64
	Undefined string // why there is no value; blank where there is one

	Items, Annotators, Ratings int
}

// Defined says whether there is a value.
func (f Figure) Defined() bool { return f.Undefined == "" }

// lack is what data miss for a coefficient to be defined.
type lack int

const (
	lacksNothing   lack = iota
	lacksOverlap        // no item with two ratings
	lacksVariation      // every answer is the same; the value given is then 1, for resamples
)

// A Measure is one coefficient of agreement in one variant.
type Measure struct {
	Coefficient, Variant string

	byAnnotator bool // whether it matters who answered
	byPair      bool // whether it matters what every two annotators answered
	single      bool // whether items with a single rating count
	value       func(*sums) (float64, lack)
}

// Of returns the figure of t.
func (m Measure) Of(t Table) Figure { return m.figure(t, sumsOf(t, m.byAnnotator, m.byPair).all()) }

// rests returns what of t the measure rests on, without its value.
func (m Measure) rests(t Table) Figure {
	if !m.single {
		return t.paired()
	}
	return Figure{Items: t.Items(), Annotators: len(t.annotators), Ratings: t.Ratings()}
}

// takesOrder says whether it matters how far answers lie apart.
func (m Measure) takesOrder() bool {
	switch m.Variant {
	case string(Linear), string(Quadratic), string(OrdinalDistance), string(IntervalDistance):
		return true
	}
	return false
}

func (m Measure) figure(t Table, s *sums) Figure {
	f := m.rests(t)
	value, missing := m.value(s)
	if missing != lacksNothing {
		f.Undefined = because(missing, t, s)
		return f
	}
	f.Value = value
	return f
}

// paired counts what t.Paired holds.
func (t Table) paired() (f Figure) {
	seen := make([]bool, len(t.annotators))
	for i := range t.items {
		who, _ := t.row(i)
		if len(who) < 2 {
			continue
		}
		f.Items, f.Ratings = f.Items+1, f.Ratings+len(who)
		for _, g := range who {
			if !seen[g] {
				seen[g] = true
				f.Annotators++
			}
		}
	}
	return f
}

// corrected is (observed − chance) / (1 − chance), the form of every κ. Where
// chance alone agrees fully there is no variation.
func corrected(observed, chance float64) (float64, lack) {
	if 1-chance < tiny {
		return 1, lacksVariation
	}
	return (observed - chance) / (1 - chance), lacksNothing
}

// tiny is below what rounding can leave of a sum that is zero.
const tiny = 1e-11

// PercentAgreement is the mean, over items with two ratings or more, of the
// share of pairs of ratings that are equal (Gwet 2014, Handbook of Inter-Rater
// Reliability, 4th ed., eq. 2.6.1 with identity weights).
func PercentAgreement() Measure {
	return Measure{Coefficient: "percent_agreement", value: func(s *sums) (float64, lack) {
		return s.observed(Unweighted)
	}}
}

// observed is the weighted share of agreeing pairs, averaged over paired items.
func (s *sums) observed(w Weighting) (float64, lack) {
	if s.paired < tiny {
		return 0, lacksOverlap
	}
	return weighted(s.agree, s.matrix(w)) / s.paired, lacksNothing
}

// matrix returns the weights of w on the scale.
func (s *sums) matrix(w Weighting) []float64 {
	for i, name := range weightings {
		if name == w {
			return s.weights[i]
		}
	}
	return nil
}

func weighted(cells, weights []float64) float64 {
	sum := 0.0
	for i, n := range cells {
		sum += n * weights[i]
	}
	return sum
}

// chance is Σ w_ck p_c p_k.
func chance(p, weights []float64) float64 {
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

// scaled returns sums / n.
func scaled(sums []float64, n float64) []float64 {
	p := make([]float64, len(sums))
	for i, v := range sums {
		p[i] = v / n
	}
	return p
}
