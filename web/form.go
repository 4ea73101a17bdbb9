package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A labelingForm is a labeling form as it was posted. Reading it checks only
// that each value is a whole number.
type labelingForm struct {
	labeling.Submission
	draftVersion      int64 // as the page counts
	shortcutsDisabled bool
	problems          protocol.Problems // values that are not whole numbers, or are given twice
}

// maxItemTime bounds the time that a page may report for one item.
const maxItemTime = 12 * time.Hour

func readLabelingForm(r *http.Request) labelingForm {
	f := labelingForm{Submission: labeling.Submission{RequiresReading: true, Tab: parseTab(""),
		Answers: protocol.Answers{Values: map[string]int{}, Observations: []string{}, Unsure: []string{}}}}
	for key, values := range r.PostForm {
		f.setField(key, values)
	}
	slices.SortFunc(f.problems, func(a, b protocol.Problem) int { return strings.Compare(a.Key, b.Key) })
	return f
}

// setField reads one control. Those that are not in protocol.Controls are the
// fields of the protocol.
func (f *labelingForm) setField(key string, values []string) {
	switch key {
	case protocol.ControlObservation:
		f.Answers.Observations = values
	case protocol.ControlUnsure:
		f.Answers.Unsure = values
	case protocol.ControlNote:
		f.Answers.Note = strings.ReplaceAll(strings.Join(values, "\n"), "\r\n", "\n") // a second value is kept, too
	case protocol.ControlActiveTime:
		f.ActiveMS = parseMilliseconds(values[0])
	case protocol.ControlTab:
		f.Tab = parseTab(values[0])
	case protocol.ControlIdleTime: // the page counts it for itself
	case protocol.ControlSkipReason, protocol.ControlSkipComment, protocol.ControlQuestion: // of pages of their own
	case protocol.ControlScreenState: // for the answer
	case protocol.ControlFilledIn:
		f.FilledIn = labeling.ParseFilledIn(values[0])
	case protocol.ControlDraftVersion:
		f.draftVersion = parseVersion(values[0])
	case protocol.ControlBaseVersion:
		f.DraftVersion = parseVersion(values[0])
	case protocol.ControlShortcutsOff:
		f.shortcutsDisabled = true
	default:
		f.setValue(key, values)
	}
}

// parseTab returns the name that a browser tab gives itself, or a default.
func parseTab(text string) string {
	if text == "" || len(text) > 40 {
		return "page"
	}
	return text
}

func (f *labelingForm) setValue(key string, values []string) {
	value, err := strconv.Atoi(values[0])
	switch {
	case len(values) > 1:
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale",
			Message: protocol.MessageTwoAnswers})
	case err != nil || strconv.Itoa(value) != values[0]:
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale",
			Message: "Choose one of the listed answers."})
	default:
		f.Answers.Values[key] = value
	}
}

// err returns the problems of reading, so that such a form is not stored.
func (f labelingForm) err() error {
	if f.problems == nil {
		return nil
	}
	return f.problems
}

// parseVersion reads the version that a page gives a draft, in milliseconds
// since 1970, or 0.
func parseVersion(text string) int64 { return parseUpTo(text, 1<<53) }

// parseMilliseconds reads a time that the page measured; 0 is unknown.
func parseMilliseconds(text string) int64 { return parseUpTo(text, maxItemTime.Milliseconds()) }

// parseUpTo reads a number from 0 to limit; anything else is 0.
func parseUpTo(text string, limit int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > limit {
		return 0
	}
	return n
}
