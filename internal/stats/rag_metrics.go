package stats

import (
	"cmp"
	"math"
	"slices"
)

// A JudgedChunk is the label of one retrieved chunk: the probability of each yes, and whether
// the resolution of ties allows no (Low 0) and yes (High 1). Ranks start at 1.
type JudgedChunk struct {
	Rank                             int
	Relevant, Sufficient, Misleading Expected
}

// A JudgedQuery is the labeled chunks of one query, in any order.
type JudgedQuery struct{ Chunks []JudgedChunk }

// A RetrievalFigure is one of the figures of a query over its first chunks.
type RetrievalFigure string

// The figures. A query without an on-topic chunk has reciprocal rank 0, one without gain has
// NDCG 0.
const (
	TopicalPrecision RetrievalFigure = "topical_precision_at_k"       // share of on-topic chunks
	SufficiencyHit   RetrievalFigure = "sufficiency_hit_at_k"         // any chunk is sufficient
	SufficiencyRate  RetrievalFigure = "sufficiency_rate_at_k"        // share of sufficient chunks
	MisleadingRate   RetrievalFigure = "misleading_context_rate_at_k" // share of misleading chunks
	ReciprocalRank   RetrievalFigure = "mrr_at_k"                     // 1 / rank of the first on-topic chunk
	NDCG             RetrievalFigure = "ndcg_at_k"                    // relative to the best order of the same chunks
)

// RetrievalFigures are the figures in the order of reports.
var RetrievalFigures = []RetrievalFigure{TopicalPrecision, SufficiencyHit, SufficiencyRate, MisleadingRate,
	ReciprocalRank, NDCG}

// IsShare reports whether the figure of a query is yes or no.
func (f RetrievalFigure) IsShare() bool { return f == SufficiencyHit }

// Top returns the first k chunks by rank, or all if k is 0. It returns false if a rank among
// them is missing or repeated, or there is no chunk.
func (q JudgedQuery) Top(k int) (JudgedQuery, bool) {
	chunks := slices.SortedFunc(slices.Values(q.Chunks),
		func(a, b JudgedChunk) int { return cmp.Compare(a.Rank, b.Rank) })
	if k > 0 && len(chunks) > k {
		chunks = chunks[:k]
	}
	for i, c := range chunks {
		if c.Rank != i+1 {
			return JudgedQuery{}, false
		}
	}
	return JudgedQuery{chunks}, len(chunks) > 0
}

// Score returns a figure of the chunks of Top.
func (q JudgedQuery) Score(f RetrievalFigure) Expected {
	switch f {
	case SufficiencyHit:
		return q.anyOf(func(c JudgedChunk) Expected { return c.Sufficient })
	case SufficiencyRate:
		return q.meanOf(func(c JudgedChunk) Expected { return c.Sufficient })
	case MisleadingRate:
		return q.meanOf(func(c JudgedChunk) Expected { return c.Misleading })
	case ReciprocalRank:
		return q.reciprocalRank()
	case NDCG:
		return q.ndcg()
	}
	return q.meanOf(func(c JudgedChunk) Expected { return c.Relevant })
}

func (q JudgedQuery) meanOf(label func(JudgedChunk) Expected) (e Expected) {
	n := float64(len(q.Chunks))
	for _, c := range q.Chunks {
		v := label(c)
		e.Value, e.Low, e.High = e.Value+v.Value/n, e.Low+v.Low/n, e.High+v.High/n
	}
	return e
}

func (q JudgedQuery) anyOf(label func(JudgedChunk) Expected) (e Expected) {
	none := Certain(1)
	for _, c := range q.Chunks {
		v := label(c)
		none.Value, none.Low, none.High = none.Value*(1-v.Value), none.Low*(1-v.Low), none.High*(1-v.High)
	}
	return Expected{1 - none.Value, 1 - none.Low, 1 - none.High}
}

func (q JudgedQuery) reciprocalRank() (e Expected) {
	none := Certain(1) // no earlier chunk is on topic
	for _, c := range q.Chunks {
		rank, v := float64(c.Rank), c.Relevant
		e.Value, e.Low, e.High = e.Value+none.Value*v.Value/rank, e.Low+none.Low*v.Low/rank,
			e.High+none.High*v.High/rank
		none.Value, none.Low, none.High = none.Value*(1-v.Value), none.Low*(1-v.Low), none.High*(1-v.High)
	}
	return e
}

// chunkGains are the gains 2^w − 1 by w: 2 for a sufficient chunk, 1 for one only on topic.
var chunkGains = [3]float64{0, 1, 3}

// gainChances returns the probability of each gain, and which gains ties allow. A sufficient
// chunk is on topic.
func (c JudgedChunk) gainChances() (chances [3]float64, isPossible [3]bool) {
	chances[2] = c.Sufficient.Value
	chances[1] = max(0, c.Relevant.Value-c.Sufficient.Value)
	chances[0] = max(0, 1-chances[1]-chances[2])
	isPossible[2] = c.Sufficient.High > 0
	isPossible[1] = c.Relevant.High > 0 && c.Sufficient.Low == 0
	isPossible[0] = c.Relevant.Low == 0 && c.Sufficient.Low == 0
	return chances, isPossible
}

// ndcg returns Σ gain / log2(rank + 1), divided by the same sum in the best order (Järvelin &
// Kekäläinen 2002, with the exponential gain of Burges et al. 2005). The best order depends only on
// how many chunks have each gain, so sums by these numbers replace a list of all resolutions.
func (q JudgedQuery) ndcg() Expected {
	sums := newGainSums(len(q.Chunks))
	for i, c := range q.Chunks {
		sums.add(i, c)
	}
	return sums.ndcg()
}

// gainSums are sums over the resolutions of the chunks so far, by the numbers of sufficient chunks
// and of those that are only on topic.
type gainSums struct {
	discounts [][3]float64 // rank − 1 → gain / log2(rank + 1), by w
	rows      [][]gainSum  // sufficient → only on topic
}

// gainSum is the sum over the resolutions with the same numbers of gains.
type gainSum struct {
	probability float64
	gain        float64 // discounted, times the probability
	isPossible  bool    // ties allow one
	low, high   float64 // discounted gain of those that ties allow
}

func newGainSums(chunks int) gainSums {
	s := gainSums{discounts: make([][3]float64, chunks), rows: make([][]gainSum, chunks+1)}
	for i := range s.discounts {
		for w, gain := range chunkGains {
			s.discounts[i][w] = gain / math.Log2(float64(i+2))
		}
	}
	all := make([]gainSum, (chunks+1)*(chunks+2)/2)
	for i := range s.rows {
		s.rows[i], all = all[:chunks+1-i], all[chunks+1-i:]
	}
	s.rows[0][0] = gainSum{probability: 1, isPossible: true}
	return s
}

// add adds the next chunk.
func (s gainSums) add(chunk int, c JudgedChunk) {
	chances, isPossible := c.gainChances()
	for sufficient := chunk + 1; sufficient >= 0; sufficient-- {
		for relevant := chunk + 1 - sufficient; relevant >= 0; relevant-- {
			before := [3]*gainSum{0: &s.rows[sufficient][relevant]}
			if relevant > 0 {
				before[1] = &s.rows[sufficient][relevant-1]
			}
			if sufficient > 0 {
				before[2] = &s.rows[sufficient-1][relevant]
			}
			sum := gainSum{}
			for w, b := range before {
				if b != nil {
					sum.extend(*b, chances[w], isPossible[w], s.discounts[chunk][w])
				}
			}
			s.rows[sufficient][relevant] = sum
		}
	}
}

// extend adds the resolutions before a chunk, with its gain.
func (s *gainSum) extend(before gainSum, chance float64, isPossible bool, gain float64) {
	s.probability += before.probability * chance
	s.gain += (before.gain + before.probability*gain) * chance
	if !isPossible || !before.isPossible {
		return
	}
	low, high := before.low+gain, before.high+gain
	if s.isPossible {
		low, high = min(low, s.low), max(high, s.high)
	}
	s.isPossible, s.low, s.high = true, low, high
}

// ndcg divides the sums by the gain of the best order.
func (s gainSums) ndcg() Expected {
	e, ofSufficient := Expected{Low: 1}, 0.0
	for sufficient, row := range s.rows {
		if sufficient > 0 {
			ofSufficient += s.discounts[sufficient-1][2]
		}
		best := ofSufficient
		for relevant, sum := range row {
			if relevant > 0 {
				best += s.discounts[sufficient+relevant-1][1]
			}
			e.add(sum, best)
		}
	}
	return e
}

// add adds resolutions with the same best gain; without any gain, NDCG is 0.
func (e *Expected) add(sum gainSum, best float64) {
	if best == 0 {
		best = math.Inf(1)
	}
	e.Value += sum.gain / best
	if sum.isPossible {
		e.Low, e.High = min(e.Low, sum.low/best), max(e.High, sum.high/best)
	}
}

func boolToFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}
