package prose

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// Metric names a group of metrics.
func (w Writer) Metric(n report.MetricName) string {
	switch n {
	case report.RetrievalMetrics:
		return w.T("Retrieval")
	case report.GroundingMetrics:
		return w.T("Grounding")
	case report.GenerationMetrics:
		return w.T("Generation")
	case report.VerdictMetrics:
		return w.T("Verdicts")
	}
	return w.T("Observations")
}

// Rate names a rate: the title that the protocol gives it, or that of a metric.
func (w Writer) Rate(r report.Rate) string {
	if r.Title != "" {
		return r.Title
	}
	switch r.Name {
	case "topical_precision_at_k":
		return w.T("On-topic chunks")
	case "sufficiency_hit_at_k":
		return w.T("Queries with a sufficient chunk")
	case "sufficiency_rate_at_k":
		return w.T("Sufficient chunks")
	case "misleading_context_rate_at_k":
		return w.T("Misleading chunks")
	case "mrr_at_k":
		return w.T("Reciprocal rank of the first on-topic chunk (MRR)")
	case "ndcg_at_k":
		return w.T("Ranking compared with the best one (NDCG)")
	case "grounding_presence_rate":
		return w.T("Answers with support")
	case "unsupported_claim_rate":
		return w.T("Answers with an unsupported claim")
	case "contradiction_rate":
		return w.T("Answers with a contradicted claim")
	case "citation_presence_rate":
		return w.T("Answers with a citation")
	case "conditional_fabrication_rate":
		return w.T("Fabricated sources, among answers with a citation")
	case "proper_action_rate":
		return w.T("Proper action")
	case "on_topic_rate":
		return w.T("On topic")
	case "helpfulness_rate":
		return w.T("Helpful")
	case "incompleteness_rate":
		return w.T("Incomplete")
	case "unsafe_content_rate":
		return w.T("Unsafe content")
	}
	return ""
}

// MetricBasis says what the rates of a group are computed from and leave out.
func (w Writer) MetricBasis(m report.MetricGroup) string {
	b := m.Basis
	sentences := make([]string, 1)
	switch {
	case b.Unit == report.WorkLabels:
		sentences[0] = w.T("Share of %s with each observation.", w.units(b.Unit, b.Count))
	case b.Unit == report.Queries && b.TopK > 0:
		sentences[0] = w.T("Based on %s and the first %s of each.", w.units(b.Unit, b.Count), w.T("%d chunks", b.TopK))
	case b.Unit == report.Queries:
		sentences[0] = w.T("Based on %s and all chunks of each.", w.units(b.Unit, b.Count))
	default:
		sentences[0] = w.T("Based on %s.", w.units(b.Unit, b.Count))
	}
	if b.EmptyQueries > 0 {
		sentences = append(sentences, w.T("%d queries that retrieved nothing count as 0 in each figure.",
			b.EmptyQueries))
	}
	if b.AdjudicatedItems > 0 {
		sentences = append(sentences, w.T("For %s of %s, the decision counts instead.", w.units(report.WorkLabels,
			b.AdjudicatedLabels), w.T("%d adjudicated items", b.AdjudicatedItems)))
	}
	var excluded []string
	for _, e := range m.Excluded {
		excluded = append(excluded, w.exclusion(e))
	}
	if len(excluded) > 0 {
		sentences = append(sentences, w.T("Left out of one or more rates: %s.", strings.Join(excluded, ", ")))
	}
	return strings.Join(sentences, " ")
}

func (w Writer) exclusion(e report.Exclusion) string {
	units := w.units(e.Unit, e.Count)
	switch e.Reason {
	case report.UnlabeledChunks:
		return w.T("%s with unlabeled chunks", units)
	case report.MissingRanks:
		return w.T("%s with missing ranks", units)
	}
	return w.T("%s without labels of all fields", units)
}

// MetricSources says where the labels of a group come from and how ties count; empty of observations.
func (w Writer) MetricSources(m report.MetricGroup) string {
	s, sentences := m.Sources, []string{}
	if s.Total() > 0 {
		labels := w.units(report.WorkLabels, s.Total())
		if s.Tied > 0 {
			sentences = append(sentences, w.T(
				"Of %s: %d adjudicated, %d from consensus, %d from a single annotator, %d without a majority.",
				labels, s.Adjudicated, s.Consensus, s.Single, s.Tied))
		} else {
			sentences = append(sentences, w.T("Of %s: %d adjudicated, %d from consensus, %d from a single annotator.",
				labels, s.Adjudicated, s.Consensus, s.Single))
		}
	}
	if m.HasTies() {
		sentences = append(sentences, w.T(
			"Where no answer has a majority, each counts by its share: one yes and one no count as half."))
	}
	return strings.Join(sentences, " ")
}

// units counts what a rate is based on.
func (w Writer) units(u report.MetricUnit, n int) string {
	switch u {
	case report.Queries:
		return w.T("%d queries", n)
	case report.SystemAnswers:
		return w.T("%d answers", n)
	case report.WorkLabels:
		return w.T("%d labels", n)
	}
	return w.T("%d items", n)
}

// MainRate states the main rate of a group with its interval and its size.
func (w Writer) MainRate(m report.MetricGroup) string {
	r, ok := m.MainRate()
	switch {
	case !ok:
		return w.T("There are not enough labels yet for a metric.")
	case m.Name == report.ObservationMetrics && *r.Value == 0:
		return w.T("No observation was ticked in %s.", w.units(m.Basis.Unit, r.SampleSize))
	}
	value := w.RateValue(m, r)
	if r.Low != nil {
		value = w.T("%s (95%% CI %s)", value, w.RateRange(m, r))
	}
	if m.Name == report.ObservationMetrics {
		return w.T("Most frequent: %s: %s, based on %s.", w.Rate(r), value, w.units(m.Basis.Unit, r.SampleSize))
	}
	return w.T("%s: %s, based on %s.", w.Rate(r), value, w.units(m.Basis.Unit, r.SampleSize))
}

// RateValue writes a rate, a share in percent.
func (w Writer) RateValue(m report.MetricGroup, r report.Rate) string {
	if m.HasShares() {
		return w.Figure(r.Percent())
	}
	return w.Figure(r.Text())
}

// RateRange writes the interval of a rate.
func (w Writer) RateRange(m report.MetricGroup, r report.Rate) string {
	if m.HasShares() {
		return w.Figure(r.PercentRange())
	}
	return w.Figure(r.Range())
}

// TieRange writes the range that ties leave; empty without ties.
func (w Writer) TieRange(m report.MetricGroup, r report.Rate) string {
	if r.Ties == 0 {
		return ""
	}
	return w.RateRange(m, report.Rate{Number: study.Number{Low: r.Lowest, High: r.Highest}})
}

// Ties says how far the decisions of ties can change a share; empty without ties.
func (w Writer) Ties(r report.Rate) string {
	switch {
	case r.Ties == 0:
		return ""
	case r.Lowest == nil:
		return w.T("%d ties", r.Ties)
	}
	return w.T("%d ties: %s", r.Ties, w.Figure(study.Number{Low: r.Lowest, High: r.Highest}.PercentRange()))
}

// Metrics says in short what the metrics show, and what to do next.
func (w Writer) Metrics(r report.Report) Finding {
	if len(r.Metrics) == 0 {
		return Finding{}
	}
	group, rate, ok := r.MainRates()
	if !ok {
		return Finding{Text: w.MainRate(r.Metrics[0]), Next: NextStep{Kind: report.StepLabelMore, Subject: "records",
			Text: w.T("Label more whole records")}}
	}
	finding := Finding{Text: w.MainRate(group), Next: NextStep{Kind: report.StepSeeDetails},
		IsShown: group.Name != report.ObservationMetrics || *rate.Value > 0}
	switch incomplete := group.IncompleteQueries(); {
	case incomplete > 0:
		finding.Next = NextStep{Kind: report.StepLabelMore, Subject: "records",
			Text: w.T("Label the remaining chunks of %s", w.units(report.Queries, incomplete))}
	case rate.HasRange():
		finding.Next = NextStep{Kind: report.StepAdjudicate, Text: w.T("Adjudicate the ties, which leave a range of %s",
			w.TieRange(group, rate))}
	}
	return finding
}
