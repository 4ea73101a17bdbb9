package ratereffect

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// An answerModel says how probable answers to a field are: each is the point of the scale at which the sum of the
// item's true value and an error is (Muraki 1990, Applied Psychological Measurement 14, with normal errors). Items
// differ in difficulty.
type answerModel struct {
	limits  []float64 // between points
	loading float64   // correlation of latent answers with true values
	nodes   []itemNode
	usual   [][]float64   // node → point → probability
	bySkill [][][]float64 // skill → the same, of annotators with these errors
}

// An itemNode is a true value and a difficulty, with a probability.
type itemNode struct{ truth, difficulty, weight float64 }

// itemNodes cover the items: normal true values, and errors of hard items that are larger.
var itemNodes = func() (nodes []itemNode) {
	const steps, width = 17, 3.2
	for i := range steps {
		truth := width * (2*float64(i)/(steps-1) - 1)
		for _, d := range []struct{ difficulty, weight float64 }{{0.62, 1. / 6}, {1, 2. / 3}, {1.6, 1. / 6}} {
			nodes = append(nodes, itemNode{truth, d.difficulty, d.weight * math.Exp(-truth*truth/2)})
		}
	}
	return nodes
}()

// fitModel fits the model to the answers of pairs of annotators, without those that are probably random: the limits to
// how often answers are given, and the loading to the mean distance of two answers.
func (s *labelSet) fitModel(field int, random []float64) answerModel {
	points := s.Points[field]
	counts, distance, pairs := make([]float64, len(s.fields[field].Scale)), 0.0, 0.0
	s.visitPairs(func(a, b int32) {
		x, y := points[a], points[b]
		if x != NoPoint && y != NoPoint && !s.isExcluded[s.AnnotatorOf[a]] && !s.isExcluded[s.AnnotatorOf[b]] {
			weight := (1 - random[a]) * (1 - random[b])
			counts[x], counts[y], pairs = counts[x]+weight, counts[y]+weight, pairs+weight
			distance += weight * math.Abs(float64(x)-float64(y))
		}
	})
	m, sum := answerModel{nodes: itemNodes}, 0.0
	for _, n := range counts[:len(counts)-1] {
		sum += n + 0.5
		m.limits = append(m.limits, stats.NormalQuantile(sum/(2*pairs+0.5*float64(len(counts)))))
	}
	least, most := 0.0, 0.99
	for range 12 {
		m.loading = (least + most) / 2
		if m.usual = m.answersWith(1); m.meanDistance() > distance/max(pairs, 1) {
			least = m.loading
		} else {
			most = m.loading
		}
	}
	return m
}

// answersWith returns the probabilities of the answers to each node, with errors that are so many times the usual ones.
func (m *answerModel) answersWith(errors float64) [][]float64 {
	table := make([][]float64, len(m.nodes))
	for i, n := range m.nodes {
		table[i] = m.answers(n, errors)
	}
	return table
}

// answers returns the probability of each point for an item, with errors that are so many times the usual ones.
func (m *answerModel) answers(n itemNode, errors float64) []float64 {
	p, below := make([]float64, len(m.limits)+1), 0.0
	own := math.Sqrt(1-m.loading*m.loading) * n.difficulty * errors
	for x, limit := range m.limits {
		upTo := normalTail((m.loading*n.truth - limit) / own)
		p[x], below = max(upTo-below, epsilon), upTo
	}
	p[len(m.limits)] = max(1-below, epsilon)
	return p
}

// meanDistance returns that of two answers to an item, in points.
func (m *answerModel) meanDistance() float64 {
	sum, total := 0.0, 0.0
	for i, n := range m.nodes {
		below := 0.0
		for _, p := range m.usual[i][:len(m.limits)] {
			below += p
			sum += n.weight * 2 * below * (1 - below)
		}
		total += n.weight
	}
	return sum / total
}

// predict returns how probable each answer is next to answers of others, up to a factor, of an annotator whose answers
// to each node are given.
func (m *answerModel) predict(others []uint8, own [][]float64) []float64 {
	weights := make([]float64, len(m.limits)+1)
	for i, n := range m.nodes {
		product := n.weight
		for _, y := range others {
			product *= m.usual[i][y]
		}
		for x, p := range own[i] {
			weights[x] += product * p
		}
	}
	return weights
}
