package study

import "github.com/labelwright/labelwright/internal/stats"

// The reasons for a missing value or interval that package stats does not have.
const (
	NoOtherAnnotator    stats.ReasonCode = "no_other_annotator"
	FewAdjudicatedItems stats.ReasonCode = "few_adjudicated_items"
	ManyPairs           stats.ReasonCode = "many_pairs"
	ShortScale          stats.ReasonCode = "short_scale"
)
