package stats

// agreementSums are the sums over items from which every coefficient is computed. Each
// item counts as often as it is drawn. m is the number of its ratings, r_c the number of
// those in category c.
type agreementSums struct {
	categoryCount int // q
	scale         NumericScale
	weights       [][]float64 // q×q each, by weightings

	items, pairedItems   float64   // items with a rating; with two or more
	coincidences         []float64 // q×q: Σ r_c(r_k − [c=k]) / (m−1), Krippendorff's coincidences
	pairShares           []float64 // q×q: Σ r_c(r_k − [c=k]) / m(m−1), the share of pairs (c, k)
	categoryShares       []float64 // q: Σ r_k / m, over all items
	pairedCategoryShares []float64 // q: the same over paired items

	annotatorSums // empty unless by annotator
	patterns      responsePatterns
}

// newAgreementSums returns empty sums over the response patterns of t, by annotator and by
// pair of annotators if requested.
func newAgreementSums(t RatingTable, byAnnotator, byPair bool) *agreementSums {
	return newPatternSums(t, newResponsePatterns(t, byAnnotator), byAnnotator, byPair)
}

func newPatternSums(t RatingTable, patterns responsePatterns, byAnnotator, byPair bool) *agreementSums {
	q := len(t.Scale)
	s := &agreementSums{
		categoryCount: q, scale: t.Scale, patterns: patterns,
		coincidences: make([]float64, q*q), pairShares: make([]float64, q*q),
		categoryShares: make([]float64, q), pairedCategoryShares: make([]float64, q),
	}
	for _, w := range weightings {
		s.weights = append(s.weights, w.matrix(t.Scale))
	}
	if byAnnotator {
		s.annotatorSums = newAnnotatorSums(t, s.patterns, byPair)
	}
	return s
}

// newEmpty returns independent empty sums over the same patterns.
func (s *agreementSums) newEmpty() *agreementSums {
	c := *s
	q := s.categoryCount
	c.coincidences, c.pairShares = make([]float64, q*q), make([]float64, q*q)
	c.categoryShares, c.pairedCategoryShares = make([]float64, q), make([]float64, q)
	c.annotatorSums = s.annotatorSums.newEmpty()
	c.items, c.pairedItems = 0, 0
	return &c
}

func (s *agreementSums) clear() {
	s.items, s.pairedItems = 0, 0
	clear(s.coincidences)
	clear(s.pairShares)
	clear(s.categoryShares)
	clear(s.pairedCategoryShares)
	s.annotatorSums.clear()
}

// addAll adds every item once.
func (s *agreementSums) addAll() *agreementSums {
	for n, weight := range s.patterns.itemCounts {
		s.add(int32(n), weight)
	}
	return s
}

// add counts an item with a pattern weight times; a negative weight removes it.
func (s *agreementSums) add(pattern int32, weight float64) {
	annotators, categories := s.patterns.row(pattern)
	for i, g := range annotators {
		s.marginals[int(g)*s.categoryCount+int(categories[i])] += weight
	}
	present, times := s.patterns.counts(pattern)
	m := float64(len(categories))
	s.items += weight
	for i, c := range present {
		s.categoryShares[c] += weight * times[i] / m
	}
	if m < 2 {
		return
	}
	s.pairedItems += weight
	if len(s.pairedMarginals) > 0 {
		for i, g := range annotators {
			s.pairedMarginals[int(g)*s.categoryCount+int(categories[i])] += weight
		}
	}
	for i, c := range present {
		s.pairedCategoryShares[c] += weight * times[i] / m
	}
	s.addAnswerPairs(present, times, m, weight)
	if len(s.pairs) > 0 {
		s.addPatternPairs(pattern, weight)
	}
}

// addAnswerPairs counts the ordered pairs of the m answers to an item.
func (s *agreementSums) addAnswerPairs(present []uint8, times []float64, m, weight float64) {
	coincidenceWeight, shareWeight := weight/(m-1), weight/(m*(m-1))
	for i, c := range present {
		row := int(c) * s.categoryCount
		for j, k := range present {
			n := times[i] * times[j]
			if i == j {
				n -= times[i]
			}
			s.coincidences[row+int(k)] += n * coincidenceWeight
			s.pairShares[row+int(k)] += n * shareWeight
		}
	}
}
