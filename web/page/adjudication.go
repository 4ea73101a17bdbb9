package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// An AdjudicationFilter selects the items to adjudicate.
type AdjudicationFilter struct {
	project.ItemFilter
}

// path returns the path of the adjudication list, or of a page below it, with the
// filter.
func (q AdjudicationFilter) path(key string, steps ...string) string {
	values := FilterQuery(q.ItemFilter)
	values.Del("sort")
	values.Del("state")
	return withQuery(ProjectPath(key, append([]string{"adjudication"}, steps...)...), values)
}

// AdjudicationPath returns the path of the adjudication list, or of an item in it.
func AdjudicationPath(key string, filter AdjudicationFilter, steps ...string) string {
	return filter.path(key, steps...)
}

// AdjudicationData is the data of a project's adjudication list.
type AdjudicationData struct {
	User    ui.User
	Project project.Project
	AdjudicationFilter
	List                 ListData
	ShowsDecided         bool // the list has the decisions
	Unresolved, Resolved project.ItemCount
	Causes               []ui.SummaryRow // of the decisions, with their numbers
	SpotChecks           labeling.SpotChecks
	Notice               string
}

// causeText lists the causes of the decisions.
func (d AdjudicationData) causeText(l *locale.Locale) string {
	parts := make([]string, len(d.Causes))
	for i, c := range d.Causes {
		parts[i] = strings.ToLower(c.Label) + " " + c.Value
	}
	return l.T("Causes: %s.", strings.Join(parts, ", "))
}

// Caption describes the list.
func (d AdjudicationData) Caption(l *locale.Locale) string {
	switch {
	case d.ShowsDecided:
		return l.T("Adjudicated items, last decision first")
	case d.SpotCheckOnly:
		return l.T("Spot checks to do")
	}
	return l.T("Disagreements without a decision, largest first")
}

// EmptyText is shown if the list has no items.
func (d AdjudicationData) EmptyText(l *locale.Locale) string {
	if d.ShowsDecided {
		return l.T("No decisions yet. They appear here when you adjudicate a disagreement.")
	}
	if d.SpotCheckOnly {
		return l.T("No spot checks to do. Draw agreed items to confirm or correct.")
	}
	return l.T("No disagreements to adjudicate. They appear here when annotators give different answers to the same item.")
}

// SpotChecksPath returns the path of the spot checks to do.
func SpotChecksPath(key string) string { return ProjectPath(key, "adjudication") + "?show=checks" }

// countOf returns a count as a list shows it.
func countOf(l *locale.Locale, c project.ItemCount) string {
	switch {
	case c.IsUnknown:
		return l.T("many")
	case c.HasMore:
		return l.T("more than %d", c.Items)
	}
	return l.Number(c.Items)
}

// adjudicatedText says how far adjudication has come.
func adjudicatedText(l *locale.Locale, unresolved, resolved project.ItemCount) string {
	if unresolved.HasMore || unresolved.IsUnknown || resolved.IsUnknown {
		return l.T("%s adjudicated, %s left", countOf(l, resolved), countOf(l, unresolved))
	}
	return l.T("%d of %d adjudicated", resolved.Items, resolved.Items+unresolved.Items)
}

// An AdjudicationDecision is a decision on an item.
type AdjudicationDecision struct {
	DecisionNo     int    // from 1
	DecidedBy      string // empty: from a file
	CreatedAt      time.Time
	Cause          labeling.DisagreementCause
	Reason         string
	HasNewerLabels bool // the item has labels from after the decision
}

func (s AdjudicationDecision) byline(l *locale.Locale) string {
	if s.DecidedBy == "" {
		return l.T("from a file")
	}
	return l.T("by %s", s.DecidedBy)
}

// AdjudicateData is the data of the adjudication screen for one item.
type AdjudicateData struct {
	User    ui.User
	Project project.Project
	AdjudicationFilter
	Item              project.Item
	Adjudicable       labeling.Adjudicable
	Answers           []AnnotatorAnswers
	MissingLabels     int                    // requested labels not submitted yet
	History           []AdjudicationDecision // current decision first
	Decision          labeling.Decision
	Problems          protocol.Problems
	ConsensusFilled   bool   // the majority answers are filled in
	IsAgreedFilled    bool   // the agreed answers of a spot check are filled in
	ConflictMessage   string // why the submitted decision was not saved
	Unresolved        project.ItemCount
	Resolved          project.ItemCount
	PreviousItemID    project.ItemID // the unresolved item before; 0: none
	NextItemID        project.ItemID // the next unresolved item; 0: none
	SeenAnnotationID  int64          // the latest annotation; sent back as decision.seen_version
	DraftVersion      int64          // of the saved draft; 0: none
	DraftRestored     bool           // the saved draft is filled in
	FormKey           string         // identifies the user's form; sent back as decision.form_key
	ShortcutsDisabled bool
}

func (d AdjudicateData) path() string {
	return d.AdjudicationFilter.path(d.Project.Key, formatID(d.Item.ID))
}

// fillPath returns the path that fills in the majority, or an empty form.
func (d AdjudicateData) fillPath(source string) string {
	path := d.path()
	if strings.Contains(path, "?") {
		return path + "&prefill=" + source + "#answer-form"
	}
	return path + "?prefill=" + source + "#answer-form"
}

// draftPath returns the path that saves the draft.
func (d AdjudicateData) draftPath() string {
	return ProjectPath(d.Project.Key, "adjudication", formatID(d.Item.ID), "draft")
}

func (d AdjudicateData) progressText(l *locale.Locale) string {
	return adjudicatedText(l, d.Unresolved, d.Resolved)
}

func (d AdjudicateData) currentDecisionNo() int {
	if len(d.History) == 0 {
		return 0
	}
	return d.History[0].DecisionNo
}

func (d AdjudicateData) form(l *locale.Locale) Form {
	f := Form{Protocol: d.Project.Protocol, Facts: d.Item.Facts, Answers: d.Decision.Answers,
		Problems: d.answerProblems(), Summaries: map[string]AnswerSummary{}}
	consensus, majority := d.Adjudicable.Consensus(d.Project.Protocol), d.Adjudicable.Majority(d.Project.Protocol)
	for _, field := range d.Project.Protocol.ApplicableFields(d.Item.Facts) {
		summary := AnswerSummary{Groups: d.answerGroups(l, field), Expected: d.Adjudicable.ExpectedValues(field),
			Given: d.Adjudicable.GivenValues(field)}
		if value, ok := consensus[field.Key]; ok {
			summary.Consensus = &value
		}
		if value, ok := majority[field.Key]; ok {
			summary.Majority = &value
		}
		f.Summaries[field.Key] = summary
	}
	return f
}

// answerProblems are the problems of the answers, without those of cause and reason.
func (d AdjudicateData) answerProblems() (problems protocol.Problems) {
	for _, p := range d.Problems {
		if p.Key != labeling.ReasonKey && p.Key != labeling.CauseKey {
			problems = append(problems, p)
		}
	}
	return problems
}

// answerGroups returns the annotators by their answer to a field.
func (d AdjudicateData) answerGroups(l *locale.Locale, field protocol.Field) (groups []AnswerGroup) {
	for _, value := range field.Scale.Values() {
		var annotators []string
		for _, g := range d.Answers {
			if v, ok := g.Values[field.Key]; ok && v == value {
				name := g.Annotator
				if slices.Contains(g.Unsure, field.Key) {
					name = l.T("%s, unsure", name)
				}
				annotators = append(annotators, name)
			}
		}
		switch {
		case len(annotators) > 1 && len(annotators) == len(d.Answers):
			groups = append(groups, AnswerGroup{value, l.T("all")})
		case annotators != nil:
			groups = append(groups, AnswerGroup{value, strings.Join(annotators, ", ")})
		}
	}
	return groups
}

// reasonHint says when a reason is required.
func (d AdjudicateData) reasonHint(l *locale.Locale) string {
	if d.currentDecisionNo() > 0 {
		return l.T("Required, because this item was adjudicated before.")
	}
	return l.T("Required if you decide against all or most annotators, or choose a value that no annotator gave.")
}

// startText is the text of the button that opens the first item.
func (d AdjudicationData) startText(l *locale.Locale) string {
	if d.SpotCheckOnly {
		return l.T("Start checking")
	}
	return l.T("Start with the largest")
}

// spotCheckName returns the title of a field, or the name of an annotator.
func (d AdjudicationData) spotCheckName(name string) string {
	if field, isField := d.Project.Protocol.Field(name); isField {
		return field.Title
	}
	return annotatorText(d.List.Options.Annotators, name)
}

func adjudicationShortcuts(l *locale.Locale, p protocol.Protocol, keys account.Keys) (list []shortcut) {
	for _, k := range labelShortcuts(l, p, keys, annotatorCommands...) {
		switch k.Keys {
		case "Enter":
			list = append(list, shortcut{"c", l.T("fill in the majority for unanswered questions")},
				shortcut{"r", l.T("cause and reason")}, shortcut{"l", l.T("next item")},
				shortcut{"k", l.T("previous item")},
				shortcut{"Enter", l.T("submit, or go to the first unanswered question")})
		case "Esc":
			list = append(list, shortcut{"Esc", l.T("close a panel or leave the text box")})
		default:
			list = append(list, k)
		}
	}
	return list
}

func formatMajority(summary AnswerSummary) string {
	if summary.Majority == nil {
		return ""
	}
	return strconv.Itoa(*summary.Majority)
}

func causeOptions(l *locale.Locale, chosen labeling.DisagreementCause) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("No cause"), Chosen: chosen == ""}}
	for _, c := range labeling.DisagreementCauses {
		options = append(options, ui.Option{Value: string(c), Text: l.Translate(locale.Text(c.Text())),
			Chosen: c == chosen})
	}
	return options
}
