package itemtext

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/locale"
)

// layoutSpaces are the spaces and line breaks around texts, cells and lines that are not shown.
const layoutSpaces = " \t\r\n"

var blankLines = regexp.MustCompile(`\r?\n[ \t]*(?:\r?\n[ \t]*)+`)

// Plain returns text as paragraphs, which are divided by blank lines, each with its own
// direction. Without any text it is empty.
func Plain(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var out strings.Builder
	for _, paragraph := range blankLines.Split(text, -1) {
		if strings.Trim(paragraph, layoutSpaces) != "" {
			out.WriteString(`<p dir="auto">` + html.EscapeString(paragraph) + `</p>`)
		}
	}
	return markInvisible(out.String())
}

// A mark is the name shown for an invisible character. The character stays in the text, so
// that copying gives the original.
type mark struct {
	name       string      // such as "RLO"
	title      locale.Text // the full name
	isIsolated bool        // it must not reorder the text around it
}

// labelInvisible is the title of invisible characters without a name.
const labelInvisible = locale.Text("invisible character")

// marks are characters that reorder text or have no width. Joiners and variation
// selectors are left out: they shape the visible text.
var marks = map[rune]mark{
	'\u202a': {"LRE", locale.Text("left-to-right embedding"), true},
	'\u202b': {"RLE", locale.Text("right-to-left embedding"), true},
	'\u202c': {"PDF", locale.Text("end of embedding"), true},
	'\u202d': {"LRO", locale.Text("left-to-right override"), true},
	'\u202e': {"RLO", locale.Text("right-to-left override"), true},
	'\u2066': {"LRI", locale.Text("left-to-right isolate"), true},
	'\u2067': {"RLI", locale.Text("right-to-left isolate"), true},
	'\u2068': {"FSI", locale.Text("isolate"), true},
	'\u2069': {"PDI", locale.Text("end of isolate"), true},
	'\u200e': {"LRM", locale.Text("left-to-right mark"), false},
	'\u200f': {"RLM", locale.Text("right-to-left mark"), false},
	'\u061c': {"ALM", locale.Text("Arabic letter mark"), false},
	'\u00ad': {"SHY", locale.Text("soft hyphen"), false},
	'\u200b': {"ZWSP", locale.Text("zero width space"), false},
	'\u2060': {"WJ", locale.Text("word joiner"), false},
	'\ufeff': {"BOM", locale.Text("byte order mark"), false},
	'\u2028': {"LS", locale.Text("line separator"), false},
	'\u2029': {"PS", locale.Text("paragraph separator"), false},
}

// lookupMark returns the mark of r, if r is invisible.
func lookupMark(r rune) (mark, bool) {
	if m, ok := marks[r]; ok {
		return m, true
	}
	if r == '\n' || r == '\t' || r == '\r' {
		return mark{}, false
	}
	isTag := r >= 0xe0000 && r <= 0xe007f
	if !unicode.IsControl(r) && !isTag && (r < 0xfff9 || r > 0xfffb) {
		return mark{}, false
	}
	return mark{name: fmt.Sprintf("U+%04X", r), title: labelInvisible}, true
}

// markInvisible makes the invisible characters between the tags of markup visible.
// Attributes stay as they are.
func markInvisible(markup string) string {
	if !strings.ContainsFunc(markup, isInvisible) {
		return markup
	}
	var out strings.Builder
	isInTag := false
	for _, r := range markup {
		m, hasMark := lookupMark(r)
		switch {
		case r == '<' || r == '>':
			isInTag = r == '<'
			out.WriteRune(r)
		case !hasMark || isInTag:
			out.WriteRune(r)
		default:
			out.WriteString(m.html(r))
		}
	}
	return out.String()
}

func isInvisible(r rune) bool {
	_, isMarked := lookupMark(r)
	return isMarked
}

func (m mark) html(r rune) string {
	tag := "span"
	if m.isIsolated {
		tag = "bdi"
	}
	return fmt.Sprintf(`<%s class="invisible-character" role="img" aria-label="%s" data-character="%s">%c</%s>`, tag,
		m.title, m.name, r, tag)
}
