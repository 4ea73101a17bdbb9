package report

import "github.com/labelwright/labelwright/internal/stats"

// LabelSources count the labels behind a figure by where they come from. One label is
// the answer to one field of one item.
type LabelSources struct {
	Adjudicated int `json:"adjudicated"`
	Consensus   int `json:"consensus"` // of at least two annotators
	Single      int `json:"single"`    // one annotator only
	Tied        int `json:"tied"`      // of annotators without a majority
}

// Total is the number of labels.
func (s LabelSources) Total() int { return s.Adjudicated + s.Consensus + s.Single + s.Tied }

func (s *LabelSources) count(c stats.ItemConsensus) {
	switch {
	case c.Labels == 1:
		s.Single++
	case c.Method == stats.Majority:
		s.Consensus++
	default:
		s.Tied++
	}
}

// metricFields are the fields that a rate is computed from. Rates not listed use all
// applicable fields.
var metricFields = map[string][]string{
	"topical_precision_at_k": {"topically_relevant"}, "mrr_at_k": {"topically_relevant"},
	"sufficiency_hit_at_k": {"evidence_sufficient"}, "sufficiency_rate_at_k": {"evidence_sufficient"},
	"misleading_context_rate_at_k": {"misleading"}, "ndcg_at_k": {"topically_relevant", "evidence_sufficient"},
	"grounding_presence_rate": {"support_present"}, "unsupported_claim_rate": {"unsupported_claim_present"},
	"contradiction_rate": {"contradicted_claim_present"}, "citation_presence_rate": {"source_cited"},
	"conditional_fabrication_rate": {"source_cited", "fabricated_source"},
	"proper_action_rate":           {"proper_action"}, "on_topic_rate": {"response_on_topic"},
	"helpfulness_rate":    {"helpful"},
	"incompleteness_rate": {"incomplete"}, "unsafe_content_rate": {"unsafe_content"},
}

// countSources counts the labels of items behind the rate with that name, without fields
// that have no answer.
func (s metrics) countSources(rate string, items []int32) (sources LabelSources) {
	keys := metricFields[rate]
	for _, item := range items {
		if metricFields[rate] == nil {
			keys = keys[:0]
			for _, f := range s.Protocol.ApplicableFields(s.AllItems[item].Facts) {
				keys = append(keys, f.Key)
			}
		}
		for _, key := range keys {
			c := &s.fields[s.fieldIndex(key)].consensus
			if _, isDecided := c.decided[item]; isDecided {
				sources.Adjudicated++
			} else if rule := c.rules[c.ruleOf[item]]; rule.Labels > 0 {
				sources.count(rule.ItemConsensus)
			}
		}
	}
	return sources
}
