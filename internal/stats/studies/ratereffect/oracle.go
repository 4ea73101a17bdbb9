package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

// An oracle is the best test of one annotator: it knows how the labels are made, every level and error of annotators,
// and the share of changed answers to look for; it does not know the items. By the lemma of Neyman and Pearson, no test
// has more power at the same error rate.
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

// probability returns that of the answers of an annotator to the fields from one to another, given the item.
func (o oracle) probability(row []uint8, annotator, from, to int, d itemDraw) (p float64) {
	spread := o.skill[annotator] * d.hard
	own, common := spread*math.Sqrt(1-sharedError), spread*math.Sqrt(sharedError)
	for _, node := range errorNodes {
		product := node[1]
		for f := from; f < to; f++ {
			point := row[f]
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

// expected returns the probability of an annotator's answers to some fields next to those of others to the same item.
func (o oracle) expected(item, annotator, from, to int) float64 {
	row, sum, total := o.rows[[2]int{item, annotator}], 0.0, 1e-300
	var others []int
	for a := range o.annotated {
		if a != annotator && o.rows[[2]int{item, a}] != nil {
			others = append(others, a)
		}
	}
	for _, d := range o.draws {
		weight := 1.0
		for _, a := range others {
			weight *= o.probability(o.rows[[2]int{item, a}], a, from, to, d)
		}
		sum, total = sum+weight*o.probability(row, annotator, from, to, d), total+weight
	}
	return sum / total
}

// An evidence is logarithms of how many times as likely an annotator's labels are with an effect as without. The first
// of two uses whole rows; the second takes fields as independent, as if only the answers to one field showed it.
type evidence struct {
	random [2][2]float64 // with shares of random rows: 20%, 30%
	copied [2]float64    // with half of the rows that the annotator shares with a colleague copied
}

var randomShares = [2]float64{0.2, 0.3}

func (o oracle) evidenceOn(annotator, colleague int) (e evidence) {
	for item := range o.items {
		row := o.rows[[2]int{item, annotator}]
		if row == nil {
			continue
		}
		expected, uniform := [2]float64{o.expected(item, annotator, 0, o.fields), 1}, 1.0
		for f, point := range row {
			if point != ratereffect.NoPoint {
				uniform /= float64(len(o.shares))
				expected[1] *= o.expected(item, annotator, f, f+1)
			}
		}
		second := o.rows[[2]int{item, colleague}]
		isEqual := 0.0
		if second != nil && slices.Equal(row, second) {
			isEqual = 1
		}
		for i, p := range expected {
			for k, share := range randomShares {
				e.random[k][i] += math.Log(1 - share + share*uniform/p)
			}
			if second != nil {
				e.copied[i] += math.Log(0.5 + 0.5*isEqual/p)
			}
		}
	}
	return e
}

// A bound is the share of studies in which the best test finds an effect, from whole rows and from independent fields.
type bound [2]float64

// bounds returns the bounds of 20 and 30% random answers and of copies, with an error rate of 5% shared by all
// annotators, as the tests of a study share it. Any annotator of a study without an effect shows what is chance.
func bounds(d design, studies int) (all [3]bound) {
	measure := func(b behavior, n int, seed uint64, annotators int) (list []evidence) {
		g := newGenerator(d, b, rand.New(rand.NewPCG(seed, uint64(n))))
		g.study()
		o := newOracle(&g, rand.New(rand.NewPCG(seed+1, uint64(n))))
		for a := range annotators {
			list = append(list, o.evidenceOn(a, (a+1)%d.annotated))
		}
		return list
	}
	null := make([][]evidence, max(studies/2, 10))
	simulated.Run(len(null), func(n int) { null[n] = measure(behavior{}, n, 77, d.annotated) })
	for j, b := range behaviors[1:4] {
		of := func(e evidence) [2]float64 {
			if b.copied > 0 {
				return e.copied
			}
			return e.random[j]
		}
		found := make([]evidence, studies)
		simulated.Run(studies, func(n int) { found[n] = measure(b, n, 79, 1)[0] })
		for i := range all[j] {
			var chance []float64
			for _, list := range null {
				for _, e := range list {
					chance = append(chance, of(e)[i])
				}
			}
			slices.Sort(chance)
			limit := stats.Quantile(chance, 1-maxNamed/float64(d.annotated))
			for _, e := range found {
				if of(e)[i] > limit {
					all[j][i] += 1 / float64(studies)
				}
			}
		}
	}
	return all
}
