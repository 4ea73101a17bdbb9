package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A DisagreementGroup is how often annotators disagree on shared items that have something in common: an
// observation, such as an edge case, that one of them ticked.
type DisagreementGroup struct {
	Key          string       `json:"key"` // of the observation; empty: none is ticked
	Title        string       `json:"title"`
	Items        int          `json:"items"`         // shared items
	TickedByAll  int          `json:"ticked_by_all"` // of them, those that all annotators ticked
	Disagreed    int          `json:"disagreed"`     // items with different answers to a field
	study.Number              // share of the items with different answers to a field
	Fields       []FieldCount `json:"fields"` // with different answers, most items first
}

// A FieldCount is how many items have different answers to a field.
type FieldCount struct {
	Field string `json:"field"`
	Items int    `json:"items"`
}

// A disagreementTally collects a DisagreementGroup.
type disagreementTally struct {
	group   DisagreementGroup
	records map[int32]stats.ClusterHits // of items that share records
	fields  map[string]int
}

func newDisagreementTally(key, title string) *disagreementTally {
	return &disagreementTally{group: DisagreementGroup{Key: key, Title: title, Fields: []FieldCount{}},
		records: map[int32]stats.ClusterHits{}, fields: map[string]int{}}
}

// add adds an item with the fields that annotators answered differently; record is −1 without one.
func (t *disagreementTally) add(record int32, fields []string) {
	t.group.Items++
	t.group.Disagreed += study.BoolToInt(len(fields) > 0)
	for _, key := range fields {
		t.fields[key]++
	}
	if record >= 0 {
		hits := t.records[record]
		t.records[record] = stats.ClusterHits{Hits: hits.Hits + study.BoolToInt(len(fields) > 0), Total: hits.Total + 1}
	}
}

// finish returns the group; order gives the order of fields with as many items.
func (t *disagreementTally) finish(order []fieldTable) DisagreementGroup {
	share := stats.NewProportion(t.group.Disagreed, t.group.Items)
	if len(t.records) > 0 {
		single := stats.ClusterHits{Hits: t.group.Disagreed, Total: t.group.Items} // items without a record
		clusters := slices.SortedFunc(maps.Values(t.records), func(a, b stats.ClusterHits) int {
			return cmp.Or(cmp.Compare(a.Total, b.Total), cmp.Compare(a.Hits, b.Hits))
		})
		for _, c := range clusters {
			single.Hits, single.Total = single.Hits-c.Hits, single.Total-c.Total
		}
		clusters = append(clusters, slices.Repeat([]stats.ClusterHits{{Hits: 1, Total: 1}}, single.Hits)...)
		clusters = append(clusters, slices.Repeat([]stats.ClusterHits{{Total: 1}}, single.Total-single.Hits)...)
		share = stats.NewClusteredProportion(clusters)
	}
	t.group.Number = study.NumberFromShare(share)
	for _, q := range order {
		if n := t.fields[q.Key]; n > 0 {
			t.group.Fields = append(t.group.Fields, FieldCount{q.Key, n})
		}
	}
	slices.SortStableFunc(t.group.Fields, func(a, b FieldCount) int { return cmp.Compare(b.Items, a.Items) })
	return t.group
}

// groupDisagreements returns how often annotators disagree by observation ticked, first where none is. An item with
// several observations counts for each; groups without items are left out.
func (s *builder) groupDisagreements() []DisagreementGroup {
	observations, groups := []*disagreementTally{newDisagreementTally("", "")}, []DisagreementGroup{}
	var ticked [][]bool // by observation and set
	for _, o := range s.Protocol.Observations {
		observations, ticked = append(observations, newDisagreementTally(o.Key, o.Title)),
			append(ticked, s.Observations.SetsWith(o.Key))
	}
	if len(ticked) == 0 {
		return groups
	}
	var fields []string // of an item
	for _, item := range s.Labeled {
		labels := s.ByItem.At(item)
		if len(labels) < 2 {
			continue
		}
		fields = fields[:0]
		for _, q := range s.fields {
			if s.isDisagreed(item, q) {
				fields = append(fields, q.Key)
			}
		}
		record := int32(-1)
		if s.IsClustered() {
			record = s.RecordOf[item]
		}
		isNone := true
		for n := range ticked {
			if ticks := s.countLabelsIn(labels, ticked[n]); ticks > 0 {
				t := observations[n+1]
				t.add(record, fields)
				t.group.TickedByAll += study.BoolToInt(ticks == len(labels))
				isNone = false
			}
		}
		if isNone {
			observations[0].add(record, fields)
		}
	}
	for _, t := range observations {
		if t.group.Items > 0 {
			groups = append(groups, t.finish(s.fields))
		}
	}
	return groups
}

// countLabelsIn counts the labels whose observations are one of the sets.
func (s *builder) countLabelsIn(labels []int32, sets []bool) (n int) {
	if s.Observations.SetOf == nil {
		return 0
	}
	for _, l := range labels {
		n += study.BoolToInt(sets[s.Observations.SetOf[l]])
	}
	return n
}

// MostDisagreed returns the fields with different answers in most items, up to three.
func (g DisagreementGroup) MostDisagreed() []FieldCount { return g.Fields[:min(len(g.Fields), 3)] }
