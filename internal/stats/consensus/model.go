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

// FitModel fits the model that the options ask for, if they ask for one and the ratings can
// identify it.
func FitModel(d stats.Dimension, o Options) Model {
	m := Model{ModelResult: ModelResult{Dimension: d.Name}}
	m.Method, m.Notes = chooseMethod(d, o.Method)
	switch m.Method {
	case ByDawidSkene:
		m.setFit(d, FitDawidSkene(d.Table, o.Stop))
	case ByOrdinalDawidSkene:
		m.setFit(d, FitOrdinal(d.Table))
	}
	m.Note = noteText(m.Notes)
	return m
}

// NewTiedModel returns the model of a dimension from the fit of FitTied; field is its place in
// the combinations.
func NewTiedModel(d stats.Dimension, tied Fit, combinations [][]uint8, field int) Model {
	m := Model{ModelResult: ModelResult{Dimension: d.Name, Method: ByDawidSkene, Notes: []NoteCode{FittedTogether}}}
	m.setFit(d, tied.OfField(combinations, field, len(d.Table.Scale)))
	m.Note = noteText(m.Notes)
	return m
}

// chooseMethod returns the method that the dimension permits, and why it is not the one
// asked for.
func chooseMethod(d stats.Dimension, asked Method) (Method, []NoteCode) {
	byScale := ByMajority
	if !d.Nominal && len(d.Table.Scale) > 2 {
		byScale = ByMedian
	}
	switch {
	case asked.IsModel() && !IsIdentified(d.Table):
		return byScale, []NoteCode{NotIdentified}
	case asked == ByOrdinalDawidSkene && d.Nominal:
		return ByDawidSkene, []NoteCode{NoOrder}
	case asked == ByMedian && d.Nominal:
		return ByMajority, []NoteCode{NoOrder}
	}
	return cmp.Or(asked, byScale), nil
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
	m.Annotators = newResultBuilder(d, stats.Unresolved).annotators(f)
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
	Category int // −1 for an unresolved tie
	How      stats.ConsensusMethod
	Tied     []int // categories, ascending; nil unless several are most probable
}

// equalPosterior is the difference below which two posteriors are a tie.
const equalPosterior = 1e-9

// Choose returns the most probable category, by the tie rule if several are as probable.
func (m ModelResult) Choose(posterior []float64, ties stats.TieRule) Choice {
	highest, likely := slices.Max(posterior), []int(nil)
	for c, p := range posterior {
		if highest-p < equalPosterior {
			likely = append(likely, c)
		}
	}
	switch {
	case len(likely) == 1 && m.Method == ByOrdinalDawidSkene:
		return Choice{Category: likely[0], How: stats.DawidSkeneOrdinal}
	case len(likely) == 1:
		return Choice{Category: likely[0], How: stats.DawidSkene}
	case ties == stats.LowerValue:
		return Choice{likely[0], stats.LowerOfTie, likely}
	case ties == stats.HigherValue:
		return Choice{likely[len(likely)-1], stats.HigherOfTie, likely}
	}
	return Choice{-1, stats.Tie, likely}
}
