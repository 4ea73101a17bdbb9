package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A DisagreementGroup is how often annotators disagree on shared items that have something in common: an
// observation, such as an edge case, that one of them ticked, or the cause that a lead recorded in adjudication.
type DisagreementGroup struct {
	Key          string       `json:"key"` // of the observation or cause; empty: no observation is ticked
	Title        string       `json:"title"`
	Items        int          `json:"items"`         // shared items
	TickedByAll  int          `json:"ticked_by_all"` // of them, those that all annotators ticked; 0 for a cause
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
	return &disagreementTally{group: DisagreementGroup{Key: key, Title: title, Fields: []FieldCount{}}, records: map[int32]stats.ClusterHits{}, fields: map[string]int{}}
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

// groupDisagreements returns how often annotators disagree by observation ticked, first where none is, and by cause
// recorded. An item with several observations counts for each; groups without items are left out.
func (s *builder) groupDisagreements() (byObservation, byCause []DisagreementGroup) {
	observations, causes := []*disagreementTally{newDisagreementTally("", "None")}, map[string]*disagreementTally{}
	var ticked [][]bool // by observation and set
	for _, o := range s.Protocol.Observations {
		observations, ticked = append(observations, newDisagreementTally(o.Key, o.Title)), append(ticked, s.Observations.SetsWith(o.Key))
	}
	byObservation, byCause = []DisagreementGroup{}, []DisagreementGroup{}
	if len(ticked)+len(s.AdjudicationCauses) == 0 {
		return byObservation, byCause
	}
	var fields []string // of an item
	for _, item := range s.Labeled {
		labels := s.ByItem.At(item)
		if len(labels) < 2 {
			continue
		}
		fields = fields[:0]
		for _, q := range s.fields {
			if _, largest := s.computeDistances(item, q); largest > 0 {
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
		if cause := s.AdjudicationCauses[s.AllItems[item].ID]; cause != "" {
			if causes[cause] == nil {
				causes[cause] = newDisagreementTally(cause, strings.ReplaceAll(cause, "_", " "))
			}
			causes[cause].add(record, fields)
		}
	}
	for _, t := range observations {
		if t.group.Items > 0 && len(ticked) > 0 {
			byObservation = append(byObservation, t.finish(s.fields))
		}
	}
	for _, t := range causes {
		byCause = append(byCause, t.finish(s.fields))
	}
	slices.SortFunc(byCause, func(a, b DisagreementGroup) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(a.Key, b.Key))
	})
	return byObservation, byCause
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

// The titles of the tables.
const (
	ObservationTableTitle = "Shared items by what at least one annotator ticked: how many have different answers to a field"
	CauseTableTitle       = "Shared items by the cause that a lead recorded in adjudication"
)

// minObservedItems is the number of items from which an observation is named.
const minObservedItems = 10

// ObservationFinding names the observations with more disagreement than where none is ticked: those whose interval is
// above that of the items without any. It is empty without one.
func (r Report) ObservationFinding() string {
	if len(r.DisagreementsByObservation) == 0 || r.DisagreementsByObservation[0].Key != "" {
		return ""
	}
	none := r.DisagreementsByObservation[0]
	var clauses []string
	for _, g := range r.DisagreementsByObservation[1:] {
		if g.Items >= minObservedItems && none.High != nil && g.Low != nil && *g.Low > *none.High {
			clauses = append(clauses, fmt.Sprintf("“%s” (%s of %s)", g.Title, g.Percent(), study.Pluralize(g.Items, "item")))
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return fmt.Sprintf("Annotators disagree more often where one of them ticks %s than where no annotator ticks any (%s of %s): read such items, then make that part of the guide clearer.",
		joinNames(clauses), none.Percent(), study.Pluralize(none.Items, "item"))
}

// CauseFinding says which cause leads recorded most often, and on which fields annotators differ there; empty without one.
func (r Report) CauseFinding() string {
	if len(r.DisagreementsByCause) == 0 {
		return ""
	}
	total := 0
	for _, g := range r.DisagreementsByCause {
		total += g.Items
	}
	g := r.DisagreementsByCause[0]
	var most []string // causes with as many items as the first one
	for _, other := range r.DisagreementsByCause {
		if other.Items == g.Items {
			most = append(most, other.Title)
		}
	}
	if len(most) > 1 {
		return fmt.Sprintf("No cause is most frequent in adjudication: %s for %s each.", joinNames(most), study.Pluralize(g.Items, "item"))
	}
	text := fmt.Sprintf("Most frequent cause in adjudication: %s, for %d of %s with a cause", g.Title, g.Items, study.Pluralize(total, "item"))
	if len(g.Fields) > 0 {
		verb := "differ"
		if g.Fields[0].Items == 1 {
			verb = "differs"
		}
		text += fmt.Sprintf(", of which %d %s on “%s”", g.Fields[0].Items, verb, r.titles()[g.Fields[0].Field])
	}
	return text + "."
}

// MostDisagreed returns the fields with different answers in most items, up to three.
func (g DisagreementGroup) MostDisagreed() []FieldCount { return g.Fields[:min(len(g.Fields), 3)] }

// FieldsText names the fields that annotators answered differently in most items of a group, up to three.
func (r Report) FieldsText(g DisagreementGroup) string {
	titles, parts := r.titles(), []string(nil)
	for _, f := range g.MostDisagreed() {
		parts = append(parts, fmt.Sprintf("%s (%d)", titles[f.Field], f.Items))
	}
	return strings.Join(parts, ", ")
}
