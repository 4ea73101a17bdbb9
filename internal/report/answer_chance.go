package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An answerChance is what the answer to a field of an item can be: the decision or the answer
// of a majority, else every answer that was given, by its share.
type answerChance struct {
	probability []float64 // by point of the scale
	isPossible  []bool    // by point of the scale: ties allow it
	isTied      bool      // no majority
}

// answerChance returns the chances of the answer to a field; false without an answer.
func (s *builder) answerChance(item int32, q *fieldTable) (answerChance, bool) {
	if value, isDecided := q.consensus.decided[item]; isDecided {
		return certainAnswer(*q, value), true
	}
	return q.consensus.rules[q.consensus.ruleOf[item]].chance, q.consensus.ruleOf[item] > 0
}

// certainAnswer is the chance of an answer that is known.
func certainAnswer(q fieldTable, value int) answerChance {
	c := answerChance{make([]float64, len(q.Values)), make([]bool, len(q.Values)), false}
	index, _ := q.Values.Index(value)
	c.probability[index], c.isPossible[index] = 1, true
	return c
}

// answerShares returns the answer of a majority of the values, else all by their shares: the middle one of a median is
// not that
// of a majority.
func answerShares(q fieldTable, found stats.ItemConsensus, values []int) answerChance {
	if found.Method == stats.Majority {
		return certainAnswer(q, found.Value)
	}
	c := answerChance{make([]float64, len(q.Values)), make([]bool, len(q.Values)), true}
	for _, v := range values {
		index, _ := q.Values.Index(v)
		c.probability[index] += 1 / float64(len(values))
		c.isPossible[index] = true
	}
	return c
}

// isTied reports whether the answers to a field have no majority and no decision.
func (s *builder) isTied(item int32, q *fieldTable) bool {
	c, _ := s.answerChance(item, q)
	return c.isTied
}

// yes returns the chance of 1 on a field with the points 0 and 1.
func (c answerChance) yes() stats.Expected {
	return c.oneOf(func(index int) bool { return index == 1 })
}

// oneOf returns the chance that the answer is one of the points to include.
func (c answerChance) oneOf(include func(index int) bool) stats.Expected {
	e := stats.Expected{Low: 1}
	for index, p := range c.probability {
		switch {
		case include(index):
			e.Value += p
			e.High = max(e.High, boolToFloat(c.isPossible[index]))
		case c.isPossible[index]:
			e.Low = 0
		}
	}
	return e
}

func (s *builder) field(key string) *fieldTable { return &s.fields[s.fieldIndex(key)] }

func (s *builder) fieldIndex(key string) int {
	return slices.IndexFunc(s.fields, func(q fieldTable) bool { return q.Key == key })
}

func boolToFloat(value bool) float64 { return float64(study.BoolToInt(value)) }
