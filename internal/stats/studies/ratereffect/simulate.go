package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

// A design is who labels how many items on which scale.
type design struct {
	name                      string
	items, overlap, annotated int // annotated: number of annotators
	fields                    int
	shares                    []float64 // of the answers, by point of the scale
	records                   int       // that items belong to; 0: none
	sometimes                 bool      // the last field does not apply to two of five items
}

var (
	skewed = []float64{0.02, 0.05, 0.13, 0.4, 0.4}
	even   = []float64{0.1, 0.2, 0.3, 0.25, 0.15}
	rare   = []float64{0.97, 0.03}
	three  = []float64{0.2, 0.3, 0.5}
)

var designs = []design{
	{name: "40 × 3 of 6, 1–5 skewed to 4–5", items: 40, overlap: 3, annotated: 6, fields: 5, shares: skewed},
	{name: "200 × 2 of 3, yes/no, 3% yes", items: 200, overlap: 2, annotated: 3, fields: 4, shares: rare},
	{name: "80 × 2 of 4 in 10 records, 1–5", items: 80, overlap: 2, annotated: 4, fields: 4, shares: even, records: 10},
	{name: "100 × 3 of 4, 0/1/2, a field not always", items: 100, overlap: 3, annotated: 4, fields: 4, shares: three,
		sometimes: true},
	{name: "120 × 2 of 5, 1–5", items: 120, overlap: 2, annotated: 5, fields: 4, shares: even},
	{name: "60 × 3 of 3, 1–5", items: 60, overlap: 3, annotated: 3, fields: 4, shares: even},
	{name: "300 × 2 of 40, 1–5", items: 300, overlap: 2, annotated: 40, fields: 4, shares: even},
	{name: "150 × 2 of 2, 1–5", items: 150, overlap: 2, annotated: 2, fields: 5, shares: even},
	{name: "1,000 × 2 of 5, yes/no, 3% yes", items: 1000, overlap: 2, annotated: 5, fields: 4, shares: rare},
	{name: "100 × 3 of 3, 1–5", items: 100, overlap: 3, annotated: 3, fields: 5, shares: even},
	{name: "1,000 × 3 of 6, 1–5", items: 1000, overlap: 3, annotated: 6, fields: 5, shares: even},
}

// A behavior changes the answers of the first annotator.
type behavior struct {
	name    string
	effects []ratereffect.Effect // one of which should be found; empty: none

	random    float64 // share of items answered at random
	copied    float64 // share of the items shared with the second annotator that are copied
	higher    float64 // shift, as a share of the scale
	equal     float64 // share of items with the same answer to all fields
	narrow    float64 // factor of the distance from the middle of the annotator's answers
	halo      float64 // weight of the overall impression
	drift     float64 // change over 30 items, as a share of the scale
	missed    float64 // share of risks that are not reported
	fastShare float64 // share of items labeled in four seconds, at random
}

var behaviors = []behavior{
	{name: "clean"},
	{name: "20% at random", effects: []ratereffect.Effect{ratereffect.Careless}, random: 0.2},
	{name: "30% at random", effects: []ratereffect.Effect{ratereffect.Careless}, random: 0.3},
	{name: "copies half of the rows", effects: []ratereffect.Effect{ratereffect.Copied}, copied: 0.5},
	{name: "0.2 of the scale higher", effects: []ratereffect.Effect{ratereffect.DifferentStandard}, higher: 0.2},
	{name: "equal answers in half of the items", effects: []ratereffect.Effect{ratereffect.EqualAnswers}, equal: 0.5},
	{name: "half of the spread", effects: []ratereffect.Effect{ratereffect.NarrowUse}, narrow: 0.5},
	{name: "halo of 85%", effects: []ratereffect.Effect{ratereffect.Halo, ratereffect.EqualAnswers}, halo: 0.85},
	{name: "0.25 of the scale over 30 items", effects: []ratereffect.Effect{ratereffect.Drift}, drift: 0.25},
	{name: "misses 60% of the risks", effects: []ratereffect.Effect{ratereffect.MissedRisks}, missed: 0.6},
	{name: "40% of the items in 4 s", effects: []ratereffect.Effect{ratereffect.TooFast}, fastShare: 0.4},
}

const (
	noise         = 0.6  // standard deviation of errors, of items with a standard deviation of 1
	skillSpread   = 0.1  // standard deviation of the logarithm of noise between annotators
	levelSpread   = 0.12 // standard deviation of levels between annotators
	difficulty    = 0.3  // standard deviation of the logarithm of noise between items
	sharedQuality = 0.5  // correlation of the true values of two fields
	sharedError   = 0.3  // correlation of the errors of a label in two fields
	sessionLength = 30
	textLength    = 800
)

// A study is simulated labels.
type study struct {
	fields []ratereffect.FieldSpec
	labels ratereffect.Labels
	known  ratereffect.KnownAnswers
}

func simulate(d design, b behavior, r *rand.Rand) study {
	g := newGenerator(d, b, r)
	return g.study()
}

func newGenerator(d design, b behavior, r *rand.Rand) generator {
	limits := make([]float64, 0, len(d.shares)-1)
	sum := 0.0
	for _, share := range d.shares[:len(d.shares)-1] {
		sum += share
		limits = append(limits, math.Sqrt(1+noise*noise)*stats.StudentQuantile(sum, 1e6))
	}
	g := generator{design: d, behavior: b, Rand: r, limits: limits, rows: map[[2]int][]uint8{}}
	g.skill, g.level = make([]float64, d.annotated), make([][]float64, d.annotated)
	for a := range d.annotated {
		g.skill[a] = noise * math.Exp(skillSpread*r.NormFloat64())
		common := r.NormFloat64()
		for range d.fields {
			g.level[a] = append(g.level[a], levelSpread*(0.7*common+0.7*r.NormFloat64()))
		}
	}
	return g
}

type generator struct {
	design
	behavior
	*rand.Rand
	limits, skill []float64
	level         [][]float64
	rows          map[[2]int][]uint8 // item and annotator → answers
}

func (g *generator) study() study {
	s := study{}
	scale := make(stats.NumericScale, len(g.shares))
	for i := range scale {
		scale[i] = i
	}
	for f := range g.fields {
		spec := ratereffect.FieldSpec{Scale: scale}
		if f == 0 && g.missed > 0 {
			spec.UnsafeAnswers = scale[:max(1, len(scale)*2/5)]
		}
		s.fields = append(s.fields, spec)
	}
	l := &s.labels
	l.Points, s.known.Points, s.known.Right = make([][]uint8, g.fields), make([][]uint8, g.fields),
		make([][]uint8, g.fields)
	for a := range g.annotated {
		l.Annotators = append(l.Annotators, string(rune('A'+a/26))+string(rune('a'+a%26)))
	}
	var seconds []float64
	truths := make([][]float64, g.items)
	records := make([][]float64, max(g.records, 1))
	for i := range records {
		records[i] = g.quality()
	}
	assigned := simulated.Assign(g.items, g.overlap, g.annotated, g.Rand)
	positions, position := make([]int, g.annotated), []int{}
	order := g.Perm(g.items)
	for _, item := range order {
		truths[item] = g.quality()
		if g.records > 0 {
			for f, v := range records[item%g.records] {
				truths[item][f] = math.Sqrt(0.4)*v + math.Sqrt(0.6)*truths[item][f]
			}
		}
		hard := math.Exp(difficulty * g.NormFloat64())
		applies := !g.sometimes || g.Float64() < 0.6
		annotators := assigned[item]
		slices.Sort(annotators)
		slices.Reverse(annotators) // the first annotator comes last, and can copy
		for _, a := range annotators {
			row, pace := g.row(item, a, truths[item], hard, positions[a]%sessionLength)
			g.rows[[2]int{item, a}] = row
			if !applies {
				row[g.fields-1] = ratereffect.NoPoint
			}
			l.ItemOf, l.AnnotatorOf = append(l.ItemOf, int32(item)), append(l.AnnotatorOf, int32(a))
			seconds, position = append(seconds, pace), append(position, positions[a])
			positions[a]++
			isKnown := g.missed > 0 // all items are adjudicated
			for f, point := range row {
				l.Points[f] = append(l.Points[f], point)
				if isKnown {
					s.known.Points[f] = append(s.known.Points[f], point)
					s.known.Right[f] = append(s.known.Right[f], g.point(truths[item][f]*math.Sqrt(1+noise*noise)))
				}
			}
			if isKnown {
				s.known.AnnotatorOf, s.known.ItemOf, s.known.IsReference = append(s.known.AnnotatorOf, int32(a)),
					append(s.known.ItemOf, int32(item)), append(s.known.IsReference, false)
			}
		}
	}
	l.Position = func(n int32) int { return position[n] + 1 }
	l.ItemsSinceBreak = func(n int32) int { return position[n] % sessionLength }
	l.ActiveSeconds = func(n int32) float64 { return seconds[n] }
	l.TextLength = func(int32) float64 { return textLength }
	l.SubmittedAt = func(n int32) int64 { return int64(n) }
	return s
}

func (g *generator) quality() (values []float64) {
	common := g.NormFloat64()
	for range g.fields {
		values = append(values, math.Sqrt(sharedQuality)*common+math.Sqrt(1-sharedQuality)*g.NormFloat64())
	}
	return values
}

func (g *generator) point(value float64) uint8 {
	point := uint8(0)
	for _, limit := range g.limits {
		if value > limit {
			point++
		}
	}
	return point
}

func (g *generator) row(item, annotator int, truth []float64, hard float64, sinceBreak int) (row []uint8,
	seconds float64) {
	latent, common := make([]float64, g.fields), g.NormFloat64()
	for f := range latent {
		e := math.Sqrt(sharedError)*common + math.Sqrt(1-sharedError)*g.NormFloat64()
		latent[f] = truth[f] + g.level[annotator][f] + g.skill[annotator]*hard*e
	}
	seconds = 15 + 40*g.Float64()
	isFirst := annotator == 0
	if isFirst && g.halo > 0 {
		mean := 0.0
		for _, v := range latent {
			mean += v / float64(len(latent))
		}
		for f := range latent {
			latent[f] = (1-g.halo)*latent[f] + g.halo*mean*1.2
		}
	}
	top := float64(len(g.shares) - 1)
	for f := range latent {
		point := float64(g.point(latent[f]))
		if isFirst {
			if g.narrow > 0 {
				middle := 0.0
				for i, share := range g.shares {
					middle += float64(i) * share
				}
				point = middle + g.narrow*(point-middle)
			}
			point += top * (g.higher + g.drift*float64(sinceBreak)/30)
			whole := math.Floor(point)
			if g.Float64() < point-whole && g.narrow == 0 || g.narrow > 0 && point-whole >= 0.5 {
				whole++
			}
			point = min(top, max(0, whole))
		}
		row = append(row, uint8(point))
	}
	if !isFirst {
		return row, seconds
	}
	isFast := g.Float64() < g.fastShare
	if isFast {
		seconds = 4
	}
	if isFast || g.Float64() < g.random {
		for f := range row {
			row[f] = uint8(g.IntN(len(g.shares)))
		}
	}
	if g.Float64() < g.equal {
		for f := range row {
			row[f] = row[0]
		}
	}
	if other := g.rows[[2]int{item, 1}]; other != nil && g.Float64() < g.copied {
		copy(row, other)
	}
	if g.missed > 0 && g.Float64() < g.missed {
		row[0] = max(row[0], uint8(max(1, len(g.shares)*2/5)))
	}
	return row, seconds
}
