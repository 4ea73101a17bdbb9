package stats

// LightKappa returns the mean of Cohen's κ over every pair of annotators who share an
// item (Light 1971, Psychological Bulletin 76). With two annotators it is Cohen's κ
// (1960), weighted as in Cohen (1968). If the κ of any pair is undefined, so is the mean:
// leaving that pair out would hide it.
func LightKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "cohen_kappa", Variant: string(w), needsAnnotators: true, needsPairs: true, isKappa: true, usesJackknife: true,
		value: func(s *agreementSums) (float64, missingData) { return s.lightKappa(w) },
	}
}

func (s *agreementSums) lightKappa(w Weighting) (float64, missingData) {
	sum, pairs, missing := 0.0, 0.0, missingNothing
	for _, p := range s.pairs {
		kappa, pairMissing := s.cohenKappa(p, w)
		if pairMissing == missingOverlap {
			continue
		}
		missing = max(missing, pairMissing)
		sum += kappa
		pairs++
	}
	if pairs == 0 {
		return 0, missingOverlap
	}
	return sum / pairs, missing
}

// cohenKappa returns κ of two annotators, chance from their own marginals.
func (s *agreementSums) cohenKappa(p pairCells, w Weighting) (float64, missingData) {
	rows, cols := make([]float64, s.categoryCount), make([]float64, s.categoryCount)
	weights, n, agreed, expected := s.weightMatrix(w), 0.0, 0.0, 0.0
	for _, m := range p.cells {
		count := s.cellCounts[m.index]
		rows[m.first] += count
		cols[m.second] += count
		n, agreed = n+count, agreed+count*weights[int(m.first)*s.categoryCount+int(m.second)]
	}
	if n < epsilon {
		return 0, missingOverlap
	}
	for c, row := range rows {
		if row == 0 { // skips most of a long scale
			continue
		}
		for k, col := range cols {
			if col != 0 {
				expected += weights[c*s.categoryCount+k] * row * col
			}
		}
	}
	return correctForChance(agreed/n, expected/(n*n))
}

// CongerKappa returns Conger's κ (1980, Psychological Bulletin 88) for any number of
// annotators, with weights and missing ratings as in Gwet (2014, ch. 2 and 3): chance
// from the marginals of every two annotators. For two annotators of the same items it
// equals Cohen's κ. Its interval is the jackknife's.
func CongerKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "conger_kappa", Variant: string(w), needsAnnotators: true, includesSingles: true, isKappa: true, usesJackknife: true,
		value: func(s *agreementSums) (float64, missingData) { return s.congerKappa(w) },
	}
}

func (s *agreementSums) congerKappa(w Weighting) (float64, missingData) {
	observed, missing := s.observedAgreement(w)
	if missing != missingNothing {
		return 0, missing
	}
	weights := s.weightMatrix(w)
	total, ownChance, annotatorCount := make([]float64, s.categoryCount), 0.0, 0.0
	for g := range s.annotatorCount {
		share, ok := toProportions(s.marginals[g*s.categoryCount : (g+1)*s.categoryCount])
		if !ok {
			continue
		}
		annotatorCount++
		ownChance += chanceAgreement(share, weights)
		for c, p := range share {
			total[c] += p
		}
	}
	if annotatorCount < 2 {
		return 0, missingOverlap
	}
	return correctForChance(observed, (chanceAgreement(total, weights)-ownChance)/(annotatorCount*(annotatorCount-1)))
}

// toProportions divides counts by their sum; false if the sum is 0.
func toProportions(counts []float64) ([]float64, bool) {
	n := 0.0
	for _, c := range counts {
		n += c
	}
	if n < epsilon {
		return nil, false
	}
	return divideAll(counts, n), true
}
