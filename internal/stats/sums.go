package stats

// sums are what every coefficient is a function of: sums over items, each item
// counted as often as it was drawn. m is how many rated an item, r how many of
// them chose a category.
type sums struct {
	q       int // categories
	scale   Scale
	weights [][]float64 // q×q each, by weightings

	items, paired float64   // items with a rating; with two or more
	coincide      []float64 // q×q: Σ r_c(r_k − [c=k]) / (m−1), Krippendorff's coincidences
	agree         []float64 // q×q: Σ r_c(r_k − [c=k]) / m(m−1), the share of pairs (c, k)
	share         []float64 // q: Σ r_k / m, over all items
	sharePaired   []float64 // q: the same over paired items

	panel // empty unless annotators matter
	kinds kinds
}

// sumsOf returns empty sums over the kinds of t, with those by annotator and by
// every two of them where they are asked for.
func sumsOf(t Table, byAnnotator, byPair bool) *sums {
	q := len(t.Scale)
	s := &sums{
		q: q, scale: t.Scale, kinds: kindsOf(t, byAnnotator),
		coincide: make([]float64, q*q), agree: make([]float64, q*q),
		share: make([]float64, q), sharePaired: make([]float64, q),
	}
	for _, w := range weightings {
		s.weights = append(s.weights, w.matrix(t.Scale))
	}
	if byAnnotator {
		s.panel = panelOf(t, s.kinds, byPair)
	}
	return s
}

// like returns empty sums over the same kinds, to be filled independently.
func (s *sums) like() *sums {
	c := *s
	q := s.q
	c.coincide, c.agree = make([]float64, q*q), make([]float64, q*q)
	c.share, c.sharePaired = make([]float64, q), make([]float64, q)
	c.panel = s.panel.like()
	c.items, c.paired = 0, 0
	return &c
}

func (s *sums) clear() {
	s.items, s.paired = 0, 0
	clear(s.coincide)
	clear(s.agree)
	clear(s.share)
	clear(s.sharePaired)
	s.panel.clear()
}

// all adds every item once.
func (s *sums) all() *sums {
	for n, weight := range s.kinds.weight {
		s.add(int32(n), weight)
	}
	return s
}

// add counts an item of a kind weight times; a negative weight takes it out.
func (s *sums) add(kind int32, weight float64) {
	who, cat := s.kinds.row(kind)
	for i, g := range who {
		s.marginal[int(g)*s.q+int(cat[i])] += weight
	}
	present, times := s.kinds.counted(kind)
	m := float64(len(cat))
	s.items += weight
	for i, c := range present {
		s.share[c] += weight * times[i] / m
	}
	if m < 2 {
		return
	}
	s.paired += weight
	for i, c := range present {
		s.sharePaired[c] += weight * times[i] / m
	}
	s.addPairs(present, times, m, weight)
	if len(s.pairs) > 0 {
		s.addPairsOf(kind, weight)
	}
}

// addPairs counts the ordered pairs of the m answers to an item.
func (s *sums) addPairs(present []uint8, times []float64, m, weight float64) {
	together, shared := weight/(m-1), weight/(m*(m-1))
	for i, c := range present {
		row := int(c) * s.q
		for j, k := range present {
			n := times[i] * times[j]
			if i == j {
				n -= times[i]
			}
			s.coincide[row+int(k)] += n * together
			s.agree[row+int(k)] += n * shared
		}
	}
}
