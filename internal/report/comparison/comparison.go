// Package comparison compares the groups of items that a metadata column makes, such as the systems that wrote them, by
// field. Package
// stats/comparison estimates each difference; this one selects the labels, adjusts for the number of comparisons and
// concludes.
package comparison

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/comparison"
)

// A Result compares the items by their values in a metadata column. Annotators never see the column.
type Result struct {
	Column       string  `json:"column"`
	Groups       []Group `json:"groups"`        // the first is the baseline
	PairedBy     Pairing `json:"paired_by"`     // empty: no items of two groups belong together
	Tested       int     `json:"tested"`        // differences with a p-value, which p_holm accounts for
	Excluded     int     `json:"excluded"`      // labeled items without a value in the column
	HiddenGroups int     `json:"hidden_groups"` // left out because they are small; see Select
}

// A Group is the labeled items with one value in the column.
type Group struct {
	Value string `json:"value"`
	Items int    `json:"items"`
	// of pairs of labels of one annotator, in which this group's is later than the baseline's; null with few labels
	LaterShare *float64     `json:"later_share"`
	Fields     []GroupField `json:"fields"`
}

// A GroupField is one field within a group.
type GroupField struct {
	Field      string       `json:"field"`
	Items      int          `json:"items"`      // with an answer
	Mean       study.Number `json:"mean"`       // over items, of the mean answer to each
	Difference *Difference  `json:"difference"` // from the baseline; null for the baseline
}

// A Difference is how far a group is from the baseline in one field: the mean of the group − that of the baseline.
type Difference struct {
	Conclusion  Conclusion        `json:"conclusion"`
	Reason      comparison.Reason `json:"reason"`      // why it cannot be told; else empty
	Primary     Estimate          `json:"primary"`     // that the conclusion rests on
	Sensitivity []Estimate        `json:"sensitivity"` // the others, which change no conclusion
	// the smallest difference that the labels could have shown with 80% power; null unless none is shown
	Detectable *float64 `json:"detectable"`
	IsShare    bool     `json:"is_share"` // of a yes, on a yes/no field; else in points
}

// An Estimate is a difference with its interval and p-value.
type Estimate struct {
	Basis comparison.Basis `json:"basis"`
	study.Number
	P     *float64 `json:"p"`      // of no difference, two-sided
	HolmP *float64 `json:"p_holm"` // adjusted for the number of comparisons (Holm 1979); null for sensitivity
	Items int      `json:"items"`
	Pairs int      `json:"pairs"` // 0 unless within pairs

	estimate comparison.Estimate
}

// A Conclusion is what the primary estimate shows.
type Conclusion string

// The conclusions. Higher and Lower need an adjusted p below 0.05.
const (
	Higher       Conclusion = "higher"
	Lower        Conclusion = "lower"
	NotShown     Conclusion = "not_shown"
	CannotBeTold Conclusion = "cannot_be_told"
)

// level is that of the conclusions, over all comparisons together.
const level = 0.05

// Compare compares the selected groups; nil without a column. hasLowAgreement says for which fields the verdict is
// below the target.
func Compare(s *study.Study, selection Selection, hasLowAgreement func(field string) bool) (*Result, error) {
	if selection.Column == "" {
		return nil, nil
	}
	r := &Result{Column: selection.Column, Excluded: selection.excluded, HiddenGroups: selection.Hidden}
	if len(selection.Values) == 0 {
		return r, nil
	}
	c := NewGroups(s, selection, s.Labeled)
	r.PairedBy = c.PairedBy
	fields := make([][]GroupField, len(s.Fields))
	study.InParallel(len(fields), func(i int) {
		fields[i] = c.compareField(s.Fields[i],
			hasLowAgreement(s.Fields[i].Key))
	})
	for i, v := range selection.Values {
		g := Group{Value: v, Items: selection.sizes[v].items}
		for _, f := range fields {
			g.Fields = append(g.Fields, f[i])
		}
		r.Groups = append(r.Groups, g)
	}
	c.setOrders(r)
	r.conclude()
	return r, nil
}

// Differences returns all differences.
func (r *Result) Differences() (list []*Difference) {
	for _, g := range r.Groups {
		for _, f := range g.Fields {
			if f.Difference != nil {
				list = append(list, f.Difference)
			}
		}
	}
	return list
}

// conclude adjusts the p-values for their number, then draws the conclusions.
func (r *Result) conclude() {
	var tested []*Difference
	var pValues []float64
	for _, d := range r.Differences() {
		if d.Reason == "" {
			tested, pValues = append(tested, d), append(pValues, *d.Primary.P)
		}
	}
	r.Tested = len(tested)
	shown := 0
	for i, p := range stats.AdjustHolm(pValues) {
		d := tested[i]
		switch d.Primary.HolmP = &p; {
		case p >= level:
			d.Conclusion = NotShown
		case *d.Primary.Value > 0:
			d.Conclusion, shown = Higher, shown+1
		default:
			d.Conclusion, shown = Lower, shown+1
		}
	}
	for _, d := range tested {
		if d.Conclusion == NotShown {
			d.Detectable = new(d.Primary.estimate.Detectable(level / float64(len(tested)-shown)))
		}
	}
}

// IsShown reports whether the groups differ.
func (d *Difference) IsShown() bool { return d.Conclusion == Higher || d.Conclusion == Lower }
