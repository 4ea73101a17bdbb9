package agreement

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An Pair is the agreement of two annotators on their shared items.
type Pair struct {
	First            string                `json:"first"`
	Second           string                `json:"second"`
	PercentAgreement study.AgreementFigure `json:"percent_agreement"`
	Kappa            study.AgreementFigure `json:"kappa"` // linear weights
	Confusion        [][]int               `json:"confusion"`
}

// maxPairsWithInterval is the number of pairs up to which each gets an interval and a
// confusion matrix. More would be slow and unreadable.
const maxPairsWithInterval = 66

// comparePairs compares every two annotators who share an item; of the pairs of more than 100 annotators, those
// who share most.
func comparePairs(s *study.Study, q study.FieldTable) []Pair {
	shared := stats.MostShared(q.Table.SharedPairs())
	pairs := make([]Pair, len(shared))
	if len(pairs) > maxPairsWithInterval {
		study.InBlocks(len(pairs), func(from, to int) {
			comparison := stats.NewPairComparison(q.Values, stats.Linear)
			for i := from; i < to; i++ {
				agreement, kappa := comparison.Compute(&shared[i])
				pairs[i] = Pair{First: shared[i].First, Second: shared[i].Second,
					PercentAgreement: figureWithoutInterval(stats.PercentAgreement(), agreement),
					Kappa:            figureWithoutInterval(stats.LightKappa(stats.Linear), kappa)}
			}
		})
		return pairs
	}
	study.InParallel(len(pairs), func(i int) {
		p, t := &pairs[i], shared[i].Table()
		p.First, p.Second = shared[i].First, shared[i].Second
		estimates := stats.ComputeEstimates(t, s.Options, stats.PercentAgreement(), stats.LightKappa(stats.Linear))
		estimates[1].SetPairReason()
		figures := study.FiguresFromEstimates(estimates)
		p.PercentAgreement, p.Kappa = figures[0], figures[1]
		p.Confusion = t.ConfusionMatrix(p.First, p.Second).Counts
	})
	return pairs
}

func figureWithoutInterval(m stats.Measure, f stats.PointEstimate) study.AgreementFigure {
	e := stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, PointEstimate: f,
		Interval: stats.Interval{Undefined: stats.Reason{Code: study.ManyPairs}}}
	e.SetPairReason()
	return study.NewFigure(e)
}

// countConfusion counts the answers of every two annotators to the same item, in both directions.
func countConfusion(q study.FieldTable) [][]int {
	counts := q.NewMatrix()
	for item := range q.Table.ByItem() {
		for i, a := range item.Categories {
			for j, b := range item.Categories {
				if i != j {
					counts[a][b]++
				}
			}
		}
	}
	return counts
}
