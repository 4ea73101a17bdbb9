package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A ConsensusResult is the one answer to a field of an item, or the values it is tied between.
type ConsensusResult struct {
	ItemID      project.ItemID        `json:"-"`
	Item        string                `json:"item"`
	Field       string                `json:"field"`
	Method      stats.ConsensusMethod `json:"method"`
	Value       *int                  `json:"value"` // null for a tie
	TiedValues  []int                 `json:"tied_values"`
	AnswerCount int                   `json:"answer_count"`
}

// A ConsensusCount is the number of items whose consensus comes from a method.
type ConsensusCount struct {
	Method stats.ConsensusMethod `json:"method"`
	Items  int                   `json:"items"`
}

// Adjudicated is the method of an answer that an adjudicator decided.
const Adjudicated stats.ConsensusMethod = "adjudicated"

// ConsensusMethods are the methods in the order of reports.
var ConsensusMethods = []stats.ConsensusMethod{Adjudicated, stats.Unanimous, stats.Majority, stats.MedianAnswer, stats.Tie, stats.SingleAnswer}

// ComputeConsensus returns the consensus for each item and field with an answer.
func ComputeConsensus(d Data) ([]ConsensusResult, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	return s.consensus.results, nil
}

// A resolvedAnswer is a consensus that is not a tie.
type resolvedAnswer struct {
	value  int
	method stats.ConsensusMethod
}

// A consensusIndex finds the consensus by item and field.
type consensusIndex struct {
	results  []ConsensusResult
	resolved map[project.ItemID]map[string]resolvedAnswer
}

// newConsensusIndex takes the adjudicated answer of an item if there is one, else the consensus of its answers.
func newConsensusIndex(s *study) consensusIndex {
	x := consensusIndex{resolved: map[project.ItemID]map[string]resolvedAnswer{}}
	for _, q := range s.fields {
		for _, c := range q.table.ConsensusByItem(q.isOrdered()) {
			item := s.itemsBySource[c.Item]
			if decision, ok := s.Adjudicated[item.ID][q.Key]; ok {
				c.Method, c.Value, c.TiedValues = Adjudicated, decision, nil
			}
			x.add(item, q.Key, c)
		}
	}
	return x
}

func (x *consensusIndex) add(item *ItemData, field string, c stats.ItemConsensus) {
	result := ConsensusResult{ItemID: item.ID, Item: c.Item, Field: field, Method: c.Method, TiedValues: c.TiedValues, AnswerCount: c.AnswerCount}
	if c.Method != stats.Tie {
		value := c.Value // a copy, so that the rest of c can be freed
		result.Value = &value
		if x.resolved[item.ID] == nil {
			x.resolved[item.ID] = map[string]resolvedAnswer{}
		}
		x.resolved[item.ID][field] = resolvedAnswer{c.Value, c.Method}
	}
	x.results = append(x.results, result)
}

// is reports whether the consensus for a field of an item is value.
func (x *consensusIndex) is(item project.ItemID, field string, value int) bool {
	answer, ok := x.resolved[item][field]
	return ok && answer.value == value
}

func (x *consensusIndex) countMethods(field string) []ConsensusCount {
	counts := make([]ConsensusCount, len(ConsensusMethods))
	for i, method := range ConsensusMethods {
		counts[i].Method = method
	}
	for _, c := range x.results {
		if c.Field == field {
			counts[slices.Index(ConsensusMethods, c.Method)].Items++
		}
	}
	return counts
}
