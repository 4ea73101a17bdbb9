package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A paragraph is what stands between two blank lines.
type paragraph []run

// A run is a stretch of text, or one character that would not be seen. Such a
// character stays in the text as it is, so that copying gives the original.
type run struct {
	Text       string
	Mark       string // the name shown in its place: "RLO"; empty for plain text
	Title      string // what it is, in words
	IsIsolated bool   // its effect ends with itself, so it cannot reorder its neighbours
}

var blankLines = regexp.MustCompile(`\r?\n[ \t]*(?:\r?\n[ \t]*)+`)

// splitParagraphs splits text at blank lines; single line breaks stay in it.
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

// The characters that reorder the text around them, and others that take no
// room. Joiners and variation selectors are not among them: they shape what is
// seen, and splitting the text at them would break it.
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
	'\u200b': {Mark: "ZWSP", Title: "space of no width"},
	'\u2060': {Mark: "WJ", Title: "word joiner"},
	'\ufeff': {Mark: "BOM", Title: "byte order mark"},
	'\u2028': {Mark: "LS", Title: "line separator"},
	'\u2029': {Mark: "PS", Title: "paragraph separator"},
}

// lookupMark returns the mark for r, if r is not seen by itself.
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
