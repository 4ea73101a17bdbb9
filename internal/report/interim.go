package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/stats"
)

// A InterimAnalysis is the verdict on what there was at some point of growing data. Looks
// come at fixed numbers of shared items, each with an interval wide enough for
// all looks together, so that looking often settles nothing by chance.
type InterimAnalysis struct {
	Items        int                    `json:"items"`
	Level        float64                `json:"level"` // of the interval
	Kappa        AgreementFigure        `json:"kappa"` // linear-weighted, Conger's
	Outcome      stats.AgreementVerdict `json:"word"`
	IsConclusive bool                   `json:"settled"` // the whole interval says so
}

const (
	firstInterimItems = 20   // shared items; every next look comes at twice as many
	lateResamples     = 5000 // from the third look on, whose intervals end far out
	firstLateInterim  = 3
)

// runInterimAnalyses returns the looks up to the first that settles the verdict.
func (s *study) runInterimAnalyses(q fieldTable, v *Verdict) []InterimAnalysis {
	items, found := s.listSharedItems(q.Key), []InterimAnalysis{}
	for n, itemCount := 1, firstInterimItems; itemCount <= len(items); n, itemCount = n+1, 2*itemCount {
		o := s.options
		if o.Level = stats.InterimConfidenceLevel(n); n >= firstLateInterim {
			o.Resamples = max(o.Resamples, lateResamples)
		}
		analysis := InterimAnalysis{Items: itemCount, Level: o.Level, Kappa: figureFromEstimate(stats.ComputeEstimates(s.buildItemsTable(q, items[:itemCount]), o, stats.CongerKappa(stats.Linear))[0])}
		if κ := analysis.Kappa; κ.Value != nil && κ.Low != nil {
			analysis.Outcome = v.outcomeFor(*κ.Value)
			analysis.IsConclusive = v.outcomeFor(*κ.Low) == v.outcomeFor(*κ.High)
		}
		if found = append(found, analysis); analysis.IsConclusive {
			break
		}
	}
	return found
}

// applyInterimAnalyses says, by the looks so far, whether more overlap would change the verdict.
func (v *Verdict) applyInterimAnalyses(analyses []InterimAnalysis) {
	v.InterimAnalyses = analyses
	if v.Outcome == DominantAnswer || v.Outcome == ConstantAnnotator {
		v.OverlapAdvice = "More overlap of the same kind would not help κ: it takes items on which the answers differ."
	}
	if !v.IsInterpretable() || len(analyses) == 0 {
		return
	}
	next := firstInterimItems << len(analyses)
	switch last := analyses[len(analyses)-1]; {
	case last.IsConclusive && last.Outcome == v.Outcome && !v.IsConclusive: // what came since made the interval wider
		v.OverlapAdvice = fmt.Sprintf("At %d shared items this was settled as “%s”; with what came since it no longer is. %s", last.Items, last.Outcome, v.OverlapAdvice)
	case last.IsConclusive && last.Outcome == v.Outcome:
		v.OverlapAdvice = fmt.Sprintf("Enough overlap: at %d shared items the interval, made wide enough to be looked at often, said the same from end to end. More would not change the verdict.", last.Items)
	case last.IsConclusive:
		v.OverlapAdvice = fmt.Sprintf("At %d shared items this was settled as “%s”, and it has changed since. See how agreement went over time.", last.Items, last.Outcome)
	case v.IsConclusive:
		v.OverlapAdvice = fmt.Sprintf("Nearly: the interval says the same from end to end, but not yet widely enough to be looked at often. The next look comes at %d shared items.", next)
	}
}
