package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// ExpectedKappa is how far people are expected to agree where nothing is known
// yet; labelwright plan expects the same.
const ExpectedKappa = 0.5

// previewSeed draws the simulated batches, as labelwright plan does by itself.
const previewSeed = 1

// PreviewBatch is project.PreviewBatch with the width of the interval of κ to expect, from
// the batches that labelwright plan simulates, on the longest scale of the protocol.
func PreviewBatch(p protocol.Protocol, spec project.BatchSpec, items int) project.BatchPreview {
	preview := project.PreviewBatch(p.Plan, spec, items)
	e := stats.BatchAssumptions{Weighting: stats.Linear, Kappa: ExpectedKappa, Annotators: preview.Annotators}
	for _, f := range p.Fields {
		if s := stats.NewNumericScale(f.Scale.Values()...); len(s) > len(e.Scale) {
			e.Scale = s
		}
	}
	if expected, err := e.PredictWidth(items, preview.Overlap, stats.IntervalOptions{Seed: previewSeed}); err == nil {
		preview.KappaCIWidth = expected.Width // what cannot be planned for stays 0
	}
	return preview
}
