package itemtext

import (
	"bytes"
	"errors"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blocks finds the blocks of Markdown. Setext headings, reference definitions and all inline
// marks are left to the renderer.
var blocks = parser.NewParser(parser.WithBlockParsers(
	util.Prioritized(ruleParser{parser.NewThematicBreakParser()}, 200),
	util.Prioritized(parser.NewListParser(), 300),
	util.Prioritized(parser.NewListItemParser(), 400),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(quoteParser{parser.NewBlockquoteParser()}, 800),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000)))

// A ruleParser finds the lines that divide a text. Other rows of marks are shown, such as ____
// to be filled in.
type ruleParser struct{ parser.BlockParser }

var rulePattern = regexp.MustCompile(`^(?:-{3,}|\*\*\*|\* \* \*)\s*$`)

func (p ruleParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); !rulePattern.Match(bytes.TrimLeft(line, " ")) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// A quoteParser finds quotations: > and a space, before words. Comparisons such as "> 5", prompts
// and >>> are shown.
type quoteParser struct{ parser.BlockParser }

var quotePattern = regexp.MustCompile(`^(?:> )*>(?:[ \t]+(?:\pL|[^\PP<>=/\\]|\$\$|mm))`)

func (p quoteParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); !quotePattern.Match(bytes.TrimLeft(line, " ")) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

var errTooComplex = errors.New("the Markdown is too complex")

// convertMarkdown returns Markdown as HTML that is not sanitized. isMarked is false if it has
// no more than paragraphs.
func convertMarkdown(source string, headingLevel int) (markup string, isMarked bool, err error) {
	if isTooComplex(source) {
		return "", false, errTooComplex
	}
	if !strings.HasSuffix(source, "\n") {
		source += "\n" // Without it goldmark drops what a last line of one character says about code.
	}
	formulas := findFormulas(source)
	document := blocks.Parse(text.NewReader(mask(source, formulas)))
	r := markdownRenderer{source: source, formulas: formulas, headingLevel: headingLevel,
		previousLevel: headingLevel - 1, topLevel: topHeading(document)}
	r.blocks(document)
	r.skipTo(len(source))
	if r.hasFailed {
		return "", false, errTooComplex
	}
	return r.out.String(), r.isMarked && r.hasShown, nil
}

// isTooComplex reports whether source could take long to read: each line is compared with all
// quotations and lists around it.
func isTooComplex(source string) bool {
	for line := range strings.Lines(source) {
		if countMarkers(line) > maxDepth {
			return true
		}
	}
	return false
}

var blockMarker = regexp.MustCompile(`^\s*(?:>|(?:[-*+]|[0-9]{1,9}[.)])\s)`)

// countMarkers returns how many quotations and lists a line starts, up to one more than
// allowed.
func countMarkers(line string) (count int) {
	for count <= maxDepth {
		end := blockMarker.FindStringIndex(line)
		if end == nil {
			break
		}
		line = line[end[1]:]
		count++
	}
	return count
}

// topHeading returns the highest level of the headings of a document.
func topHeading(document ast.Node) int {
	top := 6
	_ = ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if h, isHeading := n.(*ast.Heading); isHeading {
			top = min(top, h.Level)
		}
		return ast.WalkContinue, nil
	})
	return top
}

// A markdownRenderer writes a text as HTML. All characters go through show, from the start of
// the text to its end: what is left out can only be marks.
type markdownRenderer struct {
	source                                string
	formulas                              []formula
	out                                   strings.Builder
	pos                                   int // before it the source is shown or left out
	headingLevel, previousLevel, topLevel int
	depth, cells                          int
	isMarked                              bool // it has more than paragraphs
	hasShown                              bool // it has more than marks
	hasFailed                             bool // it cannot be shown otherwise than as written
}

// marks are the characters of which the delimiters consist that are left out.
const markCharacters = " \t\r\n#>|:-*_~[]!\\`$"

// skipTo leaves out the marks before position at.
func (r *markdownRenderer) skipTo(at int) {
	if at < r.pos || strings.Trim(r.source[r.pos:at], markCharacters) != "" {
		r.hasFailed = true
		return
	}
	r.pos = at
}

// show writes the source from start to end.
func (r *markdownRenderer) show(start, end int) {
	if r.skipTo(start); !r.hasFailed {
		r.pos, r.hasShown = end, true
		r.write(html.EscapeString(r.source[start:end]))
	}
}

func (r *markdownRenderer) write(markup string) {
	if r.out.WriteString(markup); r.out.Len() > maxGrowth*len(r.source)+4096 {
		r.hasFailed = true
	}
}

// wrap writes what content writes in an element.
func (r *markdownRenderer) wrap(element, attributes string, content func()) {
	if r.depth++; r.depth > maxDepth {
		r.hasFailed = true
	}
	if r.hasFailed {
		return
	}
	r.isMarked = r.isMarked || element != "p"
	r.write("<" + element + attributes + ">")
	content()
	r.write("</" + element + ">")
	r.depth--
}

func (r *markdownRenderer) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil && !r.hasFailed; n = n.NextSibling() {
		r.block(n)
	}
}

func (r *markdownRenderer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.Paragraph:
		r.paragraph(n)
	case *ast.TextBlock:
		r.inline(r.newLines(n))
	case *ast.ThematicBreak:
		r.isMarked = true
		r.write("<hr>")
	case *ast.List:
		name := "ul"
		if n.IsOrdered() {
			name = "ol"
		}
		r.wrap(name, r.direction(n), func() { r.blocks(n) })
	case *ast.ListItem:
		r.wrap("li", "", func() { r.listItem(n) })
	case *ast.Blockquote:
		r.wrap("blockquote", r.direction(n), func() { r.blocks(n) })
	case *ast.FencedCodeBlock:
		r.fencedCode(n)
	case *ast.HTMLBlock:
		lines := slices.Clone(n.Lines().Sliced(0, n.Lines().Len()))
		if n.HasClosure() {
			lines = append(lines, n.ClosureLine)
		}
		r.code(lines, "")
	case *ast.CodeBlock:
		r.code(n.Lines().Sliced(0, n.Lines().Len()), "")
	default:
		r.hasFailed = true
	}
}

func (r *markdownRenderer) heading(n *ast.Heading) {
	if n.Lines().Len() == 0 { // marks without words
		end := n.Pos() + endBefore(r.source[n.Pos():], "\n")
		r.wrap("p", ` dir="auto"`, func() { r.show(n.Pos(), end) })
		return
	}
	line := n.Lines().At(0)
	line.Stop = line.Start + len(strings.TrimRight(r.source[line.Start:][:endBefore(r.source[line.Start:], "\n")],
		" \t\r"))
	r.previousLevel = min(r.headingLevel+n.Level-r.topLevel, r.previousLevel+1, 6)
	r.wrap("h"+strconv.Itoa(r.previousLevel), ` dir="auto"`,
		func() { r.inline(newLines(r.source, []text.Segment{line})) })
}

var itemMarker = regexp.MustCompile(`^(?:[-*+]|[0-9]{1,9}[.)])`)

// listItem writes an item after its mark, which is shown as it was written.
func (r *markdownRenderer) listItem(n *ast.ListItem) {
	start := max(n.Pos(), r.pos)
	end := start + len(itemMarker.FindString(r.source[start:]))
	if start == end {
		r.hasFailed = true
		return
	}
	r.wrap("span", ` class="marker"`, func() { r.show(start, end); r.write(" ") })
	r.blocks(n)
}

func (r *markdownRenderer) fencedCode(n *ast.FencedCodeBlock) {
	info := ""
	if n.Info != nil {
		r.skipTo(n.Info.Segment.Start)
		r.pos, r.hasShown = n.Info.Segment.Stop, true
		info = r.source[n.Info.Segment.Start:n.Info.Segment.Stop]
	}
	r.code(n.Lines().Sliced(0, n.Lines().Len()), info)
}

func (r *markdownRenderer) code(lines []text.Segment, info string) {
	var code strings.Builder
	for _, line := range lines {
		if r.skipTo(line.Start); r.hasFailed {
			return
		}
		r.pos, r.hasShown = line.Stop, true
		code.WriteString(strings.Repeat(" ", line.Padding) + r.source[line.Start:line.Stop])
	}
	r.isMarked = true
	language, _, _ := strings.Cut(info, " ")
	r.write(codeBlock(code.String(), language, info))
}

// direction is the attribute for the direction of the first letter in n. A browser would not
// look into the paragraphs of a list, which have directions of their own.
func (r *markdownRenderer) direction(n ast.Node) string {
	start := max(n.Pos(), 0)
	if firstLetterIsRightToLeft(r.source[start:]) {
		return ` dir="rtl"`
	}
	return ` dir="ltr"`
}
