package stats

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPairComparison_SameAsTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		table, err := NewRatingTable(NewRangeScale(0, 4), drawRatings(r))
		if err != nil {
			r.Fatal(err)
		}
		pairs, names := table.SharedPairs(), table.Annotators()
		for _, w := range weightings {
			comparison := NewPairComparison(table.Scale, w)
			for i := range pairs {
				p := &pairs[i]
				agreement, kappa := comparison.Compute(p)
				if want := PercentAgreement().Compute(p.Table()); agreement != want {
					r.Fatalf("%s and %s: percent agreement %+v, want %+v", p.First, p.Second, agreement, want)
				}
				if want := LightKappa(w).Compute(p.Table()); kappa != want {
					r.Fatalf("%s and %s, %s: κ %+v, want %+v", p.First, p.Second, w, kappa, want)
				}
			}
		}
		for i, first := range names {
			for _, second := range names[i+1:] {
				want := table.Pair(first, second)
				n := slices.IndexFunc(pairs, func(p SharedPair) bool { return p.First == first && p.Second == second })
				switch {
				case n < 0 && want.Items() > 0:
					r.Fatalf("%s and %s are missing", first, second)
				case n >= 0 && !slices.Equal(pairs[n].Table().items, want.items):
					r.Fatalf("%s and %s share %v, want %v", first, second, pairs[n].Table().items, want.items)
				}
			}
		}
		if !slices.IsSortedFunc(pairs, comparePairs) {
			r.Fatal("the pairs are not in order of name")
		}
	})
}

// A scale with more points than a comparison has an index for.
func TestPairComparison_LongScale_SameAsTable(t *testing.T) {
	t.Parallel()
	scale := NewRangeScale(0, 100)
	table, err := NewRatingTable(scale, []Rating{{Item: "x", Annotator: "ada", Value: 3},
		{Item: "x", Annotator: "bo", Value: 90}, {Item: "y", Annotator: "ada", Value: 90},
		{Item: "y", Annotator: "bo", Value: 90}})
	if err != nil {
		t.Fatal(err)
	}
	pair := &table.SharedPairs()[0]
	if _, kappa := NewPairComparison(scale, Linear).Compute(pair); kappa != LightKappa(Linear).Compute(pair.Table()) ||
		!kappa.Defined() {
		t.Errorf("got %+v", kappa)
	}
}

// Pairs with more cells than are searched, and more annotators than a table of pairs is for.
func TestLightKappa_ManyCells_IsMeanOfPairs(t *testing.T) {
	t.Parallel()
	var ratings []Rating
	for i := range 400 {
		pair, item := [][2]string{{"ada", "bo"}, {"yan", "zoe"}}[i%2], fmt.Sprint("shared ", i)
		ratings = append(ratings, Rating{Item: item, Annotator: pair[0], Value: i * 7 % 30},
			Rating{Item: item, Annotator: pair[1], Value: (i*7 + i*i%5) % 30})
	}
	for i := range 60 {
		ratings = append(ratings, Rating{Item: fmt.Sprint("single ", i), Annotator: fmt.Sprint("cy ", i), Value: 1})
	}
	table, err := NewRatingTable(NewRangeScale(0, 29), ratings)
	if err != nil {
		t.Fatal(err)
	}
	sum, pairs := 0.0, table.SharedPairs()
	for i := range pairs {
		_, kappa := NewPairComparison(table.Scale, Linear).Compute(&pairs[i])
		sum += kappa.Value
	}
	if got := LightKappa(Linear).Compute(table); len(pairs) != 2 || got.Value != sum/2 {
		t.Errorf("got %v, want %v of %d pairs", got.Value, sum/2, len(pairs))
	}
}
