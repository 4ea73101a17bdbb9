package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBinomialFollowsItsDistribution compares draws with the exact probabilities
// by χ², in both ways of drawing.
func TestBinomialFollowsItsDistribution(t *testing.T) {
	t.Parallel()
	const draws = 200_000
	r := rand.New(rand.NewPCG(21, 22))
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.3}, {7, 0.5}, {30, 0.05}, {40, 0.9}, {60, 0.3}, {1000, 0.02}, {500, 0.7}, {100_000, 0.0004}} {
		counts := map[int]int{}
		for range draws {
			k := binomial(r, c.n, c.p)
			if k < 0 || k > c.n {
				t.Fatalf("%d of %d", k, c.n)
			}
			counts[k]++
		}
		χ2, cells, rest := 0.0, 0.0, float64(draws)
		for k := range min(c.n, 2000) + 1 {
			want := draws * math.Exp(choose(c.n, k)+float64(k)*math.Log(c.p)+float64(c.n-k)*math.Log1p(-c.p))
			if want < 10 {
				continue
			}
			apart := float64(counts[k]) - want
			χ2, cells, rest = χ2+apart*apart/want, cells+1, rest-float64(counts[k])
		}
		if limit := cells + 4.5*math.Sqrt(2*cells); χ2 > limit || rest > draws/100 {
			t.Errorf("%d at %v: χ² is %.1f over %.0f cells, and %.0f draws lie outside", c.n, c.p, χ2, cells, rest)
		}
	}
	for _, none := range []int{binomial(r, 0, 0.5), binomial(r, 5, 0), 5 - binomial(r, 5, 1)} {
		if none != 0 {
			t.Errorf("an edge gives %d", none)
		}
	}
}

func choose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	return all - ways(n, float64(k))
}

// TestSortsAreDrawnAsUnitsAre draws the same units one by one and by their sorts.
func TestSortsAreDrawnAsUnitsAre(t *testing.T) {
	t.Parallel()
	const draws = 4000
	var clusters []int32
	kind := make([]int32, 600)
	for i := range kind {
		kind[i] = int32(i/3%2 + i%3*(i/3%2)) // of three items each, two sorts
		clusters = append(clusters, int32(i/3))
	}
	for name, u := range map[string]units{"items": unitsOf(kind, nil, 4, 0), "clusters": unitsOf(kind, clusters, 4, 200)} {
		s := u.sorted()
		if len(s.first) == 0 || len(s.first) > 4 {
			t.Fatalf("%s: %d sorts", name, len(s.first))
		}
		var sums, squares [2][4]float64
		for way := range 2 {
			r, times := rand.New(rand.NewPCG(5, uint64(way))), make([]float64, 4)
			for range draws {
				if way == 0 {
					u.draw(r, times)
				} else {
					u.drawSorted(s, r, times)
				}
				for k, n := range times {
					sums[way][k], squares[way][k] = sums[way][k]+n, squares[way][k]+n*n
				}
			}
		}
		for k := range 4 {
			var mean, sd [2]float64
			for way := range 2 {
				mean[way] = sums[way][k] / draws
				sd[way] = math.Sqrt(squares[way][k]/draws - mean[way]*mean[way])
			}
			if math.Abs(mean[0]-mean[1]) > 5*sd[0]*math.Sqrt(2.0/draws)+1e-9 || math.Abs(sd[0]/sd[1]-1) > 0.06 {
				t.Errorf("%s, kind %d: means %.2f, standard deviations %.2f", name, k, mean, sd)
			}
		}
	}
}
