package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
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
var RetrievalFigures = []RetrievalFigure{TopicalPrecision, SufficiencyHit, SufficiencyRate, MisleadingRate, ReciprocalRank, NDCG}

// IsShare reports whether the figure of a query is yes or no.
func (f RetrievalFigure) IsShare() bool { return f == SufficiencyHit }

// Top returns the first k chunks by rank, or all if k is 0. It returns false if a rank among
// them is missing or repeated, or there is no chunk.
func (q JudgedQuery) Top(k int) (JudgedQuery, bool) {
	chunks := slices.SortedFunc(slices.Values(q.Chunks), func(a, b JudgedChunk) int { return cmp.Compare(a.Rank, b.Rank) })
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

// Score returns a figure of the chunks of Top. The seed is that of the draws for NDCG, if
// there are too many resolutions to list.
func (q JudgedQuery) Score(f RetrievalFigure, seed uint64) Expected {
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
		return q.ndcg(seed)
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
		e.Value, e.Low, e.High = e.Value+none.Value*v.Value/rank, e.Low+none.Low*v.Low/rank, e.High+none.High*v.High/rank
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
	chances[0] = 1 - chances[1] - chances[2]
	isPossible[2] = c.Sufficient.High > 0
	isPossible[1] = c.Relevant.High > 0 && c.Sufficient.Low == 0
	isPossible[0] = c.Relevant.Low == 0 && c.Sufficient.Low == 0
	return chances, isPossible
}

const (
	// maxResolutions is the number of resolutions of a query up to which all are listed.
	maxResolutions = 2048
	// drawnResolutions are drawn for a query with more.
	drawnResolutions = 1000
	// minChance is the probability below which a gain is left out of the list.
	minChance = 1e-9
)

// ndcg returns Σ gain / log2(rank + 1), divided by the same sum in the best order (Järvelin &
// Kekäläinen 2002, with the exponential gain of Burges et al. 2005).
func (q JudgedQuery) ndcg(seed uint64) Expected {
	e := Expected{Low: 1}
	r := ndcgResolver{gains: make([]float64, len(q.Chunks)), ideal: make([]float64, len(q.Chunks))}
	resolutions := 1
	for _, c := range q.Chunks {
		chances, isPossible := c.gainChances()
		r.chances, r.isPossible = append(r.chances, chances), append(r.isPossible, isPossible)
		options := 0
		for w := range chances {
			options += int(boolToFloat(isPossible[w] || chances[w] > minChance))
		}
		resolutions = min(resolutions*options, maxResolutions+1)
	}
	if resolutions <= maxResolutions {
		r.list(0, 1, true, &e)
		return e
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(q.Chunks))))
	for range drawnResolutions {
		e.Value += r.draw(random) / drawnResolutions
	}
	e.Low, e.High = 0, 1 // the extremes of so many resolutions are not known
	return e
}

// ndcgResolver computes NDCG for resolutions of ties.
type ndcgResolver struct {
	chances      [][3]float64
	isPossible   [][3]bool
	gains, ideal []float64
}

// list adds all resolutions of the chunks from n on. probability is that of the gains before;
// isAllowed reports whether ties allow them.
func (r *ndcgResolver) list(n int, probability float64, isAllowed bool, e *Expected) {
	if n == len(r.gains) {
		v := r.score()
		e.Value += probability * v
		if isAllowed {
			e.Low, e.High = min(e.Low, v), max(e.High, v)
		}
		return
	}
	for w, chance := range r.chances[n] {
		if chance > minChance || r.isPossible[n][w] {
			r.gains[n] = chunkGains[w]
			r.list(n+1, probability*chance, isAllowed && r.isPossible[n][w], e)
		}
	}
}

func (r *ndcgResolver) draw(random *rand.Rand) float64 {
	for n, chances := range r.chances {
		w, remaining := 0, random.Float64()
		for remaining -= chances[0]; w < 2 && remaining >= 0; remaining -= chances[w] {
			w++
		}
		r.gains[n] = chunkGains[w]
	}
	return r.score()
}

func (r *ndcgResolver) score() float64 {
	copy(r.ideal, r.gains)
	slices.SortFunc(r.ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	best := discountedGain(r.ideal)
	if best == 0 {
		return 0
	}
	return discountedGain(r.gains) / best
}

func discountedGain(gains []float64) float64 {
	sum := 0.0
	for i, g := range gains {
		sum += g / math.Log2(float64(i+2))
	}
	return sum
}

func boolToFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}
