package prose

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	estimates "github.com/labelwright/labelwright/internal/stats/comparison"
)

// A Finding answers a question in sentences.
type Finding struct {
	Text    string
	Notes   []string // what else to know, each a text of its own
	Next    NextStep
	IsShown bool // it shows something; else a line says that it does not
}

// A NextStep is what a finding asks the lead to do.
type NextStep struct {
	Kind    report.StepKind
	Subject string // key of a field, pseudonym, or what needs labels
	Text    string // no sentence: it has no period
}

// Steps writes what to do next in the order of urgency: people, guide, adjudication, more labels, export.
func (w Writer) Steps(r report.Report) (steps []string) {
	own := r.AgreementStep()
	next := []NextStep{{Kind: own.Kind, Subject: own.Subject, Text: w.Step(r, own)}}
	for _, f := range []Finding{w.Annotators(r), w.Comparison(r), w.Judges(r), w.Metrics(r)} {
		if f.Next.Text != "" && !f.Next.isCovered(next) {
			next = append(next, f.Next)
		}
	}
	for _, kind := range []report.StepKind{report.StepSeeAnnotator, report.StepReadDisagreements, report.StepAdjudicate,
		report.StepKeepAnnotators, report.StepLabelMore, report.StepSeeDetails} {
		for _, s := range next {
			if s.Kind == kind {
				steps = append(steps, s.Text)
			}
		}
	}
	if own.Kind == report.StepExport && len(steps) == 0 {
		return []string{next[0].Text}
	}
	return steps
}

// isCovered reports whether other steps ask for the same.
func (s NextStep) isCovered(others []NextStep) bool {
	return slices.ContainsFunc(others, func(o NextStep) bool {
		return o.Kind == s.Kind && (o.Subject == s.Subject || s.Kind == report.StepAdjudicate ||
			s.Kind == report.StepReadDisagreements)
	})
}

// RepeatsAgreement reports whether a step asks for what the agreement asks for already.
func (s NextStep) RepeatsAgreement(r report.Report) bool {
	own := r.AgreementStep()
	return s.isCovered([]NextStep{{Kind: own.Kind, Subject: own.Subject}})
}

// Comparison says how groups differ, and what to do next.
func (w Writer) Comparison(r report.Report) Finding {
	b := r.Breakdown
	switch {
	case b == nil:
		return Finding{}
	case len(b.Groups) < 2:
		return Finding{Text: w.HiddenGroups(&b.Result)}
	}
	finding := Finding{Text: w.Group(&b.Result, b.MainGroup(), r.TitleOf), Next: NextStep{Kind: report.StepSeeDetails},
		IsShown: slices.ContainsFunc(b.Differences(), (*comparison.Difference).IsShown)}
	for _, d := range b.Differences() {
		if d.Reason == estimates.Confounded {
			finding.Next = NextStep{Kind: report.StepLabelMore, Subject: "groups",
				Text: w.T("Let the same annotators label all groups")}
		}
	}
	return finding
}

// Step says what to do next.
func (w Writer) Step(r report.Report, s report.Step) string {
	switch s.Kind {
	case report.StepSeeAnnotator:
		return w.T("Look at the answers of %s", s.Subject)
	case report.StepReadDisagreements:
		f, _ := r.Field(s.Subject)
		switch {
		case hasCause(f.Field, agreement.OneAnswer):
			return w.T("Read the disagreements on “%s”", f.Title)
		case f.Advice == agreement.Rewrite:
			return w.T("Read the disagreements on “%s”, then rewrite it", f.Title)
		}
		return w.T("Read the disagreements on “%s”, then revise the guide", f.Title)
	case report.StepAdjudicate:
		return w.T("Adjudicate the answers without a majority: %d", s.Count)
	case report.StepLabelMore:
		return w.T("Get labels of two annotators on more items: about %d", s.Count)
	}
	return w.T("Export the dataset")
}
