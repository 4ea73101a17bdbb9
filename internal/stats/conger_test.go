package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCongerKappa_MatchesDefinition compares κ with its definition (Conger 1980; weights and missing ratings: Gwet
// 2014, ch. 2 and 3): agreement is the mean over items of their pairs of ratings, chance the mean over every two
// annotators of the pairs of their own ratings.
func TestCongerKappa_MatchesDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		table, _ := NewRatingTable(NewNumericScale(0, 1, 2, 3, 4), drawRatings(r))
		for _, w := range weightings {
			got := CongerKappa(w).Compute(table)
			if !got.Defined() {
				continue // TestReasons_Missing_AreTrue has the reasons
			}
			if want := computeCongerDirectly(table, w); math.Abs(got.Value-want) > 1e-9 {
				r.Fatalf("%s: got %v, want %v", w, got.Value, want)
			}
		}
	})
}

func computeCongerDirectly(t RatingTable, w Weighting) float64 {
	agreement := func(a, b uint8) float64 {
		apart := float64(t.Scale[a]-t.Scale[b]) / float64(t.Scale[len(t.Scale)-1]-t.Scale[0])
		switch {
		case w == Quadratic:
			return 1 - apart*apart
		case w == Linear:
			return 1 - math.Abs(apart)
		case a == b:
			return 1
		}
		return 0
	}
	var byItem, byPair []float64
	ratings := make([][]uint8, len(t.annotators))
	for i := range t.items {
		annotators, categories := t.row(i)
		sum, pairs := 0.0, 0.0
		for j, a := range categories {
			ratings[annotators[j]] = append(ratings[annotators[j]], a)
			for _, b := range categories[:j] {
				sum, pairs = sum+agreement(a, b), pairs+1
			}
		}
		if pairs > 0 {
			byItem = append(byItem, sum/pairs)
		}
	}
	for g, first := range ratings {
		for _, second := range ratings[:g] {
			sum := 0.0
			for _, a := range first {
				for _, b := range second {
					sum += agreement(a, b)
				}
			}
			byPair = append(byPair, sum/float64(len(first)*len(second)))
		}
	}
	chance := meanOf(byPair)
	return (meanOf(byItem) - chance) / (1 - chance)
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
