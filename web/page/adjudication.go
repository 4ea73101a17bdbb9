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

// AdjudicationFilter says which disputes somebody goes through.
type AdjudicationFilter struct {
	Batch    string // "": all
	TiedOnly bool   // only those without a consensus
}

// path returns the address of a page of the queue, with its choices.
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

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// AdjudicationPath returns the address of the queue, or of an item in it.
func AdjudicationPath(key string, filter AdjudicationFilter, steps ...string) string {
	return filter.path(key, steps...)
}

// AdjudicationData is what people differ on, for a project's leads.
type AdjudicationData struct {
	User    ui.User
	Project project.Project
	Batches []string
	AdjudicationFilter
	Unresolved  []AdjudicationRow // the worst first
	Resolved    []AdjudicationRow // the last first
	HiddenItems int               // items of batches in which the visitor labels
	Notice      string
}

// A AdjudicationRow is one item in the list.
type AdjudicationRow struct {
	report.DisagreementItem
	Decision *AdjudicationDecision // nil: not yet
}

// A AdjudicationDecision is a decision on an item.
type AdjudicationDecision struct {
	DecisionNo     int    // which decision it is, from 1
	DecidedBy      string // "": the program, by command
	CreatedAt      time.Time
	Cause          labeling.DisagreementCause
	Reason         string
	HasNewerLabels bool // somebody labelled the item since
}

func (s AdjudicationDecision) byline() string {
	if s.DecidedBy == "" {
		return "by command"
	}
	return "by " + s.DecidedBy
}

// maxListedRows is how many of the worst a page lists.
const maxListedRows = 100

func (d AdjudicationData) total() int { return len(d.Unresolved) + len(d.Resolved) }

func (d AdjudicationData) unresolvedCaption() string {
	if n := len(d.Unresolved); n > maxListedRows {
		return "The " + formatInt(maxListedRows) + " widest of " + formatNumber(n)
	}
	return "Still open, the widest first"
}

func (d AdjudicationData) batchOptions() []ui.Option {
	options := []ui.Option{{Value: "", Text: "All batches", Chosen: d.Batch == ""}}
	for _, b := range d.Batches {
		options = append(options, ui.Option{Value: b, Text: b, Chosen: d.Batch == b})
	}
	return options
}

func (d AdjudicationData) showOptions() []ui.Option {
	return []ui.Option{{Value: "", Text: "Every item on which people differ", Chosen: !d.TiedOnly},
		{Value: "tied", Text: "Only ties, which metrics leave out", Chosen: d.TiedOnly}}
}

// causeSummary says what the disagreements came from, as far as that was said.
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

// disagreementTexts says on what people differ, and how.
func (d AdjudicationData) disagreementTexts(l AdjudicationRow) (texts []AnswerGroup) {
	for _, f := range l.Fields {
		title := f.Field
		if field, ok := d.Project.Protocol.Field(f.Field); ok {
			title = field.Title
		}
		texts = append(texts, AnswerGroup{Annotators: title + " " + joinValues(f.Answers)})
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

// outcomeWithoutDecision says what becomes of an item that nobody settles.
func outcomeWithoutDecision(l AdjudicationRow) string {
	switch n := len(l.TiedFields); {
	case n == 0:
		return "a majority or median"
	case n == len(l.Fields):
		return "tied"
	default:
		return "tied on " + formatInt(n) + " of " + formatInt(len(l.Fields))
	}
}

// AdjudicateData is one item to be settled.
type AdjudicateData struct {
	User    ui.User
	Project project.Project
	AdjudicationFilter
	Item              project.Item
	Adjudicable       labeling.Adjudicable
	Answers           []AnnotatorAnswers
	MissingLabels     int                    // labels asked for that are still to come
	History           []AdjudicationDecision // the decision that stands first
	Decision          labeling.Decision
	Problems          protocol.Problems
	ConsensusFilled   bool   // what most say is filled in
	ConflictMessage   string // why what was sent was not stored, if it was not
	ResolvedCount     int    // items settled
	TotalCount        int
	NextItemID        project.ItemID // the next one that is open; 0: none
	SeenAnnotationID  int64          // the last annotation; sent back as decision.seen_version
	DraftVersion      int64          // of what was typed and kept so far; 0: nothing
	DraftRestored     bool           // what was typed before is filled in
	FormKey           string         // whose form it is; sent back as decision.form_key
	ShortcutsDisabled bool
}

func (d AdjudicateData) path() string {
	return d.AdjudicationFilter.path(d.Project.Key, formatID(d.Item.ID))
}

// fillPath is the address that fills in what most say, or begins anew.
func (d AdjudicateData) fillPath(source string) string {
	path := d.path()
	if strings.Contains(path, "?") {
		return path + "&prefill=" + source + "#answer-form"
	}
	return path + "?prefill=" + source + "#answer-form"
}

// draftPath is where what is typed is kept.
func (d AdjudicateData) draftPath() string {
	return ProjectPath(d.Project.Key, "adjudication", formatID(d.Item.ID), "draft")
}

func (d AdjudicateData) progressText() string {
	return formatInt(d.ResolvedCount) + " of " + formatInt(d.TotalCount) + " settled"
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

// answerProblems are those of the answers; the others stand at their own place.
func (d AdjudicateData) answerProblems() (problems protocol.Problems) {
	for _, p := range d.Problems {
		if p.Key != labeling.ReasonKey && p.Key != labeling.CauseKey {
			problems = append(problems, p)
		}
	}
	return problems
}

// answerGroups is who gave which answer to a field.
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

// reasonHint says when a reason is owed.
func (d AdjudicateData) reasonHint() string {
	if d.currentDecisionNo() > 0 {
		return "Owed, since this was settled before."
	}
	return "Owed where you go against what all or most say, or say what nobody said."
}

func (d AdjudicateData) missingText() string {
	return joinSentence(pluralizeAs(d.MissingLabels, "label of this item is", "labels of this item are") + " still to come")
}

func (d AdjudicateData) sideBySide() SideBySideData {
	return SideBySideData{Project: d.Project, Item: d.Item, Answers: d.Answers}
}

// consensusText is what annotators come to on a field by themselves.
func (d AdjudicateData) consensusText(field protocol.Field) string {
	if summary := d.form().Summaries[field.Key]; summary.Consensus != nil {
		return strconv.Itoa(*summary.Consensus)
	}
	return "tied"
}

// adjudicationShortcuts lists the keys of the page, those of labelling among them.
func adjudicationShortcuts(p protocol.Protocol) (list []shortcut) {
	for _, k := range labelShortcuts(p) {
		switch k.Keys {
		case "Enter":
			list = append(list, shortcut{"c", "fill in what most say, where you have not answered"},
				shortcut{"r", "the cause and the reason"}, shortcut{"l", "later: the next item"},
				shortcut{"Enter", "settle, or go to what is missing"})
		case "Esc":
			list = append(list, shortcut{"Esc", "close a panel, or leave what you write"})
		default:
			list = append(list, k)
		}
	}
	return list
}

func joinInts(list []int) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = strconv.Itoa(v)
	}
	return strings.Join(parts, " ")
}

func formatConsensus(summary AnswerSummary) string {
	if summary.Consensus == nil {
		return ""
	}
	return strconv.Itoa(*summary.Consensus)
}

func causeOptions(chosen labeling.DisagreementCause) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Not said", Chosen: chosen == ""}}
	for _, c := range labeling.DisagreementCauses {
		options = append(options, ui.Option{Value: string(c), Text: c.Text(), Chosen: c == chosen})
	}
	return options
}
