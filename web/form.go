package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A labelingForm is a labelling form as it was sent. Reading it judges nothing but
// whether each value is one.
type labelingForm struct {
	labeling.Submission
	draftVersion      int64 // of the draft, as the page counts
	shortcutsDisabled bool
	problems          protocol.Problems // values that are no whole number, or given twice
}

var errUnstorableText = fault.Invalid.Errorf("The form holds characters that cannot be stored, such as a null character. Remove them and send it again.")

// maxItemTime bounds what a page may claim for the time spent on an item.
const maxItemTime = 12 * time.Hour

func readLabelingForm(r *http.Request) (labelingForm, error) {
	if err := r.ParseForm(); err != nil {
		return labelingForm{}, fmt.Errorf("read the form: %w", classifyFormError(err))
	}
	f := labelingForm{Submission: labeling.Submission{Tab: parseTab(""), Answers: protocol.Answers{Values: map[string]int{}, Observations: []string{}, Unsure: []string{}}}}
	for key, values := range r.PostForm {
		if !isStorable(append(slices.Clone(values), key)...) {
			return labelingForm{}, errUnstorableText
		}
		f.setField(key, values)
	}
	slices.SortFunc(f.problems, func(a, b protocol.Problem) int { return strings.Compare(a.Key, b.Key) })
	return f, nil
}

// classifyFormError tells a body that is too large from one that is no form.
func classifyFormError(err error) error {
	if err = classifyError(err); fault.KindOf(err) != "" {
		return err
	}
	return fault.Invalid.Errorf("The form could not be read. Reload the page and send it again.")
}

func (f *labelingForm) setField(key string, values []string) {
	switch key {
	case "observation":
		f.Answers.Observations = values
	case "unsure":
		f.Answers.Unsure = values
	case protocol.NoteKey:
		f.Answers.Note = strings.ReplaceAll(strings.Join(values, "\n"), "\r\n", "\n") // as the browser shows it; of two, none is lost
	case "active_ms":
		f.ActiveMS = parseMilliseconds(values[0])
	case "tab":
		f.Tab = parseTab(values[0])
	case "idle_ms":
	case "draft_version":
		f.draftVersion = parseVersion(values[0])
	case "base_version":
		f.DraftVersion = parseVersion(values[0])
	case "shortcuts_off":
		f.shortcutsDisabled = true
	default:
		f.setValue(key, values)
	}
}

// parseTab returns what a page calls itself; one without a name is still a page.
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
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale", Message: "This question came with two answers. Please choose one."})
	case err != nil || strconv.Itoa(value) != values[0]:
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale", Message: "Please choose one of the answers offered."})
	default:
		f.Answers.Values[key] = value
	}
}

// err returns the problems of reading, so that nothing is stored beside them.
func (f labelingForm) err() error {
	if f.problems == nil {
		return nil
	}
	return f.problems
}

// parseVersion reads the number that a page gave a draft, 0 where it makes no
// sense: pages count in milliseconds since 1970.
func parseVersion(text string) int64 {
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 0 || version > 1<<53 {
		return 0
	}
	return version
}

// parseMilliseconds reads a time that the page measured; what makes no sense is not
// known, which is 0.
func parseMilliseconds(text string) int64 {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > maxItemTime.Milliseconds() {
		return 0
	}
	return ms
}

// isStorable reports whether PostgreSQL can hold the texts as they are.
func isStorable(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, 0)
	})
}

// readWholeNumber reads a number of a lead's form; empty is 0.
func readWholeNumber(values url.Values, key, label string) (int, error) {
	text := strings.TrimSpace(values.Get(key))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.Invalid.Errorf("%s has to be a whole number; “%s” is not.", label, text)
	}
	return n, nil
}
