package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/effects"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	difference "github.com/labelwright/labelwright/internal/stats/comparison"
)

// Findings are a report in short: one finding per question, each with what to do next. A
// finding without text means that the report has no data for the question.
type Findings struct {
	Headline   []string // what is noticeable in the findings below, one text for each question
	Agreement  Finding
	Notes      []FieldNote // on the fields that do not meet the target, or have a weak boundary
	Annotators Finding
	Comparison Finding
	Metrics    Finding
	Judges     Finding
}

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
	StepAddItems          StepKind = "add_items"
	StepSeeAnnotator      StepKind = "see_annotator" // Subject
	StepAdjudicate        StepKind = "adjudicate"
	StepExport            StepKind = "export"
	StepSeeDetails        StepKind = "see_details"     // of the same question
	StepKeepAnnotators    StepKind = "keep_annotators" // on fields where a judge may not replace them
)

// A FieldNote says why fields do not meet the target, or what their weak boundary is.
type FieldNote struct {
	Titles []string
	Text   string
}

// Summarize answers the questions of a lead from the report.
func (r Report) Summarize() Findings {
	f := Findings{Headline: r.headline(), Agreement: r.summarizeAgreement(), Notes: r.noteFields(), Annotators: r.summarizeAnnotators(),
		Comparison: r.summarizeComparison(), Metrics: r.summarizeMetrics(), Judges: r.summarizeJudges()}
	f.Agreement.Notes = keepTexts(append(f.Agreement.Notes, r.Counts.DrawnSharedNote())...)
	if r.Breakdown != nil {
		f.Comparison.Notes = keepTexts(append(f.Comparison.Notes, inEnglish.GroupOrder(&r.Breakdown.Result))...)
	}
	if group, _, ok := r.MainRates(); ok {
		f.Metrics.Notes = keepTexts(append(f.Metrics.Notes, group.DrawnNote())...)
	}
	return f
}

// A fieldGroup is the fields with one outcome.
type fieldGroup struct {
	text   string // with one %s, for the fields
	fields []FieldReport
}

// groupByOutcome returns the fields that do not meet the target, in the order of severity.
func (r Report) groupByOutcome() (meets []FieldReport, groups []fieldGroup) {
	groups = []fieldGroup{{text: farBelowText}, {text: belowText}, {text: perhapsFarText}, {text: likelyBelowText}, {text: closeText}, {text: noVerdictText}, {text: cannotDecideText}}
	for _, f := range r.Fields {
		switch v := f.Verdict; {
		case v.Outcome == Go:
			meets = append(meets, f)
		case v.Outcome == Rewrite:
			groups[0].fields = append(groups[0].fields, f)
		case v.Outcome == Revise && v.IsConclusive:
			groups[1].fields = append(groups[1].fields, f)
		case v.isPerhapsFarBelow():
			groups[2].fields = append(groups[2].fields, f)
		case v.isPerhapsAtTarget():
			groups[4].fields = append(groups[4].fields, f)
		case v.Outcome == Revise:
			groups[3].fields = append(groups[3].fields, f)
		case v.Outcome == NotEnoughData && !v.hasAnnotatorCause():
			groups[5].fields = append(groups[5].fields, f)
		default:
			groups[6].fields = append(groups[6].fields, f)
		}
	}
	return meets, slices.DeleteFunc(groups, func(g fieldGroup) bool { return len(g.fields) == 0 })
}

func (r Report) summarizeAgreement() Finding {
	if len(r.Fields) == 0 {
		return Finding{}
	}
	meets, groups := r.groupByOutcome()
	clauses, open := keepTexts(meetsText(len(meets), len(r.Fields), titlesOf(meets))), []string{}
	for _, g := range groups {
		if g.isOpen() {
			open = append(open, g.describe(len(r.Fields)))
		} else {
			clauses = append(clauses, g.describe(len(r.Fields)))
		}
	}
	finding := Finding{Text: joinSentences(joinClauses(clauses), joinClauses(open)), Next: NextStep{Kind: StepExport, Text: exportText}}
	if len(groups) > 0 {
		finding.Next = groups[0].fields[0].nextStep()
	} else if weak := r.weakFields(); len(weak) > 0 {
		finding.Next = weak[0].boundaryStep()
	} else if ties := r.countTies(); ties > 0 {
		finding.Next = NextStep{Kind: StepAdjudicate, Text: adjudicateText(ties)}
	}
	return finding
}

// countTies returns the number of answers without a consensus.
func (r Report) countTies() (n int) {
	for _, f := range r.Fields {
		n += f.CountConsensus(stats.Tie)
	}
	return n
}

// note names the cause of low agreement, the boundary with most disagreements, or what the
// verdict lacks.
func (f FieldReport) note() string {
	v := f.Verdict
	if len(v.Causes) > 0 {
		return v.Causes[0].Message
	}
	switch v.Outcome {
	case Revise, Rewrite:
		if texts := f.BoundaryTexts(); len(texts) > 0 {
			return texts[0]
		}
	case NotEnoughData:
		return joinSentences(v.shortageText(), v.OverlapAdvice)
	}
	return v.Message
}

// summarizeAnnotators names the annotators with a rater effect or who lower the agreement.
func (r Report) summarizeAnnotators() Finding {
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
	titles, kinds := map[CauseKind][]string{}, []CauseKind{}
	for _, field := range r.Fields {
		for _, c := range field.Verdict.Causes {
			if c.Annotator == a.Name {
				titles[c.Kind] = append(titles[c.Kind], field.Title)
				kinds = append(kinds, c.Kind)
			}
		}
	}
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(kinds))) {
		f.problems = append(f.problems, causeText(kind, r.nameFields(titles[kind])))
	}
	f.lowersAgreement = len(f.problems) > 0
	f.isOpen = !f.lowersAgreement
	for _, e := range a.RaterEffects {
		f.problems = append(f.problems, effects.Name(effects.English{}, e.Effect))
		f.isOpen = f.isOpen && e.IsEither
	}
	return f
}

// maxSummaryGroups is the number of groups that a summary compares with the baseline.
const maxSummaryGroups = 2

func (r Report) summarizeComparison() Finding {
	b := r.Breakdown
	if b == nil {
		return Finding{}
	}
	if len(b.Groups) < 2 {
		finding := Finding{Text: inEnglish.HiddenGroups(&b.Result)}
		if len(r.Columns) > 1 {
			finding.Next = NextStep{Kind: StepSeeDetails, Text: otherColumnText}
		}
		return finding
	}
	main := b.MainGroup()
	finding := Finding{Text: inEnglish.Group(&b.Result, main, r.titleOf), Next: NextStep{Kind: StepSeeDetails, Text: seeComparisonText}}
	for group := 1; group < len(b.Groups) && len(finding.Notes) < maxSummaryGroups-1; group++ {
		if group != main {
			finding.Notes = append(finding.Notes, inEnglish.Group(&b.Result, group, r.titleOf))
		}
	}
	if more := len(b.Groups) - 1 - maxSummaryGroups; more > 0 {
		finding.Notes = append(finding.Notes, moreGroupsText(more))
	}
	if slices.ContainsFunc(b.Differences(), func(d *comparison.Difference) bool { return d.Reason == difference.Confounded }) {
		finding.Next = NextStep{Kind: StepLabelMore, Text: sameAnnotatorsText}
	}
	return finding
}

// MainGroup returns the index of the group that a summary compares with the first one: the first that
// is shown to differ, if there is any.
func (b *Breakdown) MainGroup() int {
	return max(1, slices.IndexFunc(b.Groups, func(g comparison.Group) bool {
		return slices.ContainsFunc(g.Fields, func(f comparison.GroupField) bool { return f.Difference != nil && f.Difference.IsShown() })
	}))
}

// inEnglish writes the sentences of the terminal, and of pages that are not in the catalog.
var inEnglish = prose.Writer{Locale: locale.English}

// titleOf returns the title of a field.
func (r Report) titleOf(key string) string {
	f, _ := r.Field(key)
	return f.Title
}

// titles returns the titles of the fields by their keys.
func (r Report) titles() map[string]string {
	titleOf := map[string]string{}
	for _, f := range r.Fields {
		titleOf[f.Key] = f.Title
	}
	return titleOf
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

func (r Report) summarizeMetrics() Finding {
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
