package report

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// LabelSources say where the labels that a figure rests on come from: one label is
// the answer to one field of one item.
type LabelSources struct {
	Adjudicated int `json:"adjudicated"` // a lead settled it
	Consensus   int `json:"consensus"`   // two annotators or more came to it
	Single      int `json:"single"`      // one annotator said it alone
}

// Total is how many labels there are.
func (s LabelSources) Total() int { return s.Adjudicated + s.Consensus + s.Single }

// A Exclusion is what a figure leaves out.
type Exclusion struct {
	Count  int    `json:"n"`
	Unit   string `json:"what"` // queries, answers or items
	Reason string `json:"why"`
}

// metricFields are the fields that a rate is made of; a rate that is not here is
// made of all that are asked.
var metricFields = map[string][]string{
	"topical_precision_at_k": {"topically_relevant"}, "mrr_at_k": {"topically_relevant"},
	"sufficiency_hit_at_k": {"evidence_sufficient"}, "sufficiency_rate_at_k": {"evidence_sufficient"},
	"misleading_context_rate_at_k": {"misleading"}, "ndcg_at_k": {"topically_relevant", "evidence_sufficient"},
	"grounding_presence_rate": {"support_present"}, "unsupported_claim_rate": {"unsupported_claim_present"},
	"contradiction_rate": {"contradicted_claim_present"}, "citation_presence_rate": {"source_cited"},
	"conditional_fabrication_rate": {"source_cited", "fabricated_source"},
	"proper_action_rate":           {"proper_action"}, "on_topic_rate": {"response_on_topic"}, "helpfulness_rate": {"helpful"},
	"incompleteness_rate": {"incomplete"}, "unsafe_content_rate": {"unsafe_content"},
}

// countSources counts the labels of items that a rate of that name is made of.
func (s *study) countSources(rate string, items []*ItemData) (sources LabelSources) {
	for _, item := range items {
		keys := metricFields[rate]
		if keys == nil {
			for _, f := range s.Protocol.ApplicableFields(item.Facts) {
				keys = append(keys, f.Key)
			}
		}
		for _, key := range keys {
			sources.count(s.consensusMethod[item.ID][key])
		}
	}
	return sources
}

func (s *LabelSources) count(method stats.ConsensusMethod) {
	switch method {
	case Adjudicated:
		s.Adjudicated++
	case stats.SingleAnswer:
		s.Single++
	default:
		s.Consensus++
	}
}

// addSources says of every rate, and of all together, where their labels come from.
func (s *study) addSources(m MetricGroup, items []*ItemData) MetricGroup {
	for i := range m.Rates {
		m.Rates[i].Sources = s.countSources(m.Rates[i].Name, items)
	}
	m.Sources = s.countSources("", items)
	if m.Sources.Total() > 0 {
		m.Message += " " + m.Sources.summary()
	}
	return m
}

func (s LabelSources) summary() string {
	return fmt.Sprintf("Of the %d labels in them %d are adjudicated, %d by consensus, and %d of one annotator alone.", s.Total(), s.Adjudicated, s.Consensus, s.Single)
}

// addExclusions keeps what was left out, and says so.
func (m *MetricGroup) addExclusions(exclusions ...Exclusion) {
	var parts []string
	for _, l := range exclusions {
		if l.Count > 0 {
			m.Excluded = append(m.Excluded, l)
			parts = append(parts, fmt.Sprintf("%d %s", l.Count, l.Reason))
		}
	}
	if len(parts) > 0 {
		m.Message += " Left out: " + strings.Join(parts, ", ") + "."
	}
}
