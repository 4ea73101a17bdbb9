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
// one that never gives a rare value passes it, too.
type Evidence struct {
	Annotators KappaFigure   `json:"kappa_annotators"` // Conger's, of the items that the judge answered
	Judge      KappaFigure   `json:"kappa_judge"`      // of the judge with every annotator
	Missed     []MissedValue `json:"missed_values"`

	annotatorMatches, judgeMatches matchCount
}

// A MissedValue is a value that the judge never gives.
type MissedValue struct {
	Value int `json:"value"`
	Items int `json:"items"` // that at least two annotators gave it, and no annotator another one
}

// minMissedItems is how many items must have a value for a judge to miss it.
const minMissedItems = 3

// matchCount counts items where two sides agree. Where fewer than two items have different answers, κ has
// no interval, but two equal answers other than the most frequent one are more than chance: with
// 30 items, p is at most 0.01.
type matchCount struct{ different, rareMatches int }

// CountEvidence counts what the judge misses; κ remains to be set.
func CountEvidence(people stats.RatingTable, answers map[string]int) Evidence {
	e, given, annotatorItems, judgeItems := Evidence{Missed: []MissedValue{}}, map[int]bool{}, map[int]int{}, map[int]int{}
	unanimous := map[int]int{}
	for _, answer := range answers {
		given[answer] = true
	}
	for item := range people.ByItem() {
		answer, isJudged := answers[item.Item]
		if !isJudged || len(item.Categories) == 0 {
			continue
		}
		value, isUnanimous := people.Scale[item.Categories[0]], true
		for _, c := range item.Categories {
			isUnanimous = isUnanimous && c == item.Categories[0]
		}
		if len(item.Categories) > 1 && isUnanimous {
			unanimous[value]++
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
	e.annotatorMatches.rareMatches, e.judgeMatches.rareMatches = countRare(annotatorItems), countRare(judgeItems)
	for _, value := range people.Scale {
		if !given[value] && unanimous[value] >= minMissedItems {
			e.Missed = append(e.Missed, MissedValue{value, unanimous[value]})
		}
	}
	return e
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

// Obstacle returns why the judge is not recommended even if it wins the test; empty: nothing.
func (e Evidence) Obstacle() Obstacle {
	switch {
	case !e.Annotators.isAboveChance(e.annotatorMatches):
		return AnnotatorsByChance
	case len(e.Missed) > 0:
		return NeverGivesValue
	case !e.Judge.isAboveChance(e.judgeMatches):
		return JudgeByChance
	}
	return ""
}

// An Obstacle is why a judge is not recommended as a replacement although it wins the test.
type Obstacle string

// The obstacles.
const (
	AnnotatorsByChance Obstacle = "annotators_by_chance"
	NeverGivesValue    Obstacle = "never_gives_value"
	JudgeByChance      Obstacle = "judge_by_chance"
)

// Reason returns an obstacle as a clause about the judge; name names a value.
func (e Evidence) Reason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return fmt.Sprintf("the annotators are not shown to agree with each other more than by chance (%s), so being as good as one of them shows nothing", e.Annotators.text())
	case JudgeByChance:
		return fmt.Sprintf("it is not shown to agree with the annotators more than by chance (%s)", e.Judge.text())
	case NeverGivesValue:
		missed := e.mostMissed()
		return fmt.Sprintf("it never answers %s, and so missed %d of %d items with this answer of all annotators", name(missed.Value), missed.Items, missed.Items)
	}
	return ""
}

// ShortReason returns an obstacle in a few words about the judge.
func (e Evidence) ShortReason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return "the annotators may agree only by chance"
	case JudgeByChance:
		return "it may agree with them only by chance"
	case NeverGivesValue:
		missed := e.mostMissed()
		return fmt.Sprintf("it never answers %s and missed %d of %d", name(missed.Value), missed.Items, missed.Items)
	}
	return ""
}

func (e Evidence) mostMissed() MissedValue {
	return slices.MaxFunc(e.Missed, func(a, b MissedValue) int { return a.Items - b.Items })
}

// NextAction returns what to do about an obstacle, as a sentence.
func (o Obstacle) NextAction() string {
	return map[Obstacle]string{
		AnnotatorsByChance: "Clarify the guide and have annotators label again before you test a judge.",
		NeverGivesValue:    "Keep annotators on this field, or use a judge that gives this answer.",
		JudgeByChance:      "Keep annotators on this field, or test another judge.",
	}[o]
}

// collectEvidence returns the evidence of a dimension.
func collectEvidence(people stats.Dimension, answers map[string]int, intervals stats.IntervalOptions) Evidence {
	e, weighting := CountEvidence(people.Table, answers), stats.Linear
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
		e.Annotators = newKappaFigure(stats.ComputeEstimates(among, intervals, stats.SharedKappa(weighting))[0])
	}
	if with, err := stats.NewPairTable(people.Table.Scale, pairs); err == nil {
		e.Judge = newKappaFigure(stats.ComputeEstimates(with, intervals, stats.LightKappa(weighting))[0])
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
