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
	case e.Judge.isFar(e.Annotators):
		return FarFromAnnotators
	case e.Test.Records.contradicts():
		return FewRecords
	case !e.Judge.isAboveChance(e.judgeMatches):
		return JudgeUnclear
	}
	return ""
}

// An Obstacle is why a judge is not recommended as a replacement although it wins the test or is close to that.
type Obstacle string

// LacksData reports whether more items or records can show that the judge may replace an annotator.
func (o Obstacle) LacksData() bool {
	switch o {
	case FewItems, FewRecords, FewRarerItems, AnnotatorsUnclear, JudgeUnclear:
		return true
	}
	return false
}

// The obstacles.
const (
	AnnotatorsByChance Obstacle = "annotators_by_chance" // as shown; AnnotatorsUnclear: not excluded
	AnnotatorsUnclear  Obstacle = "annotators_unclear"
	NeverGivesValue    Obstacle = "never_gives_value"
	JudgeByChance      Obstacle = "judge_by_chance" // as shown; JudgeUnclear: not excluded
	JudgeUnclear       Obstacle = "judge_unclear"
	MissesValue        Obstacle = "misses_value"
	MissesRarer        Obstacle = "misses_rarer_answers" // more often than annotators; FewRarerItems: not excluded
	FewRarerItems      Obstacle = "few_rarer_answers"
	FarFromAnnotators  Obstacle = "far_from_annotators" // κ with them is less than half of theirs
	FewRecords         Obstacle = "few_records"
	FewItems           Obstacle = "few_items" // the judge loses the test, but is close to enough annotators
)

// Reason returns an obstacle as a clause about the judge; name names a value.
func (e Evidence) Reason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return fmt.Sprintf("the annotators agree with each other hardly more than by chance (%s), so being as good as one of them shows nothing", e.Annotators.text())
	case AnnotatorsUnclear:
		return fmt.Sprintf("whether the annotators agree with each other more than by chance is not shown yet (%s)", e.Annotators.text())
	case JudgeByChance:
		return fmt.Sprintf("it agrees with the annotators hardly more than by chance (%s)", e.Judge.text())
	case JudgeUnclear:
		return fmt.Sprintf("whether it agrees with the annotators more than by chance is not shown yet (%s)", e.Judge.text())
	case MissesRarer:
		return e.Rarer.missedReason(name)
	case FewRarerItems:
		return e.Rarer.lackingReason(name)
	case NeverGivesValue:
		missed := e.mostMissed(true)
		return fmt.Sprintf("it never answers %s, and so missed %d of %d items with this answer of all annotators", name(missed.Value), missed.Items, missed.Items)
	case MissesValue:
		missed := e.mostMissed(false)
		return fmt.Sprintf("it misses %d of %d items that all annotators answered %s", missed.Missed, missed.Items, name(missed.Value))
	case FarFromAnnotators:
		return fmt.Sprintf("its agreement with the annotators (%s) is less than half of theirs with each other (%s)", e.Judge.text(), e.Annotators.text())
	case FewRecords:
		return e.Test.Records.reason()
	case FewItems:
		return fmt.Sprintf("it comes within ε of %d, so more labeled items can show that it may", e.Test.close)
	}
	return ""
}

// ShortReason returns an obstacle in a few words about the judge.
func (e Evidence) ShortReason(o Obstacle, name func(value int) string) string {
	switch o {
	case AnnotatorsByChance:
		return "the annotators agree hardly more than by chance"
	case JudgeByChance:
		return "it agrees with them hardly more than by chance"
	case AnnotatorsUnclear, JudgeUnclear:
		return "more items are needed to show agreement above chance"
	case MissesRarer:
		return fmt.Sprintf("it misses %d of %s", e.Rarer.Missed, e.Rarer.describeItems(name))
	case FewRarerItems:
		return "more items with rare answers are needed to show it"
	case NeverGivesValue:
		missed := e.mostMissed(true)
		return fmt.Sprintf("it never answers %s and missed %d of %d", name(missed.Value), missed.Items, missed.Items)
	case MissesValue:
		missed := e.mostMissed(false)
		return fmt.Sprintf("it misses %d of %d items answered %s", missed.Missed, missed.Items, name(missed.Value))
	case FarFromAnnotators:
		return "its κ with the annotators is less than half of theirs"
	case FewRecords:
		return "more records are needed to show it"
	case FewItems:
		return "more items are needed to show it"
	}
	return ""
}

// mostMissed returns the value with most missed items, of those that the judge never or sometimes gives.
func (e Evidence) mostMissed(isNeverGiven bool) (most MissedValue) {
	for _, m := range e.Missed {
		if m.isNeverGiven == isNeverGiven && m.Missed > most.Missed {
			most = m
		}
	}
	return most
}

// reason says that the judge does not win by record.
func (t RecordTest) reason() string {
	if t.records < minWeightedUnits {
		return fmt.Sprintf("items of a record are alike, so the test needs %d records, and there are %d", minWeightedUnits, t.records)
	}
	return fmt.Sprintf("items of a record are alike, and by record it wins against only %d of %d (%d records)", t.wins, t.annotators, t.records)
}

// NextAction returns what to do about an obstacle, as a sentence.
func (o Obstacle) NextAction() string {
	return map[Obstacle]string{
		AnnotatorsByChance: "Clarify the guide, and test a judge when annotators agree.",
		AnnotatorsUnclear:  "Have two annotators label more items before the judge replaces one.",
		NeverGivesValue:    "Keep annotators on this field, or use a judge that gives this answer.",
		JudgeByChance:      "Keep annotators on this field, or test another judge.",
		JudgeUnclear:       "Label more items before the judge replaces an annotator.",
		MissesValue:        "Keep annotators on this field, or use a judge that finds this answer.",
		MissesRarer:        "Keep annotators on this field, or use a judge that finds these items.",
		FewRarerItems:      "Label more such items before the judge replaces an annotator.",
		FarFromAnnotators:  "Keep annotators on this field, or test another judge.",
		FewItems:           "Label more items before the judge replaces an annotator.",
		FewRecords:         "Label items of more records before the judge replaces an annotator.",
	}[o]
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
