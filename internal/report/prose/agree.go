package prose

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// minReliableUnits is the number of units below which a bootstrap interval may cover less than its level.
const minReliableUnits = 30

// maxQuoted is the number of characters of a value that a text quotes.
const maxQuoted = 40

// IntervalNote says as a clause what an interval accounts for, or why there is none.
func (w Writer) IntervalNote(i stats.Interval) string {
	if !i.Defined() {
		return w.undefined(i.Undefined, i)
	}
	text := w.T("accounts for the sampling of %d %s, not of annotators", i.Units, w.unitNames(i))
	if i.Units < minReliableUnits {
		text = w.T("%s; approximate, with fewer than %d %s", text, minReliableUnits, w.unitNames(i))
	}
	if i.ConstantResamples > 0 {
		text += "; " + w.T("%d of %d resamples do not vary and count as full agreement", i.ConstantResamples, i.Resamples)
	}
	if i.DroppedResamples > 0 {
		text += "; " + w.T("%d resamples without a value are excluded", i.DroppedResamples)
	}
	return text
}

// unitNames names what an interval resamples.
func (w Writer) unitNames(i stats.Interval) string {
	switch {
	case i.IsShared && i.IsClustered:
		return w.T("shared clusters")
	case i.IsShared:
		return w.T("shared items")
	case i.IsClustered:
		return w.T("clusters")
	}
	return w.T("items")
}

// undefined says as a clause why a coefficient or its interval is missing.
func (w Writer) undefined(r stats.Reason, i stats.Interval) string {
	switch r.Code {
	case stats.NoAnswers:
		return w.T("there are no answers yet")
	case stats.SingleAnnotator:
		return w.T("only %s has labeled items, and agreement needs two annotators", r.Annotators[0])
	case stats.NoOverlap:
		return w.T("no item has labels from two annotators")
	case stats.NoSharedItem:
		return w.T("the two annotators share no items")
	case stats.UnusedValue:
		return w.T("no item with labels from two annotators has this value")
	case stats.NoVariation:
		if r.Value == "" {
			return w.T("the answers do not vary")
		}
		return w.T("every answer is %s, and agreement needs answers that vary", r.Value)
	case stats.NoSharedVariation:
		return w.T("every answer to a shared item is %s, and agreement needs answers that vary", r.Value)
	case stats.NoPairVariation:
		return w.T("%s and %s gave every shared item the answer %s, so the mean over pairs is not defined",
			r.Annotators[0], r.Annotators[1], r.Value)
	case stats.FewVariedAnswers:
		return w.T("without one of the %s two annotators gave every shared item the same answer, so the mean over pairs is not defined", w.unitNames(i))
	case stats.TooFewUnits:
		return w.T("an interval needs at least %d %s", r.Min, w.unitNames(i))
	case stats.FewResamples:
		return w.T("fewer than half of the resamples have a value")
	case stats.FewDisagreements:
		return w.T("agreement is full, and its uncertainty cannot be estimated without a disagreement")
	case stats.ConstantResamples:
		return w.T("every resample has the same value, so the uncertainty cannot be estimated")
	}
	return w.reason(r.Code)
}

// ScaleNote says as a clause what follows from the lack of a declared scale.
func (w Writer) ScaleNote(s stats.AppliedScale) string {
	switch s.Note {
	case stats.UnorderedCategories:
		return w.T("%s, and no order is declared: each value is a category of its own, and coefficients that need an order are left out; to include them, declare the points from lowest to highest, as --scale %q; unused categories are unknown",
			w.values(s), s.Dimension+"=low,middle,high")
	case stats.NumbersInUse:
		return w.T("no scale is declared for %s, and its values have fractions: nominal coefficients and AC1 treat each number in use as a category; the others use the differences between the numbers", s.Dimension)
	case stats.PointsInUse:
		return w.T("no scale is declared for %s: weights and categories come from the values in use, %s; unused values are unknown",
			s.Dimension, s.Scale.String())
	}
	return ""
}

// values says what the values without an order are.
func (w Writer) values(s stats.AppliedScale) string {
	names := s.Scale.Names
	number := slices.IndexFunc(names, func(name string) bool { return !stats.IsNonNumeric(name) })
	if number < 0 {
		return w.T("the values of %s are words", s.Dimension)
	}
	word := []rune(names[slices.IndexFunc(names, stats.IsNonNumeric)])
	if len(word) > maxQuoted {
		word = append(word[:maxQuoted], '…')
	}
	return w.T("the values of %s are numbers and words, such as %s and %s", s.Dimension, names[number], string(word))
}
