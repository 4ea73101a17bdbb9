package report

import (
	"math"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A GroupDifference is how far a group is from the baseline group, estimated in up to three ways.
type GroupDifference struct {
	Baseline   string              `json:"baseline"`
	Conclusion Conclusion          `json:"conclusion"`
	Message    string              `json:"message"`
	AllItems   DifferenceEstimate  `json:"all_items"` // mean over all items of the group − that of the baseline
	Paired     *DifferenceEstimate `json:"paired"`    // mean difference within pairs; null without pairs
	Adjusted   DifferenceEstimate  `json:"adjusted"`  // for the severity of annotators, by a mixed model
	IsShare    bool                `json:"is_share"`  // of a yes, on a yes/no field; else in points

	Questioned []string         `json:"questioned_annotators"` // who lower agreement or show inattention; null without such
	Without    *GroupDifference `json:"without_questioned"`    // the difference without their answers; null without such

	unreliable string // see doubt
	isUneven   bool   // annotators labeled clearly different shares of the groups
}

// A DifferenceEstimate is a difference with its interval and p-value.
type DifferenceEstimate struct {
	study.Number
	P     *float64 `json:"p"`      // of no difference, two-sided; null without an interval
	HolmP *float64 `json:"p_holm"` // adjusted for the number of comparisons (Holm 1979)
	Items int      `json:"items"`
	Pairs int      `json:"pairs"` // 0 unless within pairs

	Tested int `json:"-"` // number of comparisons that HolmP accounts for: those with a p-value
}

// A Conclusion is what the estimates of a difference show together.
type Conclusion string

// The conclusions. Higher and Lower need an interval without 0 and an adjusted p of at most 0.05
// from the main estimate and from the one that is adjusted for annotators. The main estimate is that within pairs
// if half of the items are paired, else that over all items.
const (
	Higher            Conclusion = "higher"
	Lower             Conclusion = "lower"
	EstimatesDisagree Conclusion = "estimates_disagree" // signs differ, one interval excludes 0 and the other one the first estimate
	NotAdjusted       Conclusion = "not_when_adjusted"  // a difference, but not clearly when adjusted for annotators
	OnlyAdjusted      Conclusion = "only_when_adjusted" // no difference over all items, but one when adjusted for annotators, which changes it
	Confounded        Conclusion = "confounded"         // a difference, but the groups had different annotators
	NotAfterHolm      Conclusion = "not_after_holm"     // a difference, but not for so many comparisons
	// DependsOnAnnotators: there is a difference only with the answers of questioned annotators, or only without them.
	DependsOnAnnotators Conclusion = "depends_on_annotators"
	UnreliableAnswers   Conclusion = "unreliable_answers" // no difference, which says nothing where agreement is far below the target
	NoDifferenceShown   Conclusion = "no_difference_shown"
	NoInterval          Conclusion = "no_interval"
)

// maxHolmP is the p-value up to which a difference counts.
const maxHolmP = 0.05

// minMainPairs is the number of pairs from which they can be the main estimate.
const minMainPairs = 5

// isMainPaired reports whether the main estimate is that within pairs.
func (d *GroupDifference) isMainPaired() bool {
	return d.Paired != nil && d.Paired.Low != nil && d.Paired.Pairs >= minMainPairs && 2*d.Paired.Items >= d.AllItems.Items
}

// main returns the estimate that a conclusion rests on. It is chosen by the design, not by the result.
func (d *GroupDifference) main() *DifferenceEstimate {
	if d.isMainPaired() {
		return d.Paired
	}
	return &d.AllItems
}

// counted returns the estimates with an interval, without one of few pairs.
func (d *GroupDifference) counted() (list []*DifferenceEstimate) {
	for _, e := range []*DifferenceEstimate{&d.AllItems, d.Paired, &d.Adjusted} {
		if e != nil && e.Low != nil && (e != d.Paired || e.Pairs >= minMainPairs) {
			list = append(list, e)
		}
	}
	return list
}

// side returns on which side of 0 the interval is; 0 if it contains 0 or does not exist.
func (e *DifferenceEstimate) side() int {
	switch {
	case e.Low == nil:
		return 0
	case *e.Low > 0:
		return 1
	case *e.High < 0:
		return -1
	}
	return 0
}

func (e *DifferenceEstimate) isSignificant() bool {
	return e.side() != 0 && e.HolmP != nil && *e.HolmP <= maxHolmP
}

// IsTooClose reports whether the difference alone is not significant, whatever the number of comparisons.
func (d *GroupDifference) IsTooClose() bool { return d.main().P != nil && *d.main().P > maxHolmP }

// conclude returns what the estimates show, also without questioned annotators, whose conclusion comes first.
func (d *GroupDifference) conclude() Conclusion {
	c := d.concludeFromAll()
	switch {
	case c == NoInterval:
		return c
	case d.Without != nil && d.dependsOnQuestioned(c):
		return DependsOnAnnotators
	case d.unreliable != "" && (c == NoDifferenceShown || c == NotAfterHolm):
		return UnreliableAnswers
	}
	return c
}

// dependsOnQuestioned reports whether the conclusion from all answers is not that without questioned annotators.
func (d *GroupDifference) dependsOnQuestioned(all Conclusion) bool {
	return dependsOnOthers(all, d.Without.Conclusion, d.main(), d.Without.main())
}

// dependsOnOthers reports whether nothing is left without the answers of questioned annotators, or whether there is a difference
// only with them, or only without them. An equal difference in fewer answers is not another one, although it can be less
// certain.
func dependsOnOthers(conclusion, other Conclusion, all, without *DifferenceEstimate) bool {
	side := shownSide(conclusion)
	switch {
	case without.Value == nil:
		return true
	case other == NoInterval || side == shownSide(other):
		return false
	case side != 0 && shownSide(other) == 0:
		isSimilar := *without.Value >= *all.Low && *without.Value <= *all.High && *without.Value**all.Value > 0 && 2*math.Abs(*without.Value) >= math.Abs(*all.Value)
		return !isSimilar
	}
	return true
}

// shownSide returns on which side a difference is shown; 0: none is.
func shownSide(c Conclusion) int { return study.BoolToInt(c == Higher) - study.BoolToInt(c == Lower) }

// concludeFromAll returns what the estimates from all answers show.
func (d *GroupDifference) concludeFromAll() Conclusion {
	main := d.main()
	switch {
	case main.Low == nil:
		return NoInterval
	case d.disagree():
		return EstimatesDisagree
	case main.side() == 0 && d.Adjusted.isSignificant() && !d.adjustsNothing():
		return OnlyAdjusted
	case main.side() == 0:
		return NoDifferenceShown
	case !main.isSignificant():
		return NotAfterHolm
	case d.isConfounded():
		return Confounded
	case d.Adjusted.Low != nil && !d.Adjusted.isSignificant(), d.Adjusted.Low == nil && d.isUneven:
		return NotAdjusted
	case main.side() > 0:
		return Higher
	}
	return Lower
}

// adjustsNothing reports whether the estimate that is adjusted for annotators, who labeled similar shares of the groups, is about the
// main one. Then only methods differ, and the one without a difference counts.
func (d *GroupDifference) adjustsNothing() bool {
	main := d.main()
	return !d.isUneven && main.Low != nil && d.Adjusted.Value != nil && math.Abs(*d.Adjusted.Value-*main.Value) <= 0.1*(*main.High-*main.Low)
}

// isConfounded reports whether no annotators, or too few, link the groups.
func (d *GroupDifference) isConfounded() bool {
	return d.Adjusted.Reason == mixed.ConfoundedAnnotators || d.Adjusted.Reason == study.WeaklyLinked
}

// disagree reports whether an interval excludes 0, and another estimate is on the other side with an
// interval that excludes the first one: chance alone would rarely part them so far.
func (d *GroupDifference) disagree() bool {
	for _, e := range d.counted() {
		for _, other := range d.counted() {
			if float64(e.side())**other.Value < 0 && (*e.Value < *other.Low || *e.Value > *other.High) {
				return true
			}
		}
	}
	return false
}

// conclude adjusts the p-values of each kind of estimate for the number of comparisons, of all pairs of
// groups, then draws the conclusions. Those with the first group are the same in both lists.
func (b *Breakdown) conclude(titleOf map[string]string) {
	differences := b.differences()
	b.Comparisons = len(differences)
	concludeWithout(differences)
	adjustDifferences(differences)
	for i, g := range b.Groups {
		for _, f := range g.Fields {
			if d := f.Difference; d != nil {
				d.Conclusion = d.conclude()
				d.Message = d.describe(g.Value)
			}
		}
		b.Groups[i].Summary = b.Groups[i].summarize(titleOf)
	}
	for i, p := range b.AllPairs {
		for _, f := range p.Fields {
			f.Difference.Conclusion = f.Difference.conclude()
			f.Difference.Message = f.Difference.describe(p.Value)
		}
		b.AllPairs[i].Summary = describeFields(p.Value, p.Fields, titleOf).summarize()
	}
}

// concludeWithout draws the conclusions without questioned annotators. Their p-values are adjusted for all
// comparisons, those of other fields as they are.
func concludeWithout(differences []*GroupDifference) {
	var list []*GroupDifference
	for _, d := range differences {
		if d.Without == nil {
			other := *d
			if d.Paired != nil {
				other.Paired = new(*d.Paired)
			}
			d = &other
		} else {
			d = d.Without
		}
		list = append(list, d)
	}
	adjustDifferences(list)
	for _, d := range differences {
		if d.Without != nil {
			d.Without.Conclusion = d.Without.conclude()
		}
	}
}

// adjustDifferences adjusts the p-values of each kind of estimate for their number.
func adjustDifferences(differences []*GroupDifference) {
	for _, kind := range []func(*GroupDifference) *DifferenceEstimate{
		func(d *GroupDifference) *DifferenceEstimate { return &d.AllItems },
		func(d *GroupDifference) *DifferenceEstimate { return d.Paired },
		func(d *GroupDifference) *DifferenceEstimate { return &d.Adjusted },
	} {
		var estimates []*DifferenceEstimate
		for _, d := range differences {
			estimates = append(estimates, kind(d))
		}
		adjustEstimates(estimates)
	}
}

// adjustEstimates adjusts the p-values of the estimates that have one for their number. Estimates can
// be nil.
func adjustEstimates(estimates []*DifferenceEstimate) {
	var tested []*DifferenceEstimate
	var pValues []float64
	for _, e := range estimates {
		if e != nil && e.P != nil {
			tested, pValues = append(tested, e), append(pValues, *e.P)
		}
	}
	for i, p := range stats.AdjustHolm(pValues) {
		tested[i].HolmP, tested[i].Tested = &p, len(tested)
	}
}

// differences returns those of all pairs of groups.
func (b *Breakdown) differences() (list []*GroupDifference) {
	if len(b.AllPairs) > 0 {
		return b.pairDifferences()
	}
	for _, g := range b.Groups {
		for _, f := range g.Fields {
			if f.Difference != nil {
				list = append(list, f.Difference)
			}
		}
	}
	return list
}

// zeroBound is the size up to which a difference is a rounding error.
const zeroBound = 1e-9

// newEstimate joins a difference and its p-value, which may be NaN.
func newEstimate(n study.Number, p float64) DifferenceEstimate {
	for _, v := range []*float64{n.Value, n.Low, n.High} {
		if v != nil && math.Abs(*v) < zeroBound {
			*v = 0
		}
	}
	e := DifferenceEstimate{Number: n}
	switch {
	case n.Low == nil:
	case math.IsNaN(p):
		e.Low, e.High, e.Reason, e.IntervalNote = nil, nil, stats.NoVariation, study.ReasonText(stats.NoVariation)
	default:
		e.P = &p
	}
	return e
}
