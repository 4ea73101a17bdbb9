package stats

import (
	"fmt"
	"slices"
)

// An AgreementResult is one figure of agreement, in the JSON form of the agree command.
type AgreementResult struct {
	Dimension         string     `json:"dimension"`
	Coefficient       string     `json:"coefficient"`
	Variant           string     `json:"variant"`
	Value             *float64   `json:"value"`     // null if Undefined has a reason
	Undefined         ReasonCode `json:"undefined"` // blank with a value
	Items             int        `json:"items"`
	Annotators        int        `json:"annotators"`
	Ratings           int        `json:"ratings"`
	Low               *float64   `json:"low"` // null if IntervalUndefined has a reason
	High              *float64   `json:"high"`
	IntervalUndefined ReasonCode `json:"interval_undefined"`
	IntervalOver      string     `json:"interval_over"` // what is resampled: items or clusters; blank: nothing
	Units             int        `json:"units"`         // of these, those with two labels of an item
	ConstantResamples int        `json:"constant_resamples"`
	DroppedResamples  int        `json:"dropped_resamples"`

	Reason   Reason   `json:"-"` // of Undefined, with its numbers
	Interval Interval `json:"-"`
}

// An AgreementReport is every figure of every dimension, and their scales.
type AgreementReport struct {
	Scales         []AppliedScale    `json:"scales"`
	Results        []AgreementResult `json:"results"`
	IgnoredColumns []string          `json:"ignored_columns"` // columns of the file that are not used
}

// An AppliedScale is the scale from which weights and categories of a dimension come.
type AppliedScale struct {
	Dimension string    `json:"dimension"`
	Values    []float64 `json:"values"`          // the numbers of the points; none if Nominal
	Names     []string  `json:"names,omitempty"` // the points as written, if some are words
	Declared  bool      `json:"declared"`
	Nominal   bool      `json:"nominal"` // words without a declared order
	Note      ScaleNote `json:"note"`    // blank if the scale is declared

	Scale NamedScale `json:"-"`
}

// A ScaleNote identifies what weights and categories come from without a declared scale.
type ScaleNote string

// The notes.
const (
	UnorderedCategories ScaleNote = "unordered_categories" // words: no order, and each value is a category of its own
	NumbersInUse        ScaleNote = "numbers_in_use"       // numbers with fractions: each is a category, with its distance
	PointsInUse         ScaleNote = "points_in_use"        // whole numbers: from the lowest to the highest
)

// A Dimension is the ratings of one field.
type Dimension struct {
	Name     string
	Table    RatingTable
	Declared bool // its scale was declared; otherwise it is the values in use
	Nominal  bool // its values are words without a declared order
}

// ComputeAgreement returns every figure of the dimensions, in their order.
func ComputeAgreement(dimensions []Dimension, o IntervalOptions) AgreementReport {
	return computeAgreement(dimensions, func(d Dimension) []AgreementResult { return d.computeResults(o) })
}

// ComputeMainAgreement returns the main figures of the dimensions, in their order.
func ComputeMainAgreement(dimensions []Dimension, o IntervalOptions) AgreementReport {
	return computeAgreement(dimensions, func(d Dimension) (found []AgreementResult) {
		for _, e := range d.computeEstimates(d.Table, o, d.MainMeasures()) {
			found = append(found, e.toResult(d.Name, e.Coefficient))
		}
		return found
	})
}

// MainMeasures returns percent agreement, Conger's κ, Krippendorff's α and Gwet's AC, with the weights of the
// scale: linear ones for an order, and for α the distances of its numbers or ranks; none without an order or with two
// points.
func (d Dimension) MainMeasures() []Measure {
	switch {
	case d.Nominal || len(d.Table.Scale) == 2:
		return []Measure{PercentAgreement(), CongerKappa(Unweighted), Alpha(NominalDistance), GwetAC1()}
	case slices.ContainsFunc(d.Table.valueNames, IsNonNumeric):
		return []Measure{PercentAgreement(), CongerKappa(Linear), Alpha(OrdinalDistance), GwetAC2(Linear)}
	}
	return []Measure{PercentAgreement(), CongerKappa(Linear), Alpha(IntervalDistance), GwetAC2(Linear)}
}

func computeAgreement(dimensions []Dimension, compute func(Dimension) []AgreementResult) AgreementReport {
	report := AgreementReport{Scales: []AppliedScale{}, Results: []AgreementResult{}, IgnoredColumns: []string{}}
	for _, d := range dimensions {
		report.Scales = append(report.Scales, d.appliedScale())
		report.Results = append(report.Results, compute(d)...)
	}
	return report
}

func (d Dimension) appliedScale() AppliedScale {
	used := AppliedScale{Dimension: d.Name, Values: []float64{}, Declared: d.Declared, Nominal: d.Nominal,
		Note: d.scaleNote(), Scale: d.NamedScale()}
	if !d.Nominal {
		used.Values = used.Scale.NumericValues()
	}
	if slices.ContainsFunc(d.Table.valueNames, IsNonNumeric) {
		used.Names = d.Table.valueNames
	}
	return used
}

// scaleNote identifies what follows from the lack of a declared scale.
func (d Dimension) scaleNote() ScaleNote {
	switch {
	case d.Declared:
		return ""
	case d.Nominal:
		return UnorderedCategories
	case d.Table.valueNames != nil:
		return NumbersInUse
	}
	return PointsInUse
}

// NamedScale returns the points of the scale and how they are written.
func (d Dimension) NamedScale() NamedScale { return NamedScale{d.Table.Scale, d.Table.valueNames} }

// maxListedPairs is the number of pairs of annotators up to which each has results: all pairs of
// 100 annotators. A crowd has millions.
const maxListedPairs = 4950

// computeResults returns every coefficient in every variant, then each pair of annotators. Of more
// than maxListedPairs, it returns those that share most items.
func (d Dimension) computeResults(o IntervalOptions) []AgreementResult {
	var found []AgreementResult
	for _, e := range d.computeEstimates(d.Table, o, append(AllMeasures(), d.Table.SpecificAgreements()...)) {
		found = append(found, e.toResult(d.Name, e.Coefficient))
	}
	for _, p := range d.Table.listPairs(maxListedPairs) {
		name := fmt.Sprintf("pair_cohen[%s|%s]", p.First, p.Second)
		for _, e := range d.computeEstimates(p.Table(), o, lightKappas()) {
			e.SetPairReason()
			found = append(found, e.toResult(d.Name, name))
		}
	}
	return found
}

// SetPairReason says of two annotators what is said of all answers in a table: they may have
// other answers to items that they do not share.
func (e *Estimate) SetPairReason() {
	switch {
	case e.Undefined.Code == UnorderedValues:
		return
	case e.Ratings == 0:
		e.Undefined = Reason{Code: NoSharedItem}
	case e.Undefined.Code == NoVariation:
		e.Undefined.Code = NoSharedVariation
	default:
		return
	}
	e.Interval.Undefined = e.Undefined
}

// computeEstimates returns the estimates of the measures on a table of d. Measures that
// need an order have none on nominal values.
func (d Dimension) computeEstimates(t RatingTable, o IntervalOptions, measures []Measure) []Estimate {
	if !d.Nominal {
		return ComputeEstimates(t, o, measures...)
	}
	defined := slices.DeleteFunc(slices.Clone(measures), Measure.needsOrder)
	next, found := ComputeEstimates(t, o, defined...), []Estimate{}
	for _, m := range measures {
		if m.needsOrder() {
			f := m.countBasis(t)
			f.Undefined = Reason{Code: UnorderedValues}
			found = append(found, Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: f.Undefined}})
			continue
		}
		found, next = append(found, next[0]), next[1:]
	}
	return found
}

// AllMeasures returns every coefficient in every variant.
func AllMeasures() []Measure {
	all := append([]Measure{PercentAgreement()}, lightKappas()...)
	for _, w := range weightings {
		all = append(all, CongerKappa(w))
	}
	for _, w := range weightings {
		all = append(all, SharedKappa(w))
	}
	return append(all, FleissKappa(), FleissKappa2Plus(),
		Alpha(NominalDistance), Alpha(OrdinalDistance), Alpha(IntervalDistance),
		GwetAC1(), GwetAC2(Linear), GwetAC2(Quadratic))
}

func lightKappas() []Measure {
	return []Measure{LightKappa(Unweighted), LightKappa(Linear), LightKappa(Quadratic)}
}

// toResult converts an estimate to its JSON form.
func (e Estimate) toResult(dimension, coefficient string) AgreementResult {
	r := AgreementResult{
		Dimension: dimension, Coefficient: coefficient, Variant: e.Variant, Undefined: e.Undefined.Code,
		Items: e.Items, Annotators: e.Annotators, Ratings: e.Ratings,
		IntervalUndefined: e.Interval.Undefined.Code, Units: e.Interval.Units,
		ConstantResamples: e.Interval.ConstantResamples, DroppedResamples: e.Interval.DroppedResamples,
		Reason: e.Undefined, Interval: e.Interval,
	}
	if e.Interval.Level > 0 {
		if r.IntervalOver = "items"; e.Interval.IsClustered {
			r.IntervalOver = "clusters"
		}
	}
	if e.Defined() {
		r.Value = &e.Value
	}
	if e.Interval.Defined() {
		r.Low, r.High = &e.Interval.Low, &e.Interval.High
	}
	return r
}
