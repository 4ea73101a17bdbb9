package importer

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// checkText returns why text cannot be stored verbatim, or "".
func checkText(text string) string {
	if problem, found := findTextProblem(text); found {
		return problem.String()
	}
	return ""
}

// checkName returns why text cannot be a name, or "". Names are compared and printed,
// so they have no control characters and no spaces around them.
func checkName(text string, limit int) string {
	n := utf8.RuneCountInString(text)
	switch i := strings.IndexFunc(text, unicode.IsControl); {
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Sprintf("Character %s is the control character U+%04X, which names cannot have. Remove it.",
			formatCount(utf8.RuneCountInString(text[:i])+1), r)
	case plaintext.Trim(text) != text:
		return "There are spaces around this name. Remove them."
	case n > limit:
		return fmt.Sprintf("This name has %s characters. The limit is %s.", formatCount(n), formatCount(limit))
	}
	return ""
}
