package report

import (
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/stats"
)

// A StepKind is what to do next.
type StepKind string

// The kinds of steps.
const (
	StepReadDisagreements StepKind = "read_disagreements" // on the field Subject; blank: on any field
	StepLabelMore         StepKind = "label_more"
	StepSeeAnnotator      StepKind = "see_annotator" // Subject
	StepAdjudicate        StepKind = "adjudicate"
	StepExport            StepKind = "export"
	StepSeeDetails        StepKind = "see_details"     // of the same question
	StepKeepAnnotators    StepKind = "keep_annotators" // on fields where a judge may not replace them
)

// A Step is what to do next.
type Step struct {
	Kind    StepKind
	Subject string // key of a field, or pseudonym
	Count   int    // answers to adjudicate, or shared items to add; 0: unknown
}

// AgreementStep returns what the agreement asks for, in the order of urgency: people, guide, adjudication, more labels,
// export.
func (r Report) AgreementStep() Step {
	more, isUndecided := 0, false
	for _, f := range r.Fields {
		if names := f.CausingAnnotators(); len(names) > 0 {
			return Step{Kind: StepSeeAnnotator, Subject: names[0]}
		}
	}
	for _, f := range r.Fields {
		switch {
		case f.Verdict == agreement.BelowTarget:
			return Step{Kind: StepReadDisagreements, Subject: f.Key}
		case f.Verdict == agreement.TooFewItems:
			isUndecided, more = true, max(more, agreement.MinItems-f.SharedItems)
		case f.Verdict == agreement.Open && f.MoreItems != nil:
			isUndecided, more = true, max(more, *f.MoreItems)
		}
	}
	switch ties := r.countTies(); {
	case isUndecided && r.Counts.SharedItems < agreement.MinItems:
		return Step{Kind: StepLabelMore, Count: more}
	case ties > 0:
		return Step{Kind: StepAdjudicate, Count: ties}
	case isUndecided:
		return Step{Kind: StepLabelMore, Count: more}
	}
	return Step{Kind: StepExport}
}

// countTies returns the number of answers without a consensus.
func (r Report) countTies() (n int) {
	for _, f := range r.Fields {
		n += f.CountConsensus(stats.Tie)
	}
	return n
}
