package report

import (
	"iter"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// verdictChance returns the chance that an item meets a verdict, from the chances of its
// answers. It returns false if a field has no answer that could decide it.
func (s *builder) verdictChance(item int32, rule protocol.VerdictRule, chanceOf chanceFunc) (unit stats.UnitValue,
	ok bool) {
	// The verdict holds if every answer is allowed and, with Any, one of them is wanted.
	allowed, unwanted, missing, isWantedPossible := stats.Certain(1), stats.Certain(1), false, false
	ties := tiedAnswers{allowed: 1, unwanted: 1}
	for i := range s.fields {
		q := &s.fields[i]
		if !q.AppliesTo(s.AllItems[item].Facts) {
			continue
		}
		c, hasAnswer := chanceOf(item, q)
		if !hasAnswer {
			missing = true
			c = anyAnswer(len(q.Values))
		}
		unit.HasTie = unit.HasTie || c.isTied
		isAllowed := func(index int) bool {
			value := q.Values[index]
			return !slices.Contains(rule.None, value) && (rule.All == nil || slices.Contains(rule.All, value))
		}
		isWanted := func(index int) bool { return isAllowed(index) && slices.Contains(rule.Any, q.Values[index]) }
		isUnwanted := func(index int) bool { return isAllowed(index) && !slices.Contains(rule.Any, q.Values[index]) }
		isWantedPossible = isWantedPossible || c.oneOf(isWanted).High == 1
		ofAllowed, ofUnwanted := c.oneOf(isAllowed), c.oneOf(isUnwanted)
		allowed, unwanted = product(allowed, ofAllowed), product(unwanted, ofUnwanted)
		if c.isTied && hasAnswer {
			ties.fields = append(ties.fields, tiedField{q, isAllowed, isUnwanted})
		} else {
			ties.allowed, ties.unwanted = ties.allowed*ofAllowed.Value, ties.unwanted*ofUnwanted.Value
		}
	}
	if len(ties.fields) > 1 {
		allowed.Value, unwanted.Value = ties.resolve(s.ByItem.At(item), allowed.Value, unwanted.Value)
	}
	unit.Expected, unit.Base = allowed, stats.Certain(1)
	if rule.Any != nil {
		unit.Value = allowed.Value - unwanted.Value
	}
	if unit.Low, unit.High = allowed.Low, allowed.High; rule.Any != nil {
		// Ties can avoid the verdict by an answer that is not allowed, or by none that is wanted.
		unit.Low = boolToFloat(allowed.Low == 1 && unwanted.High == 0)
		unit.High = boolToFloat(allowed.High == 1 && isWantedPossible)
	}
	unit.HasTie = unit.HasTie && unit.Low < unit.High
	return unit, !missing || unit.Low == unit.High
}

// tiedAnswers are the fields of an item with a tie, and the chances that all others are allowed or unwanted.
type tiedAnswers struct {
	fields            []tiedField
	allowed, unwanted float64
}

type tiedField struct {
	*fieldTable
	isAllowed, isUnwanted func(index int) bool
}

// resolve returns the chances that all fields are allowed, or unwanted. The ties of an item are resolved by one
// annotator at a time, because who is strict on one field often is on another: the share of items that fails is
// then that of the annotators. Where not all tied fields have the same labels, the ties are independent.
func (t tiedAnswers) resolve(labels []int32, independentAllowed, independentUnwanted float64) (allowed,
	unwanted float64) {
	annotators := 0.0
	for _, l := range labels {
		isAllowed, isUnwanted, answered := true, true, 0
		for _, f := range t.fields {
			if point := f.Points[l]; point != study.NoAnswer {
				answered++
				isAllowed = isAllowed && f.isAllowed(int(point))
				isUnwanted = isUnwanted && f.isUnwanted(int(point))
			}
		}
		switch answered {
		case 0:
			continue
		case len(t.fields):
			annotators++
			allowed, unwanted = allowed+boolToFloat(isAllowed), unwanted+boolToFloat(isUnwanted)
		default:
			return independentAllowed, independentUnwanted
		}
	}
	return t.allowed * allowed / annotators, t.unwanted * unwanted / annotators
}

// anyAnswer is the chance of an answer that nothing is known about.
func anyAnswer(points int) answerChance {
	return answerChance{slices.Repeat([]float64{1 / float64(points)}, points), slices.Repeat([]bool{true},
		points), true}
}

func product(a, b stats.Expected) stats.Expected {
	return stats.Expected{Value: a.Value * b.Value, Low: a.Low * b.Low, High: a.High * b.High}
}

// verdictUnits returns what each labeled item to include adds to the share that meets a verdict;
// of items without a deciding answer, it calls lack.
func (s metrics) verdictUnits(rule protocol.VerdictRule, include func(*study.ItemData) bool,
	lack func(item int32)) iter.Seq2[int32, stats.UnitValue] {
	return func(yield func(int32, stats.UnitValue) bool) {
		for _, item := range s.Labeled {
			if !include(s.AllItems[item]) {
				continue
			}
			unit, ok := s.verdictChance(item, rule, s.answerChance)
			unit.Cluster = s.ClusterOf(s.AllItems[item])
			if !ok {
				lack(item)
			} else if !yield(item, unit) {
				return
			}
		}
	}
}

// computeVerdictRates returns the share of the labeled items to include that meet each
// verdict, the items that count in a rate, and the number of those that lack an answer for one.
func (s metrics) computeVerdictRates(include func(*study.ItemData) bool) (rates []Rate, isCounted map[int32]bool,
	undecided int) {
	rates, isCounted = []Rate{}, map[int32]bool{}
	undecidedItems := map[int32]bool{}
	for _, v := range s.Protocol.Verdicts {
		units, items := collectUnits(s.verdictUnits(v, include, func(item int32) { undecidedItems[item] = true }))
		for _, item := range items {
			isCounted[item] = true
		}
		rates = append(rates, s.newRate(v.Key, v.Title, stats.EstimateShare(units), items))
	}
	return rates, isCounted, len(undecidedItems)
}

// collectUnits returns units and the items or queries that they are of.
func collectUnits[T any](seq iter.Seq2[T, stats.UnitValue]) (units []stats.UnitValue, of []T) {
	for item, unit := range seq {
		units, of = append(units, unit), append(of, item)
	}
	return units, of
}
