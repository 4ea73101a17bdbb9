package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSharedKappa_EqualsCohenAndConger checks that κ of the shared items is Cohen's for two annotators and
// Conger's for annotators of the same items, whatever they answer to other items.
func TestSharedKappa_EqualsCohenAndConger(t *testing.T) {
	t.Parallel()
	r, scale := rand.New(rand.NewPCG(51, 0)), NewRangeScale(1, 5)
	for study := range 100 {
		annotators := 2 + study%4
		var shared, all []Rating
		for i := range 20 + r.IntN(40) {
			truth := 1 + r.IntN(5)
			for g := range annotators {
				v := truth
				if r.Float64() < 0.4 {
					v = 1 + r.IntN(5)
				}
				shared = append(shared, Rating{Item: fmt.Sprintf("s%02d", i), Annotator: annotatorNames[g], Value: v})
			}
		}
		all = append(all, shared...)
		for i := range 80 {
			all = append(all, Rating{Item: fmt.Sprintf("u%02d", i), Annotator: annotatorNames[i%(annotators+1)],
				Value: 5})
		}
		for _, w := range weightings {
			same := CongerKappa(w).Compute(newTable(t, scale, shared))
			got := SharedKappa(w).Compute(newTable(t, scale, all))
			if math.Abs(got.Value-same.Value) > 1e-12 || got.Items != same.Items || got.Annotators != annotators {
				t.Errorf("study %d, %s: %+v, want %+v", study, w, got, same)
			}
			if cohen := LightKappa(w).Compute(newTable(t, scale, all)); annotators == 2 &&
				math.Abs(got.Value-cohen.Value) > 1e-12 {
				t.Errorf("study %d, %s: %v, Cohen's κ %v", study, w, got.Value, cohen.Value)
			}
		}
	}
}

// TestSharedKappa_FewLabelsOfAnother_ChangeLittle adds an annotator with one or two labels, which decide
// Conger's κ.
func TestSharedKappa_FewLabelsOfAnother_ChangeLittle(t *testing.T) {
	t.Parallel()
	r, scale := rand.New(rand.NewPCG(52, 0)), NewRangeScale(0, 1)
	largest, conger := 0.0, 0.0
	for study := range 100 {
		var ratings []Rating
		for i := range 100 {
			truth := int(boolToFloat(r.Float64() < 0.2))
			for _, name := range []string{"a", "b"} {
				v := truth
				if r.Float64() < 0.15 {
					v = 1 - v
				}
				ratings = append(ratings, Rating{Item: fmt.Sprintf("i%02d", i), Annotator: name, Value: v})
			}
		}
		before := newTable(t, scale, ratings)
		for i := range 1 + study%2 {
			ratings = append(ratings, Rating{Item: fmt.Sprintf("i%02d", 10*i), Annotator: "c", Value: r.IntN(2)})
		}
		after := newTable(t, scale, ratings)
		largest = max(largest, math.Abs(SharedKappa(Linear).Compute(after).Value-SharedKappa(Linear).Compute(
			before).Value))
		conger = max(conger, math.Abs(CongerKappa(Linear).Compute(after).Value-CongerKappa(Linear).Compute(
			before).Value))
	}
	if largest > 0.05 || conger < 0.2 {
		t.Errorf("κ changed by up to %.3f, Conger's by up to %.3f", largest, conger)
	}
}
