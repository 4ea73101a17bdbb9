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

// Queued says which disputes somebody goes through.
type Queued struct {
	Batch string // "": all
	Tied  bool   // only those without a consensus
}

// path returns the address of a page of the queue, with its choices.
func (q Queued) path(key string, steps ...string) string {
	values := url.Values{}
	if q.Batch != "" {
		values.Set("batch", q.Batch)
	}
	if q.Tied {
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
func AdjudicationPath(key string, q Queued, steps ...string) string { return q.path(key, steps...) }

// AdjudicationData is what people differ on, for a project's leads.
type AdjudicationData struct {
	Visitor ui.Visitor
	Project project.Project
	Batches []string
	Queued
	Open    []DisputeLine // the worst first
	Settled []DisputeLine // the last first
	Closed  int           // items of batches in which the visitor labels
	Notice  string
}

// A DisputeLine is one item in the list.
type DisputeLine struct {
	report.Dispute
	Settled *Settlement // nil: not yet
}

// A Settlement is a decision on an item.
type Settlement struct {
	N      int    // which decision it is, from 1
	Who    string // "": the program, by command
	At     time.Time
	Cause  labeling.Cause
	Reason string
	Newer  bool // somebody labelled the item since
}

func (s Settlement) by() string {
	if s.Who == "" {
		return "by command"
	}
	return "by " + s.Who
}

// disputesShown is how many of the worst a page lists.
const disputesShown = 100

func (d AdjudicationData) total() int { return len(d.Open) + len(d.Settled) }

func (d AdjudicationData) openCaption() string {
	if n := len(d.Open); n > disputesShown {
		return "The " + text(disputesShown) + " widest of " + figure(n)
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
	return []ui.Option{{Value: "", Text: "Every item on which people differ", Chosen: !d.Tied},
		{Value: "tied", Text: "Only ties, which metrics leave out", Chosen: d.Tied}}
}

// causes says what the disagreements came from, as far as that was said.
func (d AdjudicationData) causes() string {
	counts := map[labeling.Cause]int{}
	for _, l := range d.Settled {
		counts[l.Settled.Cause]++
	}
	var parts []string
	for _, c := range labeling.Causes {
		if n := counts[c]; n > 0 {
			parts = append(parts, strings.ToLower(c.Says())+" "+text(n))
		}
	}
	return strings.Join(parts, ", ")
}

// differs says on what people differ, and how.
func (d AdjudicationData) differs(l DisputeLine) (texts []Told) {
	for _, f := range l.Fields {
		title := f.Field
		if field, ok := d.Project.Protocol.Field(f.Field); ok {
			title = field.Title
		}
		texts = append(texts, Told{By: title + " " + valuesOf(f.Answers)})
	}
	return texts
}

func valuesOf(answers []report.Answer) string {
	parts := make([]string, len(answers))
	for i, a := range answers {
		parts[i] = strconv.Itoa(a.Value)
	}
	return strings.Join(parts, " · ")
}

// without says what becomes of an item that nobody settles.
func without(l DisputeLine) string {
	switch n := len(l.Tied); {
	case n == 0:
		return "a majority or median"
	case n == len(l.Fields):
		return "tied"
	default:
		return "tied on " + text(n) + " of " + text(len(l.Fields))
	}
}

// AdjudicateData is one item to be settled.
type AdjudicateData struct {
	Visitor ui.Visitor
	Project project.Project
	Queued
	Item     project.Item
	Dispute  labeling.Dispute
	Answers  []Given
	Missing  int          // labels asked for that are still to come
	History  []Settlement // the decision that stands first
	Decision labeling.Decision
	Problems protocol.Problems
	Taken    bool   // what most say is filled in
	Changed  string // why what was sent was not stored, if it was not
	Done     int    // items settled
	Total    int
	Later    int64  // the next one that is open; 0: none
	Seen     int64  // the last annotation; sent back as decision.seen
	Version  int64  // of what was typed and kept so far; 0: nothing
	Drafted  bool   // what was typed before is filled in
	Key      string // whose form it is; sent back as decision.key
	KeysOff  bool
}

func (d AdjudicateData) path() string { return d.Queued.path(d.Project.Key, text64(d.Item.ID)) }

// take is the address that fills in what most say, or begins anew.
func (d AdjudicateData) take(what string) string {
	path := d.path()
	if strings.Contains(path, "?") {
		return path + "&take=" + what + "#answers"
	}
	return path + "?take=" + what + "#answers"
}

// draft is where what is typed is kept.
func (d AdjudicateData) draft() string {
	return ProjectPath(d.Project.Key, "adjudication", text64(d.Item.ID), "draft")
}

func (d AdjudicateData) count() string { return text(d.Done) + " of " + text(d.Total) + " settled" }

func (d AdjudicateData) stands() int {
	if len(d.History) == 0 {
		return 0
	}
	return d.History[0].N
}

func (d AdjudicateData) form() Form {
	f := Form{Protocol: d.Project.Protocol, Facts: d.Item.Facts, Answers: d.Decision.Answers, Problems: d.formProblems(), Beside: map[string]Beside{}}
	most := d.Dispute.Consensus(d.Project.Protocol)
	for _, field := range d.Project.Protocol.Asked(d.Item.Facts) {
		b := Beside{Said: d.said(field), Expected: d.Dispute.Expected(field)}
		if value, agreed := most[field.Key]; agreed {
			b.Most = &value
		}
		f.Beside[field.Key] = b
	}
	return f
}

// formProblems are those of the answers; the others stand at their own place.
func (d AdjudicateData) formProblems() (problems protocol.Problems) {
	for _, p := range d.Problems {
		if p.Key != labeling.ReasonKey && p.Key != labeling.CauseKey {
			problems = append(problems, p)
		}
	}
	return problems
}

// said is who gave which answer to a field.
func (d AdjudicateData) said(field protocol.Field) (told []Told) {
	for _, value := range field.Scale.Values() {
		var who []string
		for _, g := range d.Answers {
			if v, given := g.Values[field.Key]; given && v == value {
				who = append(who, g.Annotator)
			}
		}
		switch {
		case len(who) > 1 && len(who) == len(d.Answers):
			told = append(told, Told{value, "all"})
		case who != nil:
			told = append(told, Told{value, strings.Join(who, ", ")})
		}
	}
	return told
}

// owed says when a reason is owed.
func (d AdjudicateData) owed() string {
	if d.stands() > 0 {
		return "Owed, since this was settled before."
	}
	return "Owed where you go against what all or most say, or say what nobody said."
}

func (d AdjudicateData) missing() string {
	return sentence(counted(d.Missing, "label of this item is", "labels of this item are") + " still to come")
}

func (d AdjudicateData) sideBySide() SideBySideData {
	return SideBySideData{Project: d.Project, Item: d.Item, Answers: d.Answers}
}

// mostText is what annotators come to on a field by themselves.
func (d AdjudicateData) mostText(field protocol.Field) string {
	if b := d.form().Beside[field.Key]; b.Most != nil {
		return strconv.Itoa(*b.Most)
	}
	return "tied"
}

// adjudicationKeys lists the keys of the page, those of labelling among them.
func adjudicationKeys(p protocol.Protocol) (list []keyHelp) {
	for _, k := range keyList(p) {
		switch k.Key {
		case "Enter":
			list = append(list, keyHelp{"c", "fill in what most say, where you have not answered"},
				keyHelp{"r", "the cause and the reason"}, keyHelp{"l", "later: the next item"},
				keyHelp{"Enter", "settle, or go to what is missing"})
		case "Esc":
			list = append(list, keyHelp{"Esc", "close a panel, or leave what you write"})
		default:
			list = append(list, k)
		}
	}
	return list
}

func spaced(list []int) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = strconv.Itoa(v)
	}
	return strings.Join(parts, " ")
}

func most(b Beside) string {
	if b.Most == nil {
		return ""
	}
	return strconv.Itoa(*b.Most)
}

func causeOptions(chosen labeling.Cause) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Not said", Chosen: chosen == ""}}
	for _, c := range labeling.Causes {
		options = append(options, ui.Option{Value: string(c), Text: c.Says(), Chosen: c == chosen})
	}
	return options
}
