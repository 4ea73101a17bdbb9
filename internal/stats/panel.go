package stats

// panel is what Cohen and Conger need besides the sums: who answered what.
type panel struct {
	annotators int
	marginal   []float64 // annotators×q: how often each chose each category
	pairs      []pairSum
	pairOf     []int32 // for each kind in turn, the pairs of its row in order
	pairStart  []int   // kind → its first place in pairOf
}

// pairSum is the table of two annotators, summed as κ needs it.
type pairSum struct {
	pair
	n          float64
	agreed     [3]float64 // Σ weight, by weightings
	rows, cols []float64  // q each: how often either chose each category
}

// panelOf returns an empty panel, which knows the pairs of every kind.
func panelOf(t Table, k kinds) panel {
	q := len(t.Scale)
	p := panel{annotators: len(t.annotators), marginal: make([]float64, len(t.annotators)*q)}
	number := map[pair]int32{}
	for n := range k.weight {
		who, _ := k.row(int32(n))
		p.pairStart = append(p.pairStart, len(p.pairOf))
		for i, g := range who {
			for _, h := range who[i+1:] {
				p.pairOf = append(p.pairOf, p.pairNumber(number, g, h))
			}
		}
	}
	p.pairs = p.emptyPairs(q)
	return p
}

func (p *panel) pairNumber(number map[pair]int32, g, h int32) int32 {
	at := pair{g, h}
	n, seen := number[at]
	if !seen {
		n = int32(len(number))
		number[at] = n
		p.pairs = append(p.pairs, pairSum{pair: at})
	}
	return n
}

// emptyPairs returns the same pairs with nothing counted.
func (p *panel) emptyPairs(q int) []pairSum {
	pairs := make([]pairSum, len(p.pairs))
	for i, was := range p.pairs {
		pairs[i] = pairSum{pair: was.pair, rows: make([]float64, q), cols: make([]float64, q)}
	}
	return pairs
}

// like returns an empty panel of the same pairs.
func (p *panel) like(q int) panel {
	c := *p
	c.marginal = make([]float64, len(p.marginal))
	c.pairs = p.emptyPairs(q)
	return c
}

func (p *panel) clear() {
	clear(p.marginal)
	for i := range p.pairs {
		sum := &p.pairs[i]
		sum.n, sum.agreed = 0, [3]float64{}
		clear(sum.rows)
		clear(sum.cols)
	}
}

// addPairsOf counts the answers of every two annotators of a kind.
func (s *sums) addPairsOf(kind int32, cat []uint8, weight float64) {
	at := s.pairStart[kind]
	for i, c := range cat {
		for _, k := range cat[i+1:] {
			p := &s.pairs[s.pairOf[at]]
			at++
			p.n += weight
			p.rows[c] += weight
			p.cols[k] += weight
			cell := int(c)*s.q + int(k)
			for w, matrix := range s.weights {
				p.agreed[w] += weight * matrix[cell]
			}
		}
	}
}
