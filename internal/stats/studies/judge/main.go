// Command judge simulates model judges with a known κ and bias, and writes how often the conclusion on them is right.
//
//	go run ./internal/stats/studies/judge -studies 1000 -out internal/stats/studies/judge
package main

import (
	"flag"
	"log"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

func main() {
	studies := flag.Int("studies", 1000, "simulated studies per design and judge")
	out := flag.String("out", ".", "folder of results.md")
	flag.Parse()
	var rows []row
	for i, d := range simulated.Designs() {
		rows = append(rows, run(d, *studies, uint64(i)))
	}
	simulated.WriteResults(*out, results(rows, *studies))
}

// A kind is what a judge is like.
type kind struct {
	name string
	want judge.Conclusion
	// draw returns by how much the judge's κ is below that of people, and its bias as a share of the scale.
	draw func(r *rand.Rand) (lack, bias float64)
}

var kinds = []kind{
	{"agrees as people do", judge.AsPeople, func(*rand.Rand) (float64, float64) { return 0, 0 }},
	{"agrees less by 0.2 to 0.5", judge.LessThanPeople,
		func(r *rand.Rand) (float64, float64) { return 0.2 + 0.3*r.Float64(), 0 }},
	{"biased by 20–35% of the scale", judge.Biased, func(r *rand.Rand) (float64, float64) {
		return 0,
			sign(r) * (0.2 + 0.15*r.Float64())
	}},
	{"of any kind", "", func(r *rand.Rand) (float64, float64) {
		return 0.5 * r.Float64(), float64(r.IntN(2)) * sign(r) * 0.35 * r.Float64()
	}},
}

func sign(r *rand.Rand) float64 { return float64(2*r.IntN(2) - 1) }

// The least and most κ of people.
const leastKappa, mostKappa = 0.4, 0.8

// A row is what is concluded on the judges of a design.
type row struct {
	simulated.Design
	tallies []tally // by kind
}

// A tally counts studies.
type tally struct {
	studies             int
	concluded           map[judge.Conclusion]int
	right               map[judge.Conclusion]int
	hasBias, coversBias int
	wanted              int // conclusions that the kind should give
}

func (t tally) committed() int { return t.studies - t.concluded[judge.TooFewItems] }

func (t tally) rightShare() float64 {
	n := 0
	for _, c := range t.right {
		n += c
	}
	return simulated.Share(n, t.committed())
}

// An outcome is one study.
type outcome struct {
	conclusion        judge.Conclusion
	isRight           bool
	hasBias, isInside bool
}

func run(d simulated.Design, studies int, seed uint64) row {
	r := row{Design: d}
	for k, kind := range kinds {
		outcomes := make([]outcome, studies)
		simulated.Run(studies, func(n int) {
			outcomes[n] = simulate(d, kind,
				rand.New(rand.NewPCG(seed, uint64(1000*n+k))))
		})
		t := tally{studies: studies, concluded: map[judge.Conclusion]int{}, right: map[judge.Conclusion]int{}}
		for _, o := range outcomes {
			t.concluded[o.conclusion]++
			t.right[o.conclusion] += toInt(o.isRight)
			t.hasBias += toInt(o.hasBias)
			t.coversBias += toInt(o.isInside)
			t.wanted += toInt(o.conclusion == kind.want)
		}
		r.tallies = append(r.tallies, t)
	}
	return r
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// simulate draws a study, and compares what is concluded with what is true.
func simulate(d simulated.Design, k kind, r *rand.Rand) outcome {
	raters := d.NewRaters(leastKappa+(mostKappa-leastKappa)*r.Float64(), r)
	lack, bias := k.draw(r)
	model := d.NewJudge(raters, lack, bias)
	result := compare(d, raters, model, r)
	lessBy := d.Kappa(raters) - d.KappaWith(model, raters)
	trueBias := d.Mean(model) - d.MeanOf(raters)
	isBiased := math.Abs(trueBias) > tolerated(d, raters)
	o := outcome{conclusion: result.Conclusion, hasBias: result.Bias.Low != nil}
	o.isInside = o.hasBias && *result.Bias.Low <= trueBias && trueBias <= *result.Bias.High
	switch o.conclusion {
	case judge.AsPeople:
		o.isRight = lessBy <= judge.AgreementMargin && !isBiased
	case judge.LessThanPeople:
		o.isRight = lessBy > judge.AgreementMargin
	case judge.Biased:
		o.isRight = isBiased
	}
	return o
}

// tolerated returns the bias that counts as none: a share of the scale, or that of the annotator furthest from the
// others.
func tolerated(d simulated.Design, raters []simulated.Rater) float64 {
	most, mean, n := judge.MaxBiasShare*float64(len(d.Shares)-1), d.MeanOf(raters), float64(len(raters))
	if d.Items*d.Labels < judge.MinItems*d.Annotators {
		return most
	}
	for _, a := range raters {
		most = max(most, math.Abs(d.Mean(a)-mean)*n/(n-1))
	}
	return most
}

// compare compares a judge that answers all items with the annotators.
func compare(d simulated.Design, raters []simulated.Rater, model simulated.Rater, r *rand.Rand) judge.Result {
	var ratings []stats.Rating
	truths := d.Truths(r)
	for i, annotators := range simulated.Assign(d.Items, d.Labels, d.Annotators, r) {
		if !d.IsAsked(i) {
			continue
		}
		rating := stats.Rating{Item: strconv.Itoa(i), Annotator: "judge", Value: d.Answer(model, truths[i], r)}
		if d.Records > 0 {
			rating.Cluster = strconv.Itoa(d.RecordOf(i))
		}
		ratings = append(ratings, rating)
		for _, a := range annotators {
			rating.Annotator, rating.Value = strconv.Itoa(a), d.Answer(raters[a], truths[i], r)
			ratings = append(ratings, rating)
		}
	}
	scale := make(stats.NumericScale, len(d.Shares))
	for i := range scale {
		scale[i] = i
	}
	table, err := stats.NewRatingTable(scale, ratings)
	if err != nil {
		log.Fatal(err)
	}
	_, list := judge.Compare(stats.Dimension{Name: "field", Table: table, Declared: true}, []string{"judge"},
		judge.Options{Intervals: stats.IntervalOptions{Resamples: 50, Seed: 1}})
	return list[0]
}
