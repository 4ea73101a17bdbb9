package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// newRankedQuery returns a query with one chunk for each letter, in rank order: s
// sufficient, r only relevant, m misleading, . none of these.
func newRankedQuery(letters string) JudgedQuery {
	var q JudgedQuery
	for i, c := range letters {
		q.Chunks = append(q.Chunks, JudgedChunk{Rank: i + 1, Relevant: certain(c == 's' || c == 'r'),
			Sufficient: certain(c == 's'), Misleading: certain(c == 'm')})
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(q.Chunks), func(i, j int) {
		q.Chunks[i], q.Chunks[j] = q.Chunks[j],
			q.Chunks[i]
	})
	return q
}

func certain(value bool) Expected { return Certain(boolToFloat(value)) }

func TestScore_CertainLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		letters string
		k       int
		want    [6]float64 // in the order of RetrievalFigures
	}{
		{"s...", 0, [6]float64{0.25, 1, 0.25, 0, 1, 1}},
		{".rms", 0, [6]float64{0.5, 1, 0.25, 0.25, 0.5, (1/math.Log2(3) + 3/math.Log2(5)) / (3 + 1/math.Log2(3))}},
		{".rms", 3, [6]float64{1.0 / 3, 0, 0, 1.0 / 3, 0.5, 1 / math.Log2(3)}},
		{"....", 0, [6]float64{}},
		{"rs", 5, [6]float64{1, 1, 0.5, 0, 1, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3))}},
	} {
		q, ok := newRankedQuery(c.letters).Top(c.k)
		for i, f := range RetrievalFigures {
			if got := q.Score(f); !ok || math.Abs(got.Value-c.want[i]) > 1e-12 || math.Abs(got.Low-got.Value) > 1e-12 ||
				math.Abs(got.High-got.Value) > 1e-12 {
				t.Errorf("%s at %d, %s: got %+v, want %v", c.letters, c.k, f, got, c.want[i])
			}
		}
	}
}

func TestTop_RanksMissing_False(t *testing.T) {
	t.Parallel()
	gap := JudgedQuery{[]JudgedChunk{{Rank: 1}, {Rank: 3}}}
	for _, q := range []JudgedQuery{gap, {[]JudgedChunk{{Rank: 1}, {Rank: 1}}}, {}} {
		if _, ok := q.Top(2); ok {
			t.Errorf("%+v has all ranks", q)
		}
	}
	if _, ok := gap.Top(1); !ok {
		t.Error("a gap beyond k counts")
	}
}

// tiedQuery returns a query whose chunks have random label shares of two annotators.
func tiedQuery(r *rand.Rand, n int) (q JudgedQuery) {
	draw := func(isPossible bool) Expected {
		if !isPossible {
			return Certain(0)
		}
		return []Expected{Certain(0), Certain(1), {0.5, 0, 1}}[r.IntN(3)]
	}
	for i := range n {
		c := JudgedChunk{Rank: i + 1, Relevant: draw(true), Misleading: draw(true)}
		c.Sufficient = draw(c.Relevant.High > 0)
		if c.Sufficient.Low > c.Relevant.Low {
			c.Sufficient = c.Relevant
		}
		q.Chunks = append(q.Chunks, c)
	}
	return q
}

// resolve returns the query with every tie resolved at random. A sufficient chunk is relevant.
func resolve(r *rand.Rand, q JudgedQuery) (resolved JudgedQuery) {
	for _, c := range q.Chunks {
		u := r.Float64()
		pick := func(e Expected) Expected { return certain(u < e.Value) }
		resolved.Chunks = append(resolved.Chunks, JudgedChunk{c.Rank, pick(c.Relevant), pick(c.Sufficient),
			certain(r.Float64() < c.Misleading.Value)})
	}
	return resolved
}

// TestScore_Ties_AreExpectations compares every figure with the mean of 4,000 random
// resolutions of the ties, and its bounds with their range.
func TestScore_Ties_AreExpectations(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for n := 1; n <= 6; n++ {
		q := tiedQuery(r, n)
		for _, f := range RetrievalFigures {
			want, lowest, highest := 0.0, 1.0, 0.0
			for range 4000 {
				v := resolve(r, q).Score(f).Value
				want, lowest, highest = want+v/4000, min(lowest, v), max(highest, v)
			}
			got := q.Score(f)
			if math.Abs(got.Value-want) > 0.04 || got.Low > lowest+1e-12 || got.High < highest-1e-12 {
				t.Errorf("%s of %d chunks is %+v, want %.3f in %.3f to %.3f", f, n, got, want, lowest, highest)
			}
		}
	}
}

// TestScore_NDCG_EqualsListOfResolutions compares NDCG with a list of all resolutions of up to
// seven chunks, some of them certain.
func TestScore_NDCG_EqualsListOfResolutions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for n := 1; n <= 7; n++ {
		for range 20 {
			q := tiedQuery(r, n)
			for i := range q.Chunks {
				if certain := r.IntN(6); certain < 3 {
					q.Chunks[i].Relevant, q.Chunks[i].Sufficient = Certain(float64(min(certain, 1))),
						Certain(float64(certain/2))
				}
			}
			want := Expected{Low: 1}
			listNDCG(q, nil, 1, true, &want)
			if got := q.Score(NDCG); math.Abs(got.Value-want.Value) > 1e-12 || math.Abs(got.Low-want.Low) > 1e-12 ||
				math.Abs(got.High-want.High) > 1e-12 {
				t.Fatalf("%+v: %+v, want %+v", q, got, want)
			}
		}
	}
}

// listNDCG adds the NDCG of all resolutions that start with these gains.
func listNDCG(q JudgedQuery, gains []float64, probability float64, isPossible bool, sum *Expected) {
	if len(gains) < len(q.Chunks) {
		chances, possible := q.Chunks[len(gains)].gainChances()
		for w, gain := range chunkGains {
			if chances[w] > 0 || possible[w] {
				listNDCG(q, append(slices.Clone(gains), gain), probability*chances[w], isPossible && possible[w], sum)
			}
		}
		return
	}
	discounted := func(gains []float64) (sum float64) {
		for i, g := range gains {
			sum += g / math.Log2(float64(i)+2)
		}
		return sum
	}
	v, best := 0.0, slices.Sorted(slices.Values(gains))
	slices.Reverse(best)
	if best[0] > 0 {
		v = discounted(gains) / discounted(best)
	}
	sum.Value += probability * v
	if isPossible {
		sum.Low, sum.High = min(sum.Low, v), max(sum.High, v)
	}
}

// A query of many tied chunks has exact bounds, too.
func TestScore_NDCG_ManyTies(t *testing.T) {
	t.Parallel()
	var q JudgedQuery
	for i := range 200 {
		q.Chunks = append(q.Chunks, JudgedChunk{Rank: i + 1, Relevant: Expected{0.5, 0, 1},
			Sufficient: Expected{0.3, 0, 1}})
	}
	if got := q.Score(NDCG); got.Low != 0 || math.Abs(got.High-1) > 1e-12 || got.Value < 0.7 || got.Value > 0.9 {
		t.Errorf("%+v", got)
	}
}

func TestEstimateShare_Denominators(t *testing.T) {
	t.Parallel()
	one, none := Certain(1), Certain(0)
	for _, c := range []struct {
		name  string
		units []UnitValue
		want  Expected
		count int
		ties  int
	}{
		{"certain", []UnitValue{{Expected: one, Base: one}, {Expected: none, Base: one}, {Expected: one, Base: one},
			{Expected: one, Base: one}}, Expected{0.75, 0.75, 0.75}, 4, 0},
		{"a tie", []UnitValue{{Expected: one, Base: one}, {Expected: Expected{0.5, 0, 1}, Base: one, HasTie: true}},
			Expected{0.75, 0.5, 1}, 2, 1},
		{"a unit that does not count", []UnitValue{{Expected: one, Base: one}, {Expected: none, Base: none}},
			Expected{1, 1, 1}, 1, 0},
		{"a unit that may count", []UnitValue{{Expected: one, Base: one},
			{Expected: none, Base: Expected{0.5, 1, 0}, HasTie: true}}, Expected{1 / 1.5, 0.5, 1}, 2, 1},
	} {
		m := EstimateShare(c.units)
		if math.Abs(m.Value-c.want.Value) > 1e-12 || math.Abs(m.Low-c.want.Low) > 1e-12 ||
			math.Abs(m.High-c.want.High) > 1e-12 || m.Count != c.count || m.Ties != c.ties || !m.Interval.Defined() {
			t.Errorf("%s: %+v, want %+v", c.name, m, c.want)
		}
	}
	if m := EstimateShare(nil); m.Undefined.Code != NothingToCount || m.Interval.Defined() {
		t.Errorf("no units: %+v", m)
	}
}

// TestEstimateShare_CoversTruth simulates shares in records of three answers that resemble
// each other.
func TestEstimateShare_CoversTruth(t *testing.T) {
	t.Parallel()
	const studies, records = 400, 40
	covered := 0
	for s := range studies {
		r := rand.New(rand.NewPCG(5, uint64(s)))
		var units []UnitValue
		for record := range records {
			p := 0.1
			if r.Float64() < 0.25 {
				p = 0.9
			}
			for range 3 {
				units = append(units, UnitValue{Expected: certain(r.Float64() < p), Base: Certain(1),
					Cluster: annotatorNames[record%10] + string(rune('0'+record/10))})
			}
		}
		if i := EstimateShare(units).Interval; i.Low <= 0.3 && 0.3 <= i.High {
			covered++
		}
	}
	t.Logf("%d of %d intervals contain the share", covered, studies)
	if covered < studies*92/100 || covered > studies*98/100 {
		t.Errorf("%d of %d intervals contain the share", covered, studies)
	}
}
