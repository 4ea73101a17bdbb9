package stats

// LightKappa returns the mean of Cohen's κ over every pair of annotators who share an
// item (Light 1971, Psychological Bulletin 76). With two annotators it is Cohen's κ
// (1960), weighted as in Cohen (1968). If the κ of any pair is undefined, so is the mean:
// leaving that pair out would hide it.
func LightKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "cohen_kappa", Variant: string(w), needsAnnotators: true, needsPairs: true, isKappa: true,
		usesJackknife: true,
		value:         func(s *agreementSums) (float64, missingData) { return s.lightKappa(w) },
	}
}

func (s *agreementSums) lightKappa(w Weighting) (float64, missingData) {
	if len(s.pairs) == 1 { // also with addedItems, which have no pairs
		return s.sharedKappa(w)
	}
	sum, pairs, missing := 0.0, 0.0, missingNothing
	c := newCohenTable(s.categoryCount, s.weightMatrix(w))
	for i := range s.pairs {
		kappa, pairMissing := c.compute(s.pairs[i].cells, s.cellCounts)
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

// A cohenTable computes κ of one pair of annotators after another.
type cohenTable struct {
	weights    []float64 // of agreement, by category of the first and the second
	rows, cols []float64 // marginals of the pair
}

func newCohenTable(categories int, weights []float64) *cohenTable {
	return &cohenTable{weights, make([]float64, categories), make([]float64, categories)}
}

// compute returns κ of two annotators with the given cells, chance from their own marginals. counts
// has the count of each cell at its index.
func (t *cohenTable) compute(cells []answerCell, counts []float64) (float64, missingData) {
	clear(t.rows)
	clear(t.cols)
	n, agreed, expected := 0.0, 0.0, 0.0
	for _, m := range cells {
		count := counts[m.index]
		t.rows[m.first] += count
		t.cols[m.second] += count
		n, agreed = n+count, agreed+count*t.weights[int(m.first)*len(t.rows)+int(m.second)]
	}
	if n < epsilon {
		return 0, missingOverlap
	}
	for c, row := range t.rows {
		if row == 0 { // skips most of a long scale
			continue
		}
		for k, col := range t.cols {
			if col != 0 {
				expected += t.weights[c*len(t.rows)+k] * row * col
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
		Coefficient: "conger_kappa", Variant: string(w), needsAnnotators: true, includesSingles: true, isKappa: true,
		usesJackknife: true,
		value:         func(s *agreementSums) (float64, missingData) { return s.congerKappa(w) },
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

// SharedKappa returns κ of the items with two answers or more, for verdicts: chance comes from the answers
// to these items, and every two annotators count by the product of their numbers of answers. For two
// annotators it is Cohen's κ, and for annotators of the same items Conger's. That counts answers to other
// items too, and annotators with a few answers as much as all others: a single label can decide it.
func SharedKappa(w Weighting) Measure {
	return Measure{
		Coefficient: "shared_kappa", Variant: string(w), needsAnnotators: true, isKappa: true, usesJackknife: true,
		value: func(s *agreementSums) (float64, missingData) { return s.sharedKappa(w) },
	}
}

func (s *agreementSums) sharedKappa(w Weighting) (float64, missingData) {
	observed, missing := s.observedAgreement(w)
	if missing != missingNothing {
		return 0, missing
	}
	weights, all := s.weightMatrix(w), make([]float64, s.categoryCount)
	ownChance, answers, ownPairs := 0.0, 0.0, 0.0
	for g := range s.annotatorCount {
		counts, n := s.pairedMarginals[g*s.categoryCount:(g+1)*s.categoryCount], 0.0
		for c, count := range counts {
			all[c], n = all[c]+count, n+count
		}
		if n < epsilon {
			continue
		}
		ownChance += chanceAgreement(counts, weights)
		answers, ownPairs = answers+n, ownPairs+n*n
	}
	return correctForChance(observed, (chanceAgreement(all, weights)-ownChance)/(answers*answers-ownPairs))
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
