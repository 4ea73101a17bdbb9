package consensus

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Model is a dimension's true answers and the errors of its annotators by a fit, or the method
// that applies without one.
type Model struct {
	ModelResult
	Annotators []AnnotatorResult // none without a fit
	Fit        Fit               // zero without one
}

// IsFitted reports whether there is a fit.
func (m ModelResult) IsFitted() bool { return m.Converged != nil }

// FitModel fits a model if the options ask for one and the ratings can identify it.
func FitModel(d stats.Dimension, o Options) Model {
	m := Model{ModelResult: ModelResult{Dimension: d.Name, Method: cmp.Or(o.Method, ByMedian), Notes: []NoteCode{}}}
	switch {
	case o.Method != ByDawidSkene:
	case !IsIdentified(d.Table):
		m.Method, m.Notes = ByMedian, append(m.Notes, NotIdentified)
	default:
		m.setFit(d, FitDawidSkene(d.Table, o.Stop))
	}
	return m
}

// setFit records a fit and its state.
func (m *Model) setFit(d stats.Dimension, f Fit) {
	converged := f.HasConverged()
	m.Fit, m.Converged, m.Steps, m.Change = f, &converged, f.Steps, f.Change
	switch {
	case f.Steps == maxSteps && !converged:
		m.Notes = append(m.Notes, NotConverged)
	case !converged:
		m.Notes = append(m.Notes, EndedEarly)
	}
	if isAgreementLow(d) {
		m.Notes = append(m.Notes, LowAgreement)
	}
	m.Annotators = newResultBuilder(d, Options{}).annotators(f)
}

// lowKappa is the κ below which a fit is doubtful: annotators who are right in 70% of yes/no answers have
// 0.16. Errors that they share then weigh as much as what they know.
const lowKappa = 0.25

func isAgreementLow(d stats.Dimension) bool {
	weighting := stats.Linear
	if d.Nominal {
		weighting = stats.Unweighted
	}
	κ := stats.SharedKappa(weighting).Compute(d.Table)
	return κ.Defined() && κ.Value < lowKappa
}

// A Choice is the answer that probabilities lead to.
type Choice struct {
	Category int // −1 for a tie
	How      stats.ConsensusMethod
	Tied     []int // categories, ascending; nil unless several are most probable
}

// equalPosterior is the difference below which two posteriors are a tie.
const equalPosterior = 1e-9

// Choose returns the most probable category. Equal probabilities are a tie, which no rule resolves.
func Choose(posterior []float64) Choice {
	highest, likely := slices.Max(posterior), []int(nil)
	for c, p := range posterior {
		if highest-p < equalPosterior {
			likely = append(likely, c)
		}
	}
	if len(likely) > 1 {
		return Choice{-1, stats.Tie, likely}
	}
	return Choice{Category: likely[0], How: stats.DawidSkene}
}
