package report

import (
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// ExpectedKappa is how far people are expected to agree where nothing is known
// yet; labelwright plan expects the same.
const ExpectedKappa = 0.5

// foreseeSeed draws the simulated batches, as labelwright plan does by itself.
const foreseeSeed = 1

// Foresee is project.Foresee with the width of the interval of κ to expect, from
// the batches that labelwright plan simulates, on the longest scale of the protocol.
func Foresee(p protocol.Protocol, h project.Handout, items int) project.Plan {
	plan := project.Foresee(p.Plan, h, items)
	e := stats.Expectation{Weighting: stats.Linear, Kappa: ExpectedKappa, Annotators: plan.Annotators}
	for _, f := range p.Fields {
		if s := stats.ScaleOf(f.Scale.Values()...); len(s) > len(e.Scale) {
			e.Scale = s
		}
	}
	if likely, err := e.Width(items, plan.Overlap, stats.Options{Seed: foreseeSeed}); err == nil {
		plan.Width = likely.Width // what cannot be planned for stays 0
	}
	return plan
}
