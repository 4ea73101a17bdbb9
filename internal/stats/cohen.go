package stats

// LightKappa is the mean of Cohen's κ over every pair of annotators who share
// an item (Light 1971, Psychological Bulletin 76). With two annotators it is
// Cohen's κ (1960), weighted as in Cohen (1968). It is undefined where the κ of
// any pair is: leaving that pair out would hide what it says.
func LightKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "cohen_kappa", Variant: string(w), byAnnotator: true, byPair: true,
		value: func(s *sums) (float64, lack) { return s.light(w) },
	}
}

func (s *sums) light(w Weighting) (float64, lack) {
	sum, pairs, missing := 0.0, 0.0, lacksNothing
	for _, p := range s.pairs {
		kappa, lacks := s.cohen(p, w)
		if lacks == lacksOverlap {
			continue
		}
		missing = max(missing, lacks)
		sum += kappa
		pairs++
	}
	if pairs == 0 {
		return 0, lacksOverlap
	}
	return sum / pairs, missing
}

// cohen is κ of two annotators, chance from their own marginals.
func (s *sums) cohen(p pairCells, w Weighting) (float64, lack) {
	rows, cols := make([]float64, s.q), make([]float64, s.q)
	weights, n, agreed, expected := s.matrix(w), 0.0, 0.0, 0.0
	for _, m := range p.cells {
		times := s.times[m.cell]
		rows[m.first] += times
		cols[m.second] += times
		n, agreed = n+times, agreed+times*weights[int(m.first)*s.q+int(m.second)]
	}
	if n < tiny {
		return 0, lacksOverlap
	}
	for c, row := range rows {
		if row == 0 { // of a long scale two people use little
			continue
		}
		for k, col := range cols {
			if col != 0 {
				expected += weights[c*s.q+k] * row * col
			}
		}
	}
	return corrected(agreed/n, expected/(n*n))
}

// CongerKappa generalises Cohen's κ to any number of annotators (Conger 1980,
// Psychological Bulletin 88), with weights and missing ratings as in Gwet (2014,
// ch. 2 and 3): chance from the marginals of every two annotators. It equals
// Cohen's κ where two annotators judged the same items.
func CongerKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "conger_kappa", Variant: string(w), byAnnotator: true, single: true,
		value: func(s *sums) (float64, lack) { return s.conger(w) },
	}
}

func (s *sums) conger(w Weighting) (float64, lack) {
	observed, missing := s.observed(w)
	if missing != lacksNothing {
		return 0, missing
	}
	weights := s.matrix(w)
	total, own, people := make([]float64, s.q), 0.0, 0.0
	for g := range s.annotators {
		share, ok := proportions(s.marginal[g*s.q : (g+1)*s.q])
		if !ok {
			continue
		}
		people++
		own += chance(share, weights)
		for c, p := range share {
			total[c] += p
		}
	}
	if people < 2 {
		return 0, lacksOverlap
	}
	return corrected(observed, (chance(total, weights)-own)/(people*(people-1)))
}

// proportions returns counts as shares of their sum; false where that is nothing.
func proportions(counts []float64) ([]float64, bool) {
	n := 0.0
	for _, c := range counts {
		n += c
	}
	if n < tiny {
		return nil, false
	}
	return scaled(counts, n), true
}
