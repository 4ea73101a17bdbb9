package report

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// Sources say where the labels that a figure rests on come from: one label is
// the answer to one field of one item.
type Sources struct {
	Adjudicated int `json:"adjudicated"` // a lead settled it
	Consensus   int `json:"consensus"`   // two annotators or more came to it
	Single      int `json:"single"`      // one annotator said it alone
}

// All is how many labels there are.
func (s Sources) All() int { return s.Adjudicated + s.Consensus + s.Single }

// A Left is what a figure leaves out.
type Left struct {
	N    int    `json:"n"`
	What string `json:"what"` // queries, answers or items
	Why  string `json:"why"`
}

// fieldsOf are the fields that a rate is made of; a rate that is not here is
// made of all that are asked.
var fieldsOf = map[string][]string{
	"topical_precision_at_k": {"topically_relevant"}, "mrr_at_k": {"topically_relevant"},
	"sufficiency_hit_at_k": {"evidence_sufficient"}, "sufficiency_rate_at_k": {"evidence_sufficient"},
	"misleading_context_rate_at_k": {"misleading"}, "ndcg_at_k": {"topically_relevant", "evidence_sufficient"},
	"grounding_presence_rate": {"support_present"}, "unsupported_claim_rate": {"unsupported_claim_present"},
	"contradiction_rate": {"contradicted_claim_present"}, "citation_presence_rate": {"source_cited"},
	"conditional_fabrication_rate": {"source_cited", "fabricated_source"},
	"proper_action_rate":           {"proper_action"}, "on_topic_rate": {"response_on_topic"}, "helpfulness_rate": {"helpful"},
	"incompleteness_rate": {"incomplete"}, "unsafe_content_rate": {"unsafe_content"},
}

// sourcesOf counts the labels of items that a rate of that name is made of.
func (s *study) sourcesOf(rate string, items []*Item) (from Sources) {
	for _, item := range items {
		keys := fieldsOf[rate]
		if keys == nil {
			for _, f := range s.Protocol.Asked(item.Facts) {
				keys = append(keys, f.Key)
			}
		}
		for _, key := range keys {
			from.count(s.how[item.ID][key])
		}
	}
	return from
}

func (s *Sources) count(how stats.Settling) {
	switch how {
	case Adjudicated:
		s.Adjudicated++
	case stats.Single:
		s.Single++
	default:
		s.Consensus++
	}
}

// sourced says of every rate, and of all together, where their labels come from.
func (s *study) sourced(m Metrics, items []*Item) Metrics {
	for i := range m.Rates {
		m.Rates[i].Sources = s.sourcesOf(m.Rates[i].Name, items)
	}
	m.Sources = s.sourcesOf("", items)
	if m.Sources.All() > 0 {
		m.Says += " " + m.Sources.says()
	}
	return m
}

func (s Sources) says() string {
	return fmt.Sprintf("Of the %d labels in them %d are adjudicated, %d by consensus, and %d of one annotator alone.", s.All(), s.Adjudicated, s.Consensus, s.Single)
}

// leftOut keeps what was left out, and says so.
func (m *Metrics) leftOut(list ...Left) {
	var parts []string
	for _, l := range list {
		if l.N > 0 {
			m.Left = append(m.Left, l)
			parts = append(parts, fmt.Sprintf("%d %s", l.N, l.Why))
		}
	}
	if len(parts) > 0 {
		m.Says += " Left out: " + strings.Join(parts, ", ") + "."
	}
}
