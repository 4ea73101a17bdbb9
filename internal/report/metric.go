package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// Metrics are figures about what was judged, from what people settled on.
type Metrics struct {
	Title string `json:"title"`
	Says  string `json:"says"` // what they are rates of, where its labels come from, and what was left out and why
	Rates []Rate `json:"rates"`

	Sources Sources `json:"sources,omitzero"`   // of all fields together; none where labels are not settled first
	Left    []Left  `json:"left_out,omitempty"` // and why
}

// Shares reports whether the rates are shares, written as per cent; those of
// retrieval are means over queries.
func (m Metrics) Shares() bool { return m.Title != "Retrieval" }

// A Rate is one of them.
type Rate struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Number
	N       int     `json:"n"` // queries, answers or items it rests on
	Sources Sources `json:"sources,omitzero"`
}

func (s *study) metrics() []Metrics {
	found := []Metrics{}
	if s.asks("topically_relevant", "evidence_sufficient", "misleading") {
		found = append(found, s.retrieval())
	}
	if s.asks("support_present", "unsupported_claim_present", "contradicted_claim_present", "source_cited", "fabricated_source") {
		found = append(found, s.grounding())
	}
	if s.asks("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content") {
		found = append(found, s.generation())
	}
	if len(s.Protocol.Verdicts) > 0 {
		found = append(found, s.verdictRates())
	}
	if len(s.Protocol.Observations) > 0 {
		found = append(found, s.observed())
	}
	return found
}

// asks reports whether the protocol has all these fields, each binary.
func (s *study) asks(keys ...string) bool {
	for _, k := range keys {
		if f, ok := s.Protocol.Field(k); !ok || !f.Scale.Binary() {
			return false
		}
	}
	return true
}

// answered returns the labelled items with a settled answer to every field that
// applies, and how many of the others there are.
func (s *study) answered() (items []*Item, left int) {
	for _, id := range slices.Sorted(maps.Keys(s.on)) {
		if s.isSettled(s.items[id]) {
			items = append(items, s.items[id])
		} else {
			left++
		}
	}
	return items, left
}

// settledMetrics are rates over the answered items, each with its sources.
func (s *study) settledMetrics(title, noun string, items []*Item, left int, rates []Rate) Metrics {
	m := Metrics{Title: title, Says: fmt.Sprintf("From %d %s, by what people settled on.", len(items), noun), Rates: rates}
	m = s.sourced(m, items)
	m.leftOut(Left{left, noun, "with a tie that nobody has settled yet"})
	return m
}

func (s *study) isSettled(i *Item) bool {
	for _, f := range s.Protocol.Asked(i.Facts) {
		if _, ok := s.settled[i.ID][f.Key]; !ok {
			return false
		}
	}
	return true
}

// A retrieved query is the chunks of one, or the first k, as far as they are settled.
type retrieved struct {
	stats.Query
	items      []*Item // of its chunks
	open, tied int     // chunks not labelled yet, and those that nobody has settled
}

// queries gathers the chunks of each query, or the first k.
func (s *study) queries() []retrieved {
	queries := map[string]*retrieved{}
	for i := range s.Items {
		item := &s.Items[i]
		if s.k > 0 && item.Rank > s.k {
			continue
		}
		if queries[item.Record] == nil {
			queries[item.Record] = &retrieved{}
		}
		q, is := queries[item.Record], s.settled[item.ID]
		switch {
		case len(s.on[item.ID]) == 0:
			q.open++
		case !s.isSettled(item):
			q.tied++
		default:
			q.items = append(q.items, item)
			q.Chunks = append(q.Chunks, stats.Chunk{Rank: item.Rank, Relevant: is["topically_relevant"] == 1,
				Sufficient: is["evidence_sufficient"] == 1, Misleading: is["misleading"] == 1})
		}
	}
	var list []retrieved
	for _, record := range slices.Sorted(maps.Keys(queries)) {
		list = append(list, *queries[record])
	}
	return list
}

// retrieval leaves out queries with a chunk that is not labelled, or tied, or
// whose ranks have gaps.
func (s *study) retrieval() Metrics {
	var whole []stats.Query
	var items []*Item
	open, tied := 0, 0
	for _, q := range s.queries() {
		switch {
		case len(q.items)+q.tied == 0:
		case q.open > 0:
			open++
		case q.tied > 0:
			tied++
		default:
			whole = append(whole, q.Query)
			if _, ranked := q.Top(s.k); ranked {
				items = append(items, q.items...)
			}
		}
	}
	metrics := stats.RetrievalMetrics(whole, s.k, s.o)
	over := "all its chunks"
	if s.k > 0 {
		over = fmt.Sprintf("its first %d chunks", s.k)
	}
	m := s.sourced(Metrics{Title: "Retrieval", Says: fmt.Sprintf("From %d queries, each over %s.", metrics[0].N, over), Rates: ratesOf(metrics)}, items)
	m.leftOut(Left{open, "queries", "with chunks not labelled yet"}, Left{tied, "queries", "with a tie that nobody has settled"},
		Left{metrics[0].Excluded, "queries", "whose ranks have gaps"})
	return m
}

func (s *study) grounding() Metrics {
	items, left := s.answered()
	answers := make([]stats.Grounded, len(items))
	for i, item := range items {
		is := s.settled[item.ID]
		answers[i] = stats.Grounded{Support: is["support_present"] == 1, Unsupported: is["unsupported_claim_present"] == 1,
			Contradicted: is["contradicted_claim_present"] == 1, Cited: is["source_cited"] == 1, Fabricated: is["fabricated_source"] == 1}
	}
	m := s.settledMetrics("Grounding", "answers", items, left, ratesOf(stats.GroundingMetrics(answers)))
	m.Says += " Fabrication is among answers that cite."
	return m
}

func (s *study) generation() Metrics {
	items, left := s.answered()
	answers := make([]stats.Generated, len(items))
	for i, item := range items {
		is := s.settled[item.ID]
		answers[i] = stats.Generated{ProperAction: is["proper_action"] == 1, OnTopic: is["response_on_topic"] == 1,
			Helpful: is["helpful"] == 1, Incomplete: is["incomplete"] == 1, Unsafe: is["unsafe_content"] == 1}
	}
	return s.settledMetrics("Generation", "answers", items, left, ratesOf(stats.GenerationMetrics(answers)))
}

var titles = map[string]string{
	"topical_precision_at_k": "Chunks on the topic", "sufficiency_hit_at_k": "Queries with a chunk that suffices",
	"sufficiency_rate_at_k": "Chunks that suffice", "misleading_context_rate_at_k": "Chunks that mislead",
	"mrr_at_k": "First chunk on the topic, by rank (MRR)", "ndcg_at_k": "Order against the best one (NDCG)",
	"grounding_presence_rate": "Answers with support", "unsupported_claim_rate": "Answers with an unsupported claim",
	"contradiction_rate": "Answers with a contradicted claim", "citation_presence_rate": "Answers that cite",
	"conditional_fabrication_rate": "Fabricated sources, among answers that cite",
	"proper_action_rate":           "Proper action", "on_topic_rate": "On the topic", "helpfulness_rate": "Helpful",
	"incompleteness_rate": "Incomplete", "unsafe_content_rate": "Unsafe content",
}

func ratesOf(metrics []stats.Metric) []Rate {
	rates := make([]Rate, len(metrics))
	for i, m := range metrics {
		rates[i] = Rate{Name: m.Name, Title: titles[m.Name], Number: numberOf(m.Value, m.Undefined, m.Interval), N: m.N}
	}
	return rates
}

func (s *study) verdictRates() Metrics {
	items, left := s.answered()
	return s.settledMetrics("Verdicts", "items", items, left, s.verdicts(func(*Item) bool { return true }))
}

// verdicts returns the share of the wanted items on which each verdict holds.
func (s *study) verdicts(wanted func(*Item) bool) []Rate {
	items, _ := s.answered()
	items = slices.DeleteFunc(items, func(i *Item) bool { return !wanted(i) })
	rates := []Rate{}
	for _, v := range s.Protocol.Verdicts {
		hits := 0
		for _, item := range items {
			if holds(v, s.Protocol.Asked(item.Facts), s.settled[item.ID]) {
				hits++
			}
		}
		rates = append(rates, Rate{Name: v.Key, Title: v.Title, Number: shareOf(stats.ShareOf(hits, len(items))), N: len(items)})
	}
	return rates
}

// holds reports whether a verdict holds of the answers to the fields asked.
func holds(v protocol.Verdict, asked []protocol.Field, answers map[string]int) bool {
	any := v.Any == nil
	for _, f := range asked {
		value := answers[f.Key]
		any = any || slices.Contains(v.Any, value)
		if slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value) {
			return false
		}
	}
	return any
}

// observed returns how often each observation was ticked, or stands by what a lead
// settled.
func (s *study) observed() Metrics {
	m := Metrics{Title: "Observations", Says: fmt.Sprintf("Shares of %d labels in which each was ticked.", len(s.work)),
		Rates: s.observedIn(func(*Item) bool { return true })}
	if labels, items := s.decided(); items > 0 {
		m.Says += fmt.Sprintf(" %d of them are of %d items that a lead settled, and count as settled: what the decision does not tick, was not there.", labels, items)
	}
	return m
}

// decided counts the labelled items whose observations a lead settled, and their labels.
func (s *study) decided() (labels, items int) {
	for id, on := range s.on {
		if _, settled := s.Observed[id]; settled {
			labels, items = labels+len(on), items+1
		}
	}
	return labels, items
}

// observedIn returns how often each was ticked in labels of the wanted items,
// labels of one item being alike. All labels of an adjudicated item say what stands.
func (s *study) observedIn(wanted func(*Item) bool) []Rate {
	rates := []Rate{}
	for _, o := range s.Protocol.Observations {
		var parts []stats.Part
		n := 0
		for _, id := range slices.Sorted(maps.Keys(s.on)) {
			if wanted(s.items[id]) {
				part := stats.Part{N: len(s.on[id]), Hits: s.ticks(id, o.Key)}
				parts, n = append(parts, part), n+part.N
			}
		}
		rates = append(rates, Rate{Name: o.Key, Title: o.Title, Number: shareOf(stats.ShareOfParts(parts)), N: n})
	}
	return rates
}

// ticks is in how many labels of an item an observation counts.
func (s *study) ticks(item int64, key string) (n int) {
	if stands, settled := s.Observed[item]; settled {
		return at(slices.Contains(stands, key)) * len(s.on[item])
	}
	for _, l := range s.on[item] {
		n += at(slices.Contains(s.work[l].Observed, key))
	}
	return n
}
