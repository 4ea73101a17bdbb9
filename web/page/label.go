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
	Token    string // of the assignment: every address of the page is made from it
	Project  Project
	Protocol protocol.Protocol
	Content  project.Content
	Facts    protocol.Facts
	Answers  protocol.Answers  // as typed so far, from the draft or the refused form
	Problems protocol.Problems // of the refused form; none on a first visit
	Stage    string            // "Calibration" before the work opens; else ""
	Progress Progress
	Pace     Pace
	Draft    Draft
	Notice   string
	KeysOff  bool // the person works without single keys; comes back as keys_off=1
}

// A Project is what annotators are told of the project they work in.
type Project struct {
	Title      string
	SupportURL string // where somebody can talk to someone; "" where there is none
	Guide      string // the path of its guide; "/work/guide" where empty
}

func (p Project) guide() string {
	if p.Guide == "" {
		return "/work/guide"
	}
	return p.Guide
}

func (p Project) title() string {
	if p.Title == "" {
		return "Work"
	}
	return p.Title
}

// Progress says how far somebody is.
type Progress struct {
	Done     int // items, as shown: "37 of 160"
	Total    int
	NextRest int // items until the next break; 0: no break is planned
}

func (p Progress) text() string { return fmt.Sprintf("%d of %d", p.Done, p.Total) }

func (p Progress) rest() string {
	switch p.NextRest {
	case 0:
		return ""
	case 1:
		return "rest after this item"
	}
	return fmt.Sprintf("next rest in %d items", p.NextRest)
}

// Pace is somebody's own, beside the span the protocol aims at; in seconds an
// item. Zeros are not known and not shown.
type Pace struct {
	Own      int
	From, To int
}

func (p Pace) text() string {
	if p.Own == 0 {
		return ""
	}
	return fmt.Sprintf("your pace %d s", p.Own)
}

func (p Pace) span() string {
	if p.From == 0 && p.To == 0 {
		return ""
	}
	return fmt.Sprintf("%d–%d s is usual", p.From, p.To)
}

// aside is the span as it follows the own pace.
func (p Pace) aside() string {
	if p.span() == "" {
		return ""
	}
	return fmt.Sprintf(", %d–%d usual", p.From, p.To)
}

// A Draft is what the server keeps of an unfinished form.
type Draft struct {
	Version int64 // the last draft_version kept; 0: none
	Active  time.Duration
	Idle    time.Duration
}

func (d Draft) saved() string {
	if d.Version == 0 {
		return ""
	}
	return "saved"
}

func (d LabelData) path(step string) string { return "/work/" + d.Token + step }

func (d LabelData) form() Form {
	return Form{Protocol: d.Protocol, Facts: d.Facts, Answers: d.Answers, Problems: d.Problems}
}

func (d LabelData) item() Item { return Item{d.Protocol, d.Content} }

// factsOf returns the facts of the item that the protocol speaks of, and none
// that are not so: the browser reads what is absent as false.
func factsOf(f Form) map[string]bool {
	facts := map[string]bool{}
	for _, fact := range f.Protocol.Facts {
		facts[fact.Key] = f.Facts[fact.Key]
	}
	return facts
}

// A keyHelp is one line in the list of keys.
type keyHelp struct{ Key, Does string }

// keyList lists the keys of the labelling screen, in the order one needs them.
func keyList(p protocol.Protocol) []keyHelp {
	list := []keyHelp{
		{"0–9", "set the active question to that value"},
		{"↑ ↓", "go to the question above or below"},
		{"n", "write a note"},
		{"e", "edge cases"},
		{"g", "guide, at the active question"},
	}
	if p.Between {
		list = append(list, keyHelp{"u", "between two: take the lower"})
	}
	return append(list,
		keyHelp{"f", "fill in what an edge case suggests"},
		keyHelp{"Page ↑ ↓", "scroll the item"},
		keyHelp{"Enter", "submit, or go to what is missing"},
		keyHelp{"Ctrl Enter", "the same, also while writing"},
		keyHelp{"Esc", "close a panel, or leave the note"},
		keyHelp{"?", "this list"},
	)
}
