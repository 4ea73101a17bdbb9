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
	shared := s.findSharingPairs(q.Key)
	names, pairs := q.table.Annotators(), []AnnotatorPair{}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if shared[[2]string{a, b}] {
				pairs = append(pairs, AnnotatorPair{First: a, Second: b})
			}
		}
	}
	measures := []stats.Measure{stats.PercentAgreement(), stats.LightKappa(stats.Linear)}
	for i := range pairs {
		p := &pairs[i]
		t := q.table.Pair(p.First, p.Second)
		if len(pairs) <= maxPairsWithInterval {
			figures := figuresFromEstimates(stats.ComputeEstimates(t, s.options, measures...))
			p.PercentAgreement, p.Kappa = figures[0], figures[1]
			p.Confusion = q.table.ConfusionMatrix(p.First, p.Second).Counts
			continue
		}
		p.PercentAgreement, p.Kappa = figureWithoutInterval(t, measures[0]), figureWithoutInterval(t, measures[1])
	}
	return pairs
}

func figureWithoutInterval(t stats.RatingTable, m stats.Measure) AgreementFigure {
	f := figureFromEstimate(stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, PointEstimate: m.Compute(t),
		Interval: stats.Interval{Undefined: stats.Reason{Code: ManyPairs}}})
	if f.Value != nil {
		f.IntervalNote = reasonText(ManyPairs)
	}
	return f
}

// findSharingPairs returns the pairs of annotators, each in order of name, who share an item.
func (s *study) findSharingPairs(field string) map[[2]string]bool {
	shared := map[[2]string]bool{}
	for _, labels := range s.byItem {
		list := answered(labels, field)
		for i, a := range list {
			for _, b := range list[i+1:] {
				shared[[2]string{min(a.Annotator, b.Annotator), max(a.Annotator, b.Annotator)}] = true
			}
		}
	}
	return shared
}

// countConfusion counts the answers of every two annotators to the same item, in both directions.
func (s *study) countConfusion(q fieldTable) [][]int {
	counts := q.newMatrix()
	for id := range s.byItem {
		values := s.answersTo(id, q.Key)
		for i, first := range values {
			for j, second := range values {
				if i != j {
					a, _ := q.scale.Index(first)
					b, _ := q.scale.Index(second)
					counts[a][b]++
				}
			}
		}
	}
	return counts
}
