package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/stats"
)

// A KappaFigure is κ with its 95% interval; nil where it is not defined.
type KappaFigure struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Evidence is what a recommendation needs in addition to the alternative annotator test. The test
// compares the judge with annotators, so any judge passes it where annotators answer at random, and
// one that never or hardly gives a rare value passes it, too.
type Evidence struct {
	Annotators KappaFigure   `json:"kappa_annotators"` // Conger's, of the items that the judge answered
	Judge      KappaFigure   `json:"kappa_judge"`      // of the judge with every annotator
	Missed     []MissedValue `json:"missed_values"`
	Rarer      *RarerAnswers `json:"rarer_answers"` // null if no answers are rare

	Test AlternativeTest `json:"-"`
	Bias *Bias           `json:"-"` // nil: the answers have no order

	annotatorMatches, judgeMatches matchCount
}

// A MissedValue is a value that the judge never gives, or misses clearly more often than annotators.
type MissedValue struct {
	Value  int `json:"value"`
	Items  int `json:"items"`  // that at least two annotators gave it, and no annotator another one
	Missed int `json:"missed"` // of these, to which the judge gave another value

	isNeverGiven bool
}

// minMissedItems is how many items must have a value for a judge to miss it.
const minMissedItems = 3

// A judge that gives a value, other than the most frequent one, misses it if an exact binomial test shows that it misses more than a
// tolerated share of the items: that which annotators miss of the items whose other annotators all
// gave the value, and missedMargin.
const (
	missedMargin   = 0.2
	maxMissedShare = 0.5 // is tolerated at most
	missedLevel    = 0.025
)

// matchCount counts items where two sides agree. Where fewer than two items have different answers, κ has
// no interval, but two equal answers other than the most frequent one are more than chance: with
// 30 items, p is at most 0.01.
type matchCount struct{ different, rareMatches int }

// CountEvidence counts what the judge misses; κ and Test remain to be set. With RMSE and more than three
// points, an answer next to a value does not miss it. risk has the answers that report a risk.
func CountEvidence(people stats.RatingTable, answers map[string]int, o Options, risk []int) Evidence {
	score := o.Score
	e, given, annotatorItems, judgeItems := Evidence{Missed: []MissedValue{}}, map[int]bool{}, map[int]int{}, map[int]int{}
	unanimous, missed, leftOut := map[int]int{}, map[int]int{}, map[int]missCount{}
	for _, answer := range answers {
		given[answer] = true
	}
	for item := range people.ByItem() {
		answer, isJudged := answers[item.Item]
		if !isJudged || len(item.Categories) == 0 {
			continue
		}
		countLeftOut(people.Scale, item.Categories, score, leftOut)
		value, isUnanimous := people.Scale[item.Categories[0]], true
		for _, c := range item.Categories {
			isUnanimous = isUnanimous && c == item.Categories[0]
		}
		if len(item.Categories) > 1 && isUnanimous {
			unanimous[value]++
			missed[value] += boolToInt(misses(people.Scale, answer, value, score))
			annotatorItems[value]++
		} else if len(item.Categories) > 1 {
			e.annotatorMatches.different++
		}
		if isUnanimous && value == answer {
			judgeItems[value]++
		} else {
			e.judgeMatches.different++
		}
	}
	e.Rarer = countRarer(people, answers, o, risk)
	e.Bias = measureBias(people, answers, o)
	e.annotatorMatches.rareMatches, e.judgeMatches.rareMatches = countRare(annotatorItems), countRare(judgeItems)
	mostItems := 0
	for _, n := range unanimous {
		mostItems = max(mostItems, n)
	}
	for _, value := range people.Scale {
		n, tolerated := unanimous[value], min(leftOut[value].share()+missedMargin, maxMissedShare)
		if !given[value] {
			missed[value] = n
		}
		if n >= minMissedItems && (!given[value] || n < mostItems && binomialTail(missed[value], n, tolerated) < missedLevel) {
			e.Missed = append(e.Missed, MissedValue{value, n, missed[value], !given[value]})
		}
	}
	return e
}

// missCount counts answers where all others gave a value.
type missCount struct{ missed, total int }

func (c missCount) share() float64 { return float64(c.missed) / float64(max(c.total, 1)) }

// countLeftOut counts, by value, the annotators of an item who gave another one than all others.
func countLeftOut(scale stats.NumericScale, categories []uint8, score Score, counts map[int]missCount) {
	for i, own := range categories {
		others := slices.Delete(slices.Clone(categories), i, i+1)
		if len(others) > 0 && slices.Min(others) == slices.Max(others) {
			value := scale[others[0]]
			c := counts[value]
			counts[value] = missCount{c.missed + boolToInt(misses(scale, scale[own], value, score)), c.total + 1}
		}
	}
}

// misses reports whether an answer misses a value.
func misses(scale stats.NumericScale, answer, value int, score Score) bool {
	i, _ := scale.Index(answer)
	j, _ := scale.Index(value)
	return i != j && (score != RMSE || len(scale) <= 3 || i-j > 1 || j-i > 1)
}

// binomialTail returns the probability of at least as many hits among n.
func binomialTail(hits, n int, p float64) (tail float64) {
	logOf := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	for k := hits; k <= n; k++ {
		tail += math.Exp(logOf(n) - logOf(k) - logOf(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return tail
}

// countRare returns the number of items with other values than the most frequent one.
func countRare(itemsOf map[int]int) (rare int) {
	most := 0
	for _, n := range itemsOf {
		rare, most = rare+n, max(most, n)
	}
	return rare - most
}

// isAboveChance reports whether κ is shown to be above 0.
func (k KappaFigure) isAboveChance(m matchCount) bool {
	if k.Value == nil || k.Low == nil {
		return k.Value != nil && *k.Value > 0 && m.different < 2 && m.rareMatches >= 2
	}
	return *k.Low > 0
}

// maxChanceKappa is the value below which the interval of κ must end to show agreement by chance.
const maxChanceKappa = 0.25

// isByChance reports whether agreement is shown to be hardly above that by chance: the interval includes 0 and is low. A
// wide interval that includes 0 shows nothing.
func (k KappaFigure) isByChance() bool {
	return k.Low != nil && k.High != nil && *k.Low <= 0 && *k.High < maxChanceKappa
}

// isFar reports whether κ is less than half of another one.
func (k KappaFigure) isFar(other KappaFigure) bool {
	return k.Value != nil && other.Value != nil && *other.Value > 0 && !k.isClose(other)
}

// isClose reports whether κ is at least half of another one. A judge that misses rare values can win the test with
// less: most items do not have them. Where κ is not shown to be above 0, items or records are then too few.
func (k KappaFigure) isClose(other KappaFigure) bool {
	return k.Value != nil && other.Value != nil && *k.Value > 0 && *k.Value >= *other.Value/2
}

func (k KappaFigure) text() string {
	switch {
	case k.Value == nil:
		return "κ is not defined"
	case k.Low == nil:
		return "κ " + formatSigned(*k.Value) + ", without an interval"
	}
	return fmt.Sprintf("κ %s, 95%% CI %s to %s", formatSigned(*k.Value), formatSigned(*k.Low), formatSigned(*k.High))
}

// formatSigned formats a figure with a true minus sign, and without negative zero.
func formatSigned(v float64) string {
	if text := fmt.Sprintf("%.2f", math.Abs(v)); v < 0 && text != "0.00" {
		return "−" + text
	}
	return fmt.Sprintf("%.2f", math.Abs(v))
}

// Obstacle returns why the judge is not recommended although it wins the test, or FewItems if more items may
// show that it can be; empty: nothing, or the judge loses.
func (e Evidence) Obstacle() Obstacle {
	obstacle := e.obstacleOfWinner()
	switch {
	case e.Test.Replaces():
		return obstacle
	case e.Test.lacksItems() && e.Judge.isClose(e.Annotators) && (obstacle == "" || obstacle.LacksData()):
		return FewItems
	}
	return ""
}

func (e Evidence) obstacleOfWinner() Obstacle {
	switch {
	case e.Annotators.isByChance():
		return AnnotatorsByChance
	case slices.ContainsFunc(e.Missed, func(m MissedValue) bool { return m.isNeverGiven }):
		return NeverGivesValue
	case e.Judge.isByChance() && !(e.Test.Records.contradicts() && e.Judge.isClose(e.Annotators)):
		return JudgeByChance
	case len(e.Missed) > 0:
		return MissesValue
	case e.Rarer != nil && e.Rarer.isMissed:
		return MissesRarer
	case e.Rarer.isLacking():
		return FewRarerItems
	case !e.Annotators.isAboveChance(e.annotatorMatches):
		return AnnotatorsUnclear
	case e.Bias.isLarge():
		return Biased
	case e.Judge.isFar(e.Annotators):
		return FarFromAnnotators
	case e.Test.Records.contradicts():
		return FewRecords
	case !e.Judge.isAboveChance(e.judgeMatches):
		return JudgeUnclear
	}
	return ""
}

// collectEvidence returns the evidence of a dimension.
func collectEvidence(people stats.Dimension, answers map[string]int, o Options) Evidence {
	e, weighting := CountEvidence(people.Table, answers, o, nil), stats.Linear
	if people.Nominal {
		weighting = stats.Unweighted
	}
	var ratings []stats.Rating
	var pairs []stats.PairedAnswers
	numbers := map[int]int32{}
	for item := range people.Table.ByItem() {
		answer, isJudged := answers[item.Item]
		if !isJudged {
			continue
		}
		number, isKnown := numbers[item.Cluster]
		if !isKnown {
			number = int32(len(numbers))
			numbers[item.Cluster] = number
		}
		for i, c := range item.Categories {
			rating := stats.Rating{Item: item.Item, Annotator: people.Table.Annotators()[item.Annotators[i]], Value: people.Table.Scale[c]}
			if people.Table.HasClusters() {
				rating.Cluster = strconv.Itoa(item.Cluster)
			}
			ratings, pairs = append(ratings, rating), append(pairs, stats.PairedAnswers{First: rating.Value, Second: answer, Cluster: number})
		}
	}
	if among, err := stats.NewRatingTable(people.Table.Scale, ratings); err == nil {
		e.Annotators = newKappaFigure(stats.ComputeEstimates(among, o.Intervals, stats.SharedKappa(weighting))[0])
	}
	if with, err := stats.NewPairTable(people.Table.Scale, pairs); err == nil {
		e.Judge = newKappaFigure(stats.ComputeEstimates(with, o.Intervals, stats.LightKappa(weighting))[0])
	}
	return e
}

func newKappaFigure(e stats.Estimate) (k KappaFigure) {
	if e.Defined() {
		k.Value = &e.Value
	}
	if e.Defined() && e.Interval.Defined() {
		k.Low, k.High = &e.Interval.Low, &e.Interval.High
	}
	return k
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
