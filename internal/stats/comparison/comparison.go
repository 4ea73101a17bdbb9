// Package comparison compares two groups of items by one primary estimate, which the design of the study chooses, not
// its result:
//
//   - the paired difference, where most items are in pairs;
//   - else the difference adjusted for annotators, where these labeled different shares of the groups;
//   - else the difference over all items.
//
// Each is a contrast of one mixed model, see package mixed; what differs is which items it is fitted to, and whether
// annotators are random. On yes/no fields it is a difference of probabilities, with the interval of a jackknife over
// clusters of items.
package comparison

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A Basis is which items an estimate of a difference rests on, and how.
type Basis string

// The bases of estimates.
const (
	Paired   Basis = "paired"
	Adjusted Basis = "adjusted"
	AllItems Basis = "all_items"
)

// A Reason is why it cannot be told whether groups differ.
type Reason string

// The reasons. LowAgreement is for callers, which know the verdict on a field.
const (
	TooFew       Reason = "too_few"       // annotators, or items or records in a group
	Confounded   Reason = "confounded"    // groups and annotators coincide
	LowAgreement Reason = "low_agreement" // the verdict is below the target
)

// The fewest that can be compared.
const (
	MinAnnotators = 2
	MinItems      = 5 // in each group
	minClusters   = 2 // in each group
)

const (
	// minPairedShare is the share of items in pairs from which the paired difference is the primary estimate.
	minPairedShare = 0.8
	// minLink is the link of two groups by annotators below which groups and annotators coincide.
	minLink = 0.5
	// wellLinked is the link below which severities are not moved toward their mean: where lenient annotators have most
	// items of one group, a part of their leniency would stay in the difference, and up to 15% of studies without one
	// would show it.
	wellLinked = 0.9
	// equallyLinked is the link from which annotators labeled equal shares of the groups.
	equallyLinked = 0.999
)

// Data are the labels of two groups: condition 0 is the baseline. The items of a pair have one record.
type Data struct {
	Labels     []mixed.Label // Compare sorts them
	PairOf     []int32       // by item; −1: in no pair; nil: there are no pairs
	Annotators int
	Step       float64 // between the points of the scale
	IsShare    bool    // of a yes, on a field with the points 0 and 1
}

// An Estimate is a difference: the mean of condition 1 − that of condition 0.
type Estimate struct {
	Basis Basis
	mixed.Estimate
	Items, Pairs int // pairs are 0 unless the difference is within them
}

// A Result is what the labels of two groups show. Estimates are empty where there is a reason.
type Result struct {
	Reason      Reason
	Primary     Estimate
	Sensitivity []Estimate // the others
}

// Compare compares two groups.
func Compare(d Data) Result {
	all := newSides(d.Labels)
	if all.hasTooFew() {
		return Result{Reason: TooFew}
	}
	link := linkGroups(d)
	if link < minLink {
		return Result{Reason: Confounded}
	}
	basis := Adjusted
	if link >= equallyLinked {
		basis = AllItems
	}
	r := Result{Primary: d.estimate(basis)}
	if paired, hasPairs := d.selectPairs(); hasPairs {
		within := paired.estimate(Paired)
		within.Pairs = paired.countPairs()
		if r.Sensitivity = []Estimate{within}; float64(within.Items) >= minPairedShare*float64(r.Primary.Items) {
			r.Primary, r.Sensitivity[0] = within, r.Primary
		}
	}
	if basis != AllItems {
		r.Sensitivity = append(r.Sensitivity, d.plain())
	}
	return r
}

// estimate returns the difference by the model, or by item means where these explain everything.
func (d Data) estimate(basis Basis) Estimate {
	s := newSides(d.Labels)
	m, reason := mixed.Fit(mixed.Data{Labels: d.Labels, Annotators: d.Annotators, Conditions: 2,
		FixedAnnotators: linkGroups(d) < wellLinked})
	if reason != "" {
		e := d.plain()
		e.Basis = basis
		return e
	}
	difference := m.Difference(0, 1)
	e := Estimate{Basis: basis, Items: s.items[0] + s.items[1]}
	if e.Estimate = m.Estimate(difference); d.IsShare || s.isUnbalanced() {
		if jackknife := mixed.Jackknife(m.Influences(difference)); d.IsShare || jackknife.Error > e.Error {
			e.Estimate = jackknife
		}
	}
	return d.atLeast(e, s)
}

// atLeast widens an interval to what one item of each group that is a step of the scale away would make it: that no
// answers of a sample differ is no proof that none do.
func (d Data) atLeast(e Estimate, s sides) Estimate {
	n, m := float64(s.clusters[0]), float64(s.clusters[1])
	if least := d.Step * math.Sqrt(1/(n*n)+1/(m*m)); !(e.Error >= least) {
		e.Estimate = mixed.NewEstimate(e.Value, least, n+m-2)
	}
	return e
}

// selectPairs returns the labels of items in pairs; false if these have too few items of a group.
func (d Data) selectPairs() (Data, bool) {
	if d.PairOf == nil {
		return d, false
	}
	sides := map[int32]int32{}
	for _, l := range d.Labels {
		if p := d.PairOf[l.Item]; p >= 0 {
			sides[p] |= 1 << l.Condition
		}
	}
	paired := d
	paired.Labels = nil
	for _, l := range d.Labels {
		if p := d.PairOf[l.Item]; p >= 0 && sides[p] == 3 {
			paired.Labels = append(paired.Labels, l)
		}
	}
	all := newSides(paired.Labels)
	return paired, !all.hasTooFew() && linkGroups(paired) >= minLink
}

func (d Data) countPairs() int {
	pairs := map[int32]bool{}
	for _, l := range d.Labels {
		pairs[d.PairOf[l.Item]] = true
	}
	return len(pairs)
}

// linkGroups returns how well annotators link both groups: 1 if each labels both in the same proportion, 0 if none
// labels both.
func linkGroups(d Data) float64 {
	counts := make([][2]float64, d.Annotators)
	var total [2]float64
	for _, l := range d.Labels {
		counts[l.Annotator][l.Condition]++
		total[l.Condition]++
	}
	link := 0.0
	for _, n := range counts {
		if n[0]*n[1] > 0 {
			link += n[0] * n[1] / (n[0] + n[1])
		}
	}
	return link * (total[0] + total[1]) / (total[0] * total[1])
}

// A sides counts the items and the clusters of both conditions.
type sides struct {
	items, clusters [2]int
	annotators      int
}

func (s sides) hasTooFew() bool {
	return min(s.items[0], s.items[1]) < MinItems || min(s.clusters[0], s.clusters[1]) < minClusters ||
		s.annotators < MinAnnotators
}

// isUnbalanced reports whether a group is so small that its variance, if it is larger, would hardly count in the
// model's.
func (s sides) isUnbalanced() bool {
	return 2*min(s.clusters[0], s.clusters[1]) < max(s.clusters[0], s.clusters[1])
}

func newSides(labels []mixed.Label) (s sides) {
	type key struct{ number, condition int32 }
	items, clusters, annotators := map[key]bool{}, map[key]bool{}, map[int32]bool{}
	for _, l := range labels {
		items[key{l.Item, l.Condition}], clusters[key{l.Record, l.Condition}], annotators[l.Annotator] = true, true,
			true
	}
	for k := range items {
		s.items[k.condition]++
	}
	for k := range clusters {
		s.clusters[k.condition]++
	}
	s.annotators = len(annotators)
	return s
}

// Detectable returns the smallest difference that a study with this error could have shown with 80% power at a level.
func (e Estimate) Detectable(level float64) float64 {
	return (stats.StudentQuantile(1-level/2, e.Degrees) + stats.StudentQuantile(0.8, e.Degrees)) * e.Error
}
