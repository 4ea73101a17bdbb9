package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// A judgedField is answers of three annotators and a judge to items, by functions of the true value.
type judgedField struct {
	items              int
	truth              func(i int) int
	annotator, answers func(r *rand.Rand, truth int) int
}

func (f judgedField) compare(t *testing.T, seed uint64) Result {
	t.Helper()
	r := rand.New(rand.NewPCG(61, seed))
	var ratings []stats.Rating
	for i := range f.items {
		item, truth := fmt.Sprintf("u%03d", i), f.truth(i)
		for _, name := range []string{"ada", "bo", "cy"} {
			ratings = append(ratings, stats.Rating{Item: item, Annotator: name, Value: f.annotator(r, truth)})
		}
		ratings = append(ratings, stats.Rating{Item: item, Annotator: "model", Value: f.answers(r, truth)})
	}
	table, err := stats.NewRatingTable(stats.NewRangeScale(0, 2), ratings)
	if err != nil {
		t.Fatal(err)
	}
	_, results := Compare(stats.Dimension{Name: "tone", Table: table, Declared: true}, []string{"model"}, Options{Epsilon: 0.2, Intervals: stats.IntervalOptions{Resamples: 200, Seed: 1}})
	return results[0]
}

// TestCompare_Recommends_OnlyAboveChance checks each condition of a recommendation with data on both sides.
func TestCompare_Recommends_OnlyAboveChance(t *testing.T) {
	t.Parallel()
	rare := func(i int) int { return boolToInt(i%25 < 2) } // 8 of 100
	often := func(i int) int { return boolToInt(i%25 < 4) }
	half := func(i int) int { return i % 2 }
	same := func(_ *rand.Rand, truth int) int { return truth }
	coin := func(r *rand.Rand, _ int) int { return r.IntN(2) }
	zero := func(*rand.Rand, int) int { return 0 }
	err := func(rate float64) func(*rand.Rand, int) int {
		return func(r *rand.Rand, truth int) int {
			if r.Float64() < rate {
				return 1 - truth
			}
			return truth
		}
	}
	finds := func(share float64) func(*rand.Rand, int) int {
		return func(r *rand.Rand, truth int) int { return boolToInt(truth == 1 && r.Float64() < share) }
	}
	missing := func(share float64) func(*rand.Rand, int) int { return finds(1 - share) }
	for name, c := range map[string]struct {
		field judgedField
		want  Obstacle
		wins  bool
		text  string
	}{
		"good judge, annotators who err":      {judgedField{100, half, err(0.1), err(0.05)}, "", true, ""},
		"good judge of a rare value":          {judgedField{500, rare, err(0.02), err(0.01)}, "", true, ""},
		"all agree, without an interval of κ": {judgedField{40, half, same, same}, "", true, ""},
		"all agree on a rare value":           {judgedField{200, rare, same, same}, "", true, ""},
		"all agree on a rare value, 8 items":  {judgedField{100, rare, same, same}, FewRarerItems, true, "it misses 0 of 8 items that most annotators answered “1”, and about "},
		"never the rare value":                {judgedField{100, rare, same, zero}, NeverGivesValue, true, "it never answers “1”, and so missed 8 of 8 items"},
		"a rare value one time in six":        {judgedField{600, rare, err(0.01), finds(1. / 6)}, MissesValue, true, " items that all annotators answered “1”"},
		"a rare value half of the time":       {judgedField{250, often, missing(0.45), finds(0.5)}, FewRarerItems, true, " to show that it finds at least 80% of what annotators find"},
		"a rare value 19 times in 20":         {judgedField{600, rare, err(0.01), finds(0.95)}, "", true, ""},
		"a rare value two times in three":     {judgedField{250, rare, err(0.01), finds(2. / 3)}, FewRarerItems, true, ""},
		"random annotators, random judge":     {judgedField{100, half, coin, coin}, AnnotatorsByChance, true, "the annotators agree with each other hardly more than by chance (κ "},
		"random annotators, constant judge":   {judgedField{100, half, coin, zero}, AnnotatorsByChance, true, "by chance (κ "},
		"all answers are the same":            {judgedField{100, half, zero, zero}, AnnotatorsUnclear, true, "is not shown yet (κ is not defined)"},
		"rare value at random, other items":   {judgedField{100, rare, same, func(r *rand.Rand, truth int) int { return boolToInt(truth == 0 && r.IntN(40) == 0) }}, JudgeByChance, true, "it agrees with the annotators hardly more than by chance (κ "},
		"judge always wrong":                  {judgedField{100, half, same, err(1)}, "", false, ""},
	} {
		found, won := 0, 0
		var last Result
		const seeds = 20
		for seed := range uint64(seeds) {
			last = c.field.compare(t, seed)
			found += boolToInt(last.Obstacle == c.want)
			won += boolToInt(*last.WinningRate >= 0.5)
			if last.Replaces != (*last.WinningRate >= 0.5) || last.Replaces == (last.Obstacle == FewItems) && last.Obstacle != "" || (last.Reason == "") != (last.Obstacle == "") || (last.NextAction == "") != (last.Obstacle == "") {
				t.Errorf("%s: %+v", name, last)
			}
			if last.Obstacle == c.want && !strings.Contains(last.Reason, c.text) {
				t.Errorf("%s: no %q in %q", name, c.text, last.Reason)
			}
		}
		if found < seeds-3 || c.wins && won < 15 || !c.wins && won > 0 {
			t.Errorf("%s: obstacle %q in %d of %d studies, won in %d; last %q: %s", name, c.want, found, seeds, won, last.Obstacle, last.Reason)
		}
	}
}

// TestCompare_FewItems_IsNoDefect has a judge that is as good as annotators, and worse ones. With few items, those that
// lose are told apart; with many, a good judge wins.
func TestCompare_FewItems_IsNoDefect(t *testing.T) {
	t.Parallel()
	err := func(rate float64) func(*rand.Rand, int) int {
		return func(r *rand.Rand, truth int) int {
			if r.Float64() < rate {
				return 1 - truth
			}
			return truth
		}
	}
	for _, c := range []struct {
		items                         int
		judgeError                    float64
		leastLost, mostLost           float64
		leastUndecided, mostUndecided float64 // of those that lose
	}{
		{30, 0.15, 0.2, 0.8, 0.7, 1}, {300, 0.15, 0, 0.02, 0, 1}, {30, 0.5, 0.95, 1, 0, 0.05}, {300, 0.5, 1, 1, 0, 0.05},
	} {
		lost, undecided := 0.0, 0.0
		const seeds = 200
		for seed := range uint64(seeds) {
			r := judgedField{c.items, func(i int) int { return i % 2 }, err(0.15), err(c.judgeError)}.compare(t, seed)
			lost += float64(boolToInt(!r.Replaces))
			undecided += float64(boolToInt(r.Obstacle == FewItems))
		}
		t.Logf("%d items, wrong in %.0f%%: loses in %.0f of %d studies, of which %.0f are undecided", c.items, 100*c.judgeError, lost, seeds, undecided)
		if lost < c.leastLost*seeds || lost > c.mostLost*seeds || undecided < c.leastUndecided*lost || undecided > c.mostUndecided*lost {
			t.Errorf("%+v: loses in %.0f of %d studies, of which %.0f are undecided", c, lost, seeds, undecided)
		}
	}
}

// TestCompare_SharedSets_RecommendsWinners checks that no judge of the published data sets that wins meets an obstacle.
func TestCompare_SharedSets_RecommendsWinners(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, row := range require.SharedRows(t, "judges", "expected.csv") {
		score, epsilon, isTest := strings.Cut(row[3], " epsilon=")
		if !isTest || seen[row[0]+row[1]+row[3]] {
			continue
		}
		seen[row[0]+row[1]+row[3]] = true
		d := newDimension(t, require.SharedRows(t, "judges", row[0]+".csv"), func(_, annotator string) bool { return annotator == row[1] || isPerson(annotator) })
		o := Options{Score: Score(score)}
		if _, err := fmt.Sscan(epsilon, &o.Epsilon); err != nil {
			t.Fatal(err)
		}
		_, results := Compare(d, []string{row[1]}, o)
		if r := results[0]; r.Obstacle != "" && (r.Replaces || r.Obstacle != FewItems) {
			t.Errorf("%v: %s: %s", row[:2], r.Obstacle, r.Reason)
		}
	}
}

// TestCountEvidence_Missed_AboveTolerance checks on which side of the tolerated share a value counts as missed.
// Where left-out annotators miss a value on one of two items, half of it may be missed.
func TestCountEvidence_Missed_AboveTolerance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items, judgeMisses int  // of the rare value
		leftOutMisses      int  // further items on which one of three annotators does
		isFrequent         bool // no other value is
		want               bool
	}{
		{3, 2, 0, false, false}, {3, 3, 0, false, true}, {20, 8, 0, false, false}, {20, 9, 0, false, true},
		{20, 11, 20, false, false}, {20, 16, 20, false, true}, {20, 9, 0, true, false},
	} {
		var ratings []stats.Rating
		answers := map[string]int{"given": 1}
		add := func(name string, judge int, values ...int) {
			for i, v := range values {
				ratings = append(ratings, stats.Rating{Item: name, Annotator: fmt.Sprint("a", i), Value: v})
			}
			answers[name] = judge
		}
		for i := range c.items {
			add(fmt.Sprint("rare", i), boolToInt(i >= c.judgeMisses), 1, 1, 1)
		}
		for i := range c.leftOutMisses {
			add(fmt.Sprint("split", i), 1, 1, 1, 0)
		}
		if !c.isFrequent {
			for i := range 50 {
				add(fmt.Sprint("common", i), 0, 0, 0, 0)
			}
		}
		table, err := stats.NewRatingTable(stats.NewNumericScale(0, 1), ratings)
		if err != nil {
			t.Fatal(err)
		}
		e := CountEvidence(table, answers, Options{Score: Accuracy}, nil)
		if got := len(e.Missed) > 0; got != c.want || got && (e.Missed[0].Value != 1 || e.Missed[0].Items != c.items || e.Missed[0].Missed != c.judgeMisses) {
			t.Errorf("%+v: %+v", c, e.Missed)
		}
	}
	for _, c := range []struct {
		scale  stats.NumericScale
		answer int
		score  Score
		want   bool
	}{
		{stats.NewNumericScale(1, 2, 3, 4, 5), 4, RMSE, false}, {stats.NewNumericScale(1, 2, 3, 4, 5), 3, RMSE, true}, {stats.NewNumericScale(1, 2, 3, 4, 5), 4, Accuracy, true},
		{stats.NewNumericScale(3, 4, 5), 4, RMSE, true}, {stats.NewNumericScale(3, 4, 5), 5, RMSE, false},
	} {
		if got := misses(c.scale, c.answer, 5, c.score); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

func TestBinomialTail_IsExact(t *testing.T) {
	t.Parallel()
	if p := binomialTail(3, 10, 0.2); math.Abs(p-0.3222005) > 1e-7 {
		t.Errorf("3 of 10: %v", p)
	}
	if p := binomialTail(0, 10, 0.2); math.Abs(p-1) > 1e-9 {
		t.Errorf("0 of 10: %v", p)
	}
}

// TestEvidence_Obstacle_ChanceOrFewRecords has a judge whose κ is not shown to be above 0, or is.
func TestEvidence_Obstacle_ChanceOrFewRecords(t *testing.T) {
	t.Parallel()
	figure := func(value, low, high float64) KappaFigure { return KappaFigure{&value, &low, &high} }
	good := figure(0.8, 0.5, 0.95)
	for _, c := range []struct {
		annotators, judge KappaFigure
		records           RecordTest
		want              Obstacle
	}{
		{good, figure(0.4, -0.3, 0.95), RecordTest{20, 0, 3}, FewRecords}, {good, figure(0.39, -0.3, 0.95), RecordTest{20, 0, 3}, FarFromAnnotators}, {good, KappaFigure{}, RecordTest{20, 3, 3}, JudgeUnclear},
		{good, figure(0.4, -0.3, 0.95), RecordTest{20, 3, 3}, JudgeUnclear}, {good, figure(0.4, -0.3, 0.95), RecordTest{}, JudgeUnclear},
		{good, figure(0.1, -0.3, 0.24), RecordTest{}, JudgeByChance}, {good, figure(0.1, -0.3, 0.25), RecordTest{}, FarFromAnnotators}, {good, figure(0.1, 0.01, 0.24), RecordTest{}, FarFromAnnotators},
		{good, figure(0.41, 0.1, 0.95), RecordTest{20, 0, 3}, FewRecords}, {good, figure(0.41, 0.1, 0.95), RecordTest{20, 3, 3}, ""},
		{good, figure(0.39, 0.1, 0.95), RecordTest{20, 0, 3}, FarFromAnnotators}, {good, figure(0.39, 0.1, 0.95), RecordTest{20, 3, 3}, FarFromAnnotators},
		{figure(0.1, -0.1, 0.24), good, RecordTest{}, AnnotatorsByChance}, {figure(0.1, -0.1, 0.25), good, RecordTest{}, AnnotatorsUnclear}, {figure(0.1, 0.01, 0.24), good, RecordTest{}, ""},
	} {
		if got := (Evidence{Annotators: c.annotators, Judge: c.judge, Test: AlternativeTest{WinningRate: 1, Records: c.records}}).Obstacle(); got != c.want {
			t.Errorf("%s, %s, %+v: %q, want %q", c.annotators.text(), c.judge.text(), c.records, got, c.want)
		}
	}
}
