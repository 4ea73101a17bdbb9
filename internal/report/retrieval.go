package report

import (
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// queryChunks are the chunks of one query that count.
type queryChunks struct {
	record    string
	items     []int32
	labeled   int             // chunks, also of those that do not count
	unlabeled map[string]bool // fields that some chunk has no label of
	stats.JudgedQuery
}

// groupChunksByQuery returns the first topK chunks of each query, or all. Queries without
// any label are left out.
func (s metrics) groupChunksByQuery() []queryChunks {
	queries := map[string]*queryChunks{}
	for i := range s.Given {
		item := &s.Given[i]
		number := s.NumberOf[item.ID]
		if queries[item.RecordID] == nil {
			queries[item.RecordID] = &queryChunks{record: item.RecordID, unlabeled: map[string]bool{}}
		}
		q := queries[item.RecordID]
		q.labeled += study.BoolToInt(s.ByItem.Len(number) > 0)
		if s.topK == 0 || item.Rank <= s.topK {
			q.add(s, item, number)
		}
	}
	var list []queryChunks
	for _, record := range slices.Sorted(maps.Keys(queries)) {
		if q := queries[record]; q.labeled > 0 && len(q.items) > 0 {
			list = append(list, *q)
		}
	}
	return list
}

func (q *queryChunks) add(s metrics, item *study.ItemData, number int32) {
	q.items = append(q.items, number)
	yes := func(field string) stats.Expected {
		c, ok := s.answerChance(number, s.field(field))
		q.unlabeled[field] = q.unlabeled[field] || !ok
		return c.yes()
	}
	q.Chunks = append(q.Chunks, stats.JudgedChunk{Rank: item.Rank, Relevant: yes("topically_relevant"),
		Sufficient: yes("evidence_sufficient"), Misleading: yes("misleading")})
}

// isLabeled reports whether every chunk has a label of the fields.
func (q queryChunks) isLabeled(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return q.unlabeled[f] })
}

// hasTie reports whether ties can change a figure.
func (q queryChunks) hasTie(s metrics, fields []string) bool {
	for _, item := range q.items {
		for _, field := range fields {
			if s.isTied(item, s.field(field)) {
				return true
			}
		}
	}
	return false
}

// queryUnits returns the figure of each query; of queries that cannot count, it calls exclude.
func (s metrics) queryUnits(f stats.RetrievalFigure, queries []queryChunks, exclude func(*queryChunks,
	ExclusionReason)) iter.Seq2[*queryChunks, stats.UnitValue] {
	fields := metricFields[string(f)]
	return func(yield func(*queryChunks, stats.UnitValue) bool) {
		for i := range queries {
			q := &queries[i]
			top, hasAllRanks := q.Top(s.topK)
			switch {
			case !q.isLabeled(fields):
				exclude(q, UnlabeledChunks)
			case !hasAllRanks:
				exclude(q, MissingRanks)
			case !yield(q, stats.UnitValue{Expected: top.Score(f), Base: stats.Certain(1), Cluster: q.record,
				HasTie: q.hasTie(s, fields)}):
				return
			}
		}
	}
}

// countEmptyQueries returns how many queries that retrieved nothing belong to that many labeled ones: all of them if
// every query
// with chunks is labeled. Of a part, their share is that of the project.
func (s metrics) countEmptyQueries(labeled int) int {
	if s.EmptyRecords == 0 {
		return 0
	}
	records := map[string]bool{}
	for i := range s.Given {
		records[s.Given[i].RecordID] = true
	}
	return int(math.Round(float64(s.EmptyRecords*labeled) / float64(max(1, len(records)))))
}

// measureRetrieval excludes queries with an unlabeled chunk, or with missing ranks. A figure
// depends only on the labels that it uses. Every figure of a query that retrieved nothing is 0.
func (s metrics) measureRetrieval() MetricGroup {
	queries := s.groupChunksByQuery()
	m := MetricGroup{Name: RetrievalMetrics}
	complete, incomplete, unranked := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var items []int32
	for _, f := range stats.RetrievalFigures {
		units, of := collectUnits(s.queryUnits(f, queries, func(q *queryChunks, reason ExclusionReason) {
			if reason == UnlabeledChunks {
				incomplete[q.record] = true
			} else {
				unranked[q.record] = true
			}
		}))
		units = append(units, slices.Repeat([]stats.UnitValue{{Base: stats.Certain(1)}},
			s.countEmptyQueries(len(units)))...)
		var used []int32
		for _, q := range of {
			used = append(used, q.items...)
			if !complete[q.record] {
				complete[q.record], items = true, append(items, q.items...)
			}
		}
		m.Rates = append(m.Rates, s.newRate(string(f), "", s.estimateFigure(f, units), used))
	}
	m.exclude(Exclusion{len(incomplete), Queries, UnlabeledChunks}, Exclusion{len(unranked), Queries, MissingRanks})
	s.finish(&m, MetricBasis{Count: len(complete), Unit: Queries, TopK: s.topK,
		EmptyQueries: s.countEmptyQueries(len(complete))}, items)
	return m
}

func (s metrics) estimateFigure(f stats.RetrievalFigure, units []stats.UnitValue) (m stats.UnitMetric) {
	if f.IsShare() {
		m = stats.EstimateShare(units)
	} else {
		m = stats.EstimateMean(units, s.Options)
	}
	if m.Undefined.Code != "" {
		m.Undefined = stats.Reason{Code: stats.NoCompleteQuery}
	}
	return m
}
