package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

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

// judgedGroups are the groups of the items that a judge has answered.
type judgedGroups struct {
	*builder
	Values      []string
	Items       []comparison.GroupedItem
	IndexOf     []int32
	HasClusters bool
}

func (s *builder) newJudgedGroups(selection comparison.Selection, items []int32) *judgedGroups {
	g := comparison.NewGroups(s.Study, selection, items)
	return &judgedGroups{s, g.Values, g.Items, g.IndexOf, g.HasClusters}
}

// answerCounts are the numbers of answers by group and annotator.
type answerCounts [][]float64

// link returns how well annotators link two groups: 1 if each labels both in the same proportion, 0 if
// none labels both.
func (counts answerCounts) link(first, second int) float64 {
	link, total := 0.0, [2]float64{}
	for g, a := range counts[first] {
		b := counts[second][g]
		if total[0], total[1] = total[0]+a, total[1]+b; a*b > 0 {
			link += a * b / (a + b)
		}
	}
	return link * (total[0] + total[1]) / (total[0] * total[1])
}

// countAnswers counts the answers to a field.
func (c *judgedGroups) countAnswers(q fieldTable) answerCounts {
	counts := c.newAnswerCounts()
	for l := range int32(c.Work.Len()) {
		if n := c.IndexOf[c.Work.Item[l]]; n >= 0 && q.Points[l] != study.NoAnswer {
			counts[c.Items[n].Group][c.Work.Annotator[l]]++
		}
	}
	return counts
}

func (c *judgedGroups) newAnswerCounts() answerCounts {
	counts := make(answerCounts, len(c.Values))
	for group := range counts {
		counts[group] = make([]float64, len(c.Annotators))
	}
	return counts
}

// wellLinked is the link of two groups from which the mixed model adjusts their difference. Below, it would leave so much of the
// leniency of annotators in the difference that up to 18% of studies without one had one; see mixed.EstimateWithin.
const wellLinked = 0.9

// labelsOfPair returns the labels of two groups, the first with condition 0.
func (c *judgedGroups) labelsOfPair(q fieldTable, baseline, group int) (labels []mixed.Label) {
	for l := range int32(c.Work.Len()) {
		n := c.IndexOf[c.Work.Item[l]]
		if n < 0 || q.Points[l] == study.NoAnswer || c.Items[n].Group != baseline && c.Items[n].Group != group {
			continue
		}
		labels = append(labels, mixed.Label{Value: float64(q.ValueOf(l)), Record: c.Items[n].Cluster, Item: n, Annotator: c.Work.Annotator[l], Condition: int32(study.BoolToInt(c.Items[n].Group == group))})
	}
	return labels
}

// joinNames returns "a", "a and b", or "a, b and c".
func joinNames(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// describeDependence says whether a difference is there with the answers of questioned annotators, or without them.
func describeDependence(group, baseline string, questioned []string, all, without Conclusion) string {
	direction, clause := all, "with the answers of %s, but not clearly without them"
	switch {
	case shownSide(all) == 0:
		direction, clause = without, "without the answers of %s, but not clearly with them"
	case shownSide(without) != 0:
		clause = fmt.Sprintf("with the answers of %%s, and %s without them", without)
	}
	return fmt.Sprintf("“%s” scores %s than “%s” ", group, direction, baseline) + fmt.Sprintf(clause, nameSome(questioned))
}

// warnUnreliable warns of a difference in answers that show little; empty without a reason.
func warnUnreliable(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf("But %s, so it is not clear what differs.", reason)
}

// joinClauses makes a sentence of clauses; empty without any.
func joinClauses(clauses []string) string { return study.Sentence(strings.Join(clauses, "; ")) }

func countIf[T any](list []T, isCounted func(T) bool) (n int) {
	for _, v := range list {
		n += study.BoolToInt(isCounted(v))
	}
	return n
}

// itemValue returns the decision on a labeled item, else the mean of its answers; NaN without an answer.
func (s *builder) itemValue(item int32, q fieldTable) float64 {
	sum, count := 0.0, 0.0
	for _, l := range s.ByItem.At(item) {
		if q.Points[l] != study.NoAnswer {
			sum, count = sum+float64(q.ValueOf(l)), count+1
		}
	}
	if decision, ok := s.Adjudicated[s.AllItems[item].ID][q.Key]; ok && count > 0 {
		return float64(decision)
	}
	return sum / count // 0/0 is NaN
}

// PText formats the p-value that is adjusted for the number of comparisons.
func (e DifferenceEstimate) PText() string { return study.FormatOptional(e.HolmP, FormatP) }

func capitalize(clause string) string { return strings.TrimSuffix(study.Sentence(clause), ".") }
