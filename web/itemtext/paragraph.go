package itemtext

import (
	"regexp"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// newLines returns the lines of a block. Those of a paragraph that is in no list or quotation
// keep their indentation.
func (r *markdownRenderer) newLines(n ast.Node) *inlineText {
	segments := n.Lines().Sliced(0, n.Lines().Len())
	if _, isTop := n.Parent().(*ast.Document); isTop {
		for i := 1; i < len(segments); i++ {
			for start := segments[i].Start - 1; start >= r.pos && (r.source[start] == ' ' ||
				r.source[start] == '\t'); start-- {
				segments[i].Start = start
			}
		}
	}
	return newLines(r.source, segments)
}

func (r *markdownRenderer) paragraph(n *ast.Paragraph) {
	segments := n.Lines().Sliced(0, n.Lines().Len())
	if head := r.findTable(segments); head >= 0 {
		r.tables(segments, head)
		return
	}
	r.wrap("p", ` dir="auto"`, func() { r.inline(r.newLines(n)) })
}

// tables writes lines of a paragraph: those before the head of a table, the table, and those
// after it, which may be a table again.
func (r *markdownRenderer) tables(lines []text.Segment, head int) {
	for head >= 0 && !r.hasFailed {
		if head > 0 {
			r.wrap("p", ` dir="auto"`, func() { r.inline(newLines(r.source, trimEnd(r.source, lines[:head]))) })
		}
		end := head + 2
		for end < len(lines) && len(r.cellsOf(lines[end])) > 1 {
			end++
		}
		r.table(lines[head], lines[head+1], lines[head+2:end])
		lines = lines[end:]
		head = r.findTable(lines)
	}
	if len(lines) > 0 {
		r.wrap("p", ` dir="auto"`, func() { r.inline(newLines(r.source, lines)) })
	}
}

// trimEnd returns lines without the line break at their end.
func trimEnd(source string, lines []text.Segment) []text.Segment {
	last := &lines[len(lines)-1]
	last.Stop = last.Start + len(strings.TrimRight(source[last.Start:last.Stop], "\r\n"))
	return lines
}

var delimiterRow = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*$`)

// findTable returns the line that heads a table, or -1.
func (r *markdownRenderer) findTable(lines []text.Segment) int {
	for i := 1; i < len(lines); i++ {
		row := r.source[lines[i].Start:lines[i].Stop]
		if strings.Contains(row, "|") && delimiterRow.MatchString(row) &&
			len(r.cellsOf(lines[i-1])) == len(r.cellsOf(lines[i])) {
			return i - 1
		}
	}
	return -1
}

// cellsOf returns the cells of a line: what is between its pipes outside of code and formulas.
// A line without a pipe is one cell, as is "| a |".
func (r *markdownRenderer) cellsOf(line text.Segment) (cells []text.Segment) {
	start := line.Start
	add := func(end int) {
		trimmed := strings.Trim(r.source[start:end], layoutSpaces)
		if trimmed != "" || start > line.Start && end < line.Stop {
			from := start + max(strings.Index(r.source[start:end], trimmed), 0)
			cells = append(cells, text.NewSegment(from, from+len(trimmed)))
		}
		start = end + 1
	}
	formulas := r.formulasIn(line.Start, line.Stop)
	for i := line.Start; i < line.Stop; {
		switch c := r.source[i]; {
		case len(formulas) > 0 && formulas[0].start <= i:
			i = max(i, formulas[0].end)
			formulas = formulas[1:]
		case c == '`':
			_, n := codeSpan(r.source[i:line.Stop])
			i += n
		case c == '\\':
			i += 2
		case c == '|':
			add(i)
			i++
		default:
			i++
		}
	}
	if start <= line.Stop {
		add(line.Stop)
	}
	return cells
}

// table writes a table in a box that scrolls. Cells beyond the head's are shown.
func (r *markdownRenderer) table(head, delimiters text.Segment, rows []text.Segment) {
	var aligns []string
	for _, cell := range r.cellsOf(delimiters) {
		marks, align := r.source[cell.Start:cell.Stop], ""
		switch {
		case strings.HasPrefix(marks, ":") && strings.HasSuffix(marks, ":"):
			align = ` align="center"`
		case strings.HasSuffix(marks, ":"):
			align = ` align="right"`
		case strings.HasPrefix(marks, ":"):
			align = ` align="left"`
		}
		aligns = append(aligns, align)
	}
	row := func(line text.Segment, element string) {
		r.wrap("tr", "", func() {
			for i, cell := range r.cellsOf(line) {
				align := ""
				if i < len(aligns) {
					align = aligns[i]
				}
				if r.cells++; r.cells > maxCells {
					r.hasFailed = true
				}
				r.wrap(element, align, func() {
					inline := newLines(r.source, []text.Segment{cell})
					inline.isInTable = true
					r.inline(inline)
				})
			}
		})
	}
	direction := "ltr"
	if firstLetterIsRightToLeft(r.source[head.Start:]) {
		direction = "rtl"
	}
	r.wrap("div", ` class="wide-table" role="group" aria-label="`+string(labelTable)+`" tabindex="0"`, func() {
		r.wrap("table", ` dir="`+direction+`"`, func() {
			r.wrap("thead", "", func() { row(head, "th") })
			if len(rows) > 0 {
				r.wrap("tbody", "", func() {
					for _, line := range rows {
						row(line, "td")
					}
				})
			}
		})
	})
}

// formulasIn returns the formulas that start from start to end of the source.
func (r *markdownRenderer) formulasIn(start, end int) []formula {
	first := sort.Search(len(r.formulas), func(i int) bool { return r.formulas[i].start >= start })
	last := sort.Search(len(r.formulas), func(i int) bool { return r.formulas[i].start >= end })
	return r.formulas[first:max(first, last)]
}
