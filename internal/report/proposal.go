package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A ProposalSource is where the answers come from that the form of a decision starts with.
// Adjudicators check and submit them; nothing is decided without them.
type ProposalSource string

// The sources.
const (
	NoProposal               ProposalSource = "none"
	ProposeMajority          ProposalSource = "majority" // or the median, by the scale
	ProposeDawidSkene        ProposalSource = ProposalSource(consensus.ByDawidSkene)
	ProposeOrdinalDawidSkene ProposalSource = ProposalSource(consensus.ByOrdinalDawidSkene)
)

// ProposalSources lists the sources in the order of forms.
var ProposalSources = []ProposalSource{NoProposal, ProposeMajority, ProposeDawidSkene, ProposeOrdinalDawidSkene}

// NeedsModel reports whether the answers come from a model.
func (s ProposalSource) NeedsModel() bool {
	return s == ProposeDawidSkene || s == ProposeOrdinalDawidSkene
}

// A ProposalModel proposes answers to items by models of the annotators' errors.
type ProposalModel struct {
	Labels int // that the models are fitted to
	fields map[string]fieldModel
}

// A fieldModel is the model of a field, alone or with those that rules tie to it; without
// annotators if there is none.
type fieldModel struct {
	fit          consensus.Fit // of combinations
	annotators   map[string]int
	fields       []protocol.Field // of a combination
	place        int              // of the field among them
	combinations [][]uint8
}

// A Proposal is an answer that an adjudicator can start from.
type Proposal struct {
	Value       int
	Probability float64 // by the model; 0 without one
}

// FitProposals fits models of Dawid & Skene. A field whose labels cannot identify one has none.
func FitProposals(d Data, source ProposalSource) (ProposalModel, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return ProposalModel{}, err
	}
	fits, err := s.fitGroups(consensus.Method(source))
	if err != nil {
		return ProposalModel{}, err
	}
	m := ProposalModel{Labels: s.work.len(), fields: map[string]fieldModel{}}
	for _, f := range fits {
		if !f.isFitted() || !f.fit.HasConverged() {
			continue
		}
		model := fieldModel{fit: f.fit, combinations: f.combinations, annotators: map[string]int{}}
		for i, name := range f.table.Annotators() {
			model.annotators[name] = i
		}
		for _, number := range f.fields {
			model.fields = append(model.fields, s.fields[number].Field)
		}
		for place, field := range model.fields {
			model.place = place
			m.fields[field.Key] = model
		}
	}
	return m, nil
}

// HasModel reports whether there is a model of a field.
func (m ProposalModel) HasModel(field string) bool { return m.fields[field].annotators != nil }

// minLead is the lead over the second value that a proposal needs.
const minLead = 1e-6

// Propose returns the most probable answer to a field of an item, whose answers are given by
// annotator and field; false without a model, without answers, and if two values are equally
// probable.
func (m ProposalModel) Propose(field string, answers map[string]map[string]int) (Proposal, bool) {
	model := m.fields[field]
	if model.annotators == nil {
		return Proposal{}, false
	}
	var annotators, categories []int
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if _, isAnswered := answers[name][field]; !isAnswered {
			continue
		}
		category := model.combinationOf(answers[name])
		if category < 0 {
			return Proposal{}, false
		}
		number, isKnown := model.annotators[name]
		if !isKnown {
			number = -1
		}
		annotators, categories = append(annotators, number), append(categories, category)
	}
	if len(annotators) == 0 {
		return Proposal{}, false
	}
	scale := model.fields[model.place].Scale.Values()
	posterior := consensus.SumByCategory(model.fit.Posterior(annotators, categories), model.combinations, model.place, len(scale))
	best := slices.Index(posterior, slices.Max(posterior))
	for i, p := range posterior {
		if i != best && posterior[best]-p < minLead {
			return Proposal{}, false
		}
	}
	return Proposal{scale[best], posterior[best]}, true
}

// combinationOf returns the number of the combination of an annotator's answers, or −1.
func (m fieldModel) combinationOf(answers map[string]int) int {
	points := make([]uint8, len(m.fields))
	for n, f := range m.fields {
		value, isAnswered := answers[f.Key]
		point, isOnScale := slices.BinarySearch(f.Scale.Values(), value)
		if !isAnswered || !isOnScale {
			return -1
		}
		points[n] = uint8(point)
	}
	return slices.IndexFunc(m.combinations, func(c []uint8) bool { return slices.Equal(c, points) })
}
