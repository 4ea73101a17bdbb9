package page

import (
	"fmt"
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

// waits says why the work does not begin yet, if so.
func (d CalibrationData) waits() string {
	if d.Passage.Settled || d.begins() || d.again() || len(d.Passage.Unread()) > 0 {
		return ""
	}
	return d.Passage.GoesOn().Error()
}

func (d CalibrationData) lead() string {
	if len(d.Passage.Missed) == 0 {
		return "Your answers lie close to the reference. Have a look at where they differ."
	}
	return "Here are your answers beside the reference. On some questions they lie apart."
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
	text := fmt.Sprintf("%.1f", max(l.Mean, -l.Mean))
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
