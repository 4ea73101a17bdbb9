package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// CalibrationData is what an annotator sees after a calibration set: own
// answers beside the reference.
type CalibrationData struct {
	Visitor  ui.Visitor
	Project  Project
	Batch    string // sent back as "batch"
	Protocol protocol.Protocol
	Passage  labeling.Passage
	Leans    []labeling.Lean
	Items    []CalibratedItem
	Talk     bool // words may still be added to the discussion
	Reason   string
	Shown    string // the item that is open
}

// A CalibratedItem is one item of the set.
type CalibratedItem struct {
	ID        string // sent back as "item"
	Content   project.Content
	Facts     protocol.Facts
	Answered  bool
	Own       protocol.Answers
	Reference protocol.Answers
	Why       map[string]string
	Said      []Remark
}

// A Remark is what somebody said of a calibration item to the others.
type Remark struct {
	Who  string // a pseudonym, or "the lead"
	At   time.Time
	Says string
}

func (d CalibrationData) fields(keys []string) (fields []protocol.Field) {
	for _, key := range keys {
		if f, ok := d.Protocol.Field(key); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

func (d CalibrationData) begins() bool { return d.Passage.GoesOn() == nil }

func (d CalibrationData) again() bool { return d.Passage.TakesAgain() == nil }

// then says what follows once the sections are read again.
func (d CalibrationData) then() string {
	return map[labeling.AfterMiss]string{
		labeling.GoOn:  "Then the work begins.",
		labeling.Again: "Then you take the set once more, in another order.",
		labeling.Wait:  "Then your lead looks at your calibration before the work opens.",
	}[d.Passage.AfterMiss]
}

// anchor returns the id of what comes next on the page, where it is the section
// of that field: the first not read again, or what follows them all.
func (d CalibrationData) anchor(field string) string {
	next := ""
	if unread := d.Passage.Unread(); len(unread) > 0 {
		next = unread[0]
	}
	if field == next {
		return "next"
	}
	return "section-" + field
}

// waits says why the work does not begin yet, if so.
func (d CalibrationData) waits() string {
	if d.Passage.Settled || d.begins() || d.again() || len(d.Passage.Unread()) > 0 {
		return ""
	}
	return d.Passage.GoesOn().Error()
}

// lead says in all what the leans say one by one, and never more.
func (d CalibrationData) lead() string {
	aside, alike := false, true
	for _, l := range d.Leans {
		aside, alike = aside || l.Aside(), alike && l.Exact == l.N
	}
	switch {
	case len(d.Passage.Missed) > 0:
		return "Here are your answers beside the reference. On some questions they lie far apart."
	case !d.told():
		return fmt.Sprintf("Here are your answers beside the reference. Fewer than %d items are too few to tell how you lean.", labeling.Fewest)
	case alike:
		return "Your answers are those of the reference."
	case aside:
		return "Here are your answers beside the reference. On some questions you lean to one side."
	}
	return "Your answers lie close to the reference. Have a look at where they differ."
}

// told reports whether any field was answered often enough to tell a lean.
func (d CalibrationData) told() bool { return slices.ContainsFunc(d.Leans, labeling.Lean.Told) }

// of returns the leans of fields that are answered yes or no, or of the others.
func (d CalibrationData) of(binary bool) (leans []labeling.Lean) {
	for _, l := range d.Leans {
		if l.Field.Scale.Binary() == binary {
			leans = append(leans, l)
		}
	}
	return leans
}

// signed writes a difference with its sign.
func signed(n int) string {
	switch {
	case n > 0:
		return "+" + strconv.Itoa(n)
	case n < 0:
		return "−" + strconv.Itoa(-n)
	}
	return "="
}

func leanOf(l labeling.Lean) string {
	if l.N == 0 {
		return "–"
	}
	sign := map[bool]string{true: "−", false: "+"}[l.Mean < 0]
	text := fmt.Sprintf("%.1f", l.Size())
	if text == "0.0" {
		sign = ""
	}
	return sign + text
}

func spreadOf(l labeling.Lean) string {
	if l.N < 2 {
		return "–"
	}
	return fmt.Sprintf("%.1f", l.Spread)
}

// leanInShort is a lean in one cell.
func leanInShort(l labeling.Lean) string {
	switch {
	case l.N == 0:
		return "–"
	case l.Field.Scale.Binary():
		return fmt.Sprintf("%d yes, %d no", l.More, l.Fewer())
	}
	return leanOf(l) + " (" + spreadOf(l) + ")"
}

// alikeOf is on how many items somebody answered like the reference.
func alikeOf(l labeling.Lean) string { return fmt.Sprintf("%d of %d", l.Exact, l.N) }

// differs says of an item in a few words how it lies to the reference, and
// whether anybody spoke of it.
func (d CalibrationData) differs(i CalibratedItem) string {
	asked, apart := d.Protocol.Asked(i.Facts), 0
	for _, f := range asked {
		if i.Own.Values[f.Key] != i.Reference.Values[f.Key] {
			apart++
		}
	}
	says := fmt.Sprintf("%d of %d questions differ", apart, len(asked))
	switch {
	case !i.Answered:
		says = "not answered"
	case apart == 0:
		says = "as the reference"
	}
	if len(i.Said) > 0 {
		says += "; " + count(len(i.Said), "remark")
	}
	return says
}

func answerOf(a protocol.Answers, key string) string {
	if value, given := a.Values[key]; given {
		return strconv.Itoa(value)
	}
	return "–"
}

func differenceOf(i CalibratedItem, key string) string {
	own, answered := i.Own.Values[key]
	right, asked := i.Reference.Values[key]
	if !answered || !asked {
		return "–"
	}
	return signed(own - right)
}

// ticks names the observations of a.
func ticks(p protocol.Protocol, a protocol.Answers) string {
	return listed(Form{Protocol: p, Answers: a}.observed())
}

func listed(texts []string) string {
	joined := ""
	for i, text := range texts {
		if i > 0 {
			joined += ", "
		}
		joined += text
	}
	return joined
}
