package study

import "github.com/labelwright/labelwright/internal/stats"

// A Number is a value with its 95% confidence interval, or the reason why either is missing.
type Number struct {
	Value  *float64         `json:"value"`
	Low    *float64         `json:"low"`
	High   *float64         `json:"high"`
	Reason stats.ReasonCode `json:"reason"` // why the value or the interval is missing; empty with both

	Limits [2]float64 `json:"-"` // the text is on the same side of them as the value; 0: none
}

// RewriteLimit is the κ below which a question needs another wording.
const RewriteLimit = 0.25

// An AgreementFigure is a coefficient of agreement and the data it comes from.
type AgreementFigure struct {
	Coefficient string `json:"coefficient"`
	Variant     string `json:"variant"`
	Number
	Items      int `json:"items"`
	Annotators int `json:"annotators"`
	Ratings    int `json:"ratings"`

	Interval *stats.Interval `json:"-"` // nil for one of many pairs
	Unbiased *float64        `json:"-"` // the value without the bias of few items; nil without a jackknife interval
}

// NewNumber joins a value, or the reason why there is none, and its interval.
func NewNumber(value float64, undefined stats.Reason, interval stats.Interval) Number {
	if undefined.Code != "" {
		return Number{Reason: undefined.Code}
	}
	n := Number{Value: &value, Reason: interval.Undefined.Code}
	if interval.Defined() {
		low, high := interval.Low, interval.High // so that only these stay in memory
		n.Low, n.High = &low, &high
	}
	return n
}

// MissingNumber returns a Number without a value.
func MissingNumber(reason stats.ReasonCode) Number { return Number{Reason: reason} }

// NumberFromShare returns a proportion with its interval.
func NumberFromShare(s stats.Proportion) Number {
	return NewNumber(s.Value(), s.Interval.Undefined, s.Interval)
}

// FigureFromEstimate returns the figure of an estimate with what a verdict needs.
func FigureFromEstimate(e stats.Estimate) AgreementFigure {
	f, interval := NewFigure(e), e.Interval
	f.Interval = &interval
	if value, ok := e.Unbiased(); ok {
		f.Unbiased = &value
	}
	return f
}

// NewFigure returns the figure of an estimate without what a verdict needs.
func NewFigure(e stats.Estimate) AgreementFigure {
	return AgreementFigure{Coefficient: e.Coefficient, Variant: e.Variant, Number: NewNumber(e.Value, e.Undefined,
		e.Interval),
		Items: e.Items, Annotators: e.Annotators, Ratings: e.Ratings}
}

// SamplingInterval returns the interval with what a verdict needs; the zero one if it was not kept.
func (f AgreementFigure) SamplingInterval() stats.Interval {
	if f.Interval == nil {
		return stats.Interval{}
	}
	return *f.Interval
}

// FiguresFromEstimates returns the figures of estimates, in their order.
func FiguresFromEstimates(estimates []stats.Estimate) []AgreementFigure {
	figures := make([]AgreementFigure, len(estimates))
	for i, e := range estimates {
		figures[i] = FigureFromEstimate(e)
	}
	return figures
}

// Against returns n with texts that are on the same side of the target, and of the limit for
// rewriting, as the values.
func (n Number) Against(target float64) Number {
	n.Limits = [2]float64{min(RewriteLimit, target), target}
	return n
}

// Limit ends the interval at what is possible.
func (n *Number) Limit(least, most float64) {
	if n.Low != nil && n.High != nil {
		low, high := max(*n.Low, least), min(*n.High, most)
		n.Low, n.High = &low, &high
	}
}
