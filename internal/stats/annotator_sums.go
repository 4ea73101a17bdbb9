package stats

// annotatorSums is what Cohen and Conger need besides the sums: who answered what.
type annotatorSums struct {
	annotatorCount   int
	marginals        []float64   // annotators×q: how often each chose each category
	pairs            []pairCells // every two who share an item; none unless they are asked for
	cellCounts       []float64   // by cell: how often its two answers met
	patternCells     []int32     // for each kind in turn, the cells of its answers
	patternCellStart []int       // kind → its first place in patternCells
}

// pairCells are the answers of two annotators that ever meet.
type pairCells struct {
	annotatorPair
	cells []answerCell
}

// answerCell is a meeting of two answers, the first's and the second's, and its cell.
type answerCell struct {
	first, second uint8
	index         int32
}

// newAnnotatorSums returns an empty panel; on demand it knows the pairs of every kind.
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

// cellKey is two answers of two annotators to one item.
type cellKey struct {
	annotatorPair
	first, second uint8
}

// cellNumbering gives pairs and cells their numbers.
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

// newEmpty returns an empty panel of the same pairs.
func (p *annotatorSums) newEmpty() annotatorSums {
	c := *p
	c.marginals, c.cellCounts = make([]float64, len(p.marginals)), make([]float64, len(p.cellCounts))
	return c
}

func (p *annotatorSums) clear() {
	clear(p.marginals)
	clear(p.cellCounts)
}

// addPatternPairs counts the answers of every two annotators of a kind.
func (p *annotatorSums) addPatternPairs(pattern int32, weight float64) {
	for _, cell := range p.patternCells[p.patternCellStart[pattern]:p.patternCellStart[pattern+1]] {
		p.cellCounts[cell] += weight
	}
}
