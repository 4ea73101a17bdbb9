package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A ConsensusResult is what people settled on for one field of an item, or what they
// are tied between.
type ConsensusResult struct {
	ItemID      project.ItemID        `json:"-"`
	Item        string                `json:"item"`
	Field       string                `json:"field"`
	Method      stats.ConsensusMethod `json:"how"`
	Value       *int                  `json:"value"`   // null where tied
	TiedValues  []int                 `json:"between"` // the answers of a tie
	AnswerCount int                   `json:"answers"`
}

// A FieldDisagreement is a field of an item on which answers differ.
type FieldDisagreement struct {
	ItemID       project.ItemID `json:"-"`
	Item         string         `json:"item"`
	Field        string         `json:"field"`
	MeanDistance float64        `json:"apart"`  // mean distance of two answers, as a share of the scale
	MaxDistance  int            `json:"widest"` // between the two furthest apart, in points
	Answers      []FieldAnswer  `json:"answers"`
}

// An FieldAnswer is what one annotator said.
type FieldAnswer struct {
	Annotator string `json:"annotator"`
	Value     int    `json:"value"`
}

// Adjudicated is how an item is settled that a lead decided.
const Adjudicated stats.ConsensusMethod = "adjudicated"

// consensusMethods in the order they are reported.
var consensusMethods = []stats.ConsensusMethod{Adjudicated, stats.Unanimous, stats.Majority, stats.MedianAnswer, stats.Tie, stats.SingleAnswer}

// computeConsensus finds the one answer of every item in every field: a lead's, else the
// consensus.
func (s *study) computeConsensus() {
	for _, q := range s.fields {
		for _, c := range q.table.ConsensusByItem(q.isOrdered()) {
			item := s.itemsBySource[c.Item]
			if adjudicated, ok := s.Adjudicated[item.ID][q.Key]; ok {
				c.Method, c.Value, c.TiedValues = Adjudicated, adjudicated, nil
			}
			result := ConsensusResult{ItemID: item.ID, Item: c.Item, Field: q.Key, Method: c.Method, TiedValues: c.TiedValues, AnswerCount: c.AnswerCount}
			if c.Method != stats.Tie {
				value := c.Value // on its own, so that the rest of c is let go of
				result.Value = &value
				if s.consensusValues[item.ID] == nil {
					s.consensusValues[item.ID], s.consensusMethod[item.ID] = map[string]int{}, map[string]stats.ConsensusMethod{}
				}
				s.consensusValues[item.ID][q.Key], s.consensusMethod[item.ID][q.Key] = c.Value, c.Method
			}
			s.consensus = append(s.consensus, result)
		}
	}
}

func (s *study) countConsensus(q fieldTable) []ConsensusCount {
	counts := make([]ConsensusCount, len(consensusMethods))
	for i, method := range consensusMethods {
		counts[i].Method = method
	}
	for _, c := range s.consensus {
		if c.Field == q.Key {
			counts[slices.Index(consensusMethods, c.Method)].Items++
		}
	}
	return counts
}

// findDisagreements returns every answer on which people differ, the worst first.
func (s *study) findDisagreements() []FieldDisagreement {
	found := []FieldDisagreement{}
	for _, q := range s.fields {
		for _, d := range q.table.Disagreements() {
			disagreement := FieldDisagreement{ItemID: s.itemsBySource[d.Item].ID, Item: d.Item, Field: q.Key, MeanDistance: d.MeanDistance, MaxDistance: d.MaxDistance}
			for _, a := range d.Answers {
				disagreement.Answers = append(disagreement.Answers, FieldAnswer(a))
			}
			found = append(found, disagreement)
		}
	}
	slices.SortStableFunc(found, func(a, b FieldDisagreement) int {
		return cmp.Or(cmp.Compare(b.MeanDistance, a.MeanDistance), cmp.Compare(a.Item, b.Item))
	})
	return found
}
