package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
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

// A fieldModel is the model of a field; without annotators if there is none.
type fieldModel struct {
	fit        consensus.Fit
	annotators map[string]int
}

// A Proposal is an answer that an adjudicator can start from.
type Proposal struct {
	Value       int
	Probability float64 // by the model; 0 without one
}

// FitProposals fits a model of Dawid & Skene for each field. A field whose labels cannot identify
// one has none.
func FitProposals(d Data, source ProposalSource) (ProposalModel, error) {
	s, err := newStudy(d, BuildOptions{})
	if err != nil {
		return ProposalModel{}, err
	}
	m := ProposalModel{Labels: s.work.len(), fields: map[string]fieldModel{}}
	fits := make([]fieldModel, len(s.fields))
	inParallel(len(fits), func(i int) { fits[i] = fitField(s.fields[i], source) })
	for i, q := range s.fields {
		m.fields[q.Key] = fits[i]
	}
	return m, nil
}

func fitField(q fieldTable, source ProposalSource) fieldModel {
	if !consensus.IsIdentified(q.table) {
		return fieldModel{}
	}
	m := fieldModel{annotators: map[string]int{}}
	if source == ProposeOrdinalDawidSkene && len(q.scale) > 2 {
		m.fit = consensus.FitOrdinal(q.table)
	} else {
		m.fit = consensus.FitDawidSkene(q.table, consensus.AtConvergence)
	}
	if !m.fit.HasConverged() {
		return fieldModel{}
	}
	for i, name := range q.table.Annotators() {
		m.annotators[name] = i
	}
	return m
}

// HasModel reports whether there is a model of a field.
func (m ProposalModel) HasModel(field string) bool { return m.fields[field].annotators != nil }

// minLead is the lead over the second value that a proposal needs.
const minLead = 1e-6

// Propose returns the most probable answer to a field of an item whose answers are given by
// annotator; false without a model, without answers, and if two values are equally probable.
func (m ProposalModel) Propose(f protocol.Field, answers map[string]int) (Proposal, bool) {
	model, scale := m.fields[f.Key], stats.NewNumericScale(f.Scale.Values()...)
	if model.annotators == nil || len(answers) == 0 {
		return Proposal{}, false
	}
	var annotators, categories []int
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		value := answers[name]
		number, isKnown := model.annotators[name]
		category, isOnScale := scale.Index(value)
		if !isOnScale {
			return Proposal{}, false
		}
		if !isKnown {
			number = -1
		}
		annotators, categories = append(annotators, number), append(categories, category)
	}
	posterior := model.fit.Posterior(annotators, categories)
	best := slices.Index(posterior, slices.Max(posterior))
	for i, p := range posterior {
		if i != best && posterior[best]-p < minLead {
			return Proposal{}, false
		}
	}
	return Proposal{scale[best], posterior[best]}, true
}
