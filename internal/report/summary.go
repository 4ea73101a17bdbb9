package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/effects"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A Finding answers a question.
type Finding struct {
	Text  string
	Notes []string // what else to know, each a text of its own
	Next  NextStep
}

// A NextStep is what a finding asks the lead to do.
type NextStep struct {
	Kind    StepKind
	Subject string // key of a field, or pseudonym
	Text    string
}

// A StepKind is where a next step leads.
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

// SummarizeAnnotators names the annotators with a rater effect or who lower the agreement.
func (r Report) SummarizeAnnotators() Finding {
	if len(r.Annotators) == 0 {
		return Finding{}
	}
	var found []annotatorFinding
	for _, a := range r.Annotators {
		if f := r.findProblems(a); len(f.problems) > 0 {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b annotatorFinding) int {
		return cmp.Or(study.BoolToInt(b.lowersAgreement)-study.BoolToInt(a.lowersAgreement), study.BoolToInt(a.isOpen)-study.BoolToInt(b.isOpen), cmp.Compare(len(b.problems), len(a.problems)))
	})
	switch {
	case len(found) > 0:
		next := NextStep{Kind: StepSeeAnnotator, Subject: found[0].name, Text: seeAnnotatorText(found[0].name)}
		if found[0].isOpen {
			next = NextStep{Kind: StepReadDisagreements, Text: readDifferencesText}
		}
		return Finding{Text: r.namedAnnotatorsText(found), Notes: keepTexts(r.openAnnotatorsText(found)), Next: next}
	case len(r.RaterEffects.Powers) == 0:
		return Finding{Text: r.effectTexts().NothingFound(nil), Next: NextStep{Kind: StepLabelMore, Text: shareMoreText}}
	}
	return Finding{Text: r.effectTexts().NothingFound(r.RaterEffects.Powers)}
}

// An annotatorFinding is what is noticeable about an annotator.
type annotatorFinding struct {
	name            string
	problems        []string
	lowersAgreement bool // is a cause of low agreement, which comes before rater effects
	isOpen          bool // nothing shows whether the annotator or those compared with are right
}

// findProblems returns the fields whose agreement the annotator lowers, and the rater effects found.
func (r Report) findProblems(a Annotator) annotatorFinding {
	f := annotatorFinding{name: a.Name}
	var titles []string
	for _, field := range r.Fields {
		if slices.Contains(field.CausingAnnotators(), a.Name) {
			titles = append(titles, field.Title)
		}
	}
	if f.lowersAgreement = len(titles) > 0; f.lowersAgreement {
		f.problems = append(f.problems, "lowers agreement on "+r.nameFields(titles))
	}
	f.isOpen = !f.lowersAgreement
	for _, e := range a.RaterEffects {
		f.problems = append(f.problems, effects.Name(effects.English{}, e.Effect))
		f.isOpen = f.isOpen && e.IsEither
	}
	return f
}

// MainGroup returns the index of the group that a summary compares with the first one: the first that
// is shown to differ, if there is any.
func (b *Breakdown) MainGroup() int {
	return max(1, slices.IndexFunc(b.Groups, func(g comparison.Group) bool {
		return slices.ContainsFunc(g.Fields, func(f comparison.GroupField) bool { return f.Difference != nil && f.Difference.IsShown() })
	}))
}

// TitleOf returns the title of a field.
func (r Report) TitleOf(key string) string {
	f, _ := r.Field(key)
	return f.Title
}

// hasRange reports whether ties leave more than one value.
func (r Rate) hasRange() bool { return r.Ties > 0 && r.Lowest != nil && *r.Lowest < *r.Highest }

// MainRates returns the group of metrics that a summary shows, and its main rate.
func (r Report) MainRates() (group MetricGroup, main Rate, ok bool) {
	for _, m := range r.Metrics {
		if rate, ok := m.mainRate(); ok {
			return m, rate, true
		}
	}
	return group, main, false
}

// mainRate returns the first rate with a value; of observations, the most frequent one.
func (m MetricGroup) mainRate() (main Rate, ok bool) {
	for _, rate := range m.Rates {
		if rate.Value != nil && (!ok || m.Name == ObservationMetrics && *rate.Value > *main.Value) {
			main, ok = rate, true
		}
	}
	return main, ok
}

// Finding states the main rate of the group.
func (m MetricGroup) Finding() string {
	if rate, ok := m.mainRate(); ok {
		return m.describeRate(rate)
	}
	return noRatesText
}

// SummarizeMetrics says in short what the metrics show.
func (r Report) SummarizeMetrics() Finding {
	if len(r.Metrics) == 0 {
		return Finding{}
	}
	group, rate, ok := r.MainRates()
	if !ok {
		return Finding{Text: noRatesText, Next: NextStep{Kind: StepLabelMore, Text: labelRecordsText}}
	}
	finding := Finding{Text: group.Finding(), Notes: keepTexts(group.describeRange(rate)), Next: NextStep{Kind: StepSeeDetails, Text: "Read all metrics."}}
	switch incomplete := group.incompleteQueries(); {
	case incomplete > 0:
		finding.Next = NextStep{Kind: StepLabelMore, Text: incompleteText(incomplete)}
	case rate.hasRange():
		finding.Next = NextStep{Kind: StepAdjudicate, Text: narrowBoundsText}
	}
	return finding
}

// incompleteQueries returns how many queries have unlabeled chunks.
func (m MetricGroup) incompleteQueries() int {
	for _, e := range m.Excluded {
		if e.Reason == UnlabeledChunks {
			return e.Count
		}
	}
	return 0
}
