package report

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// minAdjudicatedItems is the number of adjudicated items that a comparison needs.
const minAdjudicatedItems = 10

// An AdjudicationComparison compares an annotator's answers to a field with the
// decisions. Adjudicated items are mostly disagreements, and the adjudicator saw
// the answers, so it does not measure quality.
type AdjudicationComparison struct {
	Items            int          `json:"items"`             // adjudicated, with an answer of the annotator
	MinItems         int          `json:"min_items"`         // below it the rest is missing
	PercentAgreement study.Number `json:"percent_agreement"` // share of answers equal to the decision
	// decision by answer, in scale order; null for too few items
	Confusion [][]int `json:"confusion"`
}

func (s *builder) compareWithAdjudication(name string, q fieldTable) AdjudicationComparison {
	comparison, matches, counts := AdjudicationComparison{MinItems: minAdjudicatedItems}, 0, q.NewMatrix()
	if len(s.Adjudicated) == 0 {
		comparison.PercentAgreement = study.MissingNumber(study.FewAdjudicatedItems)
		return comparison
	}
	for _, label := range q.Answered(s.LabelsOf(name)) {
		decision, isAdjudicated := s.Adjudicated[s.AllItems[s.Work.Item[label]].ID][q.Key]
		if !isAdjudicated {
			continue
		}
		row, _ := q.Values.Index(decision)
		counts[row][q.Points[label]]++
		comparison.Items, matches = comparison.Items+1, matches+study.BoolToInt(decision == q.ValueOf(label))
	}
	if comparison.Items < minAdjudicatedItems {
		comparison.PercentAgreement = study.MissingNumber(study.FewAdjudicatedItems)
		return comparison
	}
	comparison.PercentAgreement, comparison.Confusion = study.NumberFromShare(stats.NewProportion(matches,
		comparison.Items)), counts
	return comparison
}
