// Package plaintext says which characters can be stored, and which can be shown on
// one line without changing what is around them.
package plaintext

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
)

// CanStore reports whether PostgreSQL can store the texts as they are: they are UTF-8
// without null characters.
func CanStore(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, 0)
	})
}

// IsControl reports whether r can move the cursor, change the direction of the text
// after it, or end its line: control characters, bidirectional controls, and the line
// and paragraph separators. Joiners and direction marks are letters of some scripts'
// names and are not among them.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' &&
		r <= '\u2069'
}

// Shorten returns text from a file in a form that fits into a message: on one line and shortened.
func Shorten(text string) string {
	const maxRunes = 80
	text = strings.Map(func(r rune) rune {
		if IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxRunes {
		return string(runes[:maxRunes]) + "…"
	}
	return text
}

// HasControl reports whether text contains a control or is not UTF-8.
func HasControl(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, IsControl)
}

// BlankChars lists the characters that count as blank: white space and zero-width
// characters. Go, browsers and PostgreSQL define white space differently, so all
// three use this list.
const BlankChars = "\t\n\v\f\r \u0085\u00a0\u1680\u180e" +
	"\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"

// Trim returns text without blanks around it.
func Trim(text string) string { return strings.Trim(text, BlankChars) }

// ReadLine returns a name, title or reason that a user enters, without blanks around it. The error is problem if it
// has not shortest to longest characters, or says that it has a control.
func ReadLine(text string, shortest, longest int, problem error) (string, error) {
	text = Trim(text)
	if n := utf8.RuneCountInString(text); n < shortest || n > longest {
		return text, problem
	}
	return text, CheckLine(text)
}

// ReadText is ReadLine for a text of several lines, with tabs, whose line ends become \n.
func ReadText(text string, shortest, longest int, problem error) (string, error) {
	text = Trim(strings.ReplaceAll(text, "\r\n", "\n"))
	if n := utf8.RuneCountInString(text); n < shortest || n > longest {
		return text, problem
	}
	return text, CheckText(text)
}

// CheckLine rejects text that cannot be a title or a name because it has a control.
func CheckLine(text string) error {
	if HasControl(text) {
		return fault.Invalid.Errorf("The text contains an invisible control character, such as a line break. Type it again without copying it.")
	}
	return nil
}

// CheckText rejects text of several lines that has a control other than tabs and line
// breaks, because it could change how the text around it is shown.
func CheckText(text string) error {
	if HasControl(strings.NewReplacer("\t", " ", "\n", " ").Replace(text)) {
		return fault.Invalid.Errorf("The text contains an invisible control character. Type it again without copying it.")
	}
	return nil
}

// A Writer writes text to a terminal. Controls other than tabs and line ends are
// written as escapes such as \u001b, which are valid in JSON; bytes that are not UTF-8
// are written as U+FFFD.
type Writer struct {
	mu   sync.Mutex
	out  io.Writer
	rest []byte // the start of a character whose end is not written yet
}

// NewWriter returns a Writer on out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes text, except the start of a character at its end.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pending := append(w.rest, text...)
	var escaped []byte
	for len(pending) > 0 && utf8.FullRune(pending) {
		r, size := utf8.DecodeRune(pending)
		isLineEnd := r == '\n' || r == '\r' && len(pending) > 1 && pending[1] == '\n'
		if IsControl(r) && r != '\t' && !isLineEnd {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = utf8.AppendRune(escaped, r)
		}
		pending = pending[size:]
	}
	w.rest = slices.Clone(pending)
	if _, err := w.out.Write(escaped); err != nil {
		return 0, err
	}
	return len(text), nil
}
