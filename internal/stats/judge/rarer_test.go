package judge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// rarerTable has items that three annotators answered alike, and items that two of them answered so.
type rarerTable struct {
	scale     []int
	unanimous map[int][2]int // by value: items, and those to which the judge gave another answer
	split     map[[2]int]int // by value of two annotators and of the third one: items, which the judge answered as the two
	wrong     int            // the other answer of the judge
	perRecord int
	options   Options
	risk      []int
}

func (c rarerTable) count(t *testing.T) *RarerAnswers {
	t.Helper()
	var ratings []stats.Rating
	answers, n := map[string]int{}, 0
	add := func(judge int, values ...int) {
		name := fmt.Sprintf("u%03d", n)
		for i, v := range values {
			r := stats.Rating{Item: name, Annotator: fmt.Sprint("a", i), Value: v}
			if c.perRecord > 0 {
				r.Cluster = fmt.Sprint("r", n/c.perRecord)
			}
			ratings = append(ratings, r)
		}
		answers[name] = judge
		n++
	}
	for _, value := range c.scale {
		for i := range c.unanimous[value][0] {
			if i < c.unanimous[value][1] {
				add(c.wrong, value, value, value)
			} else {
				add(value, value, value, value)
			}
		}
	}
	for values, items := range c.split {
		for range items {
			add(values[0], values[0], values[0], values[1])
		}
	}
	table, err := stats.NewRatingTable(stats.NewNumericScale(c.scale...), ratings)
	if err != nil {
		t.Fatal(err)
	}
	if c.options.Score == "" {
		c.options.Score = Accuracy
	}
	return CountEvidence(table, answers, c.options, c.risk).Rarer
}

// TestCountRarer_Decides_OnBothSides checks which answers count as rare, and each side of the test.
func TestCountRarer_Decides_OnBothSides(t *testing.T) {
	t.Parallel()
	binary, five := []int{0, 1}, []int{1, 2, 3, 4, 5}
	rmse := Options{Score: RMSE}
	for name, c := range map[string]struct {
		table           rarerTable
		values          string // empty: none are rare
		items, missed   int
		found, isMissed bool
		lacking         bool
		needed          int // 0: the data decide
	}{
		"13 of 13 found":          {rarerTable{scale: binary, unanimous: map[int][2]int{0: {87, 0}, 1: {13, 0}}}, "[1]", 13, 0, true, false, false, 0},
		"12 of 12 found":          {rarerTable{scale: binary, unanimous: map[int][2]int{0: {88, 0}, 1: {12, 0}}}, "[1]", 12, 0, false, false, true, 20},
		"0 is rare":               {rarerTable{scale: binary, unanimous: map[int][2]int{1: {86, 0}, 0: {14, 0}}}, "[0]", 14, 0, true, false, false, 0},
		"39% are rare":            {rarerTable{scale: binary, unanimous: map[int][2]int{0: {61, 0}, 1: {39, 0}}}, "[1]", 39, 0, true, false, false, 0},
		"40% are not":             {rarerTable{scale: binary, unanimous: map[int][2]int{0: {60, 0}, 1: {40, 0}}}, "", 0, 0, false, false, false, 0},
		"none":                    {rarerTable{scale: binary, unanimous: map[int][2]int{0: {60, 0}}}, "[1]", 0, 0, false, false, true, 30},
		"9 of 20 missed":          {rarerTable{scale: binary, unanimous: map[int][2]int{0: {80, 0}, 1: {20, 9}}}, "[1]", 20, 9, false, true, false, 0},
		"3 of 3 missed":           {rarerTable{scale: binary, unanimous: map[int][2]int{0: {80, 0}, 1: {3, 3}}}, "[1]", 3, 3, false, true, false, 0},
		"2 of 2 missed":           {rarerTable{scale: binary, unanimous: map[int][2]int{0: {80, 0}, 1: {2, 2}}}, "[1]", 2, 2, false, false, true, 25},
		"4 of 14 missed":          {rarerTable{scale: binary, unanimous: map[int][2]int{0: {86, 0}, 1: {14, 4}}}, "[1]", 14, 4, false, false, true, 20},
		"10 of 40 missed":         {rarerTable{scale: binary, unanimous: map[int][2]int{0: {160, 0}, 1: {40, 10}}}, "[1]", 40, 10, false, true, false, 0},
		"7 of 40 missed":          {rarerTable{scale: binary, unanimous: map[int][2]int{0: {160, 0}, 1: {40, 7}}}, "[1]", 40, 7, false, false, true, maxNeeded},
		"4 of 20, annotators err": {rarerTable{scale: binary, unanimous: map[int][2]int{0: {160, 0}, 1: {20, 4}}, split: map[[2]int]int{{1, 0}: 20}}, "[1]", 40, 4, true, false, false, 0},
		"14 in 14 records":        {rarerTable{scale: binary, unanimous: map[int][2]int{0: {86, 0}, 1: {14, 0}}, perRecord: 1}, "[1]", 14, 0, true, false, false, 0},
		"28 in 7 records":         {rarerTable{scale: binary, unanimous: map[int][2]int{0: {100, 0}, 1: {28, 0}}, perRecord: 4}, "[1]", 28, 0, false, false, true, 104},
		"risk found":              {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}, 1: {8, 0}, 2: {8, 0}}, options: rmse, risk: []int{1, 2}}, "[1 2]", 16, 0, true, false, false, 0},
		"risk of 2 as 3":          {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}, 1: {8, 0}, 2: {16, 8}}, wrong: 3, options: rmse, risk: []int{1, 2}}, "[1 2]", 24, 8, false, true, false, 0},
		"risk of 1 as 2":          {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}, 1: {24, 12}}, wrong: 2, options: rmse, risk: []int{1, 2}}, "[1 2]", 24, 0, true, false, false, 0},
		"no risk reported":        {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}}, options: rmse, risk: []int{1, 2}}, "[1 2]", 0, 0, false, false, true, 30},
		"risk is frequent":        {rarerTable{scale: five, unanimous: map[int][2]int{5: {40, 0}, 1: {60, 0}}, options: rmse, risk: []int{1, 2}}, "[1 2]", 60, 0, true, false, false, 0},
		"two values of five used": {rarerTable{scale: five, unanimous: map[int][2]int{5: {86, 0}, 4: {14, 0}}, options: rmse}, "[4]", 14, 0, true, false, false, 0},
		"one value of five used":  {rarerTable{scale: five, unanimous: map[int][2]int{5: {86, 0}}, options: rmse}, "", 0, 0, false, false, false, 0},
		"low end, one found":      {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}, 4: {20, 0}, 3: {40, 0}, 1: {2, 1}}, wrong: 5, options: rmse}, "[1]", 2, 1, false, false, false, 25},
		"low end, none found":     {rarerTable{scale: five, unanimous: map[int][2]int{5: {60, 0}, 4: {20, 0}, 3: {40, 0}, 1: {2, 2}}, wrong: 5, options: rmse}, "[1]", 2, 2, false, false, true, 25},
		"high end, none of 3":     {rarerTable{scale: five, unanimous: map[int][2]int{1: {60, 0}, 2: {20, 0}, 3: {40, 0}, 5: {3, 3}}, wrong: 1, options: rmse}, "[5]", 3, 3, false, true, false, 0},
		"only split items":        {rarerTable{scale: binary, unanimous: map[int][2]int{0: {86, 0}}, split: map[[2]int]int{{1, 0}: 2}}, "[1]", 2, 0, false, false, true, 72},
		"three named values":      {rarerTable{scale: []int{1, 2, 3}, unanimous: map[int][2]int{1: {60, 0}, 2: {3, 3}, 3: {3, 0}}, wrong: 1}, "", 0, 0, false, false, false, 0},
	} {
		r := c.table.count(t)
		if c.values == "" {
			if r != nil {
				t.Errorf("%s: %+v", name, *r)
			}
			continue
		}
		if r == nil {
			t.Errorf("%s: no rare answers", name)
			continue
		}
		needed := 0
		if r.NeededItems != nil {
			needed = *r.NeededItems
		}
		if fmt.Sprint(r.Values) != c.values || r.Items != c.items || r.Missed != c.missed || r.isFound != c.found || r.isMissed != c.isMissed || r.isLacking() != c.lacking || needed != c.needed {
			t.Errorf("%s: %+v, needed %d, lacking %t", name, *r, needed, r.isLacking())
		}
	}
}

// TestCountRarer_Weights_CountMisses has a judge whose misses have large weights, as where items were drawn by its answers.
func TestCountRarer_Weights_CountMisses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weight float64
		found  bool
	}{{1, true}, {6, false}} {
		o := Options{Score: Accuracy, Weights: map[string]ItemWeight{}}
		for i := range 240 {
			o.Weights[fmt.Sprintf("u%03d", i)] = ItemWeight{1, i}
		}
		for i := range 3 {
			o.Weights[fmt.Sprintf("u%03d", 200+i)] = ItemWeight{c.weight, 200 + i}
		}
		table := rarerTable{scale: []int{0, 1}, unanimous: map[int][2]int{0: {200, 0}, 1: {40, 3}}, options: o}
		if r := table.count(t); r.isFound != c.found || r.Missed != 3 || r.Items != 40 {
			t.Errorf("weight %v: %+v", c.weight, *r)
		}
	}
}

// TestCompare_RareAnswer_NeedsEvidence simulates judges of a yes/no field that are as good as annotators, or miss half or
// most of a rare yes.
func TestCompare_RareAnswer_NeedsEvidence(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 60
	if require.FullSize() {
		studies = 400
	}
	for _, share := range []float64{0.05, 0.1, 0.3} {
		for _, items := range []int{100, 200, 400} {
			for _, misses := range []float64{0, 0.5, 0.9} {
				recommended, decided := 0, 0 // decided: not recommended for another reason than few data
				for seed := range studies {
					random := rand.New(rand.NewPCG(91, uint64(seed)))
					answer := func(r *rand.Rand, truth int) int { return truth ^ boolToInt(r.Float64() < 0.03) }
					r := judgedField{items, func(int) int { return boolToInt(random.Float64() < share) }, answer, func(r *rand.Rand, truth int) int {
						if truth == 1 && r.Float64() < misses {
							return 0
						}
						return answer(r, truth)
					}}.compare(t, uint64(seed))
					recommended += boolToInt(r.Replaces && r.Obstacle == "")
					decided += boolToInt(!r.Replaces && r.Obstacle == "" || r.Obstacle != "" && !r.Obstacle.LacksData())
				}
				t.Logf("%.0f%% of %d items, misses %.0f%%: recommended in %d, not recommended in %d of %d studies", 100*share, items, 100*misses, recommended, decided, studies)
				isAdequate := share*float64(items) >= 30
				if misses == 0 && (decided > studies/20 || isAdequate && recommended < studies*9/10) || misses > 0 && recommended > studies/20 {
					t.Errorf("%.0f%% of %d items, misses %.0f%%: recommended in %d, not recommended in %d of %d studies", 100*share, items, 100*misses, recommended, decided, studies)
				}
			}
		}
	}
}

// TestRarerAnswers_ItemsFor_IsEnough adds the probabilities of all numbers of misses, with as many items as are needed.
func TestRarerAnswers_ItemsFor_IsEnough(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0.01, 0.05, 0.15} {
		r := RarerAnswers{ToleratedShare: 1 - minFoundShare*(1-share)}
		n, found := r.itemsFor(share), 0.0
		for missed := range n + 1 {
			if _, most := stats.ExactBounds(float64(missed)/float64(n), float64(n), 1-2*foundLevel); most <= r.ToleratedShare {
				found += binomialTail(missed, n, share) - binomialTail(missed+1, n, share)
			}
		}
		if found < neededPower-1e-9 || n < 10 || n > 150 {
			t.Errorf("misses %v: %d items are enough in %.3f of studies", share, n, found)
		}
	}
}

func TestRarerAnswers_Reasons_NameItems(t *testing.T) {
	t.Parallel()
	name := func(value int) string { return fmt.Sprint("“", value, "”") }
	share := func(v float64) *float64 { return &v }
	for want, r := range map[string]RarerAnswers{
		"it misses 4 of 8 items that most annotators answered “1”, and about 31 are needed to show that it finds at least 80% of what annotators find": {Values: []int{1}, Items: 8, Missed: 4, NeededItems: new(31)},
		"it misses 0 of 1 item on which most annotators report a risk, and about 31 are":                                                               {Values: []int{1, 2}, IsRisk: true, Items: 1, NeededItems: new(31)},
		"there are 0 items that most annotators answered “1” or “2”, and more than 1000 are needed":                                                    {Values: []int{1, 2}, NeededItems: new(maxNeeded)},
	} {
		if got := r.lackingReason(name); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := RarerAnswers{Values: []int{1}, IsRisk: true, Items: 24, Missed: 12, AnnotatorsShare: share(0.03), JudgeShare: share(0.5)}
	if got, want := r.missedReason(name), "it misses 12 of 24 items on which most annotators report a risk; annotators left out in turn miss 3% of such items and the judge 50%, although"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
