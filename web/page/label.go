package page

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/version"
	"github.com/labelwright/labelwright/web/ui"
)

// LabelData is the data of the labeling screen for one assignment. Nothing in it may
// differ between a new item and a hidden duplicate.
type LabelData struct {
	Token             string // of the assignment; part of every path on the page
	Project           Project
	Protocol          protocol.Protocol
	Content           project.Content
	Facts             protocol.Facts
	Answers           protocol.Answers  // from the draft or the rejected form
	Problems          protocol.Problems // of the rejected form
	Filled            []protocol.Filled // in Answers, of the rejected form
	Stage             string            // "Calibration" or empty
	CanUndo           bool              // the last submit can be taken back
	StateKey          string            // of what is around the item; sent back as screen_state
	Change            ScreenChange
	Progress          Progress
	Draft             Draft
	Notice            string
	Questions         []OwnQuestion // to the lead about this item
	HasUnreadMessages bool
	ShortcutsDisabled bool // single-key shortcuts are off; sent back as shortcuts_off=1
}

// A Project is a project as its annotators see it.
type Project struct {
	Title        string
	SupportURL   string // of a support page; empty: none
	Instructions string // Markdown
	Citations    project.CitationPattern
	GuidePath    string                // empty: "/work/guide"
	Session      *project.SessionFacts // of the batch; nil: none
	AllowsUndo   bool                  // of the last submit
}

func (p Project) guideLink() string {
	if p.GuidePath == "" {
		return "/work/guide"
	}
	return p.GuidePath
}

func (p Project) displayTitle() string {
	if p.Title == "" {
		return "Work"
	}
	return p.Title
}

// Progress is how far an annotator is in a batch.
type Progress struct {
	Done         int // completed items
	Total        int // 0: not known, because the annotators of the batch share what is left
	ItemsToBreak int // 0: no break is planned
}

func (p Progress) text(l *locale.Locale) string {
	if p.Total == 0 {
		return l.T("%d done", p.Done)
	}
	return l.T("%d of %d", p.Done, p.Total)
}

func (p Progress) breakNotice(l *locale.Locale) string {
	if left := p.Total - p.Done; p.ItemsToBreak == 0 || p.Total > 0 && left-p.ItemsToBreak <= 1 { // none comes
		return ""
	}
	return l.T("Break in %d items", p.ItemsToBreak)
}

// ownPaceText describes the pace of an annotator and the target for items of that length; empty
// without a pace.
func ownPaceText(l *locale.Locale, p labeling.Pace) string {
	if p.Seconds == 0 {
		return ""
	}
	own := l.T("Your pace: %d s per item, at about %d words each", p.Seconds, p.Words)
	if p.TargetMax == 0 {
		return joinSentences(own)
	}
	return joinSentences(own, l.T("Items of this length usually take %d–%d s", p.TargetMin, p.TargetMax))
}

// paceTarget describes the target of a plan for leads; empty without one.
func paceTarget(l *locale.Locale, plan protocol.SessionPlan) string {
	if plan.MaxSecondsPerItem == 0 {
		return ""
	}
	return l.T("Target: %d–%d s per item", plan.MinSecondsPerItem, plan.MaxSecondsPerItem)
}

// A Draft is an unfinished form saved on the server.
type Draft struct {
	Version  int64 // the last saved draft_version; 0: none
	Active   time.Duration
	Idle     time.Duration
	FilledIn *labeling.FilledIn // nil: nothing
}

func (d Draft) filledInJSON() string {
	if d.FilledIn == nil {
		return ""
	}
	text, err := json.Marshal(d.FilledIn)
	if err != nil {
		return ""
	}
	return string(text)
}

func (d Draft) savedText(l *locale.Locale) string {
	if d.Version == 0 {
		return ""
	}
	return l.T("Saved")
}

func (d LabelData) title(l *locale.Locale) string {
	return d.Progress.text(l) + " · " + d.Project.displayTitle()
}

// ScreenKey identifies what stays on the labeling screen from item to item: the project, the
// protocol, settings and language of the user, and the version of the program. A screen with
// another key cannot show the next item in place.
func (d LabelData) ScreenKey(ctx context.Context) string {
	settings := account.SettingsFrom(ctx)
	settings.ShortcutsDisabled = false // its checkbox is on the screen
	sum := fnv.New64a()
	frame := []any{d.Project, settings, locale.From(ctx).Tag(), ui.AssetPath(""), version.String(),
		hashSource(d.Protocol.Source)}
	if err := json.NewEncoder(sum).Encode(frame); err != nil {
		return ""
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// sourceHashes are the hashes of the sources of protocols: a few, each of many kilobytes.
var sourceHashes sync.Map

func hashSource(source string) uint64 {
	if kept, ok := sourceHashes.Load(source); ok {
		return kept.(uint64)
	}
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, source) // writing to a hash cannot fail
	sourceHashes.Store(source, sum.Sum64())
	return sum.Sum64()
}

func (d LabelData) path(step string) string { return "/work/" + d.Token + step }

func (d LabelData) form() Form {
	return Form{Protocol: d.Protocol, Facts: d.Facts, Answers: d.Answers, Problems: d.Problems, Filled: d.Filled}
}

func (d LabelData) item() Item {
	return Item{Protocol: d.Protocol, Content: d.Content, Citations: d.Project.Citations, HasForm: true}
}

// formFacts returns the item's facts that the protocol declares.
func formFacts(f Form) map[string]bool {
	facts := map[string]bool{}
	for _, fact := range f.Protocol.Facts {
		facts[fact.Key] = f.Facts[fact.Key]
	}
	return facts
}

// A shortcut is one row of the list of shortcuts.
type shortcut struct{ Keys, Action string }

// annotatorCommands are the commands of annotators that the screens of leads do not have.
var annotatorCommands = []account.Command{account.CommandAskLead, account.CommandSkip, account.CommandBreak,
	account.CommandUndo}

// labelShortcuts lists the shortcuts of the labeling screen, with the keys of the user and
// without some commands.
func labelShortcuts(l *locale.Locale, p protocol.Protocol, keys account.Keys, without ...account.Command) []shortcut {
	list := []shortcut{
		{"0–9", l.T("answer the active question; in a dialog, choose")},
		{l.T("Backspace"), l.T("clear the answer")},
		{"↑ ↓", l.T("previous or next question")},
	}
	for _, d := range account.DefaultKeys {
		isMissing := d.Command == account.CommandBetween && !p.AllowsBetween
		if !isMissing && !slices.Contains(without, d.Command) {
			list = append(list, shortcut{keys.Of(d.Command), commandAction(l, d.Command)})
		}
	}
	return append(list,
		shortcut{l.T("Page ↑ ↓"), l.T("scroll the item")},
		shortcut{l.T("Enter"), l.T("submit, or go to the first unanswered question")},
		shortcut{l.T("Ctrl Enter"), l.T("submit, also from a text box or a dialog")},
		shortcut{l.T("Esc"), l.T("close a panel or leave the note")},
	)
}

// commandAction returns what a command does, for the list of shortcuts.
func commandAction(l *locale.Locale, c account.Command) string {
	switch c {
	case account.CommandNote:
		return l.T("note")
	case account.CommandEdgeCases:
		return l.T("edge cases")
	case account.CommandGuide:
		return l.T("guide on the active question")
	case account.CommandAskLead:
		return l.T("ask the lead")
	case account.CommandBetween:
		return l.T("between two: the lower one counts")
	case account.CommandSuggestions:
		return l.T("fill in the suggestions of an edge case")
	case account.CommandSkip:
		return l.T("skip the item")
	case account.CommandBreak:
		return l.T("take a break")
	case account.CommandUndo:
		return l.T("undo the last submit")
	case account.CommandSupporting:
		return l.T("open or close collapsed parts")
	case account.CommandRawText:
		return l.T("raw text, or as the end user saw it")
	case account.CommandJudgedTurn:
		return l.T("next judged turn")
	case account.CommandColumns:
		return l.T("two parts side by side, or in one column")
	case account.CommandCitation:
		return l.T("next citation and its chunk")
	case account.CommandFind:
		return l.T("find in the item")
	case account.CommandShortcuts:
		return l.T("list of shortcuts")
	}
	return string(c)
}
