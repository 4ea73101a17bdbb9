package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A ConsensusCount is the number of items whose consensus comes from a method.
type ConsensusCount struct {
	Method stats.ConsensusMethod `json:"method"`
	Items  int                   `json:"items"`
}

// ConsensusMethods are the methods in the order of reports, and by which items can be listed.
var ConsensusMethods = []stats.ConsensusMethod{stats.Adjudicated, stats.Majority, stats.MedianAnswer,
	stats.TieRuled, stats.Tie}

// A fieldConsensus is the consensus on a field, by item.
type fieldConsensus struct {
	rules  []ruleAnswer // of equal labels one; the first is that of an item without labels
	ruleOf []int32      // item → place in rules
	// decided has the adjudicated values, by item.
	decided map[int32]int
}

// A ruleAnswer is the consensus on some labels.
type ruleAnswer struct {
	stats.ItemConsensus
	chance answerChance
}

// method returns the method of the consensus on an item; empty without labels.
func (c *fieldConsensus) method(item int32) stats.ConsensusMethod {
	if _, isDecided := c.decided[item]; isDecided {
		return stats.Adjudicated
	}
	return c.rules[c.ruleOf[item]].Method
}

// findConsensus sets the consensus on all fields.
func (s *builder) findConsensus() {
	for i := range s.fields {
		q := &s.fields[i]
		q.consensus = s.applyRule(*q)
		for id, decision := range s.Adjudicated {
			item, isKnown := s.NumberOf[id]
			if value, ok := decision[q.Key]; ok && isKnown && q.consensus.ruleOf[item] > 0 {
				q.consensus.decided[item] = value
			}
		}
	}
}

// applyRule returns the consensus without decisions.
func (s *builder) applyRule(q fieldTable) fieldConsensus {
	c := fieldConsensus{rules: []ruleAnswer{{chance: answerShares(q, stats.ItemConsensus{}, nil)}},
		ruleOf: make([]int32, len(s.AllItems)), decided: map[int32]int{}}
	known, row := map[string]int32{}, 0
	for item := range q.Table.ByItem() {
		n, seen := known[string(item.Categories)]
		if !seen {
			values := make([]int, len(item.Categories))
			for i, point := range item.Categories {
				values[i] = q.Values[point]
			}
			found := project.FindConsensus(q.Field, s.TieRule, values, nil)
			n = int32(len(c.rules))
			known[string(item.Categories)] = n
			c.rules = append(c.rules, ruleAnswer{found, answerShares(q, found, values)})
		}
		c.ruleOf[q.Items[row]] = n
		row++
	}
	return c
}

func (s *builder) countMethods(q fieldTable) []ConsensusCount {
	items := map[stats.ConsensusMethod]int{}
	for item := range s.AllItems {
		items[q.consensus.method(int32(item))]++
	}
	counts := make([]ConsensusCount, len(ConsensusMethods))
	for i, method := range ConsensusMethods {
		counts[i] = ConsensusCount{method, items[method]}
	}
	return counts
}

// A chanceFunc returns what the answer to a field of an item can be; false without one.
type chanceFunc func(item int32, q *fieldTable) (answerChance, bool)
