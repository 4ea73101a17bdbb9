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

// A form is a labelling form as it was sent. Reading it judges nothing but
// whether each value is one.
type form struct {
	labeling.Submission
	version  int64 // of the draft, as the page counts
	keysOff  bool
	problems protocol.Problems // values that are no whole number, or given twice
}

var errUnreadable = fault.Invalid.Says("The form holds characters that cannot be stored, such as a null character. Remove them and send it again.")

// longestItem bounds what a page may claim for the time spent on an item.
const longestItem = 12 * time.Hour

func readForm(r *http.Request) (form, error) {
	if err := r.ParseForm(); err != nil {
		return form{}, fmt.Errorf("read the form: %w", malformed(err))
	}
	f := form{Submission: labeling.Submission{Tab: tabOf(""), Answers: protocol.Answers{Values: map[string]int{}, Observations: []string{}, Unsure: []string{}}}}
	for key, values := range r.PostForm {
		if !storable(append(slices.Clone(values), key)...) {
			return form{}, errUnreadable
		}
		f.take(key, values)
	}
	slices.SortFunc(f.problems, func(a, b protocol.Problem) int { return strings.Compare(a.Key, b.Key) })
	return f, nil
}

// malformed tells a body that is too large from one that is no form.
func malformed(err error) error {
	if err = known(err); fault.KindOf(err) != "" {
		return err
	}
	return fault.Invalid.Says("The form could not be read. Reload the page and send it again.")
}

func (f *form) take(key string, values []string) {
	switch key {
	case "observation":
		f.Answers.Observations = values
	case "unsure":
		f.Answers.Unsure = values
	case protocol.Note:
		f.Answers.Note = strings.ReplaceAll(strings.Join(values, "\n"), "\r\n", "\n") // as the browser shows it; of two, none is lost
	case "active_ms":
		f.ActiveMS = milliseconds(values[0])
	case "tab":
		f.Tab = tabOf(values[0])
	case "idle_ms":
	case "draft_version":
		f.version = versionOf(values[0])
	case "draft_from":
		f.From = versionOf(values[0])
	case "keys_off":
		f.keysOff = true
	default:
		f.takeValue(key, values)
	}
}

// tabOf returns what a page calls itself; one without a name is still a page.
func tabOf(text string) string {
	if text == "" || len(text) > 40 {
		return "page"
	}
	return text
}

func (f *form) takeValue(key string, values []string) {
	value, err := strconv.Atoi(values[0])
	switch {
	case len(values) > 1:
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale", Says: "This question came with two answers. Please choose one."})
	case err != nil || strconv.Itoa(value) != values[0]:
		f.problems = append(f.problems, protocol.Problem{Key: key, Rule: key + "_scale", Says: "Please choose one of the answers offered."})
	default:
		f.Answers.Values[key] = value
	}
}

// err returns the problems of reading, so that nothing is stored beside them.
func (f form) err() error {
	if f.problems == nil {
		return nil
	}
	return f.problems
}

// versionOf reads the number that a page gave a draft, 0 where it makes no
// sense: pages count in milliseconds since 1970.
func versionOf(text string) int64 {
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 0 || version > 1<<53 {
		return 0
	}
	return version
}

// milliseconds reads a time that the page measured; what makes no sense is not
// known, which is 0.
func milliseconds(text string) int64 {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > longestItem.Milliseconds() {
		return 0
	}
	return ms
}

// storable reports whether PostgreSQL can hold the texts as they are.
func storable(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, 0)
	})
}

// whole reads a number of a lead's form; empty is 0.
func whole(values url.Values, key, what string) (int, error) {
	text := strings.TrimSpace(values.Get(key))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.Invalid.Says("%s has to be a whole number; “%s” is not.", what, text)
	}
	return n, nil
}
