// Package mixed fits a linear mixed model that separates conditions from the severity of
// annotators:
//
//	value = mean of the condition + annotator + record + item + error
//
// Conditions are fixed. Annotators, records and items are random and independent. The variances
// are estimated by restricted maximum likelihood (Patterson & Thompson 1971, Biometrika 58), the
// means by generalized least squares.
package mixed

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Label is one answer. Its numbers count from 0.
type Label struct {
	Value                float64
	Record, Item         int32 // each item has one record and one condition
	Annotator, Condition int32
}

// Data are the labels of a comparison.
type Data struct {
	Labels                 []Label // Fit sorts them
	Annotators, Conditions int
	FixedAnnotators        bool // severities are estimated as they are, not moved toward their mean
}

// fixedRatio is the ratio of variances with which random effects are as good as fixed.
const fixedRatio = 1e6

// The reasons why there is no model.
const (
	OneAnnotator         stats.ReasonCode = "one_annotator"
	ManyAnnotators       stats.ReasonCode = "many_annotators"
	ConfoundedAnnotators stats.ReasonCode = "confounded_annotators" // no annotator links the conditions
	FewLabels            stats.ReasonCode = "few_labels"
	// conditions, annotators and records explain all answers
	NothingUnexplained stats.ReasonCode = "nothing_unexplained"
)

// minResidual is the share of the variance of the values up to which that of the error is a rounding error, to which no
// interval can be in proportion. Of standard deviations, it is the share of the largest value.
const minResidual = 1e-8

// MaxAnnotators is the largest number of annotators of a model: the time grows with its cube.
const MaxAnnotators = 200

// MaxVarianceLabels is the number of labels from which the variances come from a sample of
// whole records with about so many. The means and their errors are computed from all labels.
const MaxVarianceLabels = 50000

// A Model is a fitted model.
type Model struct {
	Means                             []float64 // by condition
	Annotator, Record, Item, Residual float64   // variances

	ratios     ratios
	blocks     *blocks
	solution   solution
	variance   *blocks // the labels that the variances come from
	components []int   // of ratios, that are estimated
	residuals  *labelResiduals
}

// Fit fits the model, or returns why there is none.
func Fit(d Data) (Model, stats.ReasonCode) {
	slices.SortFunc(d.Labels, func(a, b Label) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Item, b.Item),
			cmp.Compare(a.Annotator, b.Annotator))
	})
	if reason := d.missing(); reason != "" {
		return Model{}, reason
	}
	if d = d.joinEqualAnswers(); len(d.Labels) < d.Conditions+2 {
		return Model{}, FewLabels
	}
	m := Model{blocks: newBlocks(d), residuals: &labelResiduals{}}
	if m.variance = m.blocks; len(d.Labels) > MaxVarianceLabels {
		if sample := d.sampleRecords(); sample.missing() == "" {
			m.variance = newBlocks(sample)
		}
	}
	m.components = m.variance.components()
	var fixed ratios
	if d.FixedAnnotators {
		fixed[annotatorRatio] = fixedRatio
		m.components = slices.DeleteFunc(m.components, func(c int) bool { return c == annotatorRatio })
	}
	m.ratios = m.variance.fitRatios(m.components, fixed)
	var ok bool
	if m.solution, ok = m.blocks.solve(m.ratios); !ok {
		return Model{}, stats.NoVariation
	}
	if m.solution.residual <= minResidual*m.blocks.variance() {
		return Model{}, NothingUnexplained
	}
	for _, mean := range m.solution.means {
		m.Means = append(m.Means, mean+m.blocks.center)
	}
	m.Residual = m.solution.residual
	m.Annotator, m.Record, m.Item = m.Residual*m.ratios[annotatorRatio], m.Residual*m.ratios[recordRatio],
		m.Residual*m.ratios[itemRatio]
	return m, ""
}

// missing returns why there is no model of the sorted labels.
func (d Data) missing() stats.ReasonCode {
	labelsOf := make([]int, d.Annotators)
	conditions := make([]bool, d.Conditions)
	groups := newUnion(d.Annotators + d.Conditions)
	isConstant := true
	for _, l := range d.Labels {
		labelsOf[l.Annotator]++
		conditions[l.Condition] = true
		groups.join(int(l.Annotator), d.Annotators+int(l.Condition))
		isConstant = isConstant && l.Value == d.Labels[0].Value
	}
	switch used := d.Annotators - countZeros(labelsOf); {
	case slices.Contains(conditions, false) || len(d.Labels) < d.Conditions+used+2:
		return FewLabels
	case used < 2:
		return OneAnnotator
	case used > MaxAnnotators:
		return ManyAnnotators
	case groups.count-countZeros(labelsOf) > 1: // so that differences rest on other annotators
		return ConfoundedAnnotators
	case isConstant:
		return stats.NoVariation
	}
	return ""
}

// joinEqualAnswers returns the first label of each item if annotators always agree on the items that they share, and
// else the labels as they are. Several equal labels would leave no error to estimate variances from, and tell no more
// than one. Annotators who share items then have the same severity, and count as one.
func (d Data) joinEqualAnswers() Data {
	groups := newUnion(d.Annotators)
	joined := Data{Annotators: d.Annotators, Conditions: d.Conditions, FixedAnnotators: d.FixedAnnotators}
	for item := range eachRun(d.Labels, func(l Label) int32 { return l.Item }) {
		for _, l := range item {
			if l.Value != item[0].Value {
				return d
			}
			groups.join(int(item[0].Annotator), int(l.Annotator))
		}
		joined.Labels = append(joined.Labels, item[0])
	}
	for i, l := range joined.Labels {
		joined.Labels[i].Annotator = int32(groups.find(int(l.Annotator)))
	}
	return joined
}

func countZeros(counts []int) (n int) {
	for _, c := range counts {
		if c == 0 {
			n++
		}
	}
	return n
}

// sampleRecords returns about MaxVarianceLabels labels, of whole records.
func (d Data) sampleRecords() Data {
	share := uint64(float64(1<<32) * MaxVarianceLabels / float64(len(d.Labels)))
	sample := Data{Annotators: d.Annotators, Conditions: d.Conditions}
	for _, l := range d.Labels {
		hash := (uint64(l.Record) + 1) * 0x9e3779b97f4a7c15 // Knuth's multiplicative hash
		if hash ^= hash >> 29; (hash*0xbf58476d1ce4e5b9)>>32 < share {
			sample.Labels = append(sample.Labels, l)
		}
	}
	return sample
}

// A union joins numbers into groups (Galler & Fischer 1964).
type union struct {
	parents []int
	count   int // groups
}

func newUnion(n int) *union {
	u := &union{parents: make([]int, n), count: n}
	for i := range u.parents {
		u.parents[i] = i
	}
	return u
}

func (u *union) find(i int) int {
	for u.parents[i] != i {
		u.parents[i] = u.parents[u.parents[i]]
		i = u.parents[i]
	}
	return i
}

func (u *union) join(i, j int) {
	if a, b := u.find(i), u.find(j); a != b {
		u.parents[a] = b
		u.count--
	}
}
