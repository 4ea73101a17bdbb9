package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A ModelConsensus is the consensus on every item by a model of the annotators' errors.
type ModelConsensus struct{ study *study }

// NewModelConsensus fits a model to the labels of d, as a report does: on fields whose labels cannot identify one, the
// consensus is that of the rule that suits the scale.
func NewModelConsensus(d Data, method consensus.Method) (*ModelConsensus, error) {
	s, err := newStudy(d, BuildOptions{Consensus: method})
	if err != nil {
		return nil, err
	}
	return &ModelConsensus{s}, nil
}

// Of returns the consensus on an item, by field with an answer.
func (m *ModelConsensus) Of(id project.ItemID) map[string]ConsensusResult {
	results := map[string]ConsensusResult{}
	item, isKnown := m.study.numberOf[id]
	if !isKnown {
		return results
	}
	for _, q := range m.study.fields {
		if q.consensus.method(item) != "" {
			results[q.Key] = m.study.consensusResult(q, item)
		}
	}
	return results
}

// Annotators returns the errors of annotators, by field; none of fields without a model.
func (m *ModelConsensus) Annotators() (list []consensus.AnnotatorResult) {
	for _, f := range m.study.Protocol.Fields {
		if model := m.study.consensus.models[f.Key]; model != nil {
			list = append(list, model.Annotators...)
		}
	}
	return list
}
