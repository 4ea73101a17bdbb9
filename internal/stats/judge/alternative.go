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
	Skipped              []string // annotators with fewer than minItems items
}

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
// Items are taken as independent, as by the authors.
func RunAlternativeTest(people stats.RatingTable, answers map[string]int, o Options) AlternativeTest {
	comparisons := make([]comparison, len(people.Annotators()))
	for item := range people.ByItem() {
		answer, isJudged := answers[item.Item]
		if !isJudged || len(item.Annotators) < minPeople {
			continue
		}
		for i, g := range item.Annotators {
			comparisons[g].add(people.Scale, item.Categories, i, answer, o.Score)
		}
	}
	var t AlternativeTest
	for g, name := range people.Annotators() {
		if c := comparisons[g]; c.items >= minItems {
			t.Annotators = append(t.Annotators, AnnotatorResult{name, int(c.items), c.judgeWins / c.items,
				c.pValue(o.Epsilon)})
		} else {
			t.Skipped = append(t.Skipped, name)
		}
	}
	if len(t.Annotators) == 0 {
		t.Undefined = FewSharedItems
		return t
	}
	n := float64(len(t.Annotators))
	for _, a := range t.Annotators {
		t.AdvantageProbability += a.Advantage / n
	}
	t.WinningRate = float64(countRejected(t.Annotators)) / n
	return t
}

// comparison counts on how many items an annotator and the judge are at least as close to
// the other annotators as the other of the two.
type comparison struct {
	items, judgeWins, differences, squares float64
}

// add counts an item. position is that of the annotator among its answers.
func (c *comparison) add(scale stats.NumericScale, categories []uint8, position, answer int, score Score) {
	own, judge := 0, 0 // distances from the other annotators, in total
	for i, category := range categories {
		if i != position {
			own += distance(scale[categories[position]], scale[category], score)
			judge += distance(answer, scale[category], score)
		}
	}
	difference := 0.0
	if own < judge {
		difference = 1
	} else {
		c.judgeWins++
		if own > judge {
			difference = -1
		}
	}
	c.items, c.differences, c.squares = c.items+1, c.differences+difference, c.squares+difference*difference
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
	switch {
	case variance > 1e-14*c.items:
		return stats.StudentCDF((mean-epsilon)/math.Sqrt(variance/c.items), c.items-1)
	case mean < epsilon: // every difference is the same
		return 0
	}
	return 1
}

// countRejected returns the number of hypotheses that Benjamini and Yekutieli's procedure
// rejects.
func countRejected(annotators []AnnotatorResult) (rejected int) {
	sorted := slices.SortedFunc(slices.Values(annotators),
		func(a, b AnnotatorResult) int { return cmp.Compare(a.P, b.P) })
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
