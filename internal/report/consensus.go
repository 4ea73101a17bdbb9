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
	s.addVerdicts()
	return slices.Collect(s.listConsensus().All()), nil
}

// methodCodes are the methods as they are kept for a million items. The first is that of an item
// without an answer.
var methodCodes = []stats.ConsensusMethod{"", Adjudicated, stats.Unanimous, stats.Majority, stats.MedianAnswer, stats.Tie, stats.SingleAnswer, stats.Plurality,
	stats.LowerOfTie, stats.HigherOfTie, stats.DawidSkene, stats.DawidSkeneOrdinal}

func codeOf(m stats.ConsensusMethod) uint8 { return uint8(slices.Index(methodCodes, m)) }

// A fieldConsensus is the consensus on a field, by item.
type fieldConsensus struct {
	rules   []ruleAnswer // of equal answers one; the first is that of an item without an answer
	ruleOf  []int32      // item → place in rules
	methods []uint8      // codes
	values  []int8
	fitted  *fittedConsensus // nil without a model
}

// A ruleAnswer is the consensus on some answers by the rule that suits the scale.
type ruleAnswer struct {
	method uint8 // code
	value  int8
	chance answerChance
}

// A fittedConsensus is what a model adds to the consensus on a field. Items with the same answers
// of the same annotators are one pattern.
type fittedConsensus struct {
	patternOf  []int32     // item → pattern; −1 without an answer
	posteriors [][]float64 // by pattern
	tied       [][]int     // by pattern; nil without a tie
	joint      *jointFit   // nil for a field with a model of its own
}

// A jointFit is the model of fields that rules tie to each other.
type jointFit struct {
	modeledFields
	posteriors [][]float64 // of the combinations, by pattern
}

// method returns the method of the consensus on an item; empty without an answer.
func (c *fieldConsensus) method(item int32) stats.ConsensusMethod {
	return methodCodes[c.methods[item]]
}

// resolved returns the consensus on an item; false without an answer and for a tie.
func (c *fieldConsensus) resolved(item int32) (value int, method stats.ConsensusMethod, ok bool) {
	method = c.method(item)
	return int(c.values[item]), method, method != "" && method != stats.Tie
}

// posterior returns the probabilities of the points by a model; nil without one.
func (c *fieldConsensus) posterior(item int32) []float64 {
	if c.fitted == nil || c.fitted.patternOf[item] < 0 {
		return nil
	}
	return c.fitted.posteriors[c.fitted.patternOf[item]]
}

// tiedValues returns the values between which a model has a tie.
func (c *fittedConsensus) tiedValues(item int32) []int {
	if c.patternOf[item] < 0 {
		return nil
	}
	return c.tied[c.patternOf[item]]
}

// A consensusIndex is what the consensus on all fields has in common.
type consensusIndex struct {
	study    *study
	models   map[string]*ConsensusModel // by field; nil unless models are asked for
	fits     []groupFit
	verdicts []map[string]bool // by item; see addVerdicts
}

// newConsensusIndex takes the adjudicated answer of an item if there is one, else the
// consensus of its answers, by the rule that suits the scale or by a model.
func newConsensusIndex(s *study, method consensus.Method) (consensusIndex, error) {
	x := consensusIndex{study: s}
	for i := range s.fields {
		q := &s.fields[i]
		q.consensus = s.applyRule(*q)
	}
	if method != "" {
		if err := x.fitModels(method); err != nil {
			return x, err
		}
	}
	for i := range s.fields {
		q := &s.fields[i]
		for id, decision := range s.Adjudicated {
			item, isKnown := s.numberOf[id]
			if value, ok := decision[q.Key]; ok && isKnown && q.consensus.methods[item] != 0 {
				q.consensus.methods[item], q.consensus.values[item] = codeOf(Adjudicated), int8(value)
			}
		}
	}
	return x, nil
}

// applyRule returns the consensus by the rule that suits the scale.
func (s *study) applyRule(q fieldTable) fieldConsensus {
	c := fieldConsensus{rules: []ruleAnswer{{chance: s.answerShares(q, nil)}}, ruleOf: make([]int32, len(s.items)),
		methods: make([]uint8, len(s.items)), values: make([]int8, len(s.items))}
	known, rule, row := map[string]int32{}, s.consensusRule(q), 0
	for item := range q.table.ByItem() {
		n, seen := known[string(item.Categories)]
		if !seen {
			values := make([]int, len(item.Categories))
			for i, point := range item.Categories {
				values[i] = q.scale[point]
			}
			found := rule.Find(values)
			n = int32(len(c.rules))
			known[string(item.Categories)] = n
			c.rules = append(c.rules, ruleAnswer{codeOf(found.Method), int8(found.Value), s.answerShares(q, values)})
		}
		number := q.items[row]
		c.ruleOf[number], c.methods[number], c.values[number] = n, c.rules[n].method, c.rules[n].value
		row++
	}
	return c
}

// consensusRule returns the rule of a field without a model.
func (s *study) consensusRule(q fieldTable) stats.ConsensusRule {
	return stats.NewConsensusRule(q.scale, stats.TieRule(s.Protocol.Ties))
}

// listConsensus returns the consensus for each item and field with an answer, by field.
func (s *study) listConsensus() List[ConsensusResult] {
	total := 0
	for _, q := range s.fields {
		total += len(q.items)
	}
	if total == 0 {
		return List[ConsensusResult]{}
	}
	return List[ConsensusResult]{total, func(i int) ConsensusResult {
		field := 0
		for ; i >= len(s.fields[field].items); field++ {
			i -= len(s.fields[field].items)
		}
		return s.consensusResult(s.fields[field], s.fields[field].items[i])
	}}
}

func (s *study) consensusResult(q fieldTable, item int32) ConsensusResult {
	answers := s.answersTo(item, q)
	r := ConsensusResult{ItemID: s.items[item].ID, Item: s.items[item].SourceID, Field: q.Key, Method: q.consensus.method(item),
		AnswerCount: len(answers), Posterior: q.consensus.posterior(item)}
	r.TiedValues = s.tiedValues(item, q)
	if value, _, ok := q.consensus.resolved(item); ok {
		r.Value = &value
	}
	if s.consensus.verdicts != nil {
		r.Verdicts = s.consensus.verdicts[item]
	}
	return r
}

// addVerdicts adds the verdicts that follow from the consensus, whatever becomes of its ties.
// Items with equal verdicts share them.
func (s *study) addVerdicts() {
	if len(s.Protocol.Verdicts) == 0 {
		return
	}
	verdicts, known := make([]map[string]bool, len(s.items)), map[string]map[string]bool{}
	for _, item := range s.labeled {
		key := s.certainVerdicts(item)
		if known[string(key)] == nil {
			known[string(key)] = map[string]bool{}
			for i, rule := range s.Protocol.Verdicts {
				if key[i] != isOpen {
					known[string(key)][rule.Key] = key[i] == isMet
				}
			}
		}
		verdicts[item] = known[string(key)]
	}
	s.consensus.verdicts = verdicts
}

const (
	isMet    = '1'
	isNotMet = '0'
	isOpen   = '-'
)

// certainVerdicts returns for each verdict whether an item meets it, or that this is open.
func (s *study) certainVerdicts(item int32) []byte {
	certain := make([]byte, len(s.Protocol.Verdicts))
	for i, rule := range s.Protocol.Verdicts {
		switch unit, _ := s.verdictChance(item, rule, s.consensusChance); {
		case unit.Low != unit.High:
			certain[i] = isOpen
		case unit.Low == 1:
			certain[i] = isMet
		default:
			certain[i] = isNotMet
		}
	}
	return certain
}

// consensusChance is the consensus, or any of the tied values.
func (s *study) consensusChance(item int32, q *fieldTable) (answerChance, bool) {
	if value, _, ok := q.consensus.resolved(item); ok {
		return certainAnswer(*q, value), true
	}
	c, ok := s.answerChance(item, q)
	c.isPossible = make([]bool, len(q.scale))
	for _, value := range s.tiedValues(item, *q) {
		index, _ := q.scale.Index(value)
		c.isPossible[index] = true
	}
	return c, ok
}

// tiedValues returns the values between which the consensus on an item is tied; those that the protocol's tie rule has
// decided, too.
func (s *study) tiedValues(item int32, q fieldTable) []int {
	switch method := q.consensus.method(item); {
	case method == Adjudicated:
	case q.consensus.fitted != nil:
		return q.consensus.fitted.tiedValues(item)
	case method == stats.Tie, method == stats.LowerOfTie, method == stats.HigherOfTie:
		return s.consensusRule(q).Find(s.answersTo(item, q)).TiedValues
	}
	return nil
}

// is reports whether the consensus for a field of an item is value.
func (x *consensusIndex) is(id project.ItemID, field string, value int) bool {
	item, isKnown := x.study.numberOf[id]
	if !isKnown {
		return false
	}
	q := x.study.field(field)
	answer, _, ok := q.consensus.resolved(item)
	return ok && answer == value
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
func (s *study) countMethods(q fieldTable) []ConsensusCount {
	byCode := make([]int, len(methodCodes))
	for _, code := range q.consensus.methods {
		byCode[code]++
	}
	methods := s.consensusMethods()
	counts := make([]ConsensusCount, len(methods))
	for i, method := range methods {
		counts[i] = ConsensusCount{method, byCode[codeOf(method)]}
	}
	return counts
}

// A chanceFunc returns what the answer to a field of an item can be; false without one.
type chanceFunc func(item int32, q *fieldTable) (answerChance, bool)
