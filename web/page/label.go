package page

import (
	"fmt"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// LabelData is the labelling screen: one assignment, as its annotator sees it.
// Nothing in it may differ between a new item and one that comes a second time.
type LabelData struct {
	Token             string // of the assignment: every address of the page is made from it
	Project           Project
	Protocol          protocol.Protocol
	Content           project.Content
	Facts             protocol.Facts
	Answers           protocol.Answers  // as typed so far, from the draft or the refused form
	Problems          protocol.Problems // of the refused form; none on a first visit
	Stage             string            // "Calibration" before the work opens; else ""
	Progress          Progress
	Pace              Pace
	Draft             Draft
	Notice            string
	ShortcutsDisabled bool // the person works without single keys; comes back as shortcuts_off=1
}

// A Project is what annotators are told of the project they work in.
type Project struct {
	Title      string
	SupportURL string // where somebody can talk to someone; "" where there is none
	GuidePath  string // the path of its guide; "/work/guide" where empty
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

// Progress says how far somebody is.
type Progress struct {
	Done         int // items, as shown: "37 of 160"
	Total        int
	ItemsToBreak int // items until the next break; 0: no break is planned
}

func (p Progress) text() string { return fmt.Sprintf("%d of %d", p.Done, p.Total) }

func (p Progress) breakNotice() string {
	switch p.ItemsToBreak {
	case 0:
		return ""
	case 1:
		return "rest after this item"
	}
	return fmt.Sprintf("next rest in %d items", p.ItemsToBreak)
}

// Pace is somebody's own, beside the span the protocol aims at; in seconds an
// item. Zeros are not known and not shown.
type Pace struct {
	Seconds              int
	TargetMin, TargetMax int
}

func (p Pace) text() string {
	if p.Seconds == 0 {
		return ""
	}
	return fmt.Sprintf("your pace %d s", p.Seconds)
}

func (p Pace) targetText() string {
	if p.TargetMin == 0 && p.TargetMax == 0 {
		return ""
	}
	return fmt.Sprintf("%d–%d s is usual", p.TargetMin, p.TargetMax)
}

// targetSuffix is the span as it follows the own pace.
func (p Pace) targetSuffix() string {
	if p.targetText() == "" {
		return ""
	}
	return fmt.Sprintf(", %d–%d usual", p.TargetMin, p.TargetMax)
}

// A Draft is what the server keeps of an unfinished form.
type Draft struct {
	Version int64 // the last draft_version kept; 0: none
	Active  time.Duration
	Idle    time.Duration
}

func (d Draft) savedText() string {
	if d.Version == 0 {
		return ""
	}
	return "Saved"
}

func (d LabelData) path(step string) string { return "/work/" + d.Token + step }

func (d LabelData) form() Form {
	return Form{Protocol: d.Protocol, Facts: d.Facts, Answers: d.Answers, Problems: d.Problems}
}

func (d LabelData) item() Item { return Item{d.Protocol, d.Content} }

// formFacts returns the facts of the item that the protocol speaks of, and none
// that are not so: the browser reads what is absent as false.
func formFacts(f Form) map[string]bool {
	facts := map[string]bool{}
	for _, fact := range f.Protocol.Facts {
		facts[fact.Key] = f.Facts[fact.Key]
	}
	return facts
}

// A shortcut is one line in the list of keys.
type shortcut struct{ Keys, Action string }

// labelShortcuts lists the keys of the labelling screen, in the order one needs them.
func labelShortcuts(p protocol.Protocol) []shortcut {
	list := []shortcut{
		{"0–9", "set the active question to that value"},
		{"↑ ↓", "go to the question above or below"},
		{"n", "write a note"},
		{"e", "edge cases"},
		{"g", "guide, at the active question"},
	}
	if p.AllowsBetween {
		list = append(list, shortcut{"u", "between two: take the lower"})
	}
	return append(list,
		shortcut{"f", "fill in what an edge case suggests"},
		shortcut{"Page ↑ ↓", "scroll the item"},
		shortcut{"Enter", "submit, or go to what is missing"},
		shortcut{"Ctrl Enter", "the same, also while writing"},
		shortcut{"Esc", "close a panel, or leave the note"},
		shortcut{"?", "this list"},
	)
}
