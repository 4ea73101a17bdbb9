package stats

// annotatorSums are the sums by annotator and by pair, which Cohen's and Conger's κ need.
type annotatorSums struct {
	annotatorCount   int
	marginals        []float64   // annotators×q: answers by annotator and category
	pairedMarginals  []float64   // annotators×q: the same over paired items
	pairs            []pairCells // annotators who share an item; empty unless requested
	cellCounts       []float64   // by cell
	patternCells     []int32     // the cells of each response pattern in turn
	patternCellStart []int       // pattern → its first index in patternCells
}

// pairCells are the combinations of answers that two annotators gave to one item.
type pairCells struct {
	annotatorPair
	cells []answerCell
}

// answerCell is a combination of two categories and the index of its count.
type answerCell struct {
	first, second uint8
	index         int32
}

// newAnnotatorSums returns empty sums, by pair too if requested.
func newAnnotatorSums(t RatingTable, k responsePatterns, byPair bool) annotatorSums {
	q := len(t.Scale)
	p := annotatorSums{annotatorCount: len(t.annotators), marginals: make([]float64, len(t.annotators)*q),
		pairedMarginals: make([]float64, len(t.annotators)*q)}
	if !byPair {
		return p
	}
	answerPairs := 0
	for pattern := range k.itemCounts {
		m := int(k.ratingStart[pattern+1] - k.ratingStart[pattern])
		answerPairs += m * (m - 1) / 2
	}
	n := newCellNumbering(p.annotatorCount, answerPairs)
	p.patternCells, p.patternCellStart = make([]int32, 0, answerPairs), make([]int, 0, len(k.itemCounts)+1)
	for pattern := range k.itemCounts {
		annotators, categories := k.row(int32(pattern))
		p.patternCellStart = append(p.patternCellStart, len(p.patternCells))
		for i, g := range annotators {
			for j := i + 1; j < len(annotators); j++ {
				p.patternCells = append(p.patternCells,
					n.assignCell(&p, annotatorPair{g, annotators[j]}, categories[i], categories[j]))
			}
		}
	}
	p.patternCellStart = append(p.patternCellStart, len(p.patternCells))
	p.cellCounts = make([]float64, n.count)
	return p
}

// A cellNumbering numbers pairs and cells in order of appearance. The maps are for what is too
// large to search otherwise: many annotators who share few items, and pairs with many cells.
type cellNumbering struct {
	annotators  int
	pairNumbers []int32 // number of each pair, from 1, by its first and second annotator; nil: in pairs
	pairs       map[annotatorPair]int32
	cells       map[cellKey]int32 // of each pair, those after the first maxSearchedCells
	count       int32             // cells
}

// cellKey identifies two answers of two annotators to one item.
type cellKey struct {
	annotatorPair
	first, second uint8
}

const (
	// maxSearchedCells is the number of cells up to which those of a pair are searched in turn.
	maxSearchedCells = 32
	// maxCellsPerAnswerPair is how many times more pairs of annotators than of answers there may be
	// for a table of all pairs of annotators.
	maxCellsPerAnswerPair = 8
)

func newCellNumbering(annotators, answerPairs int) *cellNumbering {
	n := &cellNumbering{annotators: annotators, cells: map[cellKey]int32{}}
	if annotators*annotators <= maxCellsPerAnswerPair*answerPairs {
		n.pairNumbers = make([]int32, annotators*annotators)
	} else {
		n.pairs = map[annotatorPair]int32{}
	}
	return n
}

// assignPair returns the number of a pair, from 0.
func (n *cellNumbering) assignPair(p *annotatorSums, pair annotatorPair) int32 {
	if n.pairNumbers == nil {
		number, seen := n.pairs[pair]
		if !seen {
			number = int32(len(p.pairs))
			n.pairs[pair], p.pairs = number, append(p.pairs, pairCells{annotatorPair: pair})
		}
		return number
	}
	number := &n.pairNumbers[int(pair.first)*n.annotators+int(pair.second)]
	if *number == 0 {
		p.pairs = append(p.pairs, pairCells{annotatorPair: pair})
		*number = int32(len(p.pairs))
	}
	return *number - 1
}

func (n *cellNumbering) assignCell(p *annotatorSums, pair annotatorPair, first, second uint8) int32 {
	cells := &p.pairs[n.assignPair(p, pair)].cells
	for _, c := range (*cells)[:min(len(*cells), maxSearchedCells)] {
		if c.first == first && c.second == second {
			return c.index
		}
	}
	if len(*cells) >= maxSearchedCells {
		key := cellKey{pair, first, second}
		if cell, seen := n.cells[key]; seen {
			return cell
		}
		n.cells[key] = n.count
	}
	*cells = append(*cells, answerCell{first, second, n.count})
	n.count++
	return n.count - 1
}

// newEmpty returns empty sums over the same pairs.
func (p *annotatorSums) newEmpty() annotatorSums {
	c := *p
	c.marginals, c.pairedMarginals, c.cellCounts = make([]float64, len(p.marginals)), make([]float64, len(p.marginals)),
		make([]float64, len(p.cellCounts))
	return c
}

func (p *annotatorSums) clear() {
	clear(p.marginals)
	clear(p.pairedMarginals)
	clear(p.cellCounts)
}

// addPatternPairs counts the answer pairs of a response pattern.
func (p *annotatorSums) addPatternPairs(pattern int32, weight float64) {
	for _, cell := range p.patternCells[p.patternCellStart[pattern]:p.patternCellStart[pattern+1]] {
		p.cellCounts[cell] += weight
	}
}
