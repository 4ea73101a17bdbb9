package postgres

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/consensus"
)

// fitConsensus fits a model to the labels in the scope of the export.
func (s Snapshot) fitConsensus(ctx context.Context) (*consensus.Model, error) {
	ids, err := collectColumn[project.ItemID](s.tx.Query(ctx, `
		SELECT i.id
		FROM items i
		WHERE i.project_id = $1 AND NOT i.is_calibration AND EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id)
		AND `+s.scope.inItems("i.id")+`
		ORDER BY i.id`, s.project.ID))
	if err != nil {
		return nil, err
	}
	fitter := consensus.NewFitter(s.project.Protocol)
	for page := range slices.Chunk(ids, consensusPageSize) {
		labels, _, err := s.loadAnswers(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, l := range labels {
			fitter.Add(l.ItemID, l.Annotator, l.Values)
		}
	}
	m := fitter.Fit()
	return &m, nil
}

// annotatorErrorSpec is the table of how annotators err by the model of the consensus.
var annotatorErrorSpec = dataset.RecordSpec{Name: "annotator_errors",
	Description: "how probable each answer of an annotator is for each true value, by the model of the consensus",
	Columns: []dataset.RecordColumn{
		{Name: "dimension", Type: dataset.TextColumn, Description: "The field's key."},
		{Name: "annotator", Type: dataset.TextColumn, Description: "The annotator's pseudonym."},
		{Name: "true_value", Type: dataset.IntegerColumn, Description: "The value that the answer should have."},
		{Name: "answer", Type: dataset.IntegerColumn, Description: "The value that the annotator gives."},
		{Name: "probability", Type: dataset.NumberColumn,
			Description: "The probability of the answer. Those of one true_value have the sum 1."},
	}}

// annotatorErrors returns the rows of annotatorErrorSpec.
func annotatorErrors(p protocol.Protocol, m *consensus.Model) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for _, a := range m.Annotators {
			f, _ := p.Field(a.Dimension)
			for _, value := range f.Scale.Values() {
				for _, answer := range f.Scale.Values() {
					probability := a.Confusion[strconv.Itoa(value)][strconv.Itoa(answer)]
					if !yield(dataset.Record{Values: []any{a.Dimension, a.Annotator, value, answer, probability}},
						nil) {
						return
					}
				}
			}
		}
	}
}
