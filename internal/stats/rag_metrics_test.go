package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// newRankedQuery returns a query with one chunk for each letter, in rank order: s
// sufficient, r only relevant, m misleading, . none of these.
func newRankedQuery(letters string) JudgedQuery {
	var q JudgedQuery
	for i, c := range letters {
		q.Chunks = append(q.Chunks, JudgedChunk{Rank: i + 1, Relevant: c == 's' || c == 'r', Sufficient: c == 's', Misleading: c == 'm'})
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(q.Chunks), func(i, j int) { q.Chunks[i], q.Chunks[j] = q.Chunks[j], q.Chunks[i] })
	return q
}

func TestScoreTop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		letters string
		k       int
		want    RetrievalScores
	}{
		{"s...", 0, RetrievalScores{0.25, 1, 0.25, 0, 1, 1}},
		{".rms", 0, RetrievalScores{0.5, 1, 0.25, 0.25, 0.5, (1/math.Log2(3) + 3/math.Log2(5)) / (3 + 1/math.Log2(3))}},
		{".rms", 3, RetrievalScores{1.0 / 3, 0, 0, 1.0 / 3, 0.5, 1 / math.Log2(3)}},
		{"....", 0, RetrievalScores{}},
		{"rs", 5, RetrievalScores{1, 1, 0.5, 0, 1, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3))}},
	} {
		got, ok := newRankedQuery(c.letters).ScoreTop(c.k)
		for i, pair := range [][2]float64{
			{got.TopicalPrecision, c.want.TopicalPrecision}, {got.SufficiencyHit, c.want.SufficiencyHit}, {got.SufficiencyRate, c.want.SufficiencyRate},
			{got.MisleadingRate, c.want.MisleadingRate}, {got.ReciprocalRank, c.want.ReciprocalRank}, {got.NDCG, c.want.NDCG},
		} {
			if !ok || math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s at %d, figure %d: got %v, want %v", c.letters, c.k, i, pair[0], pair[1])
			}
		}
	}
}

func TestRetrievalMetrics_CountExcluded(t *testing.T) {
	t.Parallel()
	gap := JudgedQuery{[]JudgedChunk{{Rank: 1}, {Rank: 3}}}
	doubled := JudgedQuery{[]JudgedChunk{{Rank: 1}, {Rank: 1}}}
	queries := []JudgedQuery{newRankedQuery("s."), newRankedQuery("r."), gap, doubled, {}}
	for _, m := range RetrievalMetrics(queries, 2, IntervalOptions{Resamples: 50}) {
		if m.Count != 2 || m.Excluded != 3 || m.Undefined.Code != "" {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
	if m := RetrievalMetrics([]JudgedQuery{gap}, 1, IntervalOptions{})[0]; m.Count != 1 {
		t.Errorf("a gap beyond k counts: %+v", m)
	}
	for _, m := range RetrievalMetrics(nil, 5, IntervalOptions{}) {
		if m.Undefined.Code == "" || m.Interval.Defined() {
			t.Errorf("%s of no query is %+v", m.Name, m)
		}
	}
}

func TestRateMetrics_Denominators(t *testing.T) {
	t.Parallel()
	answers := []GroundingJudgment{
		{Supported: true, Cited: true}, {Unsupported: true, Contradicted: true, Cited: true, Fabricated: true}, {Supported: true, Unsupported: true}, {Supported: true},
	}
	want := map[string][2]float64{
		"grounding_presence_rate": {0.75, 4}, "unsupported_claim_rate": {0.5, 4}, "contradiction_rate": {0.25, 4},
		"citation_presence_rate": {0.5, 4}, "conditional_fabrication_rate": {0.5, 2},
	}
	for _, m := range GroundingMetrics(answers) {
		if w := want[m.Name]; m.Value != w[0] || float64(m.Count) != w[1] || !m.Interval.Defined() {
			t.Errorf("%s: %+v, want %v", m.Name, m, w)
		}
	}
	if m := GroundingMetrics([]GroundingJudgment{{Supported: true}})[4]; m.Undefined.Code != NothingToCount {
		t.Errorf("fabrication without citations: %+v", m)
	}
	for i, m := range GenerationMetrics([]GenerationJudgment{{ProperAction: true, OnTopic: true, Helpful: true}, {ProperAction: true, Incomplete: true, Unsafe: true}}) {
		if w := []float64{1, 0.5, 0.5, 0.5, 0.5}[i]; m.Value != w || m.Count != 2 {
			t.Errorf("%s: %+v, want %v", m.Name, m, w)
		}
	}
}
