package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDrawBinomial_MatchesDistribution compares draws with the exact probabilities by χ²,
// for both algorithms.
func TestDrawBinomial_MatchesDistribution(t *testing.T) {
	t.Parallel()
	const draws = 200_000
	r := rand.New(rand.NewPCG(21, 22))
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.3}, {7, 0.5}, {30, 0.05}, {40, 0.9}, {60, 0.3}, {1000, 0.02}, {500, 0.7}, {100_000, 0.0004}} {
		counts := map[int]int{}
		for range draws {
			k := drawBinomial(r, c.n, c.p)
			if k < 0 || k > c.n {
				t.Fatalf("%d of %d", k, c.n)
			}
			counts[k]++
		}
		χ2, cells, unmatched := 0.0, 0.0, float64(draws)
		for k := range min(c.n, 2000) + 1 {
			want := draws * math.Exp(logChoose(c.n, k)+float64(k)*math.Log(c.p)+float64(c.n-k)*math.Log1p(-c.p))
			if want < 10 {
				continue
			}
			difference := float64(counts[k]) - want
			χ2, cells, unmatched = χ2+difference*difference/want, cells+1, unmatched-float64(counts[k])
		}
		if limit := cells + 4.5*math.Sqrt(2*cells); χ2 > limit || unmatched > draws/100 {
			t.Errorf("%d at %v: χ² is %.1f over %.0f cells, with %.0f draws outside", c.n, c.p, χ2, cells, unmatched)
		}
	}
	for _, zero := range []int{drawBinomial(r, 0, 0.5), drawBinomial(r, 5, 0), 5 - drawBinomial(r, 5, 1)} {
		if zero != 0 {
			t.Errorf("an edge case gives %d", zero)
		}
	}
}

func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	return all - logFactorials(n, float64(k))
}

// TestDrawGrouped_MatchesDrawSample compares draws by unit and by group.
func TestDrawGrouped_MatchesDrawSample(t *testing.T) {
	t.Parallel()
	const draws = 4000
	var clusters []int32
	patterns := make([]int32, 600)
	for i := range patterns {
		patterns[i] = int32(i/3%2 + i%3*(i/3%2)) // two groups of clusters of three items
		clusters = append(clusters, int32(i/3))
	}
	for name, u := range map[string]samplingUnits{"items": newSamplingUnits(patterns, nil, 4, 0),
		"clusters": newSamplingUnits(patterns, clusters, 4, 200)} {
		groups := u.groupIdentical()
		if len(groups.representatives) == 0 || len(groups.representatives) > 4 {
			t.Fatalf("%s: %d groups", name, len(groups.representatives))
		}
		var sums, squares [2][4]float64
		for method := range 2 {
			r, times := rand.New(rand.NewPCG(5, uint64(method))), make([]float64, 4)
			for range draws {
				if method == 0 {
					u.drawSample(r, times)
				} else {
					u.drawGrouped(groups, r, times)
				}
				for k, n := range times {
					sums[method][k], squares[method][k] = sums[method][k]+n, squares[method][k]+n*n
				}
			}
		}
		for k := range 4 {
			var mean, sd [2]float64
			for method := range 2 {
				mean[method] = sums[method][k] / draws
				sd[method] = math.Sqrt(squares[method][k]/draws - mean[method]*mean[method])
			}
			if math.Abs(mean[0]-mean[1]) > 5*sd[0]*math.Sqrt(2.0/draws)+1e-9 || math.Abs(sd[0]/sd[1]-1) > 0.06 {
				t.Errorf("%s, pattern %d: means %.2f, standard deviations %.2f", name, k, mean, sd)
			}
		}
	}
}
