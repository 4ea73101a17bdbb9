package study

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// The reasons for a missing value or interval that package stats does not have.
const (
	NoOtherAnnotator    stats.ReasonCode = "no_other_annotator"
	NoConsensusAtPoint  stats.ReasonCode = "no_consensus_at_point"
	FewAdjudicatedItems stats.ReasonCode = "few_adjudicated_items"
	ManyPairs           stats.ReasonCode = "many_pairs"
	ShortScale          stats.ReasonCode = "short_scale"
	NoJudgedLabel       stats.ReasonCode = "no_judged_label"
	NoJudgedOverlap     stats.ReasonCode = "no_judged_overlap"
	WeaklyLinked        stats.ReasonCode = "weakly_linked" // the same annotators gave too few answers in both groups
)

// ReasonText returns a reason as a clause.
func ReasonText(code stats.ReasonCode) string {
	text, ok := map[stats.ReasonCode]string{
		NoOtherAnnotator:    "no other annotator has labeled the same items",
		NoConsensusAtPoint:  "no item has this consensus",
		FewAdjudicatedItems: "there are too few adjudicated items",
		ShortScale:          "on a scale with fewer than four points, one point apart is not close",
		NoJudgedLabel:       "no item has a label and a judgment",
		NoJudgedOverlap:     "no judged item has labels from two annotators",
		ManyPairs:           "there are too many pairs to compute an interval for each",
	}[code]
	if !ok {
		text, ok = modelReasons[code]
	}
	if !ok {
		return stats.Reason{Code: code}.Text()
	}
	return text
}

// modelReasons are the reasons for the lack of an estimate adjusted for annotators.
var modelReasons = map[stats.ReasonCode]string{
	mixed.OneAnnotator:         "one annotator labeled all items, so there are no differences in severity to adjust for",
	mixed.ManyAnnotators:       fmt.Sprintf("there are more than %d annotators", mixed.MaxAnnotators),
	WeaklyLinked:               "too few answers of the same annotators link the groups, so severity and group can hardly be separated",
	mixed.ConfoundedAnnotators: "no annotators link the groups, so severity and group cannot be separated",
	mixed.FewLabels:            "there are too few labels",
	mixed.NothingUnexplained:   "groups, annotators and records explain all answers, which leaves nothing to estimate errors from",
	stats.NoVariation:          "the answers do not vary",
}
