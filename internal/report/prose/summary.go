package prose

import (
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/stats/comparison"
)

// A Finding answers a question in sentences.
type Finding struct {
	Text  string
	Notes []string // what else to know, each a text of its own
	Next  NextStep
}

// A NextStep is what a finding asks the lead to do.
type NextStep struct {
	Kind    report.StepKind
	Subject string // key of a field, or pseudonym
	Text    string // no sentence: it has no period
}

// Steps writes what to do next in the order of urgency: people, guide, adjudication, more labels, export.
func (w Writer) Steps(r report.Report) (steps []string) {
	add := func(text string) {
		if text != "" && !slices.Contains(steps, text) {
			steps = append(steps, text)
		}
	}
	own := r.AgreementStep()
	if own.Kind == report.StepSeeAnnotator {
		add(w.Step(r, own))
	}
	others := []Finding{w.Annotators(r), w.Comparison(r), w.Judges(r), w.Metrics(r)}
	for _, kind := range []report.StepKind{report.StepSeeAnnotator, report.StepReadDisagreements, report.StepAdjudicate, report.StepLabelMore} {
		if own.Kind == kind {
			add(w.Step(r, own))
		}
		for _, f := range others {
			if f.Next.Kind == kind {
				add(f.Next.Text)
			}
		}
	}
	if own.Kind == report.StepExport && len(steps) == 0 {
		add(w.Step(r, own))
	}
	return steps
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
	finding := Finding{Text: w.Group(&b.Result, b.MainGroup(), r.TitleOf), Next: NextStep{Kind: report.StepSeeDetails}}
	for _, d := range b.Differences() {
		if d.Reason == comparison.Confounded {
			finding.Next = NextStep{Kind: report.StepLabelMore, Text: w.T("Let the same annotators label all groups")}
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

// FieldNote says what is the matter with a field that does not meet the target, in a sentence or two: the first cause, or
// that the question is the reason, and where the disagreements are; or what an open verdict lacks.
func (w Writer) FieldNote(f agreement.Field) string {
	sentences := []string{}
	if len(f.Causes) > 0 {
		sentences = append(sentences, w.Cause(f, f.Causes[0]))
	} else if text := w.Question(f); text != "" {
		sentences = append(sentences, text)
	}
	if f.Verdict == agreement.Open || f.Verdict == agreement.TooFewItems {
		sentences = append([]string{w.Field(f)}, sentences...)
	} else if text := w.Boundary(f); text != "" {
		sentences = append(sentences, text)
	}
	return strings.Join(sentences, " ")
}

// Reasons writes all causes of a low agreement, or that the question is the reason, and where the disagreements are.
func (w Writer) Reasons(f agreement.Field) string {
	var sentences []string
	for _, c := range f.Causes {
		sentences = append(sentences, w.Cause(f, c))
	}
	for _, text := range []string{w.Question(f), w.Boundary(f)} {
		if text != "" {
			sentences = append(sentences, text)
		}
	}
	return strings.Join(sentences, " ")
}
