package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A design is who labels how many items. Two of five items or records are hard: annotators err more often there.
type design struct {
	name                    string
	scale                   stats.NumericScale
	items, perRecord        int // perRecord 1: no records
	annotators, perItem     int
	errorRate, shareOfFirst float64 // of the lowest value, on a binary scale; 0: equal
	sharedEvery             int     // one of so many records has perItem labels on each item, the others one; 0: all
	isUneven                bool    // records of 1 to 2·perRecord − 1 items
}

var binary, three, five = stats.NewRangeScale(0, 1), stats.NewRangeScale(0, 2), stats.NewRangeScale(1, 5)

var usual = []design{
	{"20 × 2, 0–2", three, 20, 1, 2, 2, 0.2, 0, 0, false},
	{"60 × 2, 12% yes", binary, 60, 1, 2, 2, 0.06, 0.88, 0, false},
	{"50 × 3, 1–5", five, 50, 1, 3, 3, 0.3, 0, 0, false},
	{"150 × 2, 1–5", five, 150, 1, 2, 2, 0.3, 0, 0, false},
	{"120 × 2 of 8, 1–5", five, 120, 1, 8, 2, 0.3, 0, 0, false},
	{"60 × 3 in 15 records, 1–5", five, 60, 4, 3, 3, 0.3, 0, 0, false},
	{"90 × 3 in 30 records, 1–5", five, 90, 3, 3, 3, 0.3, 0, 0, false},
	{"180 × 3 in 60 records, 1–5", five, 180, 3, 3, 3, 0.3, 0, 0, false},
	{"90 × 3 in 30 records of 1 to 5, 1–5", five, 90, 3, 3, 3, 0.3, 0, 0, true},
}

// rare are studies in which few items have the rarer value, or in which nearly all answers agree.
var rare = []design{
	{"40 × 2, 10% yes", binary, 40, 1, 2, 2, 0.06, 0.9, 0, false},
	{"40 × 2, 10% yes, many errors", binary, 40, 1, 2, 2, 0.15, 0.9, 0, false},
	{"40 × 3, 10% yes", binary, 40, 1, 3, 3, 0.06, 0.9, 0, false},
	{"80 × 3, 5% yes", binary, 80, 1, 3, 3, 0.06, 0.95, 0, false},
	{"150 × 2, 5% yes", binary, 150, 1, 2, 2, 0.03, 0.95, 0, false},
	{"120 × 2 of 8, 10% yes", binary, 120, 1, 8, 2, 0.06, 0.9, 0, false},
	{"60 × 2 in 20 records, 10% yes", binary, 60, 3, 2, 2, 0.06, 0.9, 0, false},
	{"400 × 2 in 40 records, 5% yes", binary, 400, 10, 2, 2, 0.06, 0.95, 0, false},
	{"30 × 2, few errors", binary, 30, 1, 2, 2, 0.02, 0.5, 0, false},
	{"36 × 2 in 12 records, few errors", binary, 36, 3, 2, 2, 0.05, 0.5, 0, false},
}

// sparse are studies most of whose items have one label.
var sparse = []design{
	{"20 of 400 items × 2, 1–5", five, 400, 1, 3, 2, 0.3, 0, 20, false},
	{"30 of 3,000 items × 2, 1–5", five, 3000, 1, 3, 2, 0.3, 0, 100, false},
	{"60 of 6,000 items × 2 in records of 2, 1–5", five, 6000, 2, 3, 2, 0.3, 0, 100, false},
}

// means are studies with one label of each item.
var means = []design{
	{"10 × 1, 1–5", five, 10, 1, 1, 1, 0.3, 0, 0, false},
	{"40 × 1 in 10 records, 1–5", five, 40, 4, 1, 1, 0.3, 0, 0, false},
	{"180 × 1 in 60 records of 1 to 5, 1–5", five, 180, 3, 1, 1, 0.3, 0, 0, true},
	{"60 × 1 in 15 records, 70% yes", binary, 60, 4, 1, 1, 0.06, 0.3, 0, false},
	{"60 × 3, 70% yes", binary, 60, 1, 3, 3, 0.06, 0.3, 0, false},
}

func (d design) simulate(r *rand.Rand, items int) (ratings []stats.Rating) {
	shared, isHard, record, left := 0, false, -1, 0
	for i := range items {
		if left == 0 {
			left = d.perRecord
			if d.isUneven {
				left = 1 + r.IntN(2*d.perRecord-1)
			}
			shared, isHard, record = d.draw(r), r.Float64() < 0.4, record+1
		}
		left--
		answer := shared
		if d.perRecord > 1 && r.Float64() < 0.4 {
			answer = d.draw(r)
		}
		labels := d.perItem
		if d.sharedEvery > 0 && record%d.sharedEvery > 0 {
			labels = 1
		}
		for _, annotator := range r.Perm(d.annotators)[:labels] {
			rating := stats.Rating{Item: fmt.Sprintf("i%06d", i), Annotator: fmt.Sprint(annotator),
				Value: d.scale[d.observe(r, answer, isHard)]}
			if d.perRecord > 1 {
				rating.Cluster = fmt.Sprintf("r%06d", record)
			}
			ratings = append(ratings, rating)
		}
	}
	return ratings
}

// draw returns a random point.
func (d design) draw(r *rand.Rand) int {
	switch {
	case d.shareOfFirst == 0:
		return r.IntN(len(d.scale))
	case r.Float64() < d.shareOfFirst:
		return 0
	}
	return 1
}

// observe returns an annotator's point, wrong more often on hard items.
func (d design) observe(r *rand.Rand, point int, isHard bool) int {
	rate := d.errorRate / 2
	if isHard {
		rate = d.errorRate * 7 / 4
	}
	switch last := len(d.scale) - 1; {
	case r.Float64() >= rate:
		return point
	case point == 0:
		return 1
	case point == last:
		return last - 1
	}
	return point - 1 + 2*r.IntN(2)
}

// A comparison is a study of 60 items in two equal groups, in which annotators give the same labels but for a share
// that is changed by one point.
type comparison struct {
	annotators, itemsOfRecord int
	changed                   float64
}

func (c comparison) name() string {
	records := ""
	if c.itemsOfRecord > 1 {
		records = fmt.Sprintf(" in %d records", 60/c.itemsOfRecord)
	}
	return fmt.Sprintf("60 × %d%s, 1–5, %g%% of labels changed", c.annotators, records, 100*c.changed)
}

func (c comparison) simulate(r *rand.Rand) mixed.Data {
	d := mixed.Data{Annotators: c.annotators, Conditions: 2}
	for record := range 60 / c.itemsOfRecord {
		level := r.NormFloat64()
		for i := range c.itemsOfRecord {
			value := min(max(math.Round(3+level+0.7*r.NormFloat64()), 1), 5)
			for annotator := range c.annotators {
				l := mixed.Label{Record: int32(record), Item: int32(c.itemsOfRecord*record + i),
					Annotator: int32(annotator), Condition: int32(record % 2), Value: value}
				if r.Float64() < c.changed {
					l.Value = min(max(value+float64(2*r.IntN(2)-1), 1), 5)
				}
				d.Labels = append(d.Labels, l)
			}
		}
	}
	return d
}
