package importer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
)

// A message is a text with its arguments, kept apart so that it can be translated.
type message struct {
	format string
	args   []any
}

func messagef(format string, args ...any) message { return message{format, args} }

// String returns the message in English; empty for none.
func (m message) String() string { return fmt.Sprintf(m.format, m.args...) }

// resolveMessage returns the message that is the only argument of the format %s.
func resolveMessage(format string, args []any) (string, []any) {
	if format != "%s" {
		return format, args
	}
	switch m := args[0].(type) {
	case message:
		return m.format, m.args
	case error:
		f := fault.From(m)
		return f.Format, f.Args
	case string:
		return m, nil
	}
	return format, args
}

// findTextProblem returns why text cannot be stored verbatim. Only invalid UTF-8 and
// NUL are rejected. Other control characters, bidi marks, U+2028 and unnormalized text
// occur in real data and are kept.
func findTextProblem(text string) (problem message, found bool) {
	count := 0
	for i, r := range text {
		count++
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return messagef("Character %s is not UTF-8 (byte 0x%02X). Save the file as UTF-8.", formatCount(count),
				text[i]), true
		}
		if r == 0 {
			return messagef("Character %s is the control character U+0000 (NUL). Remove it.", formatCount(count)), true
		}
	}
	return message{}, false
}
