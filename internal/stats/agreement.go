package stats

import (
	"fmt"
	"slices"
)

// A AgreementResult is one figure of agreement, in the form that programs read.
type AgreementResult struct {
	Dimension    string   `json:"dimension"`
	Coefficient  string   `json:"coefficient"`
	Variant      string   `json:"variant"`
	Value        *float64 `json:"value"`     // null where Undefined says why
	Undefined    string   `json:"undefined"` // blank where there is a value
	Items        int      `json:"items"`
	Annotators   int      `json:"annotators"`
	Ratings      int      `json:"ratings"`
	Low          *float64 `json:"low"` // null where Covers says why
	High         *float64 `json:"high"`
	IntervalNote string   `json:"covers"`
}

// An AgreementReport is every figure of every dimension, and the scales they rest on.
type AgreementReport struct {
	Scales         []AppliedScale    `json:"scales"`
	Results        []AgreementResult `json:"results"`
	IgnoredColumns []string          `json:"left_aside"` // columns of the file that mean nothing here
}

// A AppliedScale is the scale that weights and categories of a dimension came from.
type AppliedScale struct {
	Dimension string    `json:"dimension"`
	Values    []float64 `json:"values"`          // what distances come from; none of words without an order
	Names     []string  `json:"words,omitempty"` // how the points are written, where they are no numbers
	Declared  bool      `json:"declared"`
	Nominal   bool      `json:"nominal"` // words without an order
	Note      string    `json:"says"`    // what it means that none was declared

	Scale NamedScale `json:"-"`
}

// A Dimension is the ratings of one field.
type Dimension struct {
	Name     string
	Table    RatingTable
	Declared bool // its scale was declared; otherwise it is the values in use
	Nominal  bool // its values are words without a declared order
}

// ComputeAgreement returns every figure of the dimensions, in their order.
func ComputeAgreement(dimensions []Dimension, o IntervalOptions) AgreementReport {
	report := AgreementReport{Scales: []AppliedScale{}, Results: []AgreementResult{}, IgnoredColumns: []string{}}
	for _, d := range dimensions {
		report.Scales = append(report.Scales, d.appliedScale())
		report.Results = append(report.Results, d.computeResults(o)...)
	}
	return report
}

func (d Dimension) appliedScale() AppliedScale {
	used := AppliedScale{Dimension: d.Name, Values: []float64{}, Declared: d.Declared, Nominal: d.Nominal, Note: d.scaleNote(), Scale: d.NamedScale()}
	if !d.Nominal {
		used.Values = used.Scale.numericValues()
	}
	if slices.ContainsFunc(d.Table.valueNames, IsNonNumeric) {
		used.Names = d.Table.valueNames
	}
	return used
}

// NamedScale returns the points of the scale and how they are written.
func (d Dimension) NamedScale() NamedScale { return NamedScale{d.Table.Scale, d.Table.valueNames} }

// scaleNote what it means that no scale was declared.
func (d Dimension) scaleNote() string {
	switch {
	case d.Declared:
		return ""
	case d.Nominal:
		return fmt.Sprintf("%s and no order was declared: each is a category of its own, and figures that count how far answers lie apart are left out; "+
			"to have them, name the points, the lowest first, as --scale %q; a category that nobody chose is not known", d.describeValues(), d.Name+"=low,middle,high")
	case d.Table.valueNames != nil:
		return fmt.Sprintf("no scale was declared for %s, and its values have fractions: nominal figures, AC1 among them, take every number in use for a category of its own; "+
			"figures with distances take those between the numbers", d.Name)
	}
	return fmt.Sprintf("no scale was declared for %s: weights and categories come from the values in use, %s; a value that nobody chose is not known",
		d.Name, d.Table.Scale)
}

// describeValues says what the values without an order are.
func (d Dimension) describeValues() string {
	word, number := slices.IndexFunc(d.Table.valueNames, IsNonNumeric), slices.IndexFunc(d.Table.valueNames, isNumeral)
	if number < 0 {
		return fmt.Sprintf("the values of %s are words", d.Name)
	}
	return fmt.Sprintf("the values of %s are numbers and words, such as %s and %s,", d.Name, d.Table.valueNames[number], truncate(d.Table.valueNames[word]))
}

// computeResults returns every coefficient in every variant, then each pair of annotators.
func (d Dimension) computeResults(o IntervalOptions) []AgreementResult {
	var found []AgreementResult
	for _, e := range d.computeEstimates(d.Table, o, AllMeasures()) {
		found = append(found, e.toResult(d.Name, e.Coefficient))
	}
	sharedRows := d.Table.sharedRows()
	for first, a := range d.Table.annotators {
		for second := first + 1; second < len(d.Table.annotators); second++ {
			p := annotatorPair{int32(first), int32(second)}
			name := fmt.Sprintf("pair_cohen[%s|%s]", a, d.Table.annotators[second])
			for _, e := range d.computeEstimates(d.Table.selectPair(p, sharedRows[p]), o, lightKappas()) {
				if e.Ratings == 0 && e.Undefined != ReasonUnordered {
					e.Undefined = "the two share no item: there is nothing to compare"
					e.Interval.Undefined = e.Undefined
				}
				found = append(found, e.toResult(d.Name, name))
			}
		}
	}
	return found
}

// ReasonUnordered is why a figure that counts how far answers lie apart has no value
// where the values are words without an order.
const ReasonUnordered = "the values are words without a declared order, which this takes"

// computeEstimates returns the measures of a table of d, in their order.
func (d Dimension) computeEstimates(t RatingTable, o IntervalOptions, measures []Measure) []Estimate {
	if !d.Nominal {
		return ComputeEstimates(t, o, measures...)
	}
	defined := slices.DeleteFunc(slices.Clone(measures), Measure.needsOrder)
	next, found := ComputeEstimates(t, o, defined...), []Estimate{}
	for _, m := range measures {
		if m.needsOrder() {
			f := m.countBasis(t)
			f.Undefined = ReasonUnordered
			found = append(found, Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: ReasonUnordered}})
			continue
		}
		found, next = append(found, next[0]), next[1:]
	}
	return found
}

// AllMeasures returns the coefficients of a report, each in each variant.
func AllMeasures() []Measure {
	all := append([]Measure{PercentAgreement()}, lightKappas()...)
	for _, w := range weightings {
		all = append(all, CongerKappa(w))
	}
	return append(all, FleissKappa(), FleissKappa2Plus(),
		Alpha(NominalDistance), Alpha(OrdinalDistance), Alpha(IntervalDistance),
		GwetAC1(), GwetAC2(Linear), GwetAC2(Quadratic))
}

func lightKappas() []Measure {
	return []Measure{LightKappa(Unweighted), LightKappa(Linear), LightKappa(Quadratic)}
}

// toResult is the estimate as programs read it.
func (e Estimate) toResult(dimension, coefficient string) AgreementResult {
	r := AgreementResult{
		Dimension: dimension, Coefficient: coefficient, Variant: e.Variant, Undefined: e.Undefined,
		Items: e.Items, Annotators: e.Annotators, Ratings: e.Ratings, IntervalNote: e.Interval.Describe(),
	}
	if e.Defined() {
		r.Value = &e.Value
	}
	if e.Interval.Defined() {
		r.Low, r.High = &e.Interval.Low, &e.Interval.High
	}
	return r
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
