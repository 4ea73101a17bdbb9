package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
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
	Posterior   []float64             `json:"posterior,omitempty"` // probability of each point of the scale, with a model
	Verdicts    map[string]bool       `json:"verdicts,omitempty"`  // of the item, derived; without those that depend on a tie
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

// FilterMethods are the methods by which items can be listed.
var FilterMethods = append(slices.Clone(ConsensusMethods), stats.LowerOfTie, stats.HigherOfTie)

// ComputeConsensus returns the consensus for each item and field with an answer.
func ComputeConsensus(d Data) ([]ConsensusResult, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return nil, err
	}
	s.consensus.addVerdicts(s)
	return s.consensus.results, nil
}

// A resolvedAnswer is a consensus that is not a tie.
type resolvedAnswer struct {
	value  int
	method stats.ConsensusMethod
}

// A consensusIndex finds the consensus by item and field.
type consensusIndex struct {
	results    []ConsensusResult
	resolved   map[project.ItemID]map[string]resolvedAnswer
	posteriors map[project.ItemID]map[string][]float64 // with a model
	models     map[string]*ConsensusModel              // by field, with a model
}

// newConsensusIndex takes the adjudicated answer of an item if there is one, else the
// consensus of its answers, by the rule that suits the scale or by a model.
func newConsensusIndex(s *study, method consensus.Method) consensusIndex {
	x := consensusIndex{resolved: map[project.ItemID]map[string]resolvedAnswer{}}
	for _, q := range s.fields {
		list := q.table.ConsensusByItem(s.consensusRule(q))
		if method != "" {
			x.fitModel(s, q, method, list)
		}
		for _, c := range list {
			item := s.itemsBySource[c.Item]
			if decision, ok := s.Adjudicated[item.ID][q.Key]; ok {
				c.Method, c.Value, c.TiedValues = Adjudicated, decision, nil
			}
			x.add(item, q.Key, c)
		}
	}
	return x
}

// consensusRule returns the rule of a field without a model.
func (s *study) consensusRule(q fieldTable) stats.ConsensusRule {
	return stats.NewConsensusRule(q.scale, stats.TieRule(s.Protocol.Ties))
}

func (x *consensusIndex) add(item *ItemData, field string, c stats.ItemConsensus) {
	result := ConsensusResult{ItemID: item.ID, Item: c.Item, Field: field, Method: c.Method, TiedValues: c.TiedValues, AnswerCount: c.AnswerCount, Posterior: x.posteriors[item.ID][field]}
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

// addVerdicts adds the verdicts that follow from the consensus, whatever becomes of its ties.
func (x *consensusIndex) addVerdicts(s *study) {
	if len(s.Protocol.Verdicts) == 0 {
		return
	}
	verdicts := map[project.ItemID]map[string]bool{}
	for i, c := range x.results {
		if verdicts[c.ItemID] == nil {
			verdicts[c.ItemID] = s.certainVerdicts(s.itemsByID[c.ItemID])
		}
		x.results[i].Verdicts = verdicts[c.ItemID]
	}
}

// certainVerdicts returns whether an item meets each verdict, without those that are open.
func (s *study) certainVerdicts(item *ItemData) map[string]bool {
	certain := map[string]bool{}
	for _, rule := range s.Protocol.Verdicts {
		unit, _ := s.verdictChance(item, rule, s.consensusChance)
		if unit.Low == unit.High {
			certain[rule.Key] = unit.Low == 1
		}
	}
	return certain
}

// consensusChance is the consensus, or any of the tied values.
func (s *study) consensusChance(item project.ItemID, q fieldTable) (answerChance, bool) {
	answer, ok := s.consensus.resolved[item][q.Key]
	if !ok {
		return s.answerChance(item, q)
	}
	return certainAnswer(q, answer.value), true
}

// is reports whether the consensus for a field of an item is value.
func (x *consensusIndex) is(item project.ItemID, field string, value int) bool {
	answer, ok := x.resolved[item][field]
	return ok && answer.value == value
}

// consensusMethods returns the methods that the study can give, in the order of reports.
func (s *study) consensusMethods() []stats.ConsensusMethod {
	methods := slices.Clone(ConsensusMethods)
	switch stats.TieRule(s.Protocol.Ties) {
	case stats.LowerValue:
		methods = append(methods, stats.LowerOfTie)
	case stats.HigherValue:
		methods = append(methods, stats.HigherOfTie)
	}
	if len(s.consensus.models) > 0 {
		methods = append(methods, stats.DawidSkene, stats.DawidSkeneOrdinal)
	}
	return methods
}

// countMethods counts the items by method.
func (s *study) countMethods(field string) []ConsensusCount {
	methods := s.consensusMethods()
	counts := make([]ConsensusCount, len(methods))
	for i, method := range methods {
		counts[i].Method = method
	}
	for _, c := range s.consensus.results {
		if c.Field == field {
			counts[slices.Index(methods, c.Method)].Items++
		}
	}
	return counts
}

// A chanceFunc returns what the answer to a field of an item can be; false without one.
type chanceFunc func(project.ItemID, fieldTable) (answerChance, bool)
