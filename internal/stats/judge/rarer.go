package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// RarerAnswers says how well a judge finds the answers of a field that matter most and are seldom given: those that
// report a risk, the rarer of two answers, or those at the rarer end of a scale. The alternative annotator test allows a
// loss of ε of all items, so a judge can win it that misses all of an answer with a share below ε.
type RarerAnswers struct {
	Values            []int    `json:"values"`
	IsRisk            bool     `json:"is_risk"`
	Items             int      `json:"items"`                   // for which most annotators, at least two, gave one of them
	Missed            int      `json:"missed"`                  // of these, to which the judge gave another answer
	JudgeShare        *float64 `json:"judge_missed_share"`      // null without such an item
	AnnotatorsShare   *float64 `json:"annotators_missed_share"` // of annotators left out in turn
	ToleratedShare    float64  `json:"tolerated_share"`
	NeededItems       *int     `json:"needed_items"` // so that a judge as good as annotators is very likely shown to be that; null where the data decide
	isRequired        bool     // without evidence that the judge finds them, it is not recommended
	allowsNext        bool     // an answer next to that of the others is no miss
	effective         float64  // items, or records, that give the precision of the shares
	isFound, isMissed bool
}

const (
	// minFoundShare is how many of these answers a judge must find, as a share of what annotators find.
	minFoundShare = 1 - rarerTolerance
	// rarerTolerance equals the usual ε.
	rarerTolerance = 0.2
	// foundLevel is the one-sided level of the test that the judge finds as many.
	foundLevel = 0.05
	// neededPower is the probability with which NeededItems are enough.
	neededPower = 0.9
	// maxNeeded is the largest number of items that is named.
	maxNeeded = 1000
	// expectedMisses of expectedItems are added to those of annotators, because few items do not show how many they miss.
	expectedMisses, expectedItems = 0.5, 10.0
)

// countRarer compares the misses of the judge with those of annotators. Each annotator is left out in turn, and the items
// count for which most others, at least one, gave one of the answers: then the judge and the annotator are compared on
// the same ones, and answers of others that are wrong count against both.
func countRarer(people stats.RatingTable, answers map[string]int, o Options, risk []int) *RarerAnswers {
	r := chooseRarer(people, answers, o, risk)
	if r == nil {
		return nil
	}
	isRarer := make([]bool, len(people.Scale))
	for _, value := range r.Values {
		if i, isKnown := people.Scale.Index(value); isKnown {
			isRarer[i] = true
		}
	}
	total, judgeMisses, annotatorMisses, units := 0.0, 0.0, 0.0, map[int]float64{}
	number := 0
	for item := range people.ByItem() {
		number++
		answer, isJudged := answers[item.Item]
		weight := ItemWeight{1, item.Cluster}
		if !people.HasClusters() {
			weight.Unit = number
		}
		if o.Weights != nil {
			weight = o.Weights[item.Item]
		}
		if !isJudged || len(item.Categories) < minPeople || weight.Weight == 0 {
			continue
		}
		given := 0
		for _, c := range item.Categories {
			given += boolToInt(isRarer[c])
		}
		index, _ := people.Scale.Index(answer)
		if 2*given > len(item.Categories) {
			r.Items, r.Missed = r.Items+1, r.Missed+boolToInt(r.isMiss(isRarer, index, item.Categories, -1))
		}
		for i, c := range item.Categories {
			if others := len(item.Categories) - 1; 2*(given-boolToInt(isRarer[c])) > others {
				total += weight.Weight
				units[weight.Unit] += weight.Weight
				judgeMisses += weight.Weight * float64(boolToInt(r.isMiss(isRarer, index, item.Categories, i)))
				annotatorMisses += weight.Weight * float64(boolToInt(r.isMiss(isRarer, int(c), item.Categories, i)))
			}
		}
	}
	r.conclude(total, judgeMisses, annotatorMisses, units)
	return r
}

// isMiss reports whether an answer misses the rarer answers of annotators, except the one who is left out; none is if negative.
func (r *RarerAnswers) isMiss(isRarer []bool, answer int, categories []uint8, leftOut int) bool {
	if isRarer[answer] {
		return false
	}
	sum, n := 0, 0
	for i, c := range categories {
		if i != leftOut && isRarer[c] {
			sum, n = sum+int(c), n+1
		}
	}
	return !r.allowsNext || math.Abs(float64(answer*n-sum)) > float64(n)
}

// chooseRarer returns the answers to look for; nil if there are none. Points of the scale without an answer do not count.
// An answer that is not rarer than 2ε is none:
// a judge that misses half of it loses the alternative annotator test.
func chooseRarer(people stats.RatingTable, answers map[string]int, o Options, risk []int) *RarerAnswers {
	if len(risk) > 0 {
		return &RarerAnswers{Values: risk, IsRisk: true, isRequired: true}
	}
	weights, total := make([]float64, len(people.Scale)), 0.0 // of items, by value
	for item := range people.ByItem() {
		weight := 1.0
		if o.Weights != nil {
			weight = o.Weights[item.Item].Weight
		}
		if _, isJudged := answers[item.Item]; !isJudged || len(item.Categories) < minPeople {
			continue
		}
		total += weight
		for _, c := range item.Categories {
			weights[c] += weight / float64(len(item.Categories))
		}
	}
	var used []int
	for c, value := range people.Scale {
		if weights[c] > 0 || len(people.Scale) == 2 {
			used = append(used, value)
		}
	}
	end := 1 // answers at each end of the scale
	if len(used) > 2 {
		end = max(len(used)*2/5, 1)
	}
	if len(used) < 2 || len(used) > 2 && o.Score != RMSE {
		return nil
	}
	rarer, least := []int(nil), 2*rarerTolerance*total
	for _, values := range [][]int{used[len(used)-end:], used[:end]} {
		sum := 0.0
		for _, value := range values {
			c, _ := people.Scale.Index(value)
			sum += weights[c]
		}
		if sum < least {
			rarer, least = values, sum
		}
	}
	if rarer == nil {
		return nil
	}
	return &RarerAnswers{Values: rarer, isRequired: len(used) == 2, allowsNext: len(used) > 3}
}

// conclude tests the weighted misses. The exact test has the effective number of units.
func (r *RarerAnswers) conclude(total, judgeMisses, annotatorMisses float64, units map[int]float64) {
	expected := expectedMisses / expectedItems
	r.ToleratedShare = 1 - minFoundShare*(1-expected)
	if total > 0 {
		judge, annotators := judgeMisses/total, annotatorMisses/total
		r.JudgeShare, r.AnnotatorsShare = &judge, &annotators
		weights := make([]float64, 0, len(units))
		for _, w := range units {
			weights = append(weights, w)
		}
		r.effective = math.Round(EffectiveSize(weights)*1e6) / 1e6 // equal for any order of the units
		expected = (annotators*r.effective + expectedMisses) / (r.effective + expectedItems)
		r.ToleratedShare = 1 - minFoundShare*(1-expected)
		_, most := stats.ExactBounds(judge, r.effective, 1-2*foundLevel)
		least, _ := stats.ExactBounds(judge, r.effective, 1-2*missedLevel)
		r.isFound = most <= r.ToleratedShare
		r.isMissed = least > r.ToleratedShare || r.Items >= minMissedItems && r.Missed == r.Items && judge > r.ToleratedShare
	}
	if r.isFound || r.isMissed {
		return
	}
	needed := r.itemsFor(expected)
	switch isWorse := r.JudgeShare != nil && *r.JudgeShare >= r.ToleratedShare; {
	case needed > r.Items:
	case isWorse:
		r.isMissed = true
		return
	default:
		needed = max(r.itemsFor(max(expected, *r.JudgeShare)), r.Items+1)
	}
	r.NeededItems = &needed
}

// isLacking reports whether more items may show that the judge finds these answers. At an end of a scale, which need not
// matter, it is enough that the judge does not look worse than annotators.
func (r *RarerAnswers) isLacking() bool {
	return r != nil && r.NeededItems != nil && (r.isRequired || r.looksWorse())
}

// looksWorse reports whether the judge misses a larger share than is tolerated, or all.
func (r *RarerAnswers) looksWorse() bool {
	return r.JudgeShare != nil && *r.JudgeShare > r.ToleratedShare && (r.Missed == r.Items || r.Missed > 1)
}

// itemsFor returns how many items are needed where the judge misses a share of them, at most maxNeeded.
func (r *RarerAnswers) itemsFor(share float64) int {
	perUnit := 1.0
	if r.effective > 0 {
		perUnit = max(float64(r.Items)/r.effective, 1)
	}
	for n, allowed := 1, -1; n <= maxNeeded; n++ {
		for 1-binomialTail(allowed+2, n, r.ToleratedShare) <= foundLevel {
			allowed++
		}
		if allowed >= 0 && 1-binomialTail(allowed+1, n, share) >= neededPower {
			return min(int(math.Ceil(float64(n)*perUnit)), maxNeeded)
		}
	}
	return maxNeeded
}

// describeItems names a number of items with one of the answers.
func (r *RarerAnswers) describeItems(name func(value int) string) string {
	noun := "items"
	if r.Items == 1 {
		noun = "item"
	}
	if r.IsRisk {
		return fmt.Sprintf("%d %s on which most annotators report a risk", r.Items, noun)
	}
	return fmt.Sprintf("%d %s that most annotators answered %s", r.Items, noun, r.describeValues(name))
}

func (r *RarerAnswers) describeValues(name func(value int) string) string {
	names := make([]string, len(r.Values))
	for i, value := range r.Values {
		names[i] = name(value)
	}
	return strings.Join(names, " or ")
}

// missedReason says how many the judge misses.
func (r *RarerAnswers) missedReason(name func(value int) string) string {
	return fmt.Sprintf("it misses %d of %s; annotators left out in turn miss %.0f%% of such items and the judge %.0f%%, although it may find at most %.0f%% less than they do", r.Missed, r.describeItems(name), 100**r.AnnotatorsShare, 100**r.JudgeShare, 100*rarerTolerance)
}

// lackingReason says how many items are needed.
func (r *RarerAnswers) lackingReason(name func(value int) string) string {
	needed := fmt.Sprintf("about %d", *r.NeededItems)
	if *r.NeededItems >= maxNeeded {
		needed = fmt.Sprintf("more than %d", maxNeeded)
	}
	purpose := fmt.Sprintf("to show that it finds at least %.0f%% of what annotators find", 100*minFoundShare)
	if r.Items == 0 {
		return fmt.Sprintf("there are %s, and %s are needed %s", r.describeItems(name), needed, purpose)
	}
	return fmt.Sprintf("it misses %d of %s, and %s are needed %s", r.Missed, r.describeItems(name), needed, purpose)
}
