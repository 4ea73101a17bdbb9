package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A MetricName names a group of metrics.
type MetricName string

// The metric groups.
const (
	RetrievalMetrics   MetricName = "retrieval"
	GroundingMetrics   MetricName = "grounding"
	GenerationMetrics  MetricName = "generation"
	VerdictMetrics     MetricName = "verdicts"
	ObservationMetrics MetricName = "observations"
)

// A MetricGroup is metrics of the judged systems, computed from the consensus.
type MetricGroup struct {
	Name    MetricName `json:"name"`
	Title   string     `json:"title"`
	Message string     `json:"message"` // the basis of the rates, the sources of the labels, and exclusions
	Rates   []Rate     `json:"rates"`

	Sources  LabelSources `json:"sources,omitzero"` // zero for observations, which need no consensus
	Excluded []Exclusion  `json:"excluded,omitempty"`
}

// HasShares reports whether the rates are shares, shown in percent. Those of retrieval
// are means over queries.
func (m MetricGroup) HasShares() bool { return m.Name != RetrievalMetrics }

// A Rate is one metric.
type Rate struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Number
	SampleSize int          `json:"sample_size"` // queries, answers, items or labels
	Sources    LabelSources `json:"sources,omitzero"`
}

// A MetricUnit is what a metric counts.
type MetricUnit string

// The units of metrics.
const (
	Queries       MetricUnit = "queries"
	SystemAnswers MetricUnit = "answers"
	JudgedItems   MetricUnit = "items"
)

// An Exclusion is the number of units that a metric leaves out, and why.
type Exclusion struct {
	Count  int             `json:"count"`
	Unit   MetricUnit      `json:"unit"`
	Reason ExclusionReason `json:"reason"`
}

// An ExclusionReason is why a metric leaves out a unit.
type ExclusionReason string

// The reasons for an exclusion.
const (
	UnlabeledChunks ExclusionReason = "unlabeled_chunks"
	UnresolvedTie   ExclusionReason = "unresolved_tie"
	MissingRanks    ExclusionReason = "missing_ranks"
)

// exclude records exclusions that leave out at least one unit.
func (m *MetricGroup) exclude(exclusions ...Exclusion) {
	for _, e := range exclusions {
		if e.Count > 0 {
			m.Excluded = append(m.Excluded, e)
		}
	}
}

// metrics computes the metrics of the judged systems.
type metrics struct {
	*study
	topK int // number of chunks of a query that count; 0: all
}

func (s metrics) compute() []MetricGroup {
	groups := []MetricGroup{}
	if s.hasBinaryFields("topically_relevant", "evidence_sufficient", "misleading") {
		groups = append(groups, s.measureRetrieval())
	}
	if s.hasBinaryFields("support_present", "unsupported_claim_present", "contradicted_claim_present", "source_cited", "fabricated_source") {
		groups = append(groups, s.measureGrounding())
	}
	if s.hasBinaryFields("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content") {
		groups = append(groups, s.measureGeneration())
	}
	if len(s.Protocol.Verdicts) > 0 {
		items, unresolved := s.findResolvedItems()
		groups = append(groups, s.newMetricGroup(VerdictMetrics, JudgedItems, items, unresolved, s.computeVerdictRates(includeAll)))
	}
	if len(s.Protocol.Observations) > 0 {
		groups = append(groups, s.measureObservations())
	}
	return groups
}

func includeAll(*ItemData) bool { return true }

// hasBinaryFields reports whether the protocol has all these fields, each with two points.
func (s metrics) hasBinaryFields(keys ...string) bool {
	for _, k := range keys {
		if f, ok := s.Protocol.Field(k); !ok || !f.Scale.IsBinary() {
			return false
		}
	}
	return true
}

// findResolvedItems returns the labeled items without a tie, and the number of the others.
func (s metrics) findResolvedItems() (items []*ItemData, unresolved int) {
	for _, id := range s.labeledItems() {
		if s.isResolved(s.itemsByID[id]) {
			items = append(items, s.itemsByID[id])
		} else {
			unresolved++
		}
	}
	return items, unresolved
}

// isResolved reports whether every applicable field of an item has a consensus.
func (s metrics) isResolved(i *ItemData) bool {
	for _, f := range s.Protocol.ApplicableFields(i.Facts) {
		if _, ok := s.consensus.resolved[i.ID][f.Key]; !ok {
			return false
		}
	}
	return true
}

// newMetricGroup returns rates over the resolved items, with their sources.
func (s metrics) newMetricGroup(name MetricName, unit MetricUnit, items []*ItemData, unresolved int, rates []Rate) MetricGroup {
	m := MetricGroup{Name: name, Title: name.Text(), Rates: rates}
	s.addSources(&m, items)
	m.exclude(Exclusion{unresolved, unit, UnresolvedTie})
	m.Message = m.describe(consensusBasisText(len(items), unit))
	return m
}

func (s metrics) measureGrounding() MetricGroup {
	items, unresolved := s.findResolvedItems()
	answers := make([]stats.GroundingJudgment, len(items))
	for i, item := range items {
		isYes := func(field string) bool { return s.consensus.is(item.ID, field, 1) }
		answers[i] = stats.GroundingJudgment{Supported: isYes("support_present"), Unsupported: isYes("unsupported_claim_present"),
			Contradicted: isYes("contradicted_claim_present"), Cited: isYes("source_cited"), Fabricated: isYes("fabricated_source")}
	}
	return s.newMetricGroup(GroundingMetrics, SystemAnswers, items, unresolved, ratesFromMetrics(stats.GroundingMetrics(answers)))
}

func (s metrics) measureGeneration() MetricGroup {
	items, unresolved := s.findResolvedItems()
	answers := make([]stats.GenerationJudgment, len(items))
	for i, item := range items {
		isYes := func(field string) bool { return s.consensus.is(item.ID, field, 1) }
		answers[i] = stats.GenerationJudgment{ProperAction: isYes("proper_action"), OnTopic: isYes("response_on_topic"),
			Helpful: isYes("helpful"), Incomplete: isYes("incomplete"), Unsafe: isYes("unsafe_content")}
	}
	return s.newMetricGroup(GenerationMetrics, SystemAnswers, items, unresolved, ratesFromMetrics(stats.GenerationMetrics(answers)))
}

func ratesFromMetrics(metrics []stats.Metric) []Rate {
	rates := make([]Rate, len(metrics))
	for i, m := range metrics {
		rates[i] = Rate{Name: m.Name, Title: metricTitles[m.Name], Number: newNumber(m.Value, m.Undefined, m.Interval), SampleSize: m.Count}
	}
	return rates
}

// computeVerdictRates returns the share of the resolved items to include that meet each verdict.
func (s metrics) computeVerdictRates(include func(*ItemData) bool) []Rate {
	items, _ := s.findResolvedItems()
	items = slices.DeleteFunc(items, func(i *ItemData) bool { return !include(i) })
	rates := []Rate{}
	for _, v := range s.Protocol.Verdicts {
		hits := 0
		for _, item := range items {
			hits += boolToInt(s.meetsVerdict(item, v.All, v.Any, v.None))
		}
		rates = append(rates, Rate{Name: v.Key, Title: v.Title, Number: numberFromShare(stats.NewProportion(hits, len(items))), SampleSize: len(items)})
	}
	return rates
}

// meetsVerdict reports whether the consensus for an item's applicable fields meets the
// conditions of a verdict. A nil list is no condition.
func (s metrics) meetsVerdict(item *ItemData, all, any, none []int) bool {
	matchesAny := any == nil
	for _, f := range s.Protocol.ApplicableFields(item.Facts) {
		value := s.consensus.resolved[item.ID][f.Key].value
		matchesAny = matchesAny || slices.Contains(any, value)
		if slices.Contains(none, value) || all != nil && !slices.Contains(all, value) {
			return false
		}
	}
	return matchesAny
}
