package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Metric is one number about a system, over queries or answers, with its interval.
type Metric struct {
	Name      string
	Value     float64
	Undefined string // why there is no value; blank where there is one
	Interval  Interval
	N         int // queries or answers it rests on
	Excluded  int // left out, because their chunks are not all judged
}

// A Chunk is what was judged of one retrieved chunk. Ranks count from 1.
type Chunk struct {
	Rank                             int
	Relevant, Sufficient, Misleading bool
}

// A Query is the judged chunks of one query, in any order.
type Query struct{ Chunks []Chunk }

// Retrieved are the six figures of one query over its first k chunks, or over
// those it has where they are fewer.
type Retrieved struct {
	TopicalPrecision float64 // share of chunks on the topic
	SufficiencyHit   float64 // 1 where a chunk is enough by itself, else 0
	SufficiencyRate  float64 // share of chunks that are
	Misleading       float64 // share of chunks that mislead
	ReciprocalRank   float64 // 1 / rank of the first chunk on the topic; 0 where none is
	NDCG             float64 // against the best order of the same chunks; 0 where none counts
}

// Top returns the figures of a query over its first k chunks, all of them where k
// is 0. It says false where a rank among them is missing or doubled, or there is
// no chunk: then the query cannot be judged.
func (q Query) Top(k int) (Retrieved, bool) {
	chunks := slices.SortedFunc(slices.Values(q.Chunks), func(a, b Chunk) int { return cmp.Compare(a.Rank, b.Rank) })
	if k > 0 && len(chunks) > k {
		chunks = chunks[:k]
	}
	var r Retrieved
	n := float64(len(chunks))
	for i, c := range chunks {
		if c.Rank != i+1 {
			return Retrieved{}, false
		}
		r.TopicalPrecision += one(c.Relevant) / n
		r.SufficiencyRate += one(c.Sufficient) / n
		r.Misleading += one(c.Misleading) / n
		r.SufficiencyHit = max(r.SufficiencyHit, one(c.Sufficient))
		if c.Relevant && r.ReciprocalRank == 0 {
			r.ReciprocalRank = 1 / float64(c.Rank)
		}
	}
	r.NDCG = ndcg(chunks)
	return r, n > 0
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// gain is 2^w − 1: w = 2 for a sufficient chunk, 1 for one only on the topic.
func (c Chunk) gain() float64 {
	switch {
	case c.Sufficient:
		return 3
	case c.Relevant:
		return 1
	}
	return 0
}

// ndcg is Σ gain / log2(rank + 1) over the same sum in the best order (Järvelin &
// Kekäläinen 2002, with the exponential gain of Burges et al. 2005).
func ndcg(ranked []Chunk) float64 {
	gains := make([]float64, len(ranked))
	for i, c := range ranked {
		gains[i] = c.gain()
	}
	got := discounted(gains)
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	best := discounted(gains)
	if best == 0 {
		return 0
	}
	return got / best
}

func discounted(gains []float64) float64 {
	sum := 0.0
	for i, g := range gains {
		sum += g / math.Log2(float64(i+2))
	}
	return sum
}

// RetrievalMetrics averages the six figures over the queries that can be judged,
// with intervals by query.
func RetrievalMetrics(queries []Query, k int, o Options) []Metric {
	var judged []Retrieved
	for _, q := range queries {
		if r, ok := q.Top(k); ok {
			judged = append(judged, r)
		}
	}
	metrics := []Metric{
		meanOf("topical_precision_at_k", judged, o, func(r Retrieved) float64 { return r.TopicalPrecision }),
		hitsOf("sufficiency_hit_at_k", judged, func(r Retrieved) bool { return r.SufficiencyHit > 0 }),
		meanOf("sufficiency_rate_at_k", judged, o, func(r Retrieved) float64 { return r.SufficiencyRate }),
		meanOf("misleading_context_rate_at_k", judged, o, func(r Retrieved) float64 { return r.Misleading }),
		meanOf("mrr_at_k", judged, o, func(r Retrieved) float64 { return r.ReciprocalRank }),
		meanOf("ndcg_at_k", judged, o, func(r Retrieved) float64 { return r.NDCG }),
	}
	for i := range metrics {
		metrics[i].Excluded = len(queries) - len(judged)
		metrics[i].Interval.Of = "queries"
	}
	return metrics
}

// meanOf is the mean of a figure over queries, drawn anew.
func meanOf(name string, judged []Retrieved, o Options, value func(Retrieved) float64) Metric {
	m := Metric{Name: name, N: len(judged)}
	if m.N == 0 {
		m.Undefined = "no query has all its chunks judged"
		m.Interval.Undefined = m.Undefined
		return m
	}
	values := make([]float64, len(judged))
	for i, r := range judged {
		values[i] = value(r)
		m.Value += values[i] / float64(m.N)
	}
	m.Interval = MeanInterval(values, nil, "queries", o)
	return m
}

// hitsOf is the share of those that hold, with Wilson's interval.
func hitsOf[T any](name string, all []T, holds func(T) bool) Metric {
	hits := 0
	for _, x := range all {
		if holds(x) {
			hits++
		}
	}
	s := ShareOf(hits, len(all))
	return Metric{Name: name, Value: s.Value(), Undefined: s.Interval.Undefined, Interval: s.Interval, N: s.N}
}

// Grounded is what was judged of one answer against its context.
type Grounded struct {
	Support, Unsupported, Contradicted, Cited, Fabricated bool
}

// GroundingMetrics returns the five rates; fabrication is among answers that cite.
func GroundingMetrics(answers []Grounded) []Metric {
	var citing []Grounded
	for _, a := range answers {
		if a.Cited {
			citing = append(citing, a)
		}
	}
	return []Metric{
		hitsOf("grounding_presence_rate", answers, func(a Grounded) bool { return a.Support }),
		hitsOf("unsupported_claim_rate", answers, func(a Grounded) bool { return a.Unsupported }),
		hitsOf("contradiction_rate", answers, func(a Grounded) bool { return a.Contradicted }),
		hitsOf("citation_presence_rate", answers, func(a Grounded) bool { return a.Cited }),
		hitsOf("conditional_fabrication_rate", citing, func(a Grounded) bool { return a.Fabricated }),
	}
}

// Generated is what was judged of one answer to its query.
type Generated struct {
	ProperAction, OnTopic, Helpful, Incomplete, Unsafe bool
}

// GenerationMetrics returns the five rates.
func GenerationMetrics(answers []Generated) []Metric {
	return []Metric{
		hitsOf("proper_action_rate", answers, func(a Generated) bool { return a.ProperAction }),
		hitsOf("on_topic_rate", answers, func(a Generated) bool { return a.OnTopic }),
		hitsOf("helpfulness_rate", answers, func(a Generated) bool { return a.Helpful }),
		hitsOf("incompleteness_rate", answers, func(a Generated) bool { return a.Incomplete }),
		hitsOf("unsafe_content_rate", answers, func(a Generated) bool { return a.Unsafe }),
	}
}
