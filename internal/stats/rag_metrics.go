package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Metric is one figure about a system, over queries or answers, with its interval.
type Metric struct {
	Name      string
	Value     float64
	Undefined Reason // why there is no value
	Interval  Interval
	Count     int // queries or answers counted
	Excluded  int // queries without labels for all chunks
}

// A JudgedChunk is the label of one retrieved chunk. Ranks start at 1.
type JudgedChunk struct {
	Rank                             int
	Relevant, Sufficient, Misleading bool
}

// A JudgedQuery is the labeled chunks of one query, in any order.
type JudgedQuery struct{ Chunks []JudgedChunk }

// RetrievalScores are the six figures of one query over its first k chunks, or all if
// there are fewer.
type RetrievalScores struct {
	TopicalPrecision float64 // share of on-topic chunks
	SufficiencyHit   float64 // 1 if any chunk is sufficient, else 0
	SufficiencyRate  float64 // share of sufficient chunks
	MisleadingRate   float64 // share of misleading chunks
	ReciprocalRank   float64 // 1 / rank of the first on-topic chunk; 0 without one
	NDCG             float64 // relative to the best order of the same chunks; 0 if no chunk has gain
}

// ScoreTop returns the figures of a query over its first k chunks, or all if k is 0. It
// returns false if a rank among them is missing or repeated, or there is no chunk.
func (q JudgedQuery) ScoreTop(k int) (RetrievalScores, bool) {
	chunks := slices.SortedFunc(slices.Values(q.Chunks), func(a, b JudgedChunk) int { return cmp.Compare(a.Rank, b.Rank) })
	if k > 0 && len(chunks) > k {
		chunks = chunks[:k]
	}
	var r RetrievalScores
	n := float64(len(chunks))
	for i, c := range chunks {
		if c.Rank != i+1 {
			return RetrievalScores{}, false
		}
		r.TopicalPrecision += boolToFloat(c.Relevant) / n
		r.SufficiencyRate += boolToFloat(c.Sufficient) / n
		r.MisleadingRate += boolToFloat(c.Misleading) / n
		r.SufficiencyHit = max(r.SufficiencyHit, boolToFloat(c.Sufficient))
		if c.Relevant && r.ReciprocalRank == 0 {
			r.ReciprocalRank = 1 / float64(c.Rank)
		}
	}
	r.NDCG = computeNDCG(chunks)
	return r, n > 0
}

func boolToFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

// gain returns 2^w − 1, with w = 2 for a sufficient chunk and 1 for one only on topic.
func (c JudgedChunk) gain() float64 {
	switch {
	case c.Sufficient:
		return 3
	case c.Relevant:
		return 1
	}
	return 0
}

// computeNDCG returns Σ gain / log2(rank + 1), divided by the same sum in the best order
// (Järvelin & Kekäläinen 2002, with the exponential gain of Burges et al. 2005).
func computeNDCG(ranked []JudgedChunk) float64 {
	gains := make([]float64, len(ranked))
	for i, c := range ranked {
		gains[i] = c.gain()
	}
	actual := discountedGain(gains)
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	best := discountedGain(gains)
	if best == 0 {
		return 0
	}
	return actual / best
}

func discountedGain(gains []float64) float64 {
	sum := 0.0
	for i, g := range gains {
		sum += g / math.Log2(float64(i+2))
	}
	return sum
}

// RetrievalMetrics averages the six figures over the complete queries, with intervals
// over queries.
func RetrievalMetrics(queries []JudgedQuery, k int, o IntervalOptions) []Metric {
	var complete []RetrievalScores
	for _, q := range queries {
		if r, ok := q.ScoreTop(k); ok {
			complete = append(complete, r)
		}
	}
	metrics := []Metric{
		newMeanMetric("topical_precision_at_k", complete, o, func(r RetrievalScores) float64 { return r.TopicalPrecision }),
		newRateMetric("sufficiency_hit_at_k", complete, func(r RetrievalScores) bool { return r.SufficiencyHit > 0 }),
		newMeanMetric("sufficiency_rate_at_k", complete, o, func(r RetrievalScores) float64 { return r.SufficiencyRate }),
		newMeanMetric("misleading_context_rate_at_k", complete, o, func(r RetrievalScores) float64 { return r.MisleadingRate }),
		newMeanMetric("mrr_at_k", complete, o, func(r RetrievalScores) float64 { return r.ReciprocalRank }),
		newMeanMetric("ndcg_at_k", complete, o, func(r RetrievalScores) float64 { return r.NDCG }),
	}
	for i := range metrics {
		metrics[i].Excluded = len(queries) - len(complete)
		metrics[i].Interval.UnitName = "queries"
	}
	return metrics
}

// newMeanMetric returns the mean of a figure over queries, with a bootstrap interval.
func newMeanMetric(name string, complete []RetrievalScores, o IntervalOptions, value func(RetrievalScores) float64) Metric {
	m := Metric{Name: name, Count: len(complete)}
	if m.Count == 0 {
		m.Undefined = Reason{Code: NoCompleteQuery}
		m.Interval.Undefined = m.Undefined
		return m
	}
	values := make([]float64, len(complete))
	for i, r := range complete {
		values[i] = value(r)
		m.Value += values[i] / float64(m.Count)
	}
	m.Interval = MeanInterval(values, nil, "queries", o)
	return m
}

// newRateMetric returns the share of elements that hold, with Wilson's interval.
func newRateMetric[T any](name string, all []T, holds func(T) bool) Metric {
	hits := 0
	for _, x := range all {
		if holds(x) {
			hits++
		}
	}
	s := NewProportion(hits, len(all))
	return Metric{Name: name, Value: s.Value(), Undefined: s.Interval.Undefined, Interval: s.Interval, Count: s.Total}
}

// A GroundingJudgment is the label of one answer against its context.
type GroundingJudgment struct {
	Supported, Unsupported, Contradicted, Cited, Fabricated bool
}

// GroundingMetrics returns the five rates; that of fabrication is among answers with a citation.
func GroundingMetrics(answers []GroundingJudgment) []Metric {
	var citing []GroundingJudgment
	for _, a := range answers {
		if a.Cited {
			citing = append(citing, a)
		}
	}
	return []Metric{
		newRateMetric("grounding_presence_rate", answers, func(a GroundingJudgment) bool { return a.Supported }),
		newRateMetric("unsupported_claim_rate", answers, func(a GroundingJudgment) bool { return a.Unsupported }),
		newRateMetric("contradiction_rate", answers, func(a GroundingJudgment) bool { return a.Contradicted }),
		newRateMetric("citation_presence_rate", answers, func(a GroundingJudgment) bool { return a.Cited }),
		newRateMetric("conditional_fabrication_rate", citing, func(a GroundingJudgment) bool { return a.Fabricated }),
	}
}

// A GenerationJudgment is the label of one answer to its query.
type GenerationJudgment struct {
	ProperAction, OnTopic, Helpful, Incomplete, Unsafe bool
}

// GenerationMetrics returns the five rates.
func GenerationMetrics(answers []GenerationJudgment) []Metric {
	return []Metric{
		newRateMetric("proper_action_rate", answers, func(a GenerationJudgment) bool { return a.ProperAction }),
		newRateMetric("on_topic_rate", answers, func(a GenerationJudgment) bool { return a.OnTopic }),
		newRateMetric("helpfulness_rate", answers, func(a GenerationJudgment) bool { return a.Helpful }),
		newRateMetric("incompleteness_rate", answers, func(a GenerationJudgment) bool { return a.Incomplete }),
		newRateMetric("unsafe_content_rate", answers, func(a GenerationJudgment) bool { return a.Unsafe }),
	}
}
