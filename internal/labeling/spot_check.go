package labeling

import "github.com/labelwright/labelwright/internal/stats"

// SpotChecks are the results of the spot checks of a project: agreed items, drawn at random, that a lead confirmed or
// corrected.
type SpotChecks struct {
	Drawn      int
	Corrected  stats.Proportion // of the checked items
	Fields     []SpotCheckRate
	Annotators []SpotCheckRate
}

// A SpotCheckRate is the share of answers to a field, or of an annotator, that differ from the decision.
type SpotCheckRate struct {
	Name  string // key of the field, or pseudonym
	Wrong stats.Proportion
}

// MaxSpotChecks is the number of items of one draw.
const MaxSpotChecks = 1000
