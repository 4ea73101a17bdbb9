package report

import (
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A ConsensusModel is the model that the consensus on a field comes from.
type ConsensusModel struct {
	Model      consensus.ModelResult       `json:"model"`
	Annotators []consensus.AnnotatorResult `json:"annotators"` // their errors; empty without a model
}

// fitModels replaces the rule's consensus by the most probable values, where the labels can
// identify a model.
func (x *consensusIndex) fitModels(method consensus.Method) error {
	groups, err := x.study.groupFields(method)
	if err != nil {
		return err
	}
	x.models = map[string]*ConsensusModel{}
	for _, g := range groups {
		var dimensions []stats.Dimension
		for _, i := range g.fields {
			q := x.study.fields[i]
			dimensions = append(dimensions, stats.Dimension{Name: q.Key, Table: q.table, Declared: true})
		}
		r := consensus.ComputeTied(dimensions, g.table, g.combinations,
			consensus.Options{Method: method, Ties: stats.TieRule(x.study.Protocol.Ties), Stop: consensus.AtConvergence})
		for n, i := range g.fields {
			x.setModel(&x.study.fields[i], r[n])
		}
	}
	return nil
}

// setModel takes over the consensus on a field.
func (x *consensusIndex) setModel(q *fieldTable, r consensus.Report) {
	x.models[q.Key] = &ConsensusModel{r.Models[0], r.Annotators}
	if r.Models[0].Converged == nil { // no model, but the rule of the scale
		return
	}
	q.consensus.fitted = &fittedConsensus{map[int32][]float64{}, map[int32][]int{}}
	for row, result := range r.Items {
		item := q.items[row]
		posterior := make([]float64, len(q.scale))
		for c, value := range q.scale {
			posterior[c] = result.Posterior[strconv.Itoa(value)]
		}
		q.consensus.fitted.posteriors[item], q.consensus.methods[item] = posterior, codeOf(result.How)
		if tied := valuesFromNames(result.Tied); tied != nil {
			q.consensus.fitted.tied[item] = tied
		}
		if result.Value != nil {
			value, _ := strconv.Atoi(*result.Value)
			q.consensus.values[item] = int8(value)
		}
	}
}

// hasModel reports whether a model gives the consensus on any field.
func (s *study) hasModel() bool {
	return slices.ContainsFunc(s.fields, func(q fieldTable) bool { return q.consensus.fitted != nil })
}

func valuesFromNames(names []string) (values []int) {
	for _, name := range names {
		value, _ := strconv.Atoi(name)
		values = append(values, value)
	}
	return values
}

// modelGroups is the number of groups of records that are left out in turn, each with a new
// fit of the model.
const modelGroups = 20

// setModelIntervals replaces the intervals of rates that a model's posteriors are in. The
// model is fitted again without each group of records (Tukey's jackknife by groups; Kott 2001,
// Journal of Official Statistics 17).
func (s metrics) setModelIntervals(groups []MetricGroup) error {
	if !s.hasModel() || s.isReplicate {
		return nil
	}
	var replicates [][]MetricGroup
	for n := range modelGroups {
		without, err := newStudy(s.withoutGroup(n), s.build)
		if err != nil {
			return err
		}
		without.isReplicate, without.options.Resamples = true, 1
		list, err := metrics{study: without, topK: s.topK}.compute()
		if err != nil {
			return err
		}
		replicates = append(replicates, list)
	}
	for g := range groups {
		if groups[g].Name == ObservationMetrics {
			continue
		}
		for i := range groups[g].Rates {
			var values []float64
			for _, replicate := range replicates {
				if v := replicate[g].Rates[i].Value; v != nil {
					values = append(values, *v)
				}
			}
			groups[g].Rates[i].setInterval(values)
		}
	}
	return nil
}

// setInterval replaces the interval by that of the values without each group.
func (r *Rate) setInterval(values []float64) {
	if r.Value == nil || len(values) < modelGroups {
		return
	}
	if i, ok := stats.GroupJackknifeShare(*r.Value, values); ok {
		r.Number = newNumber(*r.Value, stats.Reason{}, i)
	}
}

// withoutGroup returns the data without one group of records, or of items where none share a
// record.
func (s *study) withoutGroup(group int) Data {
	groups, groupOf := map[string]int{}, map[project.ItemID]int{}
	for i := range s.given {
		item := &s.given[i]
		key := s.cluster(item)
		if key == "" {
			key = "item " + item.SourceID
		}
		n, isKnown := groups[key]
		if !isKnown {
			n = len(groups) % modelGroups
			groups[key] = n
		}
		groupOf[item.ID] = n
	}
	d := s.Data
	d.Source = d.Source.without(func(id project.ItemID) bool { return groupOf[id] == group })
	return d
}
