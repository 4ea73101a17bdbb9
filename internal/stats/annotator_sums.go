package stats

// annotatorSums are the sums by annotator and by pair, which Cohen's and Conger's κ need.
type annotatorSums struct {
	annotatorCount   int
	marginals        []float64   // annotators×q: answers by annotator and category
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
	p := annotatorSums{annotatorCount: len(t.annotators), marginals: make([]float64, len(t.annotators)*q)}
	if !byPair {
		return p
	}
	n := cellNumbering{pairNumbers: map[annotatorPair]int{}, cellNumbers: map[cellKey]int32{}}
	for pattern := range k.itemCounts {
		annotators, categories := k.row(int32(pattern))
		p.patternCellStart = append(p.patternCellStart, len(p.patternCells))
		for i, g := range annotators {
			for j := i + 1; j < len(annotators); j++ {
				p.patternCells = append(p.patternCells, n.assignCell(&p, cellKey{annotatorPair{g, annotators[j]}, categories[i], categories[j]}))
			}
		}
	}
	p.patternCellStart = append(p.patternCellStart, len(p.patternCells))
	p.cellCounts = make([]float64, len(n.cellNumbers))
	return p
}

// cellKey identifies two answers of two annotators to one item.
type cellKey struct {
	annotatorPair
	first, second uint8
}

// cellNumbering numbers pairs and cells in order of appearance.
type cellNumbering struct {
	pairNumbers map[annotatorPair]int
	cellNumbers map[cellKey]int32
}

func (n cellNumbering) assignCell(p *annotatorSums, m cellKey) int32 {
	cell, seen := n.cellNumbers[m]
	if seen {
		return cell
	}
	pairIndex, known := n.pairNumbers[m.annotatorPair]
	if !known {
		pairIndex = len(p.pairs)
		n.pairNumbers[m.annotatorPair], p.pairs = pairIndex, append(p.pairs, pairCells{annotatorPair: m.annotatorPair})
	}
	cell = int32(len(n.cellNumbers))
	n.cellNumbers[m] = cell
	p.pairs[pairIndex].cells = append(p.pairs[pairIndex].cells, answerCell{m.first, m.second, cell})
	return cell
}

// newEmpty returns empty sums over the same pairs.
func (p *annotatorSums) newEmpty() annotatorSums {
	c := *p
	c.marginals, c.cellCounts = make([]float64, len(p.marginals)), make([]float64, len(p.cellCounts))
	return c
}

func (p *annotatorSums) clear() {
	clear(p.marginals)
	clear(p.cellCounts)
}

// addPatternPairs counts the answer pairs of a response pattern.
func (p *annotatorSums) addPatternPairs(pattern int32, weight float64) {
	for _, cell := range p.patternCells[p.patternCellStart[pattern]:p.patternCellStart[pattern+1]] {
		p.cellCounts[cell] += weight
	}
}
