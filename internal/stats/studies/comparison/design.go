package main

import (
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A design is how a study is made.
type design struct {
	name                      string
	items, labels, annotators int
	itemsOfRecord             int // 0: each is a record of its own
	isPaired                  bool
	answered                  float64 // share of labels with an answer
	share                     float64 // of the second group among items
	areLenient                bool    // those with an odd number, by as much as the others are severe; else at random
	// of annotators with an odd number for items of the second group: 0 none, 1 only these
	preference                 float64
	mean, effect               float64
	severity, record           float64 // standard deviations
	item, secondItem, residual float64
	scale                      scale
	isShare                    bool
}

var deviation = 1.15 // of the latent values of yes/no designs

// designs are the nine of the audit, and others that are harder.
var designs = []design{
	newDesign("40 × 3 of 6, 1–5, mostly 4 and 5", 40, 3, 6, func(d *design) { d.mean, d.effect = 4.4, 0.8 }),
	newDesign("200 × 2 of 3, 3% yes", 200, 2, 3, func(d *design) { d.setYes(0.03, 0.75) }),
	newDesign("80 × 2 of 4 in 10 records", 80, 2, 4, func(d *design) {
		d.itemsOfRecord, d.isPaired, d.record,
			d.effect = 8, true, 0.5, 0.6
	}),
	newDesign("100 × 2 of 3, 0/1/2, 70% apply", 100, 2, 3,
		func(d *design) { d.answered, d.scale, d.mean, d.effect = 0.7, points(0, 2), 1, 0.55 }),
	newDesign("120 × 2 of 5", 120, 2, 5, func(d *design) { d.effect = 0.45 }),
	newDesign("60 × 3 of 3", 60, 3, 3, func(d *design) { d.effect = 0.6 }),
	newDesign("300 × 2 of 40", 300, 2, 40, func(d *design) { d.effect = 0.3 }),
	newDesign("150 × 2 of 2", 150, 2, 2, func(d *design) { d.effect = 0.4 }),
	newDesign("1,000 × 2 of 5, 3% yes", 1000, 2, 5, func(d *design) { d.setYes(0.03, 0.4) }),
	newDesign("60 pairs × 2 of 4", 120, 2, 4, func(d *design) {
		d.itemsOfRecord, d.isPaired, d.record, d.effect = 2,
			true, 0.6, 0.4
	}),
	newDesign("120 × 2 of 4, 30% yes", 120, 2, 4, func(d *design) { d.setYes(0.3, 0.6) }),
	newDesign("40 × 2 of 4 in 10 records, 30% yes", 40, 2, 4,
		func(d *design) { d.setYes(0.3, 0.9); d.itemsOfRecord, d.isPaired = 4, true }),
	newDesign("120 × 2 of 6, annotators prefer one group", 120, 2, 6,
		func(d *design) { d.preference, d.severity, d.effect = 0.5, 0.6, 0.5 }),
	newDesign("120 × 2 of 6, strongly prefer one group", 120, 2, 6,
		func(d *design) { d.preference, d.severity, d.effect = 0.8, 0.6, 0.6 }),
	newDesign("120 × 1 of 2, prefer one group", 120, 1, 2,
		func(d *design) { d.preference, d.severity, d.effect = 0.6, 0.6, 0.6 }),
	newDesign("120 × 1 of 10, lenient ones prefer one group", 120, 1, 10,
		func(d *design) { d.areLenient, d.preference, d.severity, d.effect = true, 0.6, 0.4, 0.6 }),
	newDesign("60 × 2 of 3, unequal variances, 1 to 4", 60, 2, 3,
		func(d *design) { d.share, d.secondItem, d.effect = 0.2, 1.6, 1 }),
}

func newDesign(name string, items, labels, annotators int, change func(*design)) design {
	d := design{name: name, items: items, labels: labels, annotators: annotators, answered: 1, share: 0.5, mean: 3,
		severity: 0.3, item: 0.8, secondItem: 0.8, residual: 0.5, scale: points(1, 5)}
	change(&d)
	return d
}

func (d *design) setYes(share, effect float64) {
	d.isShare, d.scale, d.mean, d.effect = true, yes(share, deviation), 0, effect
	d.severity, d.item, d.secondItem, d.residual = 0.15, 1, 1, 0.55
}

// simulate returns a study with an effect of the second group on latent values.
func (d design) simulate(effect float64, r *rand.Rand) comparison.Data {
	data := comparison.Data{Annotators: d.annotators, Step: 1, IsShare: d.isShare}
	severity := make([]float64, d.annotators)
	for g := range severity {
		if severity[g] = d.severity * r.NormFloat64(); d.areLenient {
			severity[g] = d.severity * float64(2*(g%2)-1)
		}
	}
	level := 0.0
	for i := range d.items {
		record := i
		if d.itemsOfRecord > 0 {
			record = i / d.itemsOfRecord
		}
		if d.itemsOfRecord > 0 && i%d.itemsOfRecord == 0 {
			level = d.record * r.NormFloat64()
		}
		condition := number((i+1)*int(100*d.share)/100 > i*int(100*d.share)/100)
		quality := d.mean + effect*condition + level + r.NormFloat64()*(d.item+condition*(d.secondItem-d.item))
		for _, g := range d.choose(condition == 1, r) {
			l := mixed.Label{Record: int32(record), Item: int32(i), Annotator: int32(g), Condition: int32(condition)}
			if l.Value = d.scale(quality + severity[g] + d.residual*r.NormFloat64()); r.Float64() < d.answered {
				data.Labels = append(data.Labels, l)
			}
		}
		if d.isPaired {
			data.PairOf = append(data.PairOf, int32(record))
		}
	}
	return data
}

// choose returns the annotators of an item.
func (d design) choose(isSecond bool, r *rand.Rand) []int {
	for {
		chosen := r.Perm(d.annotators)[:d.labels]
		matching := 0
		for _, g := range chosen {
			matching += int(number((g%2 == 1) == isSecond))
		}
		if r.Float64() < 1-d.preference*(1-float64(matching)/float64(d.labels)) {
			return chosen
		}
	}
}
