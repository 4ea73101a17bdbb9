package report

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Number is a value with its interval at 95 %, or the reasons why either is
// missing.
type Number struct {
	Value        *float64 `json:"value"`     // null where Undefined says why
	Undefined    string   `json:"undefined"` // empty where there is a value
	Low          *float64 `json:"low"`       // null where Covers says why
	High         *float64 `json:"high"`
	IntervalNote string   `json:"covers"` // what the interval covers and what not
}

// A AgreementFigure is a coefficient of agreement, with what it rests on.
type AgreementFigure struct {
	Coefficient string `json:"coefficient"`
	Variant     string `json:"variant"`
	Number
	Items      int `json:"items"`
	Annotators int `json:"annotators"`
	Ratings    int `json:"ratings"`
}

// newNumber joins a value, or the reason why there is none, and its interval.
func newNumber(value float64, undefined string, interval stats.Interval) Number {
	n := Number{Undefined: undefined, IntervalNote: interval.Describe()}
	if undefined != "" {
		n.IntervalNote = undefined
		return n
	}
	n.Value = &value
	if interval.Defined() {
		n.Low, n.High = &interval.Low, &interval.High
	}
	return n
}

func figureFromEstimate(e stats.Estimate) AgreementFigure {
	return AgreementFigure{Coefficient: e.Coefficient, Variant: e.Variant, Number: newNumber(e.Value, e.Undefined, e.Interval),
		Items: e.Items, Annotators: e.Annotators, Ratings: e.Ratings}
}

func figuresFromEstimates(estimates []stats.Estimate) []AgreementFigure {
	figures := make([]AgreementFigure, len(estimates))
	for i, e := range estimates {
		figures[i] = figureFromEstimate(e)
	}
	return figures
}

func numberFromShare(s stats.Proportion) Number {
	return newNumber(s.Value(), s.Interval.Undefined, s.Interval)
}

// Text writes the value, such as "0.43"; a line where there is none.
func (n Number) Text() string {
	if n.Value == nil {
		return "–"
	}
	return formatValue(*n.Value)
}

// Range writes the interval, such as "0.31 to 0.55"; a line where there is none.
func (n Number) Range() string {
	if n.Low == nil || n.High == nil {
		return "–"
	}
	return formatValue(*n.Low) + " to " + formatValue(*n.High)
}

// Percent writes the value as "43 %".
func (n Number) Percent() string {
	if n.Value == nil {
		return "–"
	}
	return formatPercent(*n.Value)
}

// PercentRange writes the interval as "31 to 55 %".
func (n Number) PercentRange() string {
	if n.Low == nil || n.High == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100**n.Low, 100**n.High)
}

// Signed writes a difference with its sign, such as "+0.43".
func (n Number) Signed() string {
	if n.Value == nil {
		return "–"
	}
	return formatSigned(*n.Value)
}

// SignedRange writes the interval of a difference, such as "−0.10 to +0.55".
func (n Number) SignedRange() string {
	if n.Low == nil || n.High == nil {
		return "–"
	}
	return formatSigned(*n.Low) + " to " + formatSigned(*n.High)
}

func formatSigned(v float64) string {
	if text := formatValue(v); v > 0 && text != "0.00" {
		return "+" + text
	}
	return formatValue(v)
}

// MissingReason says why there is no value, or no interval; empty where there are both.
func (n Number) MissingReason() string {
	if n.Value != nil && n.Low != nil {
		return ""
	}
	return n.IntervalNote
}

// formatValue writes v to two places, without the sign of a nothing; a minus is as
// wide as a plus.
func formatValue(v float64) string {
	if text := fmt.Sprintf("%.2f", v); text != "-0.00" {
		return strings.Replace(text, "-", "−", 1)
	}
	return "0.00"
}

func formatPercent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }
