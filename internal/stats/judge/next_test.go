package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// drawStudy is a population of items with a judge that errs more at some answers. Annotators
// label some items first, and then items that are drawn by their expected gain.
type drawStudy struct {
	name      string
	items     int
	first     int // items labeled before the draws
	draws     []int
	perRecord int
	scale     []int
	// newItem returns the label and the judgment of an item of a record with this effect.
	newItem func(r *rand.Rand, effect float64) (label, judgment int)
	truth   float64
}

var drawStudies = []drawStudy{
	{name: "rare value", items: 1000, first: 80, draws: []int{120}, perRecord: 1, scale: []int{0, 1}, newItem: rareValue, truth: 0.15},
	{name: "rare value, two draws", items: 1000, first: 60, draws: []int{80, 80}, perRecord: 1, scale: []int{0, 1}, newItem: rareValue, truth: 0.15},
	{name: "five points", items: 800, first: 60, draws: []int{100}, perRecord: 1, scale: []int{1, 2, 3, 4, 5}, newItem: fivePoints, truth: 3},
	{name: "five points in records", items: 1200, first: 60, draws: []int{120}, perRecord: 4, scale: []int{1, 2, 3, 4, 5}, newItem: fivePoints, truth: 3},
	{name: "five points, nothing labeled before", items: 800, draws: []int{60, 80}, perRecord: 1, scale: []int{1, 2, 3, 4, 5}, newItem: fivePoints, truth: 3},
}

// rareValue is 1 in 15% of the items. The judge finds four of five of them, and says 1 of a
// tenth of the others.
func rareValue(r *rand.Rand, _ float64) (label, judgment int) {
	if r.Float64() < 0.15 {
		return 1, boolToInt(r.Float64() < 0.8)
	}
	return 0, boolToInt(r.Float64() < 0.1)
}

// fivePoints has a judge that gives middling items too low a score, most often 1.
func fivePoints(r *rand.Rand, effect float64) (label, judgment int) {
	label = min(max(int(math.Round(3+0.6*effect+0.9*r.NormFloat64())), 1), 5)
	if judgment = label; label > 1 && r.Float64() < 0.2 {
		judgment = 1
	}
	return label, judgment
}

// drawnPopulation is a study at work.
type drawnPopulation struct {
	study             drawStudy
	labels, judgments []int
	isLabeled         []bool
	draws             [][]Inclusion
}

func (s drawStudy) run(r *rand.Rand) *drawnPopulation {
	p, effect := &drawnPopulation{study: s, isLabeled: make([]bool, s.items)}, 0.0
	for i := range s.items {
		if i%s.perRecord == 0 {
			effect = r.NormFloat64()
		}
		label, judgment := s.newItem(r, effect)
		p.labels, p.judgments = append(p.labels, label), append(p.judgments, judgment)
	}
	for i := range s.first {
		p.isLabeled[i] = true
	}
	for _, n := range s.draws {
		p.draw(n, r.Uint64())
	}
	return p
}

// draw draws items by the expected gain of their labels, and labels nine of ten of them.
func (p *drawnPopulation) draw(n int, seed uint64) {
	e := NewExperience(p.study.scale)
	for i, judgment := range p.judgments {
		e.AddJudgment(judgment)
		if p.isLabeled[i] {
			e.AddLabels(judgment, []int{p.labels[i]})
		}
	}
	var gains []float64
	var candidates []int
	for i, judgment := range p.judgments {
		if !p.isLabeled[i] {
			gains, candidates = append(gains, e.Gain(judgment, nil).Total()), append(candidates, i)
		}
	}
	draw, drawn := make([]Inclusion, len(p.labels)), 0
	for c, inclusion := range DrawNext(gains, n, seed) {
		draw[candidates[c]] = inclusion
		if inclusion.IsDrawn {
			if drawn++; drawn%10 != 0 {
				p.isLabeled[candidates[c]] = true
			}
		}
	}
	p.draws = append(p.draws, draw)
}

// sample returns the data of an estimate, with or without the weights of the draws.
func (p *drawnPopulation) sample(isWeighted bool) Sample {
	s := Sample{IsClustered: p.study.perRecord > 1, IsDrawn: isWeighted}
	weights, _ := WeightLabels(p.isLabeled, p.draws)
	for i, label := range p.labels {
		judgment, weight := Judgment{float64(p.judgments[i]), i / p.study.perRecord}, 1.0
		if isWeighted {
			weight = weights.Items[i]
		}
		if p.isLabeled[i] {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, float64(label), weight})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// TestEstimateMean_Drawn_CoversTruth draws items where the judge is wrong more often, and rare values.
// With the weights of the draws, estimates are unbiased and intervals cover; without them,
// the same estimates are biased.
func TestEstimateMean_Drawn_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, low, high := 1000, 0.93, 0.97
	if require.FullSize() {
		studies = 4000
	}
	for _, s := range drawStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			covered, alone, biased, plain, equivalent, labels, effective := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
			for seed := range studies {
				share := 1 / float64(studies)
				p := s.run(rand.New(rand.NewPCG(9, uint64(seed))))
				weighted, unweighted := p.sample(true), p.sample(false)
				e, l := EstimateMean(weighted), EstimateLabels(weighted)
				if e.Low <= s.truth && s.truth <= e.High {
					covered += share
				}
				if l.Low <= s.truth && s.truth <= l.High {
					alone += share
				}
				biased += share * (e.Value - s.truth)
				plain += share * (EstimateMean(unweighted).Value - s.truth)
				equivalent += share * e.EquivalentLabels
				labels += share * float64(len(weighted.Labeled))
				effective += share * EffectiveSize(weightsOf(weighted))
			}
			t.Logf("coverage %.1f%% with the judge, %.1f%% with labels alone; bias %+.4f, %+.4f without weights; %.0f labels, effective %.0f, count as %.0f",
				100*covered, 100*alone, biased, plain, labels, effective, equivalent)
			if covered < low || covered > high || math.Abs(biased) > 0.01 {
				t.Errorf("coverage %.1f%%, bias %+.4f", 100*covered, biased)
			}
			if math.Abs(plain) < 3*math.Abs(biased) || math.Abs(plain) < 0.01 {
				t.Errorf("bias without weights %+.4f, with them %+.4f: this study does not show that weights are needed", plain, biased)
			}
		})
	}
}

func weightsOf(s Sample) (weights []float64) {
	for _, l := range s.Labeled {
		weights = append(weights, l.Weight)
	}
	return weights
}

func TestDrawNext_ProbabilitiesAreExact(t *testing.T) {
	t.Parallel()
	gains, studies := []float64{0, 0.1, 0.2, 0.4, 0.8, 0.8, 1.6, 0, 0.3, 12}, 20_000
	frequency, probabilities := make([]float64, len(gains)), make([]float64, len(gains))
	for seed := range studies {
		drawn := 0
		for i, item := range DrawNext(gains, 4, uint64(seed)) {
			probabilities[i] = item.Probability
			if item.IsDrawn {
				drawn++
				frequency[i] += 1 / float64(studies)
			}
		}
		if drawn != 4 {
			t.Fatalf("seed %d draws %d items, want 4", seed, drawn)
		}
	}
	total, least := 0.0, uniformShare*4/float64(len(gains))
	for i, p := range probabilities {
		total += p
		if p > 1 || p < least*0.99 || math.Abs(frequency[i]-p) > 0.015 {
			t.Errorf("item %d is drawn with frequency %.3f, probability %.3f; the least is %.3f", i, frequency[i], p, least)
		}
	}
	if math.Abs(total-4) > 1e-12 || probabilities[9] != 1 {
		t.Errorf("probabilities %v have the sum %v", probabilities, total)
	}
}

func TestDrawNext_Edges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		want []Inclusion
	}{
		{9, []Inclusion{{1, true}, {1, true}, {1, true}}},
		{0, []Inclusion{{}, {}, {}}},
	} {
		if got := DrawNext([]float64{0, 0, 1000}, c.n, 1); !slices.Equal(got, c.want) {
			t.Errorf("%d of 3: %v, want %v", c.n, got, c.want)
		}
	}
	if first, second := DrawNext(make([]float64, 50), 10, 7), DrawNext(make([]float64, 50), 10, 7); !slices.Equal(first, second) || math.Abs(first[0].Probability-0.2) > 1e-12 {
		t.Errorf("equal gains: %v, then %v", first, second)
	}
}

func TestWeightLabels(t *testing.T) {
	t.Parallel()
	in, out := func(p float64) Inclusion { return Inclusion{p, true} }, func(p float64) Inclusion { return Inclusion{p, false} }
	none := Inclusion{}
	for _, c := range []struct {
		name      string
		isLabeled []bool
		draws     [][]Inclusion
		want      Weights
		ok        bool
	}{
		{"no draw", []bool{true, false}, nil, Weights{}, false},
		{"drawn, not labeled yet", []bool{true, false}, [][]Inclusion{{none, in(0.5)}}, Weights{}, false},
		{"labeled before, drawn and left", []bool{true, true, false, false}, [][]Inclusion{{none, in(0.5), out(0.5), out(0.2)}}, Weights{Items: []float64{1, 3, 0, 0}, Drawn: 1}, true},
		{"unequal probabilities", []bool{true, true, false}, [][]Inclusion{{in(0.25), in(0.5), out(0.1)}}, Weights{Items: []float64{2, 1, 0}, Drawn: 2}, true},
		{"labeled otherwise, judged later", []bool{true, true, false}, [][]Inclusion{{in(0.5), out(0.5), none}}, Weights{Items: []float64{3, 0, 0}, Drawn: 1, Uncovered: 1, Unused: 1}, true},
		{"two draws", []bool{true, true, true, false}, [][]Inclusion{{none, in(0.3), out(0.4), out(0.3)}, {none, none, in(0.5), out(0.5)}},
			Weights{Items: []float64{1, 0.5*3 + 0.5*1, 0.5 * 2, 0}, Drawn: 2}, true},
	} {
		got, ok := WeightLabels(c.isLabeled, c.draws)
		if ok != c.ok || got.Drawn != c.want.Drawn || got.Uncovered != c.want.Uncovered || got.Unused != c.want.Unused ||
			!slices.EqualFunc(got.Items, c.want.Items, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: %+v %t, want %+v %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestGain_Reasons(t *testing.T) {
	t.Parallel()
	e := NewExperience([]int{1, 2, 3, 4, 5})
	for range 20 {
		for answer := range 5 {
			if answer+1 != 5 { // a rare answer
				e.AddJudgment(answer + 1)
			}
		}
		e.AddLabels(1, []int{4, 5}) // far off, and tied
		e.AddLabels(2, []int{1, 3}) // tied
		e.AddLabels(3, []int{3, 3})
		e.AddLabels(4, []int{4, 4})
	}
	e.AddJudgment(5)
	for _, c := range []struct {
		answer int
		others []int
		want   GainReason
	}{{1, nil, Disagreement}, {2, nil, AnnotatorTie}, {3, []int{4}, JudgesDiffer}, {5, nil, RareValue}} {
		if g := e.Gain(c.answer, c.others); g.Reason() != c.want || g.Total() <= e.Gain(4, nil).Total() {
			t.Errorf("answer %d: %+v is %s, want %s", c.answer, g, g.Reason(), c.want)
		}
	}
	if g := e.Gain(4, nil); g.Reason() != NoReason || g.Reason().Text() == "" {
		t.Errorf("an ordinary answer: %+v is %s", g, g.Reason())
	}
	unknown := NewExperience([]int{0, 1})
	unknown.AddJudgment(0)
	unknown.AddJudgment(1)
	if g := unknown.Gain(1, nil); g.Reason() != NoReason || g.Total() <= 0 {
		t.Errorf("without labels: %+v is %s", g, g.Reason())
	}
}
