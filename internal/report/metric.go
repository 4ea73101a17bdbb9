package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// MetricGroup are figures about what was judged, from what people settled on.
type MetricGroup struct {
	Title   string `json:"title"`
	Message string `json:"says"` // what they are rates of, where its labels come from, and what was left out and why
	Rates   []Rate `json:"rates"`

	Sources  LabelSources `json:"sources,omitzero"`   // of all fields together; none where labels are not settled first
	Excluded []Exclusion  `json:"left_out,omitempty"` // and why
}

// HasShares reports whether the rates are shares, written as per cent; those of
// retrieval are means over queries.
func (m MetricGroup) HasShares() bool { return m.Title != "Retrieval" }

// A Rate is one of them.
type Rate struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Number
	SampleSize int          `json:"n"` // queries, answers or items it rests on
	Sources    LabelSources `json:"sources,omitzero"`
}

func (s *study) computeMetrics() []MetricGroup {
	found := []MetricGroup{}
	if s.hasBinaryFields("topically_relevant", "evidence_sufficient", "misleading") {
		found = append(found, s.measureRetrieval())
	}
	if s.hasBinaryFields("support_present", "unsupported_claim_present", "contradicted_claim_present", "source_cited", "fabricated_source") {
		found = append(found, s.measureGrounding())
	}
	if s.hasBinaryFields("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content") {
		found = append(found, s.measureGeneration())
	}
	if len(s.Protocol.Verdicts) > 0 {
		found = append(found, s.measureVerdicts())
	}
	if len(s.Protocol.Observations) > 0 {
		found = append(found, s.measureObservations())
	}
	return found
}

// hasBinaryFields reports whether the protocol has all these fields, each binary.
func (s *study) hasBinaryFields(keys ...string) bool {
	for _, k := range keys {
		if f, ok := s.Protocol.Field(k); !ok || !f.Scale.IsBinary() {
			return false
		}
	}
	return true
}

// findResolvedItems returns the labelled items with a settled answer to every field that
// applies, and how many of the others there are.
func (s *study) findResolvedItems() (items []*ItemData, unresolved int) {
	for _, id := range slices.Sorted(maps.Keys(s.labelsByItem)) {
		if s.isResolved(s.itemsByID[id]) {
			items = append(items, s.itemsByID[id])
		} else {
			unresolved++
		}
	}
	return items, unresolved
}

// newMetricGroup are rates over the answered items, each with its sources.
func (s *study) newMetricGroup(title, noun string, items []*ItemData, unresolved int, rates []Rate) MetricGroup {
	m := MetricGroup{Title: title, Message: fmt.Sprintf("From %d %s, by what people settled on.", len(items), noun), Rates: rates}
	m = s.addSources(m, items)
	m.addExclusions(Exclusion{unresolved, noun, "with a tie that nobody has settled yet"})
	return m
}

func (s *study) isResolved(i *ItemData) bool {
	for _, f := range s.Protocol.ApplicableFields(i.Facts) {
		if _, ok := s.consensusValues[i.ID][f.Key]; !ok {
			return false
		}
	}
	return true
}

// A queryChunks query is the chunks of one, or the first k, as far as they are settled.
type queryChunks struct {
	stats.JudgedQuery
	items           []*ItemData // of its chunks
	unlabeled, tied int         // chunks not labelled yet, and those that nobody has settled
}

// groupChunksByQuery gathers the chunks of each query, or the first k.
func (s *study) groupChunksByQuery() []queryChunks {
	queries := map[string]*queryChunks{}
	for i := range s.Items {
		item := &s.Items[i]
		if s.topK > 0 && item.Rank > s.topK {
			continue
		}
		if queries[item.RecordID] == nil {
			queries[item.RecordID] = &queryChunks{}
		}
		q, values := queries[item.RecordID], s.consensusValues[item.ID]
		switch {
		case len(s.labelsByItem[item.ID]) == 0:
			q.unlabeled++
		case !s.isResolved(item):
			q.tied++
		default:
			q.items = append(q.items, item)
			q.Chunks = append(q.Chunks, stats.JudgedChunk{Rank: item.Rank, Relevant: values["topically_relevant"] == 1,
				Sufficient: values["evidence_sufficient"] == 1, Misleading: values["misleading"] == 1})
		}
	}
	var list []queryChunks
	for _, record := range slices.Sorted(maps.Keys(queries)) {
		list = append(list, *queries[record])
	}
	return list
}

// measureRetrieval leaves out queries with a chunk that is not labelled, or tied, or
// whose ranks have gaps.
func (s *study) measureRetrieval() MetricGroup {
	var complete []stats.JudgedQuery
	var items []*ItemData
	unlabeled, tied := 0, 0
	for _, q := range s.groupChunksByQuery() {
		switch {
		case len(q.items)+q.tied == 0:
		case q.unlabeled > 0:
			unlabeled++
		case q.tied > 0:
			tied++
		default:
			complete = append(complete, q.JudgedQuery)
			if _, hasAllRanks := q.ScoreTop(s.topK); hasAllRanks {
				items = append(items, q.items...)
			}
		}
	}
	metrics := stats.RetrievalMetrics(complete, s.topK, s.options)
	scope := "all its chunks"
	if s.topK > 0 {
		scope = fmt.Sprintf("its first %d chunks", s.topK)
	}
	m := s.addSources(MetricGroup{Title: "Retrieval", Message: fmt.Sprintf("From %d queries, each over %s.", metrics[0].Count, scope), Rates: ratesFromMetrics(metrics)}, items)
	m.addExclusions(Exclusion{unlabeled, "queries", "with chunks not labelled yet"}, Exclusion{tied, "queries", "with a tie that nobody has settled"},
		Exclusion{metrics[0].Excluded, "queries", "whose ranks have gaps"})
	return m
}

func (s *study) measureGrounding() MetricGroup {
	items, unresolved := s.findResolvedItems()
	answers := make([]stats.GroundingJudgment, len(items))
	for i, item := range items {
		values := s.consensusValues[item.ID]
		answers[i] = stats.GroundingJudgment{Supported: values["support_present"] == 1, Unsupported: values["unsupported_claim_present"] == 1,
			Contradicted: values["contradicted_claim_present"] == 1, Cited: values["source_cited"] == 1, Fabricated: values["fabricated_source"] == 1}
	}
	m := s.newMetricGroup("Grounding", "answers", items, unresolved, ratesFromMetrics(stats.GroundingMetrics(answers)))
	m.Message += " Fabrication is among answers that cite."
	return m
}

func (s *study) measureGeneration() MetricGroup {
	items, unresolved := s.findResolvedItems()
	answers := make([]stats.GenerationJudgment, len(items))
	for i, item := range items {
		values := s.consensusValues[item.ID]
		answers[i] = stats.GenerationJudgment{ProperAction: values["proper_action"] == 1, OnTopic: values["response_on_topic"] == 1,
			Helpful: values["helpful"] == 1, Incomplete: values["incomplete"] == 1, Unsafe: values["unsafe_content"] == 1}
	}
	return s.newMetricGroup("Generation", "answers", items, unresolved, ratesFromMetrics(stats.GenerationMetrics(answers)))
}

var metricTitles = map[string]string{
	"topical_precision_at_k": "Chunks on the topic", "sufficiency_hit_at_k": "Queries with a chunk that suffices",
	"sufficiency_rate_at_k": "Chunks that suffice", "misleading_context_rate_at_k": "Chunks that mislead",
	"mrr_at_k": "First chunk on the topic, by rank (MRR)", "ndcg_at_k": "Order against the best one (NDCG)",
	"grounding_presence_rate": "Answers with support", "unsupported_claim_rate": "Answers with an unsupported claim",
	"contradiction_rate": "Answers with a contradicted claim", "citation_presence_rate": "Answers that cite",
	"conditional_fabrication_rate": "Fabricated sources, among answers that cite",
	"proper_action_rate":           "Proper action", "on_topic_rate": "On the topic", "helpfulness_rate": "Helpful",
	"incompleteness_rate": "Incomplete", "unsafe_content_rate": "Unsafe content",
}

func ratesFromMetrics(metrics []stats.Metric) []Rate {
	rates := make([]Rate, len(metrics))
	for i, m := range metrics {
		rates[i] = Rate{Name: m.Name, Title: metricTitles[m.Name], Number: newNumber(m.Value, m.Undefined, m.Interval), SampleSize: m.Count}
	}
	return rates
}

func (s *study) measureVerdicts() MetricGroup {
	items, unresolved := s.findResolvedItems()
	return s.newMetricGroup("Verdicts", "items", items, unresolved, s.computeVerdictRates(func(*ItemData) bool { return true }))
}

// computeVerdictRates returns the share of the wanted items on which each verdict holds.
func (s *study) computeVerdictRates(include func(*ItemData) bool) []Rate {
	items, _ := s.findResolvedItems()
	items = slices.DeleteFunc(items, func(i *ItemData) bool { return !include(i) })
	rates := []Rate{}
	for _, v := range s.Protocol.Verdicts {
		hits := 0
		for _, item := range items {
			if isVerdictMet(v, s.Protocol.ApplicableFields(item.Facts), s.consensusValues[item.ID]) {
				hits++
			}
		}
		rates = append(rates, Rate{Name: v.Key, Title: v.Title, Number: numberFromShare(stats.NewProportion(hits, len(items))), SampleSize: len(items)})
	}
	return rates
}

// isVerdictMet reports whether a verdict holds of the answers to the fields asked.
func isVerdictMet(v protocol.VerdictRule, asked []protocol.Field, answers map[string]int) bool {
	matchesAny := v.Any == nil
	for _, f := range asked {
		value := answers[f.Key]
		matchesAny = matchesAny || slices.Contains(v.Any, value)
		if slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value) {
			return false
		}
	}
	return matchesAny
}

// measureObservations returns how often each observation was ticked, or stands by what a lead
// settled.
func (s *study) measureObservations() MetricGroup {
	m := MetricGroup{Title: "Observations", Message: fmt.Sprintf("Shares of %d labels in which each was ticked.", len(s.workLabels)),
		Rates: s.computeObservationRates(func(*ItemData) bool { return true })}
	if labels, items := s.countAdjudicated(); items > 0 {
		m.Message += fmt.Sprintf(" %d of them are of %d items that a lead settled, and count as settled: what the decision does not tick, was not there.", labels, items)
	}
	return m
}

// countAdjudicated counts the labelled items whose observations a lead settled, and their labels.
func (s *study) countAdjudicated() (labels, items int) {
	for id, itemLabels := range s.labelsByItem {
		if _, isAdjudicated := s.AdjudicatedObservations[id]; isAdjudicated {
			labels, items = labels+len(itemLabels), items+1
		}
	}
	return labels, items
}

// computeObservationRates returns how often each was ticked in labels of the wanted items,
// labels of one item being alike. All labels of an adjudicated item say what stands.
func (s *study) computeObservationRates(include func(*ItemData) bool) []Rate {
	rates := []Rate{}
	for _, o := range s.Protocol.Observations {
		var parts []stats.ClusterHits
		n := 0
		for _, id := range slices.Sorted(maps.Keys(s.labelsByItem)) {
			if include(s.itemsByID[id]) {
				part := stats.ClusterHits{Total: len(s.labelsByItem[id]), Hits: s.countTicks(id, o.Key)}
				parts, n = append(parts, part), n+part.Total
			}
		}
		rates = append(rates, Rate{Name: o.Key, Title: o.Title, Number: numberFromShare(stats.NewClusteredProportion(parts)), SampleSize: n})
	}
	return rates
}

// countTicks is in how many labels of an item an observation counts.
func (s *study) countTicks(item project.ItemID, key string) (n int) {
	if adjudicated, isAdjudicated := s.AdjudicatedObservations[item]; isAdjudicated {
		return boolToInt(slices.Contains(adjudicated, key)) * len(s.labelsByItem[item])
	}
	for _, l := range s.labelsByItem[item] {
		n += boolToInt(slices.Contains(s.workLabels[l].Observations, key))
	}
	return n
}
