package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/stats"
)

// An oracle is the best test of one annotator: it knows who that is, how the labels are made, every level and error of
// annotators, and the share of changed answers to look for; it does not know the items. By the lemma of Neyman and
// Pearson, no test has more power at the same error rate.
type oracle struct {
	*generator
	draws []itemDraw // of the distribution of items
}

// itemDraw is an item that might be labeled.
type itemDraw struct {
	truth []float64
	hard  float64
}

const oracleDraws = 400

func newOracle(g *generator, r *rand.Rand) oracle {
	o := oracle{generator: g}
	for range oracleDraws {
		g := generator{design: g.design, Rand: r}
		o.draws = append(o.draws, itemDraw{g.quality(), math.Exp(difficulty * r.NormFloat64())})
	}
	return o
}

// errorNodes are common errors of the answers of a label, with their probabilities (Gauss–Hermite).
var errorNodes = [][2]float64{{-2.8570, 0.01126}, {-1.3556, 0.22208}, {0, 0.53333}, {1.3556, 0.22208},
	{2.8570, 0.01126}}

// probability returns that of a row of an annotator, given the item.
func (o oracle) probability(row []uint8, annotator int, d itemDraw) (p float64) {
	spread := o.skill[annotator] * d.hard
	own, common := spread*math.Sqrt(1-sharedError), spread*math.Sqrt(sharedError)
	for _, node := range errorNodes {
		product := node[1]
		for f, point := range row {
			if point == ratereffect.NoPoint {
				continue
			}
			center, low, high := d.truth[f]+o.level[annotator][f]+common*node[0], 0.0, 1.0
			if point > 0 {
				low = standardNormal((o.limits[point-1] - center) / own)
			}
			if int(point) < len(o.limits) {
				high = standardNormal((o.limits[point] - center) / own)
			}
			product *= max(high-low, 1e-12)
		}
		p += product
	}
	return p
}

// normalTable has the distribution function from −6 to 6.
var normalTable = func() (table [1201]float64) {
	for i := range table {
		table[i] = math.Erfc(-float64(i-600)/100/math.Sqrt2) / 2
	}
	return table
}()

func standardNormal(z float64) float64 {
	at := min(max(100*z+600, 0), 1199.99)
	i := int(at)
	return normalTable[i] + (at-float64(i))*(normalTable[i+1]-normalTable[i])
}

// expected returns the probability of the first annotator's row next to those of others to the same item.
func (o oracle) expected(item int, row []uint8) float64 {
	sum, total := 0.0, 1e-300
	for _, d := range o.draws {
		weight := 1.0
		for a := 1; a < o.annotated; a++ {
			if other := o.rows[[2]int{item, a}]; other != nil {
				weight *= o.probability(other, a, d)
			}
		}
		sum, total = sum+weight*o.probability(row, 0, d), total+weight
	}
	return sum / total
}

// evidence returns the logarithm of how many times as likely the labels are with a share of random rows, and with half
// of the rows shared with the second annotator copied, as without.
func (o oracle) evidence(share float64) (random, copied float64) {
	for item := range o.items {
		row := o.rows[[2]int{item, 0}]
		if row == nil {
			continue
		}
		expected, uniform := o.expected(item, row), 1.0
		for _, point := range row {
			if point != ratereffect.NoPoint {
				uniform /= float64(len(o.shares))
			}
		}
		random += math.Log(1 - share + share*uniform/expected)
		if second := o.rows[[2]int{item, 1}]; second != nil {
			isEqual := 0.0
			if slices.Equal(row, second) {
				isEqual = 1
			}
			copied += math.Log(0.5 + 0.5*isEqual/expected)
		}
	}
	return random, copied
}

// oraclePower returns the share of studies with a behavior in which the oracle finds it with an error rate of 5%.
func oraclePower(d design, b behavior, studies int) float64 {
	null, found := make([]float64, studies), make([]float64, studies)
	measure := func(b behavior, n int, seed uint64, share float64) float64 {
		g := newGenerator(d, b, rand.New(rand.NewPCG(seed, uint64(n))))
		g.study()
		random, copied := newOracle(&g, rand.New(rand.NewPCG(seed+1, uint64(n)))).evidence(share)
		if b.copied > 0 || share == 0 {
			return copied
		}
		return random
	}
	inParallel(studies, func(n int) {
		null[n], found[n] = measure(behavior{}, n, 77, b.random), measure(b, n, 79, b.random)
	})
	slices.Sort(null)
	limit, power := stats.Quantile(null, 0.95), 0.0
	for _, v := range found {
		if v > limit {
			power += 1 / float64(studies)
		}
	}
	return power
}
