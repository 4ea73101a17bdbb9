// Package simulated draws answers whose true agreement is known, for the programs next to it.
package simulated

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Design is who labels how many items on which scale.
type Design struct {
	Name               string
	Items, Labels      int // labels per item
	Annotators         int
	Shares             []float64 // of the answers, by point of the scale
	Records            int       // that items belong to; 0: none
	SometimesNotAsked  bool      // the field does not apply to two of five items
	limits             []float64
	recordVarianceRoot float64
}

var (
	skewed = []float64{0.02, 0.05, 0.13, 0.4, 0.4}
	even   = []float64{0.1, 0.2, 0.3, 0.25, 0.15}
	rare   = []float64{0.97, 0.03}
	three  = []float64{0.2, 0.3, 0.5}
)

// Designs returns nine designs.
func Designs() []Design {
	list := []Design{
		{Name: "40 × 3 of 6, 1–5, mostly 4 and 5", Items: 40, Labels: 3, Annotators: 6, Shares: skewed},
		{Name: "200 × 2 of 3, 3% yes", Items: 200, Labels: 2, Annotators: 3, Shares: rare},
		{Name: "80 × 2 of 4 in 10 records, 1–5", Items: 80, Labels: 2, Annotators: 4, Shares: even, Records: 10},
		{Name: "100 × 2 of 3, 0/1/2, 60% apply", Items: 100, Labels: 2, Annotators: 3, Shares: three,
			SometimesNotAsked: true},
		{Name: "120 × 2 of 5, 1–5", Items: 120, Labels: 2, Annotators: 5, Shares: even},
		{Name: "60 × 3 of 3, 1–5", Items: 60, Labels: 3, Annotators: 3, Shares: even},
		{Name: "300 × 2 of 40, 1–5", Items: 300, Labels: 2, Annotators: 40, Shares: even},
		{Name: "150 × 2 of 2, 1–5", Items: 150, Labels: 2, Annotators: 2, Shares: even},
		{Name: "1,000 × 2 of 5, 3% yes", Items: 1000, Labels: 2, Annotators: 5, Shares: rare},
	}
	for i, d := range list {
		sum := 0.0
		for _, share := range d.Shares[:len(d.Shares)-1] {
			sum += share
			list[i].limits = append(list[i].limits, stats.NormalQuantile(sum))
		}
		if d.Records > 0 {
			list[i].recordVarianceRoot = math.Sqrt(0.4)
		}
	}
	return list
}

// A Rater gives the point of the scale at which the sum of the true value, an error and the own level is. The true
// value and the error have a variance of 1 together.
type Rater struct {
	Level       float64
	Correlation float64 // of the latent answers with the true values
}

// levelSpread is the standard deviation of the levels of annotators.
const levelSpread = 0.15

// NewRaters draws the levels of the annotators, who all have the correlation with which their κ is the one given, if
// there is one.
func (d Design) NewRaters(kappa float64, r *rand.Rand) []Rater {
	raters := make([]Rater, d.Annotators)
	for i := range raters {
		raters[i].Level = levelSpread * r.NormFloat64()
	}
	solve(func(correlation float64) float64 {
		for i := range raters {
			raters[i].Correlation = correlation
		}
		return d.Kappa(raters) - kappa
	}, 1)
	return raters
}

// solve finds where an ascending function of 0 to most is 0. The last call of f is close to it.
func solve(f func(float64) float64, most float64) float64 {
	least := 0.0
	for range 24 {
		if middle := (least + most) / 2; f(middle) < 0 {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}

// Kappa returns the true κ with linear weights of annotators who share equally many items with each other.
func (d Design) Kappa(raters []Rater) float64 {
	raters = raters[:min(len(raters), 12)] // of more, levels average out
	observed, chance := 0.0, 0.0
	for i, a := range raters {
		for _, b := range raters[:i] {
			observed, chance = observed+d.distance(a, b), chance+d.distance(a, Rater{b.Level, 0})
		}
	}
	return 1 - observed/chance
}

// KappaWith returns the true κ with linear weights of a judge with all annotators.
func (d Design) KappaWith(judge Rater, raters []Rater) float64 {
	observed, chance := 0.0, 0.0
	for _, a := range raters {
		observed, chance = observed+d.distance(a, judge), chance+d.distance(a, Rater{judge.Level, 0})
	}
	return 1 - observed/chance
}

// distance returns the expected distance of the answers of two raters to an item, in points.
func (d Design) distance(a, b Rater) (sum float64) {
	shared := math.Sqrt(a.Correlation * b.Correlation) // loading of both on the part that they share
	own := math.Sqrt(max(1-shared*shared, 1e-12))
	const steps, width = 60, 6.0
	for _, limit := range d.limits {
		for i := range steps {
			z := width * (2*(float64(i)+0.5)/steps - 1)
			density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * 2 * width / steps
			above, other := normal((a.Level-limit+shared*z)/own), normal((b.Level-limit+shared*z)/own)
			sum += density * (above*(1-other) + (1-above)*other)
		}
	}
	return sum
}

// Mean returns the expected point of a rater, counted from 0.
func (d Design) Mean(r Rater) (sum float64) {
	for _, limit := range d.limits {
		sum += normal(r.Level - limit)
	}
	return sum
}

func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Truths draws the true values of the items.
func (d Design) Truths(r *rand.Rand) []float64 {
	records, truths := make([]float64, max(d.Records, 1)), make([]float64, d.Items)
	for i := range records {
		records[i] = r.NormFloat64()
	}
	own := math.Sqrt(1 - d.recordVarianceRoot*d.recordVarianceRoot)
	for i := range truths {
		truths[i] = d.recordVarianceRoot*records[d.RecordOf(i)] + own*r.NormFloat64()
	}
	return truths
}

// RecordOf returns the record of an item; 0 without records.
func (d Design) RecordOf(item int) int { return item % max(d.Records, 1) }

// Answer draws the point of a rater for an item, counted from 0.
func (d Design) Answer(a Rater, truth float64, r *rand.Rand) (point int) {
	latent := a.Level + a.Correlation*truth + math.Sqrt(1-a.Correlation*a.Correlation)*r.NormFloat64()
	for _, limit := range d.limits {
		if latent > limit {
			point++
		}
	}
	return point
}

// Assign returns the annotators of each item: about as many items for each.
func Assign(items, labels, annotators int, r *rand.Rand) (assigned [][]int) {
	var pool []int
	for range items {
		var item []int
		for len(item) < labels {
			next := slices.IndexFunc(pool, func(a int) bool { return !slices.Contains(item, a) })
			if next < 0 {
				pool = append(pool, r.Perm(annotators)...)
				continue
			}
			item = append(item, pool[next])
			pool = slices.Delete(pool, next, next+1)
		}
		assigned = append(assigned, item)
	}
	return assigned
}

// IsAsked reports whether the field applies to an item.
func (d Design) IsAsked(item int) bool { return !d.SometimesNotAsked || item%5 < 3 }

// MeanOf returns the mean expected point of raters.
func (d Design) MeanOf(raters []Rater) (mean float64) {
	for _, a := range raters {
		mean += d.Mean(a) / float64(len(raters))
	}
	return mean
}

// NewJudge returns a judge whose κ with annotators, but for its bias, is below theirs by lack, if there is one, and
// whose mean answer is higher by a share of the scale.
func (d Design) NewJudge(raters []Rater, lack, bias float64) (judge Rater) {
	kappa := d.Kappa(raters) - lack
	judge.Correlation = solve(func(correlation float64) float64 {
		return d.KappaWith(Rater{0, correlation}, raters) - kappa
	}, 1)
	mean := d.MeanOf(raters) + bias*float64(len(d.Shares)-1)
	judge.Level = solve(func(shifted float64) float64 { return d.Mean(Rater{Level: shifted - 4}) - mean }, 8) - 4
	return judge
}
