package report

import "github.com/labelwright/labelwright/internal/stats"

// An AnnotatorPair is the agreement of two annotators on their shared items.
type AnnotatorPair struct {
	First            string          `json:"first"`
	Second           string          `json:"second"`
	PercentAgreement AgreementFigure `json:"percent_agreement"`
	Kappa            AgreementFigure `json:"kappa"` // linear weights
	Confusion        [][]int         `json:"confusion"`
}

// maxPairsWithInterval is the number of pairs up to which each gets an interval and a
// confusion matrix. More would be slow and unreadable.
const maxPairsWithInterval = 66

// comparePairs compares every two annotators who share an item.
func (s *study) comparePairs(q fieldTable) []AnnotatorPair {
	pairs, tables := []AnnotatorPair{}, q.table.SharedPairs()
	for _, t := range tables {
		pairs = append(pairs, AnnotatorPair{First: t.First, Second: t.Second})
	}
	measures := []stats.Measure{stats.PercentAgreement(), stats.LightKappa(stats.Linear)}
	inParallel(len(pairs), func(i int) {
		p, t := &pairs[i], tables[i].Table()
		if len(pairs) <= maxPairsWithInterval {
			estimates := stats.ComputeEstimates(t, s.options, measures...)
			estimates[1].SetPairReason()
			figures := figuresFromEstimates(estimates)
			p.PercentAgreement, p.Kappa = figures[0], figures[1]
			p.Confusion = t.ConfusionMatrix(p.First, p.Second).Counts
			return
		}
		p.PercentAgreement, p.Kappa = figureWithoutInterval(t, measures[0]), figureWithoutInterval(t, measures[1])
	})
	return pairs
}

func figureWithoutInterval(t stats.RatingTable, m stats.Measure) AgreementFigure {
	e := stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, PointEstimate: m.Compute(t), Interval: stats.Interval{Undefined: stats.Reason{Code: ManyPairs}}}
	e.SetPairReason()
	f := figureFromEstimate(e)
	if f.Value != nil {
		f.IntervalNote = reasonText(ManyPairs)
	}
	return f
}

// countConfusion counts the answers of every two annotators to the same item, in both directions.
func (s *study) countConfusion(q fieldTable) [][]int { return countPairs(q, q.table) }
