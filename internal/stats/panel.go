package stats

// panel is what Cohen and Conger need besides the sums: who answered what.
type panel struct {
	annotators int
	marginal   []float64   // annotators×q: how often each chose each category
	pairs      []pairCells // every two who share an item; none unless they are asked for
	times      []float64   // by cell: how often its two answers met
	cellOf     []int32     // for each kind in turn, the cells of its answers
	cellStart  []int       // kind → its first place in cellOf
}

// pairCells are the answers of two annotators that ever meet.
type pairCells struct {
	pair
	cells []metAt
}

// metAt is a meeting of two answers, the first's and the second's, and its cell.
type metAt struct {
	first, second uint8
	cell          int32
}

// panelOf returns an empty panel; on demand it knows the pairs of every kind.
func panelOf(t Table, k kinds, byPair bool) panel {
	q := len(t.Scale)
	p := panel{annotators: len(t.annotators), marginal: make([]float64, len(t.annotators)*q)}
	if !byPair {
		return p
	}
	n := numbering{pairs: map[pair]int{}, cells: map[meeting]int32{}}
	for kind := range k.weight {
		who, cat := k.row(int32(kind))
		p.cellStart = append(p.cellStart, len(p.cellOf))
		for i, g := range who {
			for j := i + 1; j < len(who); j++ {
				p.cellOf = append(p.cellOf, n.cell(&p, meeting{pair{g, who[j]}, cat[i], cat[j]}))
			}
		}
	}
	p.cellStart = append(p.cellStart, len(p.cellOf))
	p.times = make([]float64, len(n.cells))
	return p
}

// meeting is two answers of two annotators to one item.
type meeting struct {
	pair
	first, second uint8
}

// numbering gives pairs and cells their numbers.
type numbering struct {
	pairs map[pair]int
	cells map[meeting]int32
}

func (n numbering) cell(p *panel, m meeting) int32 {
	cell, seen := n.cells[m]
	if seen {
		return cell
	}
	at, known := n.pairs[m.pair]
	if !known {
		at = len(p.pairs)
		n.pairs[m.pair], p.pairs = at, append(p.pairs, pairCells{pair: m.pair})
	}
	cell = int32(len(n.cells))
	n.cells[m] = cell
	p.pairs[at].cells = append(p.pairs[at].cells, metAt{m.first, m.second, cell})
	return cell
}

// like returns an empty panel of the same pairs.
func (p *panel) like() panel {
	c := *p
	c.marginal, c.times = make([]float64, len(p.marginal)), make([]float64, len(p.times))
	return c
}

func (p *panel) clear() {
	clear(p.marginal)
	clear(p.times)
}

// addPairsOf counts the answers of every two annotators of a kind.
func (p *panel) addPairsOf(kind int32, weight float64) {
	for _, cell := range p.cellOf[p.cellStart[kind]:p.cellStart[kind+1]] {
		p.times[cell] += weight
	}
}
