package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A paragraph is text between blank lines.
type paragraph []run

// A run is text, or one invisible character. The character stays in the text, so that
// copying gives the original.
type run struct {
	Text       string
	Mark       string // the name shown for it, such as "RLO"; empty for text
	Title      string // the full name
	IsIsolated bool   // it must not reorder the text around it
}

var blankLines = regexp.MustCompile(`\r?\n[ \t]*(?:\r?\n[ \t]*)+`)

// splitParagraphs splits text at blank lines and keeps single line breaks.
func splitParagraphs(text string) (list []paragraph) {
	for _, part := range blankLines.Split(text, -1) {
		if strings.TrimSpace(part) != "" {
			list = append(list, splitRuns(part))
		}
	}
	return list
}

func splitRuns(text string) (parts paragraph) {
	start := 0
	for i, r := range text {
		mark, isInvisible := lookupMark(r)
		if !isInvisible {
			continue
		}
		if start < i {
			parts = append(parts, run{Text: text[start:i]})
		}
		mark.Text = string(r)
		parts = append(parts, mark)
		start = i + len(mark.Text)
	}
	if start < len(text) {
		parts = append(parts, run{Text: text[start:]})
	}
	return parts
}

// marks are characters that reorder text or have no width. Joiners and variation
// selectors are left out: they shape the visible text.
var marks = map[rune]run{
	'\u202a': {Mark: "LRE", Title: "left-to-right embedding", IsIsolated: true},
	'\u202b': {Mark: "RLE", Title: "right-to-left embedding", IsIsolated: true},
	'\u202c': {Mark: "PDF", Title: "end of embedding", IsIsolated: true},
	'\u202d': {Mark: "LRO", Title: "left-to-right override", IsIsolated: true},
	'\u202e': {Mark: "RLO", Title: "right-to-left override", IsIsolated: true},
	'\u2066': {Mark: "LRI", Title: "left-to-right isolate", IsIsolated: true},
	'\u2067': {Mark: "RLI", Title: "right-to-left isolate", IsIsolated: true},
	'\u2068': {Mark: "FSI", Title: "isolate", IsIsolated: true},
	'\u2069': {Mark: "PDI", Title: "end of isolate", IsIsolated: true},
	'\u200e': {Mark: "LRM", Title: "left-to-right mark"},
	'\u200f': {Mark: "RLM", Title: "right-to-left mark"},
	'\u061c': {Mark: "ALM", Title: "Arabic letter mark"},
	'\u00ad': {Mark: "SHY", Title: "soft hyphen"},
	'\u200b': {Mark: "ZWSP", Title: "zero width space"},
	'\u2060': {Mark: "WJ", Title: "word joiner"},
	'\ufeff': {Mark: "BOM", Title: "byte order mark"},
	'\u2028': {Mark: "LS", Title: "line separator"},
	'\u2029': {Mark: "PS", Title: "paragraph separator"},
}

// lookupMark returns the mark of r, if r is invisible.
func lookupMark(r rune) (run, bool) {
	if m, ok := marks[r]; ok {
		return m, true
	}
	if r == '\n' || r == '\t' || r == '\r' {
		return run{}, false
	}
	isTag := r >= 0xe0000 && r <= 0xe007f
	if !unicode.IsControl(r) && !isTag && (r < 0xfff9 || r > 0xfffb) {
		return run{}, false
	}
	return run{Mark: fmt.Sprintf("U+%04X", r), Title: "invisible character"}, true
}

// shortTextLength is how many characters of a message a list shows.
const shortTextLength = 120

// shortText returns the start of a message on one line.
func shortText(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= shortTextLength {
		return string(line)
	}
	return string(line[:shortTextLength]) + "…"
}
