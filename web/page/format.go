package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

func formatInt(n int) string { return strconv.Itoa(n) }

// formatID writes an id or a number without separators.
func formatID[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }

// formatRange returns "50" or "50–51".
func formatRange(l *locale.Locale, s project.IntRange) string {
	if s.Min == s.Max {
		return l.Number(s.Min)
	}
	return l.Number(s.Min) + "–" + l.Number(s.Max)
}

// formatSigned writes a whole number with its sign.
func formatSigned(n int) string {
	if n < 0 {
		return "−" + strconv.Itoa(-n)
	}
	return strings.Replace("+"+strconv.Itoa(n), "+0", "0", 1)
}

// formatMinutes writes a rough duration: "40 min", "2.5 h", "70 h".
func formatMinutes(l *locale.Locale, minutes int) string {
	switch {
	case minutes < 1:
		return l.T("under a minute")
	case minutes < 90:
		return l.T("%d min", minutes)
	case minutes < 600:
		return l.T("%s h", l.Decimal(float64(minutes)/60, 1))
	}
	return l.T("%d h", (minutes+30)/60)
}

// formatClock writes the remaining time as minutes and seconds, never below 0:00.
func formatClock(remaining time.Duration) string {
	s := int(max(remaining, 0).Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func localTimeAgo(l *locale.Locale, t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 2*time.Minute:
		return l.T("just now")
	case d < 2*time.Hour:
		return l.T("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return l.T("%d h ago", int(d.Hours()))
	}
	return l.Date(t)
}

// joinSentences writes each part that is not empty as a sentence.
func joinSentences(parts ...string) string {
	var sentences []string
	for _, p := range parts {
		if p != "" {
			sentences = append(sentences, capitalize(p)+".")
		}
	}
	return strings.Join(sentences, " ")
}

func capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// joinList returns "a", "a or b" or "a, b or c".
func joinList(list []string, conjunction string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " " + conjunction + " " + list[n]
	}
	return strings.Join(list, "")
}

func joinInts(list []int, separator string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = strconv.Itoa(v)
	}
	return strings.Join(parts, separator)
}

// quoteShell quotes text as one word of a command line.
func quoteShell(text string) string {
	isSafe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_.@,/+", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !isSafe(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// containsFold reports whether list has text, ignoring case.
func containsFold(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, text) })
}

// isolate returns a name that is part of a text. If it is written from right to left, it is enclosed in
// isolates (U+2068, U+2069), so that it does not change the order of the text around it.
func isolate(name string) string {
	for _, r := range name {
		if unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return "\u2068" + name + "\u2069"
		}
	}
	return name
}
