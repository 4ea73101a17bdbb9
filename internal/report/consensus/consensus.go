// Package consensus gives each item of a project one value per field, by the rule or by a model of the annotators'
// errors.
package consensus

import (
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// A Method is how the consensus is found.
type Method = consensus.Method

// ByDawidSkene is the model, instead of the rule.
const ByDawidSkene = consensus.ByDawidSkene

// A Result is the consensus on a field of an item.
type Result struct {
	stats.ItemConsensus
	Posterior []float64 // probability of each point of the scale by a model; nil without one
}

// An Item is the consensus on an item by field, and the verdicts that follow whatever becomes of its ties.
type Item struct {
	Fields   map[string]Result
	Verdicts map[string]bool
}

// A Fitter collects the labels that a model is fitted to.
type Fitter struct {
	fields   []protocol.Field
	builders []*stats.TableBuilder
}

// NewFitter returns a Fitter for the labels of a protocol.
func NewFitter(p protocol.Protocol) *Fitter {
	f := &Fitter{fields: p.Fields}
	for range p.Fields {
		f.builders = append(f.builders, stats.NewTableBuilder())
	}
	return f
}

// Add takes the label of an annotator.
func (f *Fitter) Add(item project.ItemID, annotator string, values map[string]int) {
	for i, field := range f.fields {
		if value, ok := values[field.Key]; ok {
			point, _ := stats.NewNumericScale(field.Scale.Values()...).Index(value)
			f.builders[i].Add(stats.Rating{Item: strconv.FormatInt(int64(item), 10), Annotator: annotator,
				Value: point}, 0)
		}
	}
}

// A Model is the model of each field, and the rule where the labels identify none.
type Model struct {
	Annotators []consensus.AnnotatorResult // by field
	posteriors map[string]fieldPosteriors
}

type fieldPosteriors struct {
	scale []int
	fit   consensus.Fit
	rowOf map[project.ItemID]int
}

// Fit fits the models of Dawid & Skene.
func (f *Fitter) Fit() Model {
	m := Model{posteriors: map[string]fieldPosteriors{}}
	for i, field := range f.fields {
		scale := stats.NamedScale{Scale: stats.NewNumericScale(field.Scale.Values()...)}
		var names []string
		for _, v := range scale.Scale {
			names = append(names, strconv.Itoa(v))
		}
		f.builders[i].Sort()
		scale.Names = names
		table := f.builders[i].BuildNamed(scale, names)
		model := consensus.FitModel(stats.Dimension{Name: field.Key, Table: table, Declared: true},
			consensus.Options{Method: consensus.ByDawidSkene, Stop: consensus.AtConvergence})
		if !model.IsFitted() {
			continue
		}
		p := fieldPosteriors{scale.Scale, model.Fit, map[project.ItemID]int{}}
		for item := range table.ByItem() {
			id, _ := strconv.ParseInt(item.Item, 10, 64)
			p.rowOf[project.ItemID(id)] = len(p.rowOf)
		}
		m.posteriors[field.Key], m.Annotators = p, append(m.Annotators, model.Annotators...)
	}
	return m
}

// Apply replaces a consensus by the rule with the most probable value. Decisions stay.
func (m Model) Apply(item project.ItemID, field string, c stats.ItemConsensus) Result {
	p, isFitted := m.posteriors[field]
	row, isKnown := p.rowOf[item]
	if !isFitted || !isKnown {
		return Result{ItemConsensus: c}
	}
	posterior := p.fit.ItemPosterior(row)
	if c.Method == stats.Adjudicated {
		return Result{c, posterior}
	}
	chosen := consensus.Choose(posterior)
	c.Method, c.Value, c.TiedValues = chosen.How, 0, nil
	for _, category := range chosen.Tied {
		c.TiedValues = append(c.TiedValues, p.scale[category])
	}
	if chosen.How == stats.DawidSkene {
		c.Value = p.scale[chosen.Category]
	}
	return Result{c, posterior}
}
