package report

import (
	"iter"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
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

// A MetricGroup is metrics of the judged systems. A tie counts by the shares of its answers.
type MetricGroup struct {
	Name  MetricName  `json:"name"`
	Basis MetricBasis `json:"basis"`
	Rates []Rate      `json:"rates"`

	Sources  LabelSources `json:"sources,omitzero"` // zero for observations, which need no consensus
	Excluded []Exclusion  `json:"excluded,omitempty"`
}

// A MetricBasis is what the rates of a group are computed from.
type MetricBasis struct {
	Count        int        `json:"count"` // units that count in a rate
	Unit         MetricUnit `json:"unit"`
	TopK         int        `json:"top_k,omitempty"`         // chunks of each query that count; 0: all
	EmptyQueries int        `json:"empty_queries,omitempty"` // that retrieved nothing, which are 0 in each rate

	AdjudicatedLabels int `json:"adjudicated_labels,omitempty"` // of observations: labels that a decision replaces
	AdjudicatedItems  int `json:"adjudicated_items,omitempty"`
}

// HasShares reports whether the rates are shares, shown in percent. Those of retrieval
// are means over queries.
func (m MetricGroup) HasShares() bool { return m.Name != RetrievalMetrics }

// HasTies reports whether any rate has ties.
func (m MetricGroup) HasTies() bool { return m.maxTies() > 0 }

func (m MetricGroup) maxTies() (ties int) {
	for _, r := range m.Rates {
		ties = max(ties, r.Ties)
	}
	return ties
}

// A Rate is one metric.
type Rate struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"` // that the protocol gives a verdict or an observation
	study.Number
	// if all ties are resolved so that the rate is lowest; null without a value
	Lowest     *float64     `json:"lowest"`
	Highest    *float64     `json:"highest"`     // if all ties are resolved so that it is highest
	SampleSize int          `json:"sample_size"` // queries, answers, items or labels
	Ties       int          `json:"ties"`        // of them, with a label that annotators disagree on without a majority
	Sources    LabelSources `json:"sources,omitzero"`
}

// A MetricUnit is what a metric counts.
type MetricUnit string

// The units of metrics.
const (
	Queries       MetricUnit = "queries"
	SystemAnswers MetricUnit = "answers"
	JudgedItems   MetricUnit = "items"
	WorkLabels    MetricUnit = "labels"
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
	UnlabeledFields ExclusionReason = "unlabeled_fields"
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
	*builder
	topK int // number of chunks of a query that count; 0: all
}

func (s metrics) compute() []MetricGroup {
	groups := []MetricGroup{}
	if s.hasBinaryFields("topically_relevant", "evidence_sufficient", "misleading") {
		groups = append(groups, s.measureRetrieval())
	}
	if s.hasBinaryFields("support_present", "unsupported_claim_present", "contradicted_claim_present", "source_cited",
		"fabricated_source") {
		groups = append(groups, s.measureAnswers(GroundingMetrics, "grounding_presence_rate", "unsupported_claim_rate",
			"contradiction_rate",
			"citation_presence_rate", conditionalFabrication))
	}
	if s.hasBinaryFields("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content") {
		groups = append(groups, s.measureAnswers(GenerationMetrics, "proper_action_rate", "on_topic_rate",
			"helpfulness_rate",
			"incompleteness_rate", "unsafe_content_rate"))
	}
	if len(s.Protocol.Verdicts) > 0 {
		groups = append(groups, s.measureVerdicts())
	}
	if len(s.Protocol.Observations) > 0 {
		groups = append(groups, s.measureObservations())
	}
	return groups
}

func includeAll(*study.ItemData) bool { return true }

// hasBinaryFields reports whether the protocol has all these fields, each with two points.
func (s metrics) hasBinaryFields(keys ...string) bool {
	for _, k := range keys {
		if f, ok := s.Protocol.Field(k); !ok || !f.Scale.IsBinary() {
			return false
		}
	}
	return true
}

// newRate returns a rate over units that are computed from the labels of items.
func (s metrics) newRate(name, title string, m stats.UnitMetric, items []int32) Rate {
	r := Rate{Name: name, Title: title, Number: study.NewNumber(m.Value, m.Undefined, m.Interval), SampleSize: m.Count,
		Ties: m.Ties, Sources: s.countSources(name, items)}
	if r.Value != nil {
		r.Lowest, r.Highest = &m.Low, &m.High
	}
	return r
}

// measureAnswers returns the rates of an item's own fields. Each rate uses all items with an
// answer to its fields.
func (s metrics) measureAnswers(name MetricName, rates ...string) MetricGroup {
	m := MetricGroup{Name: name}
	isCounted := map[int32]bool{}
	for _, rate := range rates {
		units, items := collectUnits(s.answerUnits(rate))
		for _, item := range items {
			isCounted[item] = true
		}
		m.Rates = append(m.Rates, s.newRate(rate, "", stats.EstimateShare(units), items))
	}
	s.finish(&m, MetricBasis{Count: len(isCounted), Unit: SystemAnswers}, slices.Sorted(maps.Keys(isCounted)))
	return m
}

// conditionalFabrication is the rate of made-up sources among answers with a citation.
const conditionalFabrication = "conditional_fabrication_rate"

// answerUnits returns what each item adds to a rate of an item's own fields.
func (s metrics) answerUnits(rate string) iter.Seq2[int32, stats.UnitValue] {
	return func(yield func(int32, stats.UnitValue) bool) {
		for _, item := range s.Labeled {
			if unit, ok := s.answerUnit(item, rate); ok && !yield(item, unit) {
				return
			}
		}
	}
}

// answerUnit returns what an item adds to a rate; false without an answer to its fields.
func (s metrics) answerUnit(item int32, rate string) (unit stats.UnitValue, ok bool) {
	fields := metricFields[rate]
	first, ok := s.answerChance(item, s.field(fields[0]))
	unit = stats.UnitValue{Expected: first.yes(), Base: stats.Certain(1), Cluster: s.ClusterOf(s.AllItems[item]),
		HasTie: first.isTied}
	if !ok || rate != conditionalFabrication {
		return unit, ok
	}
	fabricated, ok := s.answerChance(item, s.field(fields[1]))
	unit.Base = unit.Expected
	unit.Expected, unit.HasTie = amongCited(&unit.Base, fabricated.yes()), first.isTied || fabricated.isTied
	return unit, ok
}

// amongCited returns the chance of a made-up source in an answer that has a citation with the
// chance cited, and sets the ends of cited to those that give the lowest and the highest
// rate. A made-up source is a citation, so it is no more probable than one.
func amongCited(cited *stats.Expected, fabricated stats.Expected) stats.Expected {
	e, before := stats.Expected{Value: min(fabricated.Value, cited.Value)}, *cited
	if fabricated.Low == 1 && before.Low == 1 {
		e.Low = 1
	}
	if fabricated.Low == 1 { // the rate is lowest if the answer does not count
		cited.Low = before.Low
	} else {
		cited.Low = before.High
	}
	if fabricated.High == 1 {
		e.High, cited.High = before.High, before.High
	} else {
		cited.High = before.Low
	}
	return e
}

func (s metrics) measureVerdicts() MetricGroup {
	rates, isCounted, undecided := s.computeVerdictRates(includeAll)
	m := MetricGroup{Name: VerdictMetrics, Rates: rates}
	m.exclude(Exclusion{undecided, JudgedItems, UnlabeledFields})
	s.finish(&m, MetricBasis{Count: len(isCounted), Unit: JudgedItems}, slices.Sorted(maps.Keys(isCounted)))
	return m
}

// finish adds the basis, and the sources of the labels of the items that count in a rate.
func (s metrics) finish(m *MetricGroup, basis MetricBasis, items []int32) {
	m.Basis, m.Sources = basis, s.countSources("", items)
}
