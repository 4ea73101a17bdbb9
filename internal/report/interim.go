package report

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An InterimAnalysis is the outcome at a fixed number of shared items. Its interval is
// wide enough for all interim analyses together, so that repeated checks do not
// produce a verdict by chance.
type InterimAnalysis struct {
	Items        int                   `json:"items"`
	Level        float64               `json:"level"` // confidence level of the interval
	Kappa        study.AgreementFigure `json:"kappa"` // of the shared items, linear weights
	Outcome      Outcome               `json:"outcome"`
	IsConclusive bool                  `json:"conclusive"` // the whole interval gives this outcome
}

const (
	firstInterimItems = 20   // shared items; doubled for each next analysis
	firstLateInterim  = 3    // from this analysis on, the interval's ends are far in the tails
	lateResamples     = 5000 // and need more resamples
)

// runInterimAnalyses returns the interim analyses up to the first conclusive one.
func (s *builder) runInterimAnalyses(q fieldTable, v *Verdict) []InterimAnalysis {
	analyses := []InterimAnalysis{}
	if s.IsOrderUnknown {
		return analyses
	}
	items := s.listSharedItems(q)
	for n, count := 1, firstInterimItems; count <= len(items); n, count = n+1, 2*count {
		o := s.Options
		if o.Level = stats.InterimConfidenceLevel(n); n >= firstLateInterim {
			o.Resamples = max(o.Resamples, lateResamples)
		}
		estimate := stats.ComputeEstimates(s.buildItemsTable(q, items[:count]), o, stats.SharedKappa(stats.Linear))[0]
		analysis := InterimAnalysis{Items: count, Level: o.Level, Kappa: study.FigureFromEstimate(estimate)}
		analysis.Kappa.Limits = v.limits()
		if κ := analysis.Kappa; κ.Value != nil && κ.Low != nil {
			analysis.Outcome = v.outcomeFor(*κ.Value)
			analysis.IsConclusive = v.outcomeFor(*κ.Low) == v.outcomeFor(*κ.High)
		}
		if analyses = append(analyses, analysis); analysis.IsConclusive {
			break
		}
	}
	return analyses
}

// applyInterimAnalyses adjusts the advice on overlap to the interim analyses so far.
func (v *Verdict) applyInterimAnalyses(analyses []InterimAnalysis) {
	v.InterimAnalyses = analyses
	if !v.IsInterpretable() && !v.IsUndecided() || len(analyses) == 0 {
		return
	}
	switch last := analyses[len(analyses)-1]; {
	case last.IsConclusive && (v.IsUndecided() || last.Outcome == v.Outcome && !v.IsConclusive): // later labels widened the interval
		v.setOverlap(OverlapUncertainAgain, uncertainAgainText(last, v.OverlapAdvice))
	case last.IsConclusive && last.Outcome == v.Outcome && v.outcomeAt(v.Kappa.Low) != v.outcomeAt(v.Kappa.High):
		v.setOverlap(OverlapAlmostEnough, enoughBeforeText(last))
	case last.IsConclusive && last.Outcome == v.Outcome:
		v.setOverlap(OverlapEnough, enoughAtText(last))
	case last.IsConclusive:
		v.setOverlap(OverlapOutcomeChanged, outcomeChangedText(last))
	case v.IsConclusive:
		v.setOverlap(OverlapAlmostEnough, v.almostEnoughText(firstInterimItems<<len(analyses)))
	}
}
