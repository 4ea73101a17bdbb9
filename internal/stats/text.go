package stats

import (
	"fmt"
	"slices"
	"strings"
)

// Text returns the reason as a clause; empty without a reason.
func (r Reason) Text() string {
	switch r.Code {
	case SingleAnnotator:
		return fmt.Sprintf("only %s has labeled items, and agreement needs two annotators", r.Annotators[0])
	case NoVariation:
		if r.Value == "" {
			return "the answers do not vary"
		}
		return fmt.Sprintf("every answer is %s, and agreement needs answers that vary", r.Value)
	case NoSharedVariation:
		return fmt.Sprintf("every answer to a shared item is %s, and agreement needs answers that vary", r.Value)
	case NoPairVariation:
		return fmt.Sprintf("%s and %s gave every shared item the answer %s, so the mean over pairs is not defined",
			r.Annotators[0], r.Annotators[1], r.Value)
	case TooFewItems:
		return fmt.Sprintf("at least %d items are needed", r.Min)
	case TooFewUnits:
		return fmt.Sprintf("an interval needs at least %d %s", r.Min, r.UnitName)
	case FewDisagreements:
		return "agreement is full, and its uncertainty cannot be estimated without a disagreement"
	case FewVariedAnswers:
		return fmt.Sprintf(
			"without one of the %s two annotators gave every shared item the same answer, so the mean over pairs is not defined", r.UnitName)
	}
	return reasonTexts[r.Code]
}

var reasonTexts = map[ReasonCode]string{
	NoAnswers:          "there are no answers yet",
	NoOverlap:          "no item has labels from two annotators",
	NoSharedItem:       "the two annotators share no items",
	UnorderedValues:    "the values are words without a declared order, and this coefficient needs an order",
	TooManyPairs:       "there are more than 1,000,000 pairs of annotators",
	NoFigure:           "there is no value",
	NothingToCount:     "there are no answers to count",
	SingleCondition:    "only one of the two conditions has values",
	NoCompleteQuery:    "no query has labels and ranks for all its chunks",
	FewResamples:       "fewer than half of the resamples have a value",
	UnusedValue:        "no item with labels from two annotators has this value",
	ConstantResamples:  "every resample has the same value, so the uncertainty cannot be estimated",
	ConstantDifference: "every difference is the same, so the uncertainty cannot be estimated",
}

// minReliableUnits is the number of units below which a bootstrap interval may cover
// less than its level.
const minReliableUnits = 30

// Note returns what the interval accounts for, or why there is none, as a clause.
func (i Interval) Note() string {
	if !i.Defined() {
		return i.Undefined.Text()
	}
	text := fmt.Sprintf("accounts for the sampling of %d %s, not of annotators", i.Units, i.UnitName)
	if i.Units < minReliableUnits {
		text += fmt.Sprintf("; approximate, with fewer than %d %s", minReliableUnits, i.UnitName)
	}
	if i.ConstantResamples > 0 {
		text += fmt.Sprintf("; %d of %d resamples %s as full agreement", i.ConstantResamples, i.Resamples,
			choose(i.ConstantResamples == 1, "does not vary and counts", "do not vary and count"))
	}
	if i.DroppedResamples > 0 {
		text += fmt.Sprintf("; %d %s excluded", i.DroppedResamples,
			choose(i.DroppedResamples == 1, "resample without a value is", "resamples without a value are"))
	}
	return text
}

func choose(isFirst bool, first, second string) string {
	if isFirst {
		return first
	}
	return second
}

// CoefficientText returns the name of a coefficient of agreement.
func CoefficientText(coefficient string) string {
	return map[string]string{"percent_agreement": "Percent agreement", "cohen_kappa": "Cohen's κ",
		"conger_kappa": "Conger's κ", "shared_kappa": "κ of shared items",
		"fleiss_kappa": "Fleiss' κ", "alpha": "Krippendorff's α", "gwet_ac1": "Gwet's AC1",
		"gwet_ac2": "Gwet's AC2"}[coefficient]
}

// scaleNote states, as a clause, what follows from the lack of a declared scale.
func (d Dimension) scaleNote() string {
	switch {
	case d.Declared:
		return ""
	case d.Nominal:
		return fmt.Sprintf(
			"%s, and no order is declared: each value is a category of its own, and coefficients that need an order are left out; "+
				"to include them, declare the points from lowest to highest, as --scale %q; unused categories are unknown",
			d.describeValues(), d.Name+"=low,middle,high")
	case d.Table.valueNames != nil:
		return fmt.Sprintf(
			"no scale is declared for %s, and its values have fractions: nominal coefficients and AC1 treat each number in use as a category; "+
				"the others use the differences between the numbers", d.Name)
	}
	return fmt.Sprintf(
		"no scale is declared for %s: weights and categories come from the values in use, %s; unused values are unknown", d.Name, d.Table.Scale)
}

// describeValues states what the values without an order are.
func (d Dimension) describeValues() string {
	word := slices.IndexFunc(d.Table.valueNames, IsNonNumeric)
	number := slices.IndexFunc(d.Table.valueNames, func(name string) bool { return !IsNonNumeric(name) })
	if number < 0 {
		return fmt.Sprintf("the values of %s are words", d.Name)
	}
	return fmt.Sprintf("the values of %s are numbers and words, such as %s and %s", d.Name, d.Table.valueNames[number],
		truncate(d.Table.valueNames[word]))
}

// maxNamedPoints is the number of points that a message lists.
const maxNamedPoints = 12

// String returns the points as they are declared.
func (p NamedScale) String() string {
	if p.Names == nil {
		return p.Scale.String()
	}
	if more := len(p.Names) - maxNamedPoints; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(p.Names[:maxNamedPoints], ", "), more)
	}
	return strings.Join(p.Names, ", ")
}

// truncate shortens text quoted from a file.
func truncate(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
