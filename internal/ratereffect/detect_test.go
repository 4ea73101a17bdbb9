package ratereffect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A testStudy has labels of annotators to the same items, in four fields on a scale of 1 to 5.
type testStudy struct {
	fields []FieldSpec
	labels Labels
	known  KnownAnswers
	rows   [][]uint8 // label → answers
}

const testItems = 150

var testScale = stats.NumericScale{1, 2, 3, 4, 5}

// newTestStudy simulates labels; change alters the answers of the first annotator to an item, next to the true ones and
// those of the second annotator, and returns the seconds that they took.
func newTestStudy(seed uint64, annotators int,
	change func(r *rand.Rand, item int, row, second []uint8) float64) *testStudy {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &testStudy{fields: make([]FieldSpec, 4)}
	for f := range s.fields {
		s.fields[f] = FieldSpec{Scale: testScale}
	}
	s.fields[0].UnsafeAnswers = []int{1, 2}
	s.known.Points, s.known.Right = make([][]uint8, 4), make([][]uint8, 4)
	seconds := []float64{}
	for a := range annotators {
		s.labels.Annotators = append(s.labels.Annotators, string(rune('a'+a)))
	}
	for item := range testItems {
		quality, truth := r.NormFloat64(), make([]float64, 4)
		for f := range truth {
			truth[f] = 3 + 0.9*quality + 0.9*r.NormFloat64()
		}
		var second []uint8
		for a := annotators - 1; a >= 0; a-- {
			row, pace := make([]uint8, 4), 30.0
			for f := range row {
				row[f] = uint8(min(5, max(1, math.Round(truth[f]+0.6*r.NormFloat64())))) - 1
			}
			if a == 1 {
				second = row
			}
			if a == 0 && change != nil {
				pace = change(r, item, row, second)
			}
			s.rows, seconds = append(s.rows, row), append(seconds, pace)
			s.labels.AnnotatorOf, s.labels.ItemOf = append(s.labels.AnnotatorOf, int32(a)),
				append(s.labels.ItemOf, int32(item))
			s.known.AnnotatorOf, s.known.ItemOf, s.known.IsReference = append(s.known.AnnotatorOf, int32(a)),
				append(s.known.ItemOf, int32(item)), append(s.known.IsReference, item < 40)
			for f := range row {
				s.known.Points[f] = append(s.known.Points[f], row[f])
				s.known.Right[f] = append(s.known.Right[f], uint8(min(5, max(1, math.Round(truth[f]))))-1)
			}
		}
	}
	s.labels.Points = make([][]uint8, 4)
	for f := range s.fields {
		for _, row := range s.rows {
			s.labels.Points[f] = append(s.labels.Points[f], row[f])
		}
	}
	s.labels.Position = func(l int32) int { return int(s.labels.ItemOf[l]) + 1 }
	s.labels.ItemsSinceBreak = func(l int32) int { return int(s.labels.ItemOf[l]) % 30 }
	s.labels.ActiveSeconds = func(l int32) float64 { return seconds[l] }
	s.labels.TextLength = func(int32) float64 { return 800 }
	s.labels.SubmittedAt = func(l int32) int64 { return int64(l) }
	return s
}

func (s *testStudy) detect() Result { return Detect(s.fields, s.labels, s.known) }

func atRandom(share, seconds float64) func(*rand.Rand, int, []uint8, []uint8) float64 {
	return func(r *rand.Rand, _ int, row, _ []uint8) float64 {
		if r.Float64() > share {
			return 30
		}
		for f := range row {
			row[f] = uint8(r.IntN(5))
		}
		return seconds
	}
}

var testChanges = map[Effect]func(r *rand.Rand, item int, row, second []uint8) float64{
	Careless: atRandom(0.4, 30),
	TooFast:  atRandom(0.6, 3),
	Copied: func(r *rand.Rand, _ int, row, second []uint8) float64 {
		if r.IntN(2) == 0 {
			copy(row, second)
		}
		return 30
	},
	DifferentStandard: func(_ *rand.Rand, _ int, row, _ []uint8) float64 {
		for f := range row {
			row[f] = min(4, row[f]+1)
		}
		return 30
	},
	EqualAnswers: func(r *rand.Rand, _ int, row, _ []uint8) float64 {
		for f := range row {
			if r.IntN(10) > 0 {
				row[f] = row[0]
			}
		}
		return 30
	},
	NarrowUse: func(_ *rand.Rand, _ int, row, _ []uint8) float64 {
		for f := range row {
			row[f] = uint8(math.Round(2 + 0.5*(float64(row[f])-2)))
		}
		return 30
	},
	Halo: func(r *rand.Rand, _ int, row, _ []uint8) float64 {
		for f := range row {
			if f > 0 {
				row[f] = uint8(min(4, max(0, int(row[0])+r.IntN(3)-1)))
			}
		}
		return 30
	},
	Drift: func(r *rand.Rand, item int, row, _ []uint8) float64 {
		for f := range row {
			if r.IntN(30) < item%30 {
				row[f] = min(4, row[f]+1)
			}
		}
		return 30
	},
	MissedRisks: func(r *rand.Rand, _ int, row, _ []uint8) float64 {
		if r.IntN(5) > 0 {
			row[0] = max(row[0], 2)
		}
		return 30
	},
}

// testedStudies is the number of studies with an effect. How often effects are found is simulated apart from tests.
const testedStudies = 2

// TestDetect_Effect_IsNamed has an annotator with each effect, who is found with it, next to two or four others, who
// are not.
func TestDetect_Effect_IsNamed(t *testing.T) {
	t.Parallel()
	for _, effect := range Effects() {
		for _, annotators := range []int{3, 5} {
			found, others := 0, 0
			for seed := range uint64(testedStudies) {
				for _, f := range newTestStudy(seed, annotators, testChanges[effect]).detect().Findings {
					if f.Annotator != "a" {
						others++
					} else if f.Effect == effect {
						found++
					}
				}
			}
			if found < testedStudies || others > 1 {
				t.Errorf("%s of %d annotators: found in %d of %d studies, %d findings on others", effect, annotators,
					found, testedStudies, others)
			}
		}
	}
}

// TestDetect_SwappedScale_AccusesNobodyElse has annotators who nearly always agree, but for one who mistook the ends of
// the scale for each other: that this one agrees with nobody is no evidence of copies among the others.
func TestDetect_SwappedScale_AccusesNobodyElse(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		s, r := newTestStudy(300+seed, 4, nil), rand.New(rand.NewPCG(seed, 1))
		firstOf := map[int32]int{}
		for l, item := range s.labels.ItemOf {
			first, known := firstOf[item]
			if !known {
				first, firstOf[item] = l, l
			}
			for _, points := range s.labels.Points {
				if r.Float64() < 0.9 {
					points[l] = points[first]
				}
			}
		}
		for l, a := range s.labels.AnnotatorOf {
			for _, points := range s.labels.Points {
				if a == 0 {
					points[l] = 4 - points[l]
				}
			}
		}
		for _, f := range s.detect().Findings {
			if f.Annotator != "a" {
				t.Errorf("study %d: %s is named: %+v", seed, f.Annotator, f)
			}
		}
	}
}

// TestDetect_NoEffect_NamesNobody checks studies without effects, which all tests are done on.
func TestDetect_NoEffect_NamesNobody(t *testing.T) {
	t.Parallel()
	named := 0
	for seed := range uint64(12) {
		r := newTestStudy(100+seed, 4, nil).detect()
		if len(r.Findings) > 0 {
			named++
		}
		if len(r.Powers) != len(Effects()) || len(r.Severities) != 4 {
			t.Fatalf("%d effects and %d severities", len(r.Powers), len(r.Severities))
		}
		for _, p := range r.Powers {
			if math.IsNaN(p.Detectable) || p.Detectable <= 0 || p.Detectable > 1 {
				t.Errorf("%s: %v can be found", p.Effect, p.Detectable)
			}
		}
	}
	if named > 1 {
		t.Errorf("annotators are named in %d of 12 studies", named)
	}
}

// TestDetect_TwoAnnotators_NamesNeither checks that of two annotators nothing shows who is careless or copied, and that
// other differences are stated of both.
func TestDetect_TwoAnnotators_NamesNeither(t *testing.T) {
	t.Parallel()
	for effect, change := range testChanges {
		r := newTestStudy(7, 2, change).detect()
		for _, f := range r.Findings {
			isOwn := f.HasReferences || f.Effect == EqualAnswers
			if f.Effect == Careless || f.Effect == Copied || f.Effect == TooFast || f.IsEither == isOwn {
				t.Errorf("%s: %+v", effect, f)
			}
		}
	}
	r := newTestStudy(7, 2, testChanges[DifferentStandard]).detect()
	isEither := func(f FoundEffect) bool { return f.Effect == DifferentStandard && f.IsEither }
	own, other := r.Of("a"), r.Of("b")
	i, j := slices.IndexFunc(own, isEither), slices.IndexFunc(other, isEither)
	if i < 0 || j < 0 || own[i].Value != -other[j].Value || own[i].Low != -other[j].High || own[i].Other != "b" ||
		other[j].Other != "a" {
		t.Errorf("%+v, %+v", own, other)
	}
}

// TestDetect_Again_IsEqual checks that no sum depends on the order of a map: a report is the same to its last digit.
func TestDetect_Again_IsEqual(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		s := newTestStudy(seed, 4, testChanges[Careless])
		first := s.detect()
		for range 3 {
			if diff := cmp.Diff(first, s.detect()); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

// TestDetect_Order_DoesNotMatter checks that the order of the labels changes no figure.
func TestDetect_Order_DoesNotMatter(t *testing.T) {
	t.Parallel()
	s := newTestStudy(3, 4, testChanges[Careless])
	want := s.detect()
	order := rand.New(rand.NewPCG(5, 0)).Perm(len(s.rows))
	shuffled := s.labels
	shuffled.AnnotatorOf, shuffled.ItemOf, shuffled.Points = nil, nil, make([][]uint8, 4)
	for _, l := range order {
		shuffled.AnnotatorOf, shuffled.ItemOf = append(shuffled.AnnotatorOf, s.labels.AnnotatorOf[l]),
			append(shuffled.ItemOf, s.labels.ItemOf[l])
		for f := range shuffled.Points {
			shuffled.Points[f] = append(shuffled.Points[f], s.labels.Points[f][l])
		}
	}
	at := func(n int32) int32 { return int32(order[n]) }
	shuffled.Position = func(n int32) int { return s.labels.Position(at(n)) }
	shuffled.ItemsSinceBreak = func(n int32) int { return s.labels.ItemsSinceBreak(at(n)) }
	shuffled.SubmittedAt = func(n int32) int64 { return s.labels.SubmittedAt(at(n)) }
	got := Detect(s.fields, shuffled, s.known)
	for i, f := range got.Findings {
		if w := want.Findings[i]; f.Effect != w.Effect || f.Annotator != w.Annotator ||
			math.Abs(f.Value-w.Value) > 1e-6 || math.Abs(f.P-w.P) > 1e-6 {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
	if len(want.Findings) == 0 || len(got.Findings) != len(want.Findings) {
		t.Errorf("%d findings, want %d", len(got.Findings), len(want.Findings))
	}
}

// TestFitSeverities_AreThoseOfTheModel has annotators of different severity who each label other items with two of the
// others.
func TestFitSeverities_AreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	levels := []float64{0, 0.25, -0.25, 0.5, 0}
	l := Labels{Annotators: []string{"a", "b", "c", "d", "e"}, Points: [][]uint8{nil},
		Position: func(n int32) int { return int(n) }}
	data := mixed.Data{Annotators: len(levels), Conditions: 1, FixedAnnotators: true}
	for item := range 60 {
		for k := range 2 + item%2 {
			a := (item + k*(1+item%3)) % len(levels)
			point := 1 + int(4*levels[a]) + (item*(k+1))%7/6
			l.AnnotatorOf, l.ItemOf = append(l.AnnotatorOf, int32(a)), append(l.ItemOf, int32(item))
			l.Points[0] = append(l.Points[0], uint8(point))
			data.Labels = append(data.Labels, mixed.Label{Value: float64(point) / 4, Record: int32(item),
				Item: int32(item), Annotator: int32(a)})
		}
	}
	m, reason := mixed.Fit(data)
	if reason != "" {
		t.Fatal(reason)
	}
	model := m.Severities()
	for a, got := range newLabelSet([]FieldSpec{{Scale: testScale}}, l).severities {
		if want := model[a].Value - model[4].Value; math.Abs(got.mean-want) > 1e-6 ||
			math.Abs(got.mean-levels[a]) > 0.1 {
			t.Errorf("%d: %v, want %v, about %v", a, got.mean, want, levels[a])
		}
	}
}

// TestMixture_Share_IsMostLikely checks the share that the EM algorithm finds, and its interval, against the
// likelihood.
func TestMixture_Share_IsMostLikely(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 0))
	m := mixture{make([]float64, 200)}
	for i := range m[0] {
		m[0][i] = math.Exp(3 * r.NormFloat64() / 2)
	}
	share, _ := m.share()
	for _, other := range []float64{share - 0.01, share + 0.01} {
		if m.logLikelihood(other) > m.logLikelihood(share) {
			t.Errorf("%v is likelier than %v", other, share)
		}
	}
	for _, end := range []float64{0, 1} {
		if got := m.logLikelihood(share) - m.logLikelihood(m.limit(share, end)); math.Abs(got-1.92) > 0.01 {
			t.Errorf("the limit toward %v is %v less likely", end, got)
		}
	}
}
