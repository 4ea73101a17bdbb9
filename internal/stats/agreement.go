package stats

import (
	"fmt"
	"slices"
)

// A Result is one figure of agreement, in the form that programs read.
type Result struct {
	Dimension   string   `json:"dimension"`
	Coefficient string   `json:"coefficient"`
	Variant     string   `json:"variant"`
	Value       *float64 `json:"value"`     // null where Undefined says why
	Undefined   string   `json:"undefined"` // blank where there is a value
	Items       int      `json:"items"`
	Annotators  int      `json:"annotators"`
	Ratings     int      `json:"ratings"`
	Low         *float64 `json:"low"` // null where Covers says why
	High        *float64 `json:"high"`
	Covers      string   `json:"covers"`
}

// An Agreement is every figure of every dimension, and the scales they rest on.
type Agreement struct {
	Scales  []ScaleUsed `json:"scales"`
	Results []Result    `json:"results"`
	Aside   []string    `json:"left_aside"` // columns of the file that mean nothing here
}

// A ScaleUsed is the scale that weights and categories of a dimension came from.
type ScaleUsed struct {
	Dimension string    `json:"dimension"`
	Values    []float64 `json:"values"`          // what distances come from; none of words without an order
	Words     []string  `json:"words,omitempty"` // how the points are written, where they are no numbers
	Declared  bool      `json:"declared"`
	Nominal   bool      `json:"nominal"` // words without an order
	Says      string    `json:"says"`    // what it means that none was declared

	Points Points `json:"-"`
}

// Agree returns all figures of the dimensions, in their order.
func Agree(long Long, o Options) Agreement {
	a := Agreement{Scales: []ScaleUsed{}, Results: []Result{}, Aside: append([]string{}, long.Aside...)}
	for _, d := range long.Dimensions {
		a.Scales = append(a.Scales, d.scaleUsed())
		a.Results = append(a.Results, d.results(o)...)
	}
	return a
}

func (d Dimension) scaleUsed() ScaleUsed {
	used := ScaleUsed{Dimension: d.Name, Values: []float64{}, Declared: d.Declared, Nominal: d.Nominal, Says: d.says(), Points: d.points()}
	if !d.Nominal {
		used.Values = used.Points.values()
	}
	if slices.ContainsFunc(d.Table.written, isWord) {
		used.Words = d.Table.written
	}
	return used
}

func (d Dimension) points() Points { return Points{d.Table.Scale, d.Table.written} }

// says what it means that no scale was declared.
func (d Dimension) says() string {
	switch {
	case d.Declared:
		return ""
	case d.Nominal:
		return fmt.Sprintf("%s and no order was declared: each is a category of its own, and figures that count how far answers lie apart are left out; "+
			"to have them, name the points, the lowest first, as --scale %q; a category that nobody chose is not known", d.mixed(), d.Name+"=low,middle,high")
	case d.Table.written != nil:
		return fmt.Sprintf("no scale was declared for %s, and its values have fractions: nominal figures, AC1 among them, take every number in use for a category of its own; "+
			"figures with distances take those between the numbers", d.Name)
	}
	return fmt.Sprintf("no scale was declared for %s: weights and categories come from the values in use, %s; a value that nobody chose is not known",
		d.Name, d.Table.Scale)
}

// mixed says what the values without an order are.
func (d Dimension) mixed() string {
	word, number := slices.IndexFunc(d.Table.written, isWord), slices.IndexFunc(d.Table.written, isNumber)
	if number < 0 {
		return fmt.Sprintf("the values of %s are words", d.Name)
	}
	return fmt.Sprintf("the values of %s are numbers and words, such as %s and %s,", d.Name, d.Table.written[number], short(d.Table.written[word]))
}

// results returns every coefficient in every variant, then each pair of annotators.
func (d Dimension) results(o Options) []Result {
	var found []Result
	for _, e := range d.estimates(d.Table, o, Measures()) {
		found = append(found, e.result(d.Name, e.Coefficient))
	}
	shared := d.Table.shared()
	for first, a := range d.Table.annotators {
		for second := first + 1; second < len(d.Table.annotators); second++ {
			p := pair{int32(first), int32(second)}
			name := fmt.Sprintf("pair_cohen[%s|%s]", a, d.Table.annotators[second])
			for _, e := range d.estimates(d.Table.pickPair(p, shared[p]), o, lights()) {
				if e.Ratings == 0 && e.Undefined != Unordered {
					e.Undefined = "the two share no item: there is nothing to compare"
					e.Interval.Undefined = e.Undefined
				}
				found = append(found, e.result(d.Name, name))
			}
		}
	}
	return found
}

// Unordered is why a figure that counts how far answers lie apart has no value
// where the values are words without an order.
const Unordered = "the values are words without a declared order, which this takes"

// estimates returns the measures of a table of d, in their order.
func (d Dimension) estimates(t Table, o Options, measures []Measure) []Estimate {
	if !d.Nominal {
		return Estimates(t, o, measures...)
	}
	defined := slices.DeleteFunc(slices.Clone(measures), Measure.takesOrder)
	next, found := Estimates(t, o, defined...), []Estimate{}
	for _, m := range measures {
		if m.takesOrder() {
			f := m.rests(t)
			f.Undefined = Unordered
			found = append(found, Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: Unordered}})
			continue
		}
		found, next = append(found, next[0]), next[1:]
	}
	return found
}

// Measures returns the coefficients of a report, each in each variant.
func Measures() []Measure {
	all := append([]Measure{PercentAgreement()}, lights()...)
	for _, w := range weightings {
		all = append(all, CongerKappa(w))
	}
	return append(all, FleissKappa(), FleissKappa2Plus(),
		Alpha(NominalDistance), Alpha(OrdinalDistance), Alpha(IntervalDistance),
		GwetAC1(), GwetAC2(Linear), GwetAC2(Quadratic))
}

func lights() []Measure {
	return []Measure{LightKappa(Unweighted), LightKappa(Linear), LightKappa(Quadratic)}
}

// result is the estimate as programs read it.
func (e Estimate) result(dimension, coefficient string) Result {
	r := Result{
		Dimension: dimension, Coefficient: coefficient, Variant: e.Variant, Undefined: e.Undefined,
		Items: e.Items, Annotators: e.Annotators, Ratings: e.Ratings, Covers: e.Interval.Covers(),
	}
	if e.Defined() {
		r.Value = &e.Value
	}
	if e.Interval.Defined() {
		r.Low, r.High = &e.Interval.Low, &e.Interval.High
	}
	return r
}
