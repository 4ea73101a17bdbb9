package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// ForViewers returns r without anything about a single annotator, item or judge. New parts of a report are left out
// until they are added here.
func (r Report) ForViewers() Report {
	v := Report{Project: r.Project, Batch: r.Batch, Protocol: r.Protocol, LastAnnotationID: r.LastAnnotationID,
		Seed: r.Seed, Counts: r.Counts, Fields: slices.Clone(r.Fields),
		RaterEffects: ratereffect.Result{Margin: r.RaterEffects.Margin}, Columns: r.Columns, Breakdown: r.Breakdown,
		Metrics: r.Metrics, DisagreementsByObservation: r.DisagreementsByObservation}
	for i := range v.Fields {
		v.Fields[i].Causes, v.Fields[i].Pairs = nil, nil
	}
	return v
}
