package importer

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
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
	case strings.Trim(text, protocol.BlankChars) != text:
		return "There are spaces around this name. Remove them."
	case n > limit:
		return fmt.Sprintf("This name has %s characters. The limit is %s.", formatCount(n), formatCount(limit))
	}
	return ""
}

// findLoneSurrogate returns the first escape of an unpaired surrogate in a valid JSON
// string, or "".
func findLoneSurrogate(raw []byte) string {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch unit := parseCodeUnit(raw[i+1:]); {
		case unit < 0xd800 || unit > 0xdfff:
			i += 4
		case unit < 0xdc00 && startsLowSurrogate(raw[i+5:]):
			i += 10
		default:
			return string(raw[i-1 : i+5])
		}
	}
	return ""
}

func startsLowSurrogate(raw []byte) bool {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return false
	}
	unit := parseCodeUnit(raw[2:])
	return unit >= 0xdc00 && unit <= 0xdfff
}

func parseCodeUnit(raw []byte) uint64 {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 32)
	return unit
}
