package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// ExpectedKappa is the agreement assumed for planning; `labelwright plan` has the same default.
const ExpectedKappa = 0.5

// previewSeed is the default seed of `labelwright plan`.
const previewSeed = 1

// PreviewBatch adds the expected width of the interval of κ to project.PreviewBatch. It
// simulates batches on the longest scale of the protocol.
func PreviewBatch(p protocol.Protocol, spec project.BatchSpec, items int) project.BatchPreview {
	preview := project.PreviewBatch(p.Plan, spec, items)
	e := stats.BatchAssumptions{Weighting: stats.Linear, Kappa: ExpectedKappa, Annotators: preview.Annotators}
	for _, f := range p.Fields {
		if s := stats.NewNumericScale(f.Scale.Values()...); len(s) > len(e.Scale) {
			e.Scale = s
		}
	}
	// An error means that no width can be predicted, as with an overlap of 1; the width stays 0.
	if expected, err := e.PredictWidth(items, preview.Overlap, stats.IntervalOptions{Seed: previewSeed}); err == nil {
		preview.KappaCIWidth = expected.Width
	}
	return preview
}
