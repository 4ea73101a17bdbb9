package consensus

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Fit is a model of the true answers and of each annotator's errors. Items with the same
// answers of the same annotators are one pattern and have one posterior.
type Fit struct {
	Prior      []float64     // share of each true category
	IsGiven    []bool        // by category: some answer has it
	Posteriors [][]float64   // pattern → true category → probability
	PatternOf  []int32       // item, in the table's order → pattern
	Confusion  [][][]float64 // annotator → true category → given category → probability
	Steps      int
	Change     float64 // the largest change of a posterior in the last step
}

// ItemPosterior returns the probability of each true category of an item of the table.
func (f Fit) ItemPosterior(item int) []float64 { return f.Posteriors[f.PatternOf[item]] }

// HasConverged reports whether as many steps again would change no posterior visibly.
func (f Fit) HasConverged() bool {
	return f.Change < 1e-6 && f.Change*float64(f.Steps) < 1e-4
}

const (
	maxSteps = 5000
	// minChange ends a fit that runs until it converges. Next to a saddle of the likelihood,
	// changes become as small as 1e-10 and then grow again.
	minChange = 1e-12
	// minGain ends a fit by crowd-kit's rule.
	minGain = 1e-14
	// minProbability keeps a logarithm finite: an error that was never made is not impossible.
	minProbability = 1e-10
)

// A StopRule says when a fit ends.
type StopRule int

// The stop rules. Crowd-kit ends a fit when its evidence bound stops rising. Its bound
// counts the prior once for each answer, so it can fall and end a fit after two steps, far
// from the maximum of the likelihood; Fit.Change shows that.
const (
	AsCrowdKit StopRule = iota
	AtConvergence
)

// IsIdentified reports whether the ratings can tell errors of annotators from true
// differences between items: some item needs three answers. With two answers per item any
// disagreement can be an error of either annotator, and many models fit equally well
// (Kruskal 1977, Linear Algebra and its Applications 18; Allman, Matias & Rhodes 2009,
// Annals of Statistics 37).
func IsIdentified(t stats.RatingTable) bool {
	for item := range t.ByItem() {
		if len(item.Annotators) > 2 {
			return true
		}
	}
	return false
}

// FitDawidSkene fits the model of Dawid & Skene (1979, Applied Statistics 28): the answers
// to an item are independent given its true category, and each annotator has a confusion
// matrix. The fit starts from the shares of the answers and raises the likelihood by
// expectation and maximization, so the same ratings always give the same result.
func FitDawidSkene(t stats.RatingTable, stop StopRule) Fit {
	set := collectPatterns(t)
	m := newModel(set.patterns, len(t.Scale), len(t.Annotators()))
	for n, p := range m.patterns {
		for _, c := range p.categories {
			m.posteriors[n][c] += 1 / float64(len(p.categories))
		}
	}
	f, bound := Fit{PatternOf: set.patternOf}, math.Inf(-1)
	m.maximize()
	for isDone := false; f.Steps < maxSteps && !isDone; f.Steps++ {
		f.Change = m.expect()
		m.maximize()
		if isDone = f.Change < minChange; stop == AsCrowdKit {
			newBound := m.evidenceBound()
			isDone, bound = newBound-bound < minGain, newBound
		}
	}
	f.Prior, f.IsGiven, f.Confusion, f.Posteriors = m.prior, m.isGiven, m.confusion, m.posteriors
	return f
}

// model is the state of a fit.
type model struct {
	categories   int
	items        float64
	isGiven      []bool // by category: some answer has it
	patterns     []pattern
	prior        []float64
	posteriors   [][]float64   // pattern → true category
	confusion    [][][]float64 // annotator → true → given
	logConfusion [][][]float64
	counts       [][][]float64
}

// newModel returns a model whose probabilities are all 0.
func newModel(patterns []pattern, categories, annotators int) *model {
	m := &model{categories: categories, isGiven: make([]bool, categories), patterns: patterns,
		prior: make([]float64, categories)}
	all := make([]float64, categories*len(patterns))
	for n, p := range patterns {
		m.posteriors = append(m.posteriors, all[n*categories:(n+1)*categories:(n+1)*categories])
		m.items += p.items
		for _, c := range p.categories {
			m.isGiven[c] = true
		}
	}
	for range annotators {
		m.confusion = append(m.confusion, newMatrix(categories))
		m.logConfusion = append(m.logConfusion, newMatrix(categories))
		m.counts = append(m.counts, newMatrix(categories))
	}
	return m
}

func newMatrix(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	return rows
}

// expect sets the posteriors and returns the largest change. A point of the scale that no
// annotator ever gave is no true value: the answers say nothing about errors on it.
func (m *model) expect() (change float64) {
	logs, logPriors := make([]float64, m.categories), make([]float64, m.categories)
	for c, share := range m.prior {
		logPriors[c] = logPrior(share, m.isGiven[c])
	}
	for n, p := range m.patterns {
		copy(logs, logPriors)
		for i, g := range p.annotators {
			for c, row := range m.logConfusion[g] {
				logs[c] += row[p.categories[i]]
			}
		}
		change = max(change, exponentiate(logs, m.posteriors[n]))
	}
	return change
}

// logPrior returns the logarithm of a category's share.
func logPrior(share float64, isGiven bool) float64 {
	if !isGiven {
		return math.Inf(-1)
	}
	return math.Log(max(share, minProbability))
}

// exponentiate sets the probabilities of logarithms and returns the largest change.
func exponentiate(logs, probabilities []float64) (change float64) {
	highest, total := math.Inf(-1), 0.0
	for _, v := range logs {
		highest = max(highest, v)
	}
	for c, v := range logs {
		logs[c] = math.Exp(v - highest)
		total += logs[c]
	}
	for c, v := range logs {
		change = max(change, math.Abs(probabilities[c]-v/total))
		probabilities[c] = v / total
	}
	return change
}

// maximize sets the prior and the confusion matrices.
func (m *model) maximize() {
	clear(m.prior)
	for _, counts := range m.counts {
		for _, row := range counts {
			clear(row)
		}
	}
	for n, p := range m.patterns {
		for c, posterior := range m.posteriors[n] {
			m.prior[c] += p.items * posterior / m.items
			for i, g := range p.annotators {
				m.counts[g][c][p.categories[i]] += p.items * posterior
			}
		}
	}
	for g, counts := range m.counts {
		estimateConfusion(counts, m.confusion[g])
		for c, row := range m.confusion[g] {
			for k, p := range row {
				m.logConfusion[g][c][k] = math.Log(p)
			}
		}
	}
}

// evidenceBound returns crowd-kit's loss: the expected log-likelihood, with the prior once
// for each answer, and the entropy of the posteriors, per answer.
func (m *model) evidenceBound() float64 {
	sum, answers := 0.0, 0.0
	for g, counts := range m.counts {
		for c, row := range counts {
			priorLog := math.Log(max(m.prior[c], minProbability))
			for k, n := range row {
				if n > 0 {
					sum, answers = sum+n*(m.logConfusion[g][c][k]+priorLog), answers+n
				}
			}
		}
	}
	for n, p := range m.patterns {
		for _, q := range m.posteriors[n] {
			q = max(q, minProbability)
			sum -= p.items * q * math.Log(q)
		}
	}
	return sum / answers
}

// estimateConfusion sets each row to the shares of the counts. Categories that the
// annotator never used have probability 0.
func estimateConfusion(counts, confusion [][]float64) {
	for c, row := range counts {
		total := 0.0
		for k, n := range row {
			confusion[c][k] = 0
			if isUsed(counts, k) {
				confusion[c][k] = max(n, minProbability)
				total += confusion[c][k]
			}
		}
		for k := range row {
			confusion[c][k] /= total
		}
	}
}

func isUsed(counts [][]float64, given int) bool {
	for _, row := range counts {
		if row[given] > 0 {
			return true
		}
	}
	return false
}
