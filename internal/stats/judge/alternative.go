package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// An AlternativeTest is the alternative annotator test of a judge (Calderon, Reichart &
// Dror 2025, ACL, The Alternative Annotator Test for LLM-as-a-Judge).
type AlternativeTest struct {
	Undefined            ReasonCode
	WinningRate          float64 // ω: share of annotators against whom the judge wins
	AdvantageProbability float64 // ρ: mean over annotators of their Advantage
	Annotators           []AnnotatorResult
	Skipped              []string // annotators with fewer than minItems items or, with weights, fewer than minWeightedUnits units
	Records              RecordTest
	close                int // annotators who are better than the judge by less than Epsilon, on these items
}

// A RecordTest is the same test with records instead of items as units, because items of a record are
// alike. The zero value is that of items without records, and of weighted items, whose test has
// these units anyway.
type RecordTest struct{ records, wins, annotators int }

// lacksItems reports whether the judge loses although it is close to enough annotators, so that more items may decide.
func (t AlternativeTest) lacksItems() bool {
	return t.Undefined == "" && !t.Replaces() && 2*t.close >= len(t.Annotators)
}

// contradicts reports whether the judge no longer wins.
func (t RecordTest) contradicts() bool { return 2*t.wins < t.annotators }

const (
	minPeople      = 2    // per item: the annotator left out, and another one
	minItems       = 30   // per annotator
	falseDiscovery = 0.05 // expected share of false wins
)

// Replaces reports whether the judge may replace an annotator: it wins against at least
// half of them.
func (t AlternativeTest) Replaces() bool { return t.Undefined == "" && t.WinningRate >= 0.5 }

// RunAlternativeTest leaves out each annotator in turn, and compares the annotator and the
// judge, whose answers are given by item, with the other annotators. The judge wins against an
// annotator if a one-sided t test rejects that the annotator is closer to the others by
// Epsilon; the tests together are held to a false discovery rate of 5% under any
// dependence (Benjamini & Yekutieli 2001, Annals of Statistics 29).
//
// If o has weights, advantages and mean differences are weighted (Hájek), and the t test has the
// variance of influences, summed by unit, with degrees of freedom for the effective number of
// units. Each item has one weight, no matter who labeled it.
//
// Without weights the test is that of the authors, which takes items as independent. If items have
// clusters, Records has that with their variance.
func RunAlternativeTest(people stats.RatingTable, answers map[string]int, o Options) AlternativeTest {
	comparisons, records := make([]comparison, len(people.Annotators())), map[int]bool{}
	hasRecords := o.Weights == nil && people.HasClusters()
	for item := range people.ByItem() {
		answer, isJudged := answers[item.Item]
		weight := ItemWeight{1, item.Cluster}
		if o.Weights != nil {
			weight = o.Weights[item.Item]
		}
		if !isJudged || len(item.Annotators) < minPeople || weight.Weight == 0 {
			continue
		}
		records[item.Cluster] = true
		for i, g := range item.Annotators {
			outcome := comparisons[g].add(people.Scale, item.Categories, i, answer, o.Score)
			if o.Weights != nil || hasRecords {
				comparisons[g].pairs = append(comparisons[g].pairs, WeightedPair{outcome.judge, outcome.annotator, weight.Weight, weight.Unit})
			}
		}
	}
	var t AlternativeTest
	var byRecord []AnnotatorResult
	for g, name := range people.Annotators() {
		if result, isTested := comparisons[g].test(name, o); isTested {
			t.Annotators = append(t.Annotators, result)
			t.close += boolToInt(comparisons[g].difference(o) < o.Epsilon)
			if hasRecords {
				result.P, _ = comparisons[g].testUnits(o.Epsilon)
				byRecord = append(byRecord, result)
			}
		} else {
			t.Skipped = append(t.Skipped, name)
		}
	}
	if len(t.Annotators) == 0 {
		if t.Undefined = FewSharedItems; o.Weights != nil {
			t.Undefined = FewDrawnItems
		}
		return t
	}
	n := float64(len(t.Annotators))
	for _, a := range t.Annotators {
		t.AdvantageProbability += a.Advantage / n
	}
	t.WinningRate = float64(countRejected(t.Annotators)) / n
	if hasRecords {
		t.Records = RecordTest{len(records), countRejected(byRecord), len(byRecord)}
	}
	return t
}

// comparison counts on how many items an annotator and the judge are at least as close to
// the other annotators as the other of the two.
type comparison struct {
	items, judgeWins, differences, squares float64
	pairs                                  []WeightedPair // indicators "judge wins" and "annotator wins"; only with weights or clusters
}

// An outcome is 1 for the side that is at least as close as the other.
type outcome struct{ judge, annotator float64 }

// add counts an item. position is that of the annotator among its answers.
func (c *comparison) add(scale stats.NumericScale, categories []uint8, position, answer int, score Score) outcome {
	own, judge := 0, 0 // distances from the other annotators, in total
	for i, category := range categories {
		if i != position {
			own += distance(scale[categories[position]], scale[category], score)
			judge += distance(answer, scale[category], score)
		}
	}
	result := outcome{1, 1}
	switch {
	case own < judge:
		result.judge = 0
	case own > judge:
		result.annotator = 0
	}
	difference := result.annotator - result.judge
	c.items, c.judgeWins = c.items+1, c.judgeWins+result.judge
	c.differences, c.squares = c.differences+difference, c.squares+difference*difference
	return result
}

// test returns the result of an annotator, if there are enough items.
func (c comparison) test(name string, o Options) (r AnnotatorResult, isTested bool) {
	r = AnnotatorResult{Annotator: name, Items: int(c.items)}
	if c.items < minItems {
		return r, false
	}
	if o.Weights == nil {
		r.Advantage, r.P = c.judgeWins/c.items, c.pValue(o.Epsilon)
		return r, true
	}
	total := 0.0
	for _, pair := range c.pairs {
		total += pair.Weight
		r.Advantage += pair.Weight * pair.First
	}
	r.Advantage /= total
	r.P, isTested = c.testUnits(o.Epsilon)
	return r, isTested
}

// difference returns how much more often the annotator wins than the judge.
func (c comparison) difference(o Options) float64 {
	if o.Weights == nil {
		return c.differences / c.items
	}
	mean, _ := weightedMean(c.pairs)
	return mean
}

// testUnits returns the p-value of the test with weights and units, which is 1 with too few units.
func (c comparison) testUnits(epsilon float64) (pValue float64, isTested bool) {
	mean, influences := weightedMean(c.pairs)
	p := newWeightedPrediction(mean, c.pairs, influences)
	if p.units < minWeightedUnits {
		return 1, false
	}
	return lowerTail(mean-epsilon, p.variance(), p.degrees()), true
}

// distance is exact: roots and means over the same answers keep the order.
func distance(a, b int, score Score) int {
	switch {
	case score == RMSE:
		return (a - b) * (a - b)
	case a != b:
		return 1
	}
	return 0
}

// pValue returns that of the one-sample t test that the mean difference is less than epsilon.
func (c comparison) pValue(epsilon float64) float64 {
	mean := c.differences / c.items
	variance := (c.squares - c.items*mean*mean) / (c.items - 1)
	return lowerTail(mean-epsilon, variance/c.items, c.items-1)
}

// lowerTail returns the p-value of a one-sided t test that an estimate is not below 0.
func lowerTail(estimate, variance, degrees float64) float64 {
	switch {
	case variance > 1e-14:
		return stats.StudentCDF(estimate/math.Sqrt(variance), degrees)
	case estimate < 0: // every difference is the same
		return 0
	}
	return 1
}

// countRejected returns the number of hypotheses that Benjamini and Yekutieli's procedure
// rejects.
func countRejected(annotators []AnnotatorResult) (rejected int) {
	sorted := slices.SortedFunc(slices.Values(annotators), func(a, b AnnotatorResult) int { return cmp.Compare(a.P, b.P) })
	harmonic := 0.0
	for i := range sorted {
		harmonic += 1 / float64(i+1)
	}
	for i, a := range sorted {
		if a.P <= float64(i+1)/float64(len(sorted))*(falseDiscovery/harmonic) {
			rejected = i + 1
		}
	}
	return rejected
}
