package report

import "github.com/labelwright/labelwright/internal/stats"

// minAdjudicatedItems is on how many adjudicated items an annotator's answers to a field
// are set beside the decisions.
const minAdjudicatedItems = 10

// A AdjudicationComparison is one annotator's answers to a field beside what leads settled. Items
// are adjudicated because people differed on them, as a rule, and the lead saw the
// answers: it says where answers went, not how good they are.
type AdjudicationComparison struct {
	Items            int     `json:"items"`     // adjudicated, that the annotator had answered
	MinItems         int     `json:"needs"`     // items before the rest is given
	PercentAgreement Number  `json:"equal"`     // share of answers that were settled on
	Confusion        [][]int `json:"confusion"` // by what was settled, then by the answer, in scale order; null of too few
}

func (s *study) compareWithAdjudication(name string, q fieldTable) AdjudicationComparison {
	comparison, matches := AdjudicationComparison{MinItems: minAdjudicatedItems}, 0
	counts := make([][]int, len(q.scale))
	for i := range counts {
		counts[i] = make([]int, len(q.scale))
	}
	for _, l := range s.labelsByAnnotator[name] {
		label := s.workLabels[l]
		adjudicated, isAdjudicated := s.Adjudicated[label.ItemID][q.Key]
		answer, answered := label.Values[q.Key]
		if !isAdjudicated || !answered {
			continue
		}
		row, _ := q.scale.Index(adjudicated)
		column, _ := q.scale.Index(answer)
		counts[row][column]++
		comparison.Items, matches = comparison.Items+1, matches+boolToInt(adjudicated == answer)
	}
	if comparison.Items < minAdjudicatedItems {
		comparison.PercentAgreement = newNumber(0, "too few adjudicated items", stats.Interval{})
		return comparison
	}
	comparison.PercentAgreement, comparison.Confusion = numberFromShare(stats.NewProportion(matches, comparison.Items)), counts
	return comparison
}
