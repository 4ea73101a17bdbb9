package itemtext

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/text"
)

// An inlineText is the text of a block without the marks of the blocks around it.
type inlineText struct {
	text      string
	pieces    []piece
	isInTable bool
	atoms     []atom
	brackets  map[int]int // from [ to its ]
}

// A piece is where a line of the text is in the source.
type piece struct{ at, source int }

// newLines returns the text of segments of source.
func newLines(source string, segments []text.Segment) *inlineText {
	t := &inlineText{brackets: map[int]int{}}
	var out strings.Builder
	for _, s := range segments {
		t.pieces = append(t.pieces, piece{out.Len(), s.Start})
		out.WriteString(source[s.Start:s.Stop])
	}
	t.text = out.String()
	return t
}

// offset returns where a byte of the text is in the source.
func (t *inlineText) offset(at int) int {
	p := t.pieces[sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > at })-1]
	return p.source + at - p.at
}

// show writes the text from start to end.
func (r *markdownRenderer) showText(t *inlineText, start, end int) {
	for start < end && !r.hasFailed {
		next := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > start })
		stop := end
		if next < len(t.pieces) {
			stop = min(end, t.pieces[next].at)
		}
		from := t.offset(start)
		r.show(from, from+stop-start)
		start = stop
	}
}

// An atomKind is what a part of a text is in which nothing is formatted.
type atomKind int

const (
	atomCode atomKind = iota
	atomFormula
	atomBreak
	atomVerbatim // a tag or address
)

type atom struct {
	kind       atomKind
	start, end int
	marks      int // the length of the backticks
	formula    formula
}

var (
	addressPattern = regexp.MustCompile("(?i)\\b(?:(?:https?|ftp|file)://|www\\.)[^\\s<>\"`()\\[\\]|]+")
	tagPattern     = regexp.MustCompile(`^<[A-Za-z/!?][^<>\n]*>`)
	breakPattern   = regexp.MustCompile(`(?i)^<br ?/?>$`)
)

// findAtoms finds the parts in which nothing is formatted, and the pairs of square brackets
// outside of them.
func (r *markdownRenderer) findAtoms(t *inlineText) {
	var open []int
	formulas := r.formulas
	if len(t.pieces) > 0 {
		formulas = r.formulasIn(t.offset(0), t.offset(len(t.text))+1)
	}
	addresses := addressPattern.FindAllStringIndex(t.text, -1)
	for i := 0; i < len(t.text); {
		a := atom{start: i}
		for len(formulas) > 0 && formulas[0].start < t.offset(i) {
			formulas = formulas[1:]
		}
		for len(addresses) > 0 && addresses[0][0] < i {
			addresses = addresses[1:]
		}
		switch c := t.text[i]; {
		case len(formulas) > 0 && formulas[0].start == t.offset(i):
			a.kind, a.formula, a.end = atomFormula, formulas[0], i+formulas[0].end-formulas[0].start
		case len(addresses) > 0 && addresses[0][0] == i:
			address := t.text[i:addresses[0][1]]
			a.kind, a.end = atomVerbatim, i+len(strings.TrimRight(address, "*_~.,;:!?'\\"))
		case c == '`':
			if marks, n := codeSpan(t.text[i:]); marks > 0 {
				a.kind, a.marks, a.end = atomCode, marks, i+n
			} else {
				i += n
				continue
			}
		case c == '<':
			tag := tagPattern.FindString(t.text[i:])
			if a.kind, a.end = atomVerbatim, i+len(tag); breakPattern.MatchString(tag) {
				a.kind = atomBreak
			}
		case c == '\\':
			if i++; i < len(t.text) && t.text[i] != '[' && t.text[i] < 0x80 {
				i++
			}
			continue
		case c == '[':
			open = append(open, i)
		case c == ']' && len(open) > 0:
			t.brackets[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		if a.end <= i {
			i++
			continue
		}
		t.atoms = append(t.atoms, a)
		i = a.end
	}
}

// A token is a part of a text: characters that are shown, an atom, a link, or marks.
type token struct {
	start, end int
	atom       *atom
	link       *link
	run        *markRun
}

// inline writes a text with what its marks mean.
func (r *markdownRenderer) inline(t *inlineText) {
	r.findAtoms(t)
	r.inlineRange(t, 0, len(t.text))
}

func (r *markdownRenderer) inlineRange(t *inlineText, start, end int) {
	tokens := t.tokenize(start, end)
	matchRuns(t.text, tokens)
	for _, token := range tokens {
		switch {
		case token.atom != nil:
			r.atom(t, *token.atom)
		case token.link != nil:
			r.link(t, *token.link)
		case token.run != nil:
			r.run(t, token.start, token.end, token.run)
		default:
			r.showText(t, token.start, token.end)
		}
	}
}

func (r *markdownRenderer) atom(t *inlineText, a atom) {
	switch a.kind {
	case atomCode:
		r.wrap("code", "", func() { r.showText(t, a.start+a.marks, a.end-a.marks) })
	case atomFormula:
		r.formula(a.formula)
	case atomBreak:
		r.wrap("span", ` class="line-break"`, func() { r.showText(t, a.start, a.end) })
		r.write("<br>")
	default:
		r.showText(t, a.start, a.end)
	}
}

// maxNarrow is the length of TeX, in bytes, up to which a formula fits in a line of text.
const maxNarrow = 60

// formula writes TeX as MathML, or as it was written if it has anything that typeset does not
// know.
func (r *markdownRenderer) formula(f formula) {
	lines, _ := linesOf(r.source, f.start, f.end)
	tex := ""
	for _, line := range lines {
		tex += r.source[line[0]:line[1]]
	}
	tex = tex[f.marks[0] : len(tex)-f.marks[1]]
	isBracketed := strings.HasPrefix(r.source[f.start:], `\[`)
	if mathML, isTypeset := typeset(tex, f.isDisplay); isTypeset && (!isBracketed || needsMath(tex)) {
		r.skipTo(f.start)
		r.pos, r.isMarked, r.hasShown = f.end, true, true
		if isWide := len(tex) > maxNarrow && !f.isDisplay; isWide {
			mathML = `<span class="wide-formula">` + mathML + `</span>`
		}
		r.write(mathML)
		return
	}
	class := "tex"
	if f.isDisplay && strings.Contains(r.source[f.start:f.end], "\n") {
		class = "tex display"
	}
	r.wrap("code", ` class="`+class+`"`, func() {
		for _, line := range lines {
			r.show(line[0], line[1])
		}
	})
}

// A link is a text and an address. The address is shown after the text, in its parentheses.
type link struct {
	textStart, textEnd, targetStart, targetEnd int
	isImage                                    bool
}

// linkTarget is what the address of a link looks like: f[i](x) is none.
var linkTarget = regexp.MustCompile(
	`^\((?:<[^<>\n]*>|(?:[a-zA-Z][a-zA-Z0-9+.-]*:|/|\.{1,2}/|#|www\.)[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)`)

var imageTarget = regexp.MustCompile(`^\([^\s()]+(?:\([^\s()]*\)[^\s()]*)*(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)`)

// readLink reads the link or image that starts at i and ends before end.
func (t *inlineText) readLink(i, end int) (l link, isLink bool) {
	target := linkTarget
	before := lastRune(t.text[:i])
	if t.text[i] == '!' {
		l.isImage, target = true, imageTarget
		i++
	}
	var isClosed bool
	if l.textEnd, isClosed = t.brackets[i]; !isClosed || l.textEnd >= end || !l.isImage && l.textEnd == i+1 {
		return l, false
	}
	l.textStart, l.targetStart = i+1, l.textEnd+1
	found := target.FindString(t.text[l.targetStart:end])
	l.targetEnd = l.targetStart + len(found)
	isCall := unicode.IsLetter(before) || unicode.IsNumber(before) || before == ')' || before == ']'
	return l, found != "" && (!isCall || strings.Contains(found, "://"))
}

func (r *markdownRenderer) link(t *inlineText, l link) {
	text := func() { r.inlineRange(t, l.textStart, l.textEnd) }
	target := func() {
		r.wrap("bdi", ` class="link-target" dir="ltr"`, func() { r.showText(t, l.targetStart, l.targetEnd) })
	}
	if !l.isImage {
		r.wrap("span", ` class="link"`, text)
		target()
		return
	}
	r.wrap("span", ` class="image-placeholder"`, func() {
		r.write(imageLabel)
		r.showText(t, l.textStart, l.textEnd)
		target()
	})
}
