package report

import "github.com/labelwright/labelwright/internal/stats"

// minAdjudicatedItems is the number of adjudicated items that a comparison needs.
const minAdjudicatedItems = 10

// An AdjudicationComparison compares an annotator's answers to a field with the
// decisions. Adjudicated items are mostly disagreements, and the adjudicator saw
// the answers, so it does not measure quality.
type AdjudicationComparison struct {
	Items            int     `json:"items"`             // adjudicated, with an answer of the annotator
	MinItems         int     `json:"min_items"`         // below it the rest is missing
	PercentAgreement Number  `json:"percent_agreement"` // share of answers equal to the decision
	Confusion        [][]int `json:"confusion"`         // decision by answer, in scale order; null for too few items
}

func (s *study) compareWithAdjudication(name string, q fieldTable) AdjudicationComparison {
	comparison, matches, counts := AdjudicationComparison{MinItems: minAdjudicatedItems}, 0, q.newMatrix()
	if len(s.Adjudicated) == 0 {
		comparison.PercentAgreement = missingNumber(FewAdjudicatedItems)
		return comparison
	}
	for _, label := range q.answered(s.labelsOf(name)) {
		decision, isAdjudicated := s.Adjudicated[s.items[s.work.item[label]].ID][q.Key]
		if !isAdjudicated {
			continue
		}
		row, _ := q.scale.Index(decision)
		counts[row][q.points[label]]++
		comparison.Items, matches = comparison.Items+1, matches+boolToInt(decision == q.value(label))
	}
	if comparison.Items < minAdjudicatedItems {
		comparison.PercentAgreement = missingNumber(FewAdjudicatedItems)
		return comparison
	}
	comparison.PercentAgreement, comparison.Confusion = numberFromShare(stats.NewProportion(matches, comparison.Items)), counts
	return comparison
}
