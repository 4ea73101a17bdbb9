package report

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// Text returns the title of a metric group.
func (n MetricName) Text() string {
	return map[MetricName]string{RetrievalMetrics: "Retrieval", GroundingMetrics: "Grounding", GenerationMetrics: "Generation",
		VerdictMetrics: "Verdicts", ObservationMetrics: "Observations"}[n]
}

var metricTitles = map[string]string{
	"topical_precision_at_k": "On-topic chunks", "sufficiency_hit_at_k": "Queries with a sufficient chunk",
	"sufficiency_rate_at_k": "Sufficient chunks", "misleading_context_rate_at_k": "Misleading chunks",
	"mrr_at_k": "Reciprocal rank of the first on-topic chunk (MRR)", "ndcg_at_k": "Ranking compared with the best one (NDCG)",
	"grounding_presence_rate": "Answers with support", "unsupported_claim_rate": "Answers with an unsupported claim",
	"contradiction_rate": "Answers with a contradicted claim", "citation_presence_rate": "Answers with a citation",
	"conditional_fabrication_rate": "Fabricated sources, among answers with a citation",
	"proper_action_rate":           "Proper action", "on_topic_rate": "On topic", "helpfulness_rate": "Helpful",
	"incompleteness_rate": "Incomplete", "unsafe_content_rate": "Unsafe content",
}

// setTexts sets what the rates are based on and leave out, and notes on their labels.
func (m *MetricGroup) setTexts(basis string) {
	m.Message = joinSentences(basis, describeExclusions(m.Excluded))
	m.Notes = keepTexts(joinSentences(m.Sources.describe(), m.tieText()))
}

// basisText says what rates are based on.
func (u MetricUnit) basisText(n int) string { return fmt.Sprintf("Based on %s.", u.pluralize(n)) }

// tieText says how ties count; empty without ties.
func (m MetricGroup) tieText() string {
	if m.HasTies() {
		return "Where no answer has a majority, each counts by its share: one yes and one no count as half."
	}
	return ""
}

func retrievalBasisText(queries, empty, topK int) string {
	chunks := "all chunks"
	if topK > 0 {
		chunks = fmt.Sprintf("the first %s", study.Pluralize(topK, "chunk"))
	}
	text := fmt.Sprintf("Based on %s and %s of each.", Queries.pluralize(queries), chunks)
	if empty > 0 {
		text += fmt.Sprintf(" %s that retrieved nothing: 0 in each figure.", Queries.pluralize(empty))
	}
	return text
}

func observationBasisText(labels, adjudicatedLabels, adjudicatedItems int) string {
	text := fmt.Sprintf("Share of %s with each observation.", study.Pluralize(labels, "label"))
	if adjudicatedItems == 0 {
		return text
	}
	return text + fmt.Sprintf(" For %s of %s, the decision counts instead.", study.Pluralize(adjudicatedLabels, "label"), study.Pluralize(adjudicatedItems, "adjudicated item"))
}

func (s LabelSources) describe() string {
	if s.Total() == 0 {
		return ""
	}
	tied := ""
	if s.Tied > 0 {
		tied = ", and " + countWithVerb(s.Tied) + " without a majority"
	}
	and := map[bool]string{true: " and ", false: ", "}[tied == ""]
	return fmt.Sprintf("Of %s, %s adjudicated, %s from consensus%s%s from a single annotator%s.", study.Pluralize(s.Total(), "label"),
		countWithVerb(s.Adjudicated), countWithVerb(s.Consensus), and, countWithVerb(s.Single), tied)
}

func countWithVerb(n int) string {
	if n == 1 {
		return "1 is"
	}
	return study.FormatCount(n) + " are"
}

func describeExclusions(exclusions []Exclusion) string {
	var parts []string
	for _, e := range exclusions {
		parts = append(parts, e.Unit.pluralize(e.Count)+" "+e.Reason.Text())
	}
	if len(parts) == 0 {
		return ""
	}
	return "Left out of one or more rates: " + strings.Join(parts, ", ") + "."
}

// Text returns the reason as a phrase that follows the unit.
func (r ExclusionReason) Text() string {
	return map[ExclusionReason]string{UnlabeledChunks: "with unlabeled chunks", UnlabeledFields: "without labels of all fields", MissingRanks: "with missing ranks"}[r]
}

func (u MetricUnit) pluralize(n int) string {
	return study.Pluralize(n, map[MetricUnit]string{Queries: "query", SystemAnswers: "answer", JudgedItems: "item"}[u])
}

// TieRange formats the range that ties leave, as a share in percent or as a mean; empty
// without ties.
func (r Rate) TieRange(isShare bool) string {
	n := study.Number{Low: r.Lowest, High: r.Highest}
	switch {
	case r.Ties == 0:
		return ""
	case isShare:
		return n.PercentRange()
	}
	return n.Range()
}

// TieText says how far the decisions of ties can change a share; empty without ties.
func (r Rate) TieText() string {
	switch {
	case r.Ties == 0:
		return ""
	case r.Lowest == nil:
		return study.Pluralize(r.Ties, "tie")
	}
	return fmt.Sprintf("%s: %s", study.Pluralize(r.Ties, "tie"), r.TieRange(true))
}
