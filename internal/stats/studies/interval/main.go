// Command interval simulates studies, and writes how often the 95% intervals of figures contain the true value.
//
//	go run ./internal/stats/studies/interval -studies 2000 -out internal/stats/studies/interval
package main

import (
	"cmp"
	"flag"
	"log"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

// itemsOfTruth is the number of items of the study whose figure is the true value.
const itemsOfTruth = 300_000

func main() {
	studies := flag.Int("studies", 2000, "simulated studies per figure and design")
	out := flag.String("out", ".", "folder of results.md")
	flag.Parse()
	simulated.WriteResults(*out, results(runAll(*studies), *studies))
}

// A row is how often the interval of a figure contains the true value.
type row struct {
	group                    group
	figure, design           string
	truth, bias, length      float64 // bias: of the estimate, after the correction that its interval makes
	studies, covered, broken int     // broken: without an interval
}

func (r row) coverage() float64 { return float64(r.covered) / float64(max(r.studies-r.broken, 1)) }

func runAll(studies int) (rows []row) {
	run := func(g group, e estimator, designs ...design) {
		for _, d := range designs {
			rows = append(rows, d.run(g, e, studies)...)
		}
	}
	kappas := measures{stats.CongerKappa(stats.Unweighted), stats.CongerKappa(stats.Linear),
		stats.SharedKappa(stats.Linear)}
	run(usualGroup, kappas, usual...)
	for _, d := range usual {
		run(usualGroup, measures{stats.SuitableAlpha(d.scale)}, d)
	}
	run(usualGroup, mean{}, means...)
	for _, annotators := range []int{2, 3} {
		for _, itemsOfRecord := range []int{1, 3} {
			for _, changed := range []float64{0, 0.003, 0.01, 0.05} {
				rows = append(rows, comparison{annotators, itemsOfRecord, changed}.run(studies))
			}
		}
	}
	run(sparseGroup, kappas, sparse...)
	run(rareGroup, measures{stats.SharedKappa(stats.Linear)}, rare...)
	for _, d := range []design{usual[0], usual[2], rare[0], rare[7]} {
		last := stats.RatingTable{Scale: d.scale}.SpecificAgreement(len(d.scale) - 1)
		run(shareGroup, measures{stats.PercentAgreement(), last, stats.GwetAC1()}, d)
	}
	run(byItemGroup, withoutRecords{kappas[1:2]}, usual[5:8]...)
	return rows
}

// An estimator computes figures of ratings; their intervals only if it is asked for them.
type estimator interface {
	estimate(scale stats.NumericScale, ratings []stats.Rating, o *stats.IntervalOptions) []stats.Estimate
}

type measures []stats.Measure

func (m measures) estimate(scale stats.NumericScale, ratings []stats.Rating, o *stats.IntervalOptions) (
	list []stats.Estimate) {
	table, err := stats.NewRatingTable(scale, ratings)
	if err != nil {
		log.Fatal(err)
	}
	if o != nil {
		return stats.ComputeEstimates(table, *o, m...)
	}
	for _, measure := range m {
		list = append(list, stats.Estimate{Coefficient: measure.Coefficient, Variant: measure.Variant,
			PointEstimate: measure.Compute(table)})
	}
	return list
}

// withoutRecords leaves out which records items belong to.
type withoutRecords struct{ measures }

func (w withoutRecords) estimate(scale stats.NumericScale, ratings []stats.Rating, o *stats.IntervalOptions,
) []stats.Estimate {
	for i := range ratings {
		ratings[i].Cluster = ""
	}
	return w.measures.estimate(scale, ratings, o)
}

// mean is that of all answers.
type mean struct{}

func (mean) estimate(_ stats.NumericScale, ratings []stats.Rating, o *stats.IntervalOptions) []stats.Estimate {
	values, units := make([]float64, len(ratings)), make([]string, len(ratings))
	e := stats.Estimate{Coefficient: "mean"}
	for i, r := range ratings {
		values[i], units[i] = float64(r.Value), cmp.Or(r.Cluster, r.Item)
		e.Value += values[i] / float64(len(ratings))
	}
	if o != nil {
		e.Interval = stats.MeanInterval(values, units, *o)
	}
	return []stats.Estimate{e}
}

// run simulates studies of a design. The true values are those of a very large one, in which all items are shared.
func (d design) run(g group, e estimator, studies int) (rows []row) {
	population := d
	population.sharedEvery = 0
	truths := e.estimate(d.scale, population.simulate(rand.New(rand.NewPCG(40, 40)), itemsOfTruth), nil)
	found := make([][]stats.Estimate, studies)
	simulated.Run(studies, func(n int) {
		found[n] = e.estimate(d.scale, d.simulate(rand.New(rand.NewPCG(41, uint64(n))), d.items),
			&stats.IntervalOptions{Seed: uint64(n) + 1, Workers: 1})
	})
	for i, truth := range truths {
		r := row{group: g, figure: nameOf(truth), design: d.name, truth: truth.Value}
		for _, estimates := range found {
			value := estimates[i].Value
			if unbiased, ok := estimates[i].Unbiased(); ok {
				value = unbiased
			}
			interval := estimates[i].Interval
			r.add(value, interval.Low, interval.High, estimates[i].Defined() && interval.Defined())
		}
		rows = append(rows, r.divided())
	}
	return rows
}

// run simulates studies without a difference.
func (c comparison) run(studies int) row {
	r := row{group: usualGroup, figure: "difference of two groups", design: c.name()}
	found := make([]mixed.Estimate, studies)
	simulated.Run(studies, func(n int) {
		m, reason := mixed.Fit(c.simulate(rand.New(rand.NewPCG(uint64(c.annotators), uint64(n)))))
		if reason != "" {
			log.Fatal(reason)
		}
		found[n] = m.Estimate(m.Difference(0, 1))
	})
	for _, e := range found {
		r.add(e.Value, e.Low, e.High, true)
	}
	return r.divided()
}

// add counts an estimate. Until divided, bias and length are sums.
func (r *row) add(value, low, high float64, hasInterval bool) {
	r.studies++
	r.bias += value - r.truth
	switch {
	case !hasInterval:
		r.broken++
	case low <= r.truth && r.truth <= high:
		r.covered++
	}
	r.length += high - low
}

func (r row) divided() row {
	r.bias /= float64(r.studies)
	r.length /= float64(max(r.studies-r.broken, 1))
	return r
}

func nameOf(e stats.Estimate) string {
	name := e.Coefficient
	if e.Variant != "" {
		name += ", " + e.Variant
	}
	return name
}
