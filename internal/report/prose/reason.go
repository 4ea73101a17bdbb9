package prose

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// Missing says as a clause why the value or the interval of a number is missing; empty if it has both.
func (w Writer) Missing(n study.Number) string {
	if n.Value != nil && n.Low != nil {
		return ""
	}
	return w.reason(n.Reason)
}

func (w Writer) reason(code stats.ReasonCode) string {
	switch code {
	case "":
		return ""
	case stats.NoAnswers, stats.NothingToCount:
		return w.T("there are no answers")
	case stats.SingleAnnotator, study.NoOtherAnnotator:
		return w.T("no other annotator has labeled the same items")
	case stats.NoOverlap, stats.NoSharedItem, stats.UnusedValue:
		return w.T("no item has two labels")
	case stats.NoVariation, stats.NoSharedVariation, stats.NoPairVariation, stats.FewVariedAnswers:
		return w.T("the answers hardly vary")
	case stats.FewDisagreements, stats.ConstantResamples, stats.ConstantDifference:
		return w.T("no two items differ, so there is no interval")
	case stats.NoCompleteQuery:
		return w.T("no query has labels and ranks for all its chunks")
	case study.ShortScale:
		return w.T("on a scale with fewer than four points, one point apart is not close")
	case study.ManyPairs, stats.TooManyPairs:
		return w.T("there are too many pairs to compute an interval for each")
	case study.FewAdjudicatedItems:
		return w.T("there are too few adjudicated items")
	}
	return w.T("there are too few items")
}
