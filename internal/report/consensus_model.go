package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A ConsensusModel is the model that the consensus on a field comes from.
type ConsensusModel struct {
	Model      consensus.ModelResult       `json:"model"`
	Annotators []consensus.AnnotatorResult `json:"annotators"` // their errors; empty without a model
}

// A groupFit is the model of one field, or of several that rules tie to each other.
type groupFit struct {
	modeledFields
	fit    consensus.Fit     // of the combinations; zero without a model
	models []consensus.Model // by field
}

// fitGroups fits a model to each group of fields that the labels can identify one for.
func (s *study) fitGroups(method consensus.Method) ([]groupFit, error) {
	groups, err := s.groupFields(method)
	if err != nil {
		return nil, err
	}
	fits := make([]groupFit, len(groups))
	inParallel(len(fits), func(i int) { fits[i] = s.fitGroup(groups[i], method) })
	return fits, nil
}

func (s *study) fitGroup(g modeledFields, method consensus.Method) groupFit {
	f, isTied := groupFit{modeledFields: g}, len(g.fields) > 1 && consensus.IsIdentified(g.table)
	if isTied {
		f.fit = consensus.FitTied(g.table, g.combinations)
	}
	for n, i := range g.fields {
		q := s.fields[i]
		d := stats.Dimension{Name: q.Key, Table: q.table, Declared: true}
		if isTied {
			f.models = append(f.models, consensus.NewTiedModel(d, f.fit, g.combinations, n))
			continue
		}
		m := consensus.FitModel(d, consensus.Options{Method: method, Stop: consensus.AtConvergence})
		f.fit, f.models = m.Fit, append(f.models, m)
	}
	return f
}

// isFitted reports whether there is a model.
func (f groupFit) isFitted() bool { return f.models[0].IsFitted() }

// posteriorsOf returns the posteriors of a field, given by its place in the group, from those of
// the combinations.
func (f groupFit) posteriorsOf(fit consensus.Fit, place int) [][]float64 {
	if len(f.fields) == 1 {
		return fit.Posteriors
	}
	return fit.OfField(f.combinations, place, len(f.models[place].Fit.Prior)).Posteriors
}

// fitModels replaces the rule's consensus by the most probable values, where the labels can
// identify a model.
func (x *consensusIndex) fitModels(method consensus.Method) (err error) {
	if x.fits, err = x.study.fitGroups(method); err != nil {
		return err
	}
	x.models = map[string]*ConsensusModel{}
	for _, f := range x.fits {
		var patternOf []int32
		if f.isFitted() {
			patternOf = x.study.patternsByItem(x.study.fields[f.fields[0]], f.fit)
		}
		var joint *jointFit
		if len(f.fields) > 1 && f.isFitted() {
			joint = &jointFit{f.modeledFields, f.fit.Posteriors}
		}
		for n, i := range f.fields {
			x.models[x.study.fields[i].Key] = &ConsensusModel{f.models[n].ModelResult, f.models[n].Annotators}
			if f.isFitted() {
				x.study.fields[i].setModel(f.models[n], patternOf, stats.TieRule(x.study.Protocol.Ties))
				x.study.fields[i].consensus.fitted.joint = joint
			}
		}
	}
	return nil
}

// patternsByItem returns the pattern of each item; −1 without an answer.
func (s *study) patternsByItem(q fieldTable, f consensus.Fit) []int32 {
	patternOf := slices.Repeat([]int32{-1}, len(s.items))
	for row, pattern := range f.PatternOf {
		patternOf[q.items[row]] = pattern
	}
	return patternOf
}

// setModel takes over the consensus of a model.
func (q *fieldTable) setModel(m consensus.Model, patternOf []int32, ties stats.TieRule) {
	c := &q.consensus
	c.fitted = &fittedConsensus{patternOf: patternOf, posteriors: m.Fit.Posteriors, tied: make([][]int, len(m.Fit.Posteriors))}
	choices := make([]consensus.Choice, len(m.Fit.Posteriors))
	for n, posterior := range m.Fit.Posteriors {
		choices[n] = m.Choose(posterior, ties)
		for _, category := range choices[n].Tied {
			c.fitted.tied[n] = append(c.fitted.tied[n], q.scale[category])
		}
	}
	for _, item := range q.items {
		chosen := choices[patternOf[item]]
		c.methods[item] = codeOf(chosen.How)
		if chosen.How != stats.Tie {
			c.values[item] = int8(q.scale[chosen.Category])
		}
	}
}

// hasDoubtfulModel reports whether annotators hardly agree on a field with a model.
func (x *consensusIndex) hasDoubtfulModel() bool {
	for _, m := range x.models {
		if slices.Contains(m.Model.Notes, consensus.LowAgreement) {
			return true
		}
	}
	return false
}

// hasModel reports whether a model gives the consensus on any field.
func (s *study) hasModel() bool {
	return slices.ContainsFunc(s.fields, func(q fieldTable) bool { return q.consensus.fitted != nil })
}
