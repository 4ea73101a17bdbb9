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
	for _, label := range answered(s.byAnnotator[name], q.Key) {
		decision, isAdjudicated := s.Adjudicated[label.ItemID][q.Key]
		if !isAdjudicated {
			continue
		}
		answer := label.Values[q.Key]
		row, _ := q.scale.Index(decision)
		column, _ := q.scale.Index(answer)
		counts[row][column]++
		comparison.Items, matches = comparison.Items+1, matches+boolToInt(decision == answer)
	}
	if comparison.Items < minAdjudicatedItems {
		comparison.PercentAgreement = missingNumber(FewAdjudicatedItems)
		return comparison
	}
	comparison.PercentAgreement, comparison.Confusion = numberFromShare(stats.NewProportion(matches, comparison.Items)), counts
	return comparison
}
