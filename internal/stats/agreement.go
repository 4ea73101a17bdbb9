package stats

import "fmt"

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
	Dimension string `json:"dimension"`
	Values    []int  `json:"values"`
	Declared  bool   `json:"declared"`
	Says      string `json:"says"` // what it means that none was declared
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
	used := ScaleUsed{Dimension: d.Name, Values: d.Table.Scale, Declared: d.Declared}
	if !d.Declared {
		used.Says = fmt.Sprintf("no scale was declared for %s: weights and categories come from the values in use, %s; a value that nobody chose is not known",
			d.Name, d.Table.Scale)
	}
	return used
}

// results returns every coefficient in every variant, then each pair of annotators.
func (d Dimension) results(o Options) []Result {
	var found []Result
	for _, e := range Estimates(d.Table, o, Measures()...) {
		found = append(found, e.result(d.Name, e.Coefficient))
	}
	shared := d.Table.shared()
	for first, a := range d.Table.annotators {
		for second := first + 1; second < len(d.Table.annotators); second++ {
			p := pair{int32(first), int32(second)}
			name := fmt.Sprintf("pair_cohen[%s|%s]", a, d.Table.annotators[second])
			for _, e := range Estimates(d.Table.pickPair(p, shared[p]), o, lights()...) {
				if e.Ratings == 0 {
					e.Undefined = "the two share no item: there is nothing to compare"
					e.Interval.Undefined = e.Undefined
				}
				found = append(found, e.result(d.Name, name))
			}
		}
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
