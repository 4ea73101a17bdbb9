package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawRatings draws a small table with missing ratings.
func drawRatings(r *rapid.T) []Rating {
	var ratings []Rating
	for i := range rapid.IntRange(1, 12).Draw(r, "items") {
		for g := range rapid.IntRange(1, 4).Draw(r, "annotators") {
			if v := rapid.IntRange(-1, 4).Draw(r, "value"); v >= 0 {
				ratings = append(ratings, Rating{Item: fmt.Sprint("i", i), Annotator: fmt.Sprint("a", g), Value: v})
			}
		}
	}
	return ratings
}

// everyMeasure returns each measure in each variant.
func everyMeasure() []Measure {
	all := []Measure{
		PercentAgreement(), FleissKappa(), FleissKappa2Plus(), GwetAC1(), GwetAC2(Linear), GwetAC2(Quadratic),
		Alpha(NominalDistance), Alpha(OrdinalDistance), Alpha(IntervalDistance),
	}
	for _, w := range weightings {
		all = append(all, LightKappa(w), CongerKappa(w))
	}
	return all
}

func TestMeasures_IgnoreRowOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		ratings := drawRatings(r)
		first, _ := NewRatingTable(NewRangeScale(0, 4), ratings)
		shuffled := slices.Clone(ratings)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled),
			func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		second, _ := NewRatingTable(NewRangeScale(0, 4), shuffled)
		for _, m := range everyMeasure() {
			if a, b := m.Compute(first), m.Compute(second); a != b {
				r.Fatalf("%s %s: %+v and %+v", m.Coefficient, m.Variant, a, b)
			}
		}
	})
}

func TestMeasures_NeverNaN(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		table, err := NewRatingTable(NewRangeScale(0, 4), drawRatings(r))
		if err != nil {
			r.Fatal(err)
		}
		for _, m := range everyMeasure() {
			estimate := m.Compute(table)
			if math.IsNaN(estimate.Value) || estimate.Value > 1+1e-9 || !estimate.Defined() && estimate.Value != 0 {
				r.Fatalf("%s %s: %+v", m.Coefficient, m.Variant, estimate)
			}
		}
	})
}

// TestAlpha_MatchesDefinition compares α with Krippendorff's definition over every pair of
// values.
func TestAlpha_MatchesDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		table, _ := NewRatingTable(NewRangeScale(0, 4), drawRatings(r))
		want, defined := computeAlphaDirectly(table)
		got := Alpha(IntervalDistance).Compute(table)
		if got.Defined() != defined || defined && math.Abs(got.Value-want) > 1e-9 {
			r.Fatalf("got %+v, want %v %v", got, want, defined)
		}
	})
}

func computeAlphaDirectly(t RatingTable) (float64, bool) {
	within, all := 0.0, []float64{}
	for i := range t.items {
		_, categories := t.row(i)
		if len(categories) < 2 {
			continue
		}
		for _, a := range categories {
			all = append(all, float64(t.Scale[a]))
			for _, b := range categories {
				difference := float64(t.Scale[a] - t.Scale[b])
				within += difference * difference / float64(len(categories)-1)
			}
		}
	}
	total := 0.0
	for _, a := range all {
		for _, b := range all {
			total += (a - b) * (a - b)
		}
	}
	if total == 0 {
		return 0, false
	}
	return 1 - float64(len(all)-1)*within/total, true
}

func TestRatingTable_Invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ratings []Rating
		want    string
	}{
		"off the scale": {[]Rating{{Item: "x", Annotator: "A", Value: 6}},
			"A gave item x the value 6, which is not on the scale 1..5"},
		"labeled twice": {[]Rating{{Item: "x", Annotator: "A", Value: 1}, {Item: "x", Annotator: "A", Value: 1}},
			"A labeled item x twice"},
		"two clusters": {[]Rating{{Item: "x", Annotator: "A", Value: 1, Cluster: "r1"},
			{Item: "x", Annotator: "B", Value: 1}}, "the item x is in two clusters"},
	} {
		_, err := NewRatingTable(NewRangeScale(1, 5), c.ratings)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestRatingTable_Subtables(t *testing.T) {
	t.Parallel()
	table := newKrippendorffTable(t)
	for _, c := range []struct {
		name                       string
		table                      RatingTable
		items, annotators, ratings int
	}{
		{"all", table, 12, 4, 41},
		{"at least two ratings", table.Paired(), 11, 4, 40},
		{"complete items", table.completeItems(), 8, 4, 32},
		{"pair", table.Pair("C", "A"), 8, 2, 16},
		{"pair with an unknown annotator", table.Pair("A", "Z"), 0, 0, 0},
	} {
		if c.table.Items() != c.items || len(c.table.Annotators()) != c.annotators || c.table.Ratings() != c.ratings {
			t.Errorf("%s: %d items, %v, %d ratings", c.name, c.table.Items(), c.table.Annotators(), c.table.Ratings())
		}
	}
}

func TestParseDeclaredScales(t *testing.T) {
	t.Parallel()
	scales, err := ParseDeclaredScales([]string{"1..5", "safety=0..2", "tone=-2..2"})
	if err != nil {
		t.Fatal(err)
	}
	for dimension, want := range map[string]string{"safety": "0..2", "tone": "-2..2", "other": "1..5"} {
		if got, _ := scales.For(dimension); got.String() != want {
			t.Errorf("%s: %s, want %s", dimension, got, want)
		}
	}
	for _, bad := range [][]string{{"5..1"}, {"1-5"}, {"=1..5"}, {"1..5", "0..2"}, {"a=1..2", "a=1..3"}, {"0..9999999"},
		{"1..1"}, {"x"}, {"0..256"}, {"9223372036854775806..9223372036854775807"}} {
		if _, err := ParseDeclaredScales(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if got := NewNumericScale(3, -1, 0, 3).String(); got != "-1 0 3" {
		t.Errorf("a scale with gaps is %q", got)
	}
}

// TestComputeAgreement_Crowd_ListsPairs checks that the results of a crowd do not grow with the
// square of its annotators.
func TestComputeAgreement_Crowd_ListsPairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                             string
		annotators, items, answersOfItem int
		pairs                            int
	}{
		{"all pairs of few annotators", 20, 20, 2, 190},
		{"shared pairs of many", 1200, 300, 4, 1800},
		{"the most shared of more", 1200, 30, 40, maxListedPairs},
		{"one item of a crowd", 1500, 1, 1500, 0},
	} {
		var ratings []Rating
		for i := range c.items {
			for n := range c.answersOfItem {
				ratings = append(ratings, Rating{Item: fmt.Sprint(i),
					Annotator: fmt.Sprint((i*c.answersOfItem + n) % c.annotators), Value: (i + n%2) % 3})
			}
		}
		r := ComputeAgreement([]Dimension{{Name: "d", Table: newTable(t, NewRangeScale(0, 2), ratings),
			Declared: true}}, IntervalOptions{Resamples: 10})
		pairs, means := 0, 0
		for _, result := range r.Results {
			switch {
			case strings.HasPrefix(result.Coefficient, "pair_cohen"):
				pairs++
			case result.Coefficient == "cohen_kappa":
				means++
				if isCrowd := c.pairs == 0; isCrowd != (result.Undefined == TooManyPairs) {
					t.Errorf("%s: the mean over pairs is %v with the reason %q", c.name, result.Value, result.Undefined)
				}
			}
		}
		if pairs != 3*c.pairs || means != 3 {
			t.Errorf("%s: %d results of pairs and %d of their mean, want %d and 3", c.name, pairs, means, 3*c.pairs)
		}
	}
}

func TestUsedValues_UnknownAnnotator_Nil(t *testing.T) {
	t.Parallel()
	table, err := NewRatingTable(NewRangeScale(0, 2), []Rating{{Item: "x", Annotator: "bo", Value: 2},
		{Item: "x", Annotator: "dee", Value: 1}, {Item: "y", Annotator: "bo", Value: 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "ada", "cy", "zoe"} {
		if got := table.UsedValues(name); got != nil {
			t.Errorf("%q: got %v, want nil", name, got)
		}
	}
	if got := table.UsedValues("bo"); !slices.Equal(got, NumericScale{0, 2}) {
		t.Errorf("got %v", got)
	}
}
