package page

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// An AdjudicationFilter selects the items to adjudicate.
type AdjudicationFilter struct {
	Batch    string // empty: all
	TiedOnly bool   // only items without a consensus
}

// path returns the path of the adjudication list, or of a page below it, with the
// filter.
func (q AdjudicationFilter) path(key string, steps ...string) string {
	values := url.Values{}
	if q.Batch != "" {
		values.Set("batch", q.Batch)
	}
	if q.TiedOnly {
		values.Set("show", "tied")
	}
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
	Batches []string
	AdjudicationFilter
	Unresolved  []AdjudicationRow // largest disagreement first
	Resolved    []AdjudicationRow // newest first
	HiddenItems int               // hidden, because the user labels in their batch
	Notice      string
}

// An AdjudicationRow is one item in the list.
type AdjudicationRow struct {
	report.DisagreementItem
	Decision *AdjudicationDecision // nil: unresolved
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

func (s AdjudicationDecision) byline() string {
	if s.DecidedBy == "" {
		return "from a file"
	}
	return "by " + s.DecidedBy
}

// maxListedRows is how many items a page lists.
const maxListedRows = 100

func (d AdjudicationData) total() int { return len(d.Unresolved) + len(d.Resolved) }

func (d AdjudicationData) unresolvedCaption() string {
	if n := len(d.Unresolved); n > maxListedRows {
		return "Unresolved, the " + formatInt(maxListedRows) + " largest of " + formatNumber(n)
	}
	return "Unresolved, largest first"
}

func (d AdjudicationData) batchOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "All batches", Chosen: d.Batch == ""}}
	for _, b := range d.Batches {
		options = append(options, ui.Option{Value: b, Text: b, Chosen: d.Batch == b})
	}
	return options
}

func (d AdjudicationData) showOptions() []ui.Option {
	return []ui.Option{{Value: "", Text: "All disagreements", Chosen: !d.TiedOnly},
		{Value: "tied", Text: "Ties only (without a consensus)", Chosen: d.TiedOnly}}
}

// causeSummary counts the causes of the resolved disagreements.
func (d AdjudicationData) causeSummary() string {
	counts := map[labeling.DisagreementCause]int{}
	for _, l := range d.Resolved {
		counts[l.Decision.Cause]++
	}
	var parts []string
	for _, c := range labeling.DisagreementCauses {
		if n := counts[c]; n > 0 {
			parts = append(parts, strings.ToLower(c.Text())+" "+formatInt(n))
		}
	}
	return strings.Join(parts, ", ")
}

// disagreementTexts lists the fields that differ with their values.
func (d AdjudicationData) disagreementTexts(l AdjudicationRow) (texts []string) {
	for _, f := range l.Fields {
		title := f.Field
		if field, ok := d.Project.Protocol.Field(f.Field); ok {
			title = field.Title
		}
		texts = append(texts, title+" "+joinValues(f.Answers))
	}
	return texts
}

func joinValues(answers []report.FieldAnswer) string {
	parts := make([]string, len(answers))
	for i, a := range answers {
		parts[i] = strconv.Itoa(a.Value)
	}
	return strings.Join(parts, " · ")
}

// outcomeWithoutDecision returns the consensus method of an item that is not
// adjudicated.
func outcomeWithoutDecision(l AdjudicationRow) string {
	switch n := len(l.TiedFields); {
	case n == 0:
		return "majority or median"
	case n == len(l.Fields):
		return "tie"
	default:
		return "tie on " + formatInt(n) + " of " + formatInt(len(l.Fields)) + " fields"
	}
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
	ConflictMessage   string // why the submitted decision was not saved
	ResolvedCount     int
	TotalCount        int
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

func (d AdjudicateData) progressText() string {
	return formatInt(d.ResolvedCount) + " of " + formatInt(d.TotalCount) + " adjudicated"
}

func (d AdjudicateData) currentDecisionNo() int {
	if len(d.History) == 0 {
		return 0
	}
	return d.History[0].DecisionNo
}

func (d AdjudicateData) form() Form {
	f := Form{Protocol: d.Project.Protocol, Facts: d.Item.Facts, Answers: d.Decision.Answers, Problems: d.answerProblems(), Summaries: map[string]AnswerSummary{}}
	consensus := d.Adjudicable.Consensus(d.Project.Protocol)
	for _, field := range d.Project.Protocol.ApplicableFields(d.Item.Facts) {
		summary := AnswerSummary{Groups: d.answerGroups(field), Expected: d.Adjudicable.ExpectedValues(field)}
		if value, ok := consensus[field.Key]; ok {
			summary.Consensus = &value
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
func (d AdjudicateData) answerGroups(field protocol.Field) (groups []AnswerGroup) {
	for _, value := range field.Scale.Values() {
		var annotators []string
		for _, g := range d.Answers {
			if v, ok := g.Values[field.Key]; ok && v == value {
				annotators = append(annotators, g.Annotator)
			}
		}
		switch {
		case len(annotators) > 1 && len(annotators) == len(d.Answers):
			groups = append(groups, AnswerGroup{value, "all"})
		case annotators != nil:
			groups = append(groups, AnswerGroup{value, strings.Join(annotators, ", ")})
		}
	}
	return groups
}

// reasonHint says when a reason is required.
func (d AdjudicateData) reasonHint() string {
	if d.currentDecisionNo() > 0 {
		return "Required, because this item was adjudicated before."
	}
	return "Required if you decide against all or most annotators, or choose a value that no annotator gave."
}

func (d AdjudicateData) missingText() string {
	return joinSentences(pluralizeAs(d.MissingLabels, "label of this item is", "labels of this item are") + " not submitted yet")
}

func (d AdjudicateData) sideBySide() SideBySideData {
	return SideBySideData{Project: d.Project, Item: d.Item, Answers: d.Answers}
}

// consensusText returns the consensus of the annotators on a field.
func (d AdjudicateData) consensusText(field protocol.Field) string {
	if summary := d.form().Summaries[field.Key]; summary.Consensus != nil {
		return strconv.Itoa(*summary.Consensus)
	}
	return "tie"
}

// adjudicationShortcuts lists the shortcuts of the screen.
func adjudicationShortcuts(p protocol.Protocol) (list []shortcut) {
	for _, k := range labelShortcuts(p) {
		switch k.Keys {
		case "Enter":
			list = append(list, shortcut{"c", "fill in the majority for unanswered questions"},
				shortcut{"r", "cause and reason"}, shortcut{"l", "next item"},
				shortcut{"Enter", "submit, or go to the first unanswered question"})
		case "Esc":
			list = append(list, shortcut{"Esc", "close a panel or leave the text box"})
		default:
			list = append(list, k)
		}
	}
	return list
}

func formatConsensus(summary AnswerSummary) string {
	if summary.Consensus == nil {
		return ""
	}
	return strconv.Itoa(*summary.Consensus)
}

func causeOptions(chosen labeling.DisagreementCause) []ui.Option {
	options := []ui.Option{{Value: "", Text: "No cause", Chosen: chosen == ""}}
	for _, c := range labeling.DisagreementCauses {
		options = append(options, ui.Option{Value: string(c), Text: c.Text(), Chosen: c == chosen})
	}
	return options
}
