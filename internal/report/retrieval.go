package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// queryChunks are the chunks of one query that count.
type queryChunks struct {
	stats.JudgedQuery
	items           []*ItemData // chunks with a consensus
	unlabeled, tied int         // chunks without one
}

// groupChunksByQuery returns the first topK chunks of each query, or all.
func (s metrics) groupChunksByQuery() []queryChunks {
	queries := map[string]*queryChunks{}
	for i := range s.Items {
		item := &s.Items[i]
		if s.topK > 0 && item.Rank > s.topK {
			continue
		}
		if queries[item.RecordID] == nil {
			queries[item.RecordID] = &queryChunks{}
		}
		q := queries[item.RecordID]
		switch {
		case len(s.byItem[item.ID]) == 0:
			q.unlabeled++
		case !s.isResolved(item):
			q.tied++
		default:
			isYes := func(field string) bool { return s.consensus.is(item.ID, field, 1) }
			q.items = append(q.items, item)
			q.Chunks = append(q.Chunks, stats.JudgedChunk{Rank: item.Rank, Relevant: isYes("topically_relevant"),
				Sufficient: isYes("evidence_sufficient"), Misleading: isYes("misleading")})
		}
	}
	var list []queryChunks
	for _, record := range slices.Sorted(maps.Keys(queries)) {
		list = append(list, *queries[record])
	}
	return list
}

// measureRetrieval excludes queries with an unlabeled or tied chunk, or with missing
// ranks. Queries without any label are not counted.
func (s metrics) measureRetrieval() MetricGroup {
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
	rates := stats.RetrievalMetrics(complete, s.topK, s.options)
	m := MetricGroup{Name: RetrievalMetrics, Title: RetrievalMetrics.Text(), Rates: ratesFromMetrics(rates)}
	s.addSources(&m, items)
	m.exclude(Exclusion{unlabeled, Queries, UnlabeledChunks}, Exclusion{tied, Queries, UnresolvedTie}, Exclusion{rates[0].Excluded, Queries, MissingRanks})
	m.Message = m.describe(retrievalBasisText(rates[0].Count, s.topK))
	return m
}
