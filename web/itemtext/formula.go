package itemtext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A formula is a range of a text that is TeX. Its marks are the delimiters around it.
type formula struct {
	start, end int
	marks      [2]int // their lengths
	isDisplay  bool   // on lines of its own
}

// maxFormula is the length of a formula, in bytes.
const maxFormula = 4000

// findFormulas returns the formulas of source outside of code, in order.
func findFormulas(source string) (found []formula) {
	s := formulaScanner{source: source}
	for s.pos < len(source) {
		if f, isFormula := s.next(); isFormula {
			found = append(found, f)
		}
	}
	return found
}

type formulaScanner struct {
	source       string
	pos          int
	paragraphEnd int    // of the paragraph that pos is in
	fence        string // that closes the code that pos is in; empty: none
}

var fencePattern = regexp.MustCompile("^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(```+|~~~+)")

// next reads a formula, or moves past a character, code or a line.
func (s *formulaScanner) next() (f formula, isFormula bool) {
	if s.pos == 0 || s.source[s.pos-1] == '\n' {
		line := s.source[s.pos:][:endAfter(s.source[s.pos:], 0, "\n")]
		if s.skipFenced(line) {
			return f, false
		}
	}
	if s.pos >= s.paragraphEnd {
		s.paragraphEnd = s.pos + paragraphLength(s.source[s.pos:])
	}
	rest := s.source[s.pos:min(s.paragraphEnd, s.pos+maxFormula, len(s.source))]
	switch rest[0] {
	case '`':
		_, n := codeSpan(s.source[s.pos:s.paragraphEnd])
		s.pos += n
		return f, false
	case '\\', '$':
		f, isFormula = readFormula(s.source, s.pos, rest)
	}
	switch {
	case isFormula:
		f.start, f.end = s.pos, s.pos+f.end
		s.pos = f.end
	case rest[0] == '\\' && len(rest) > 1 && rest[1] != '\n':
		s.pos += 2
	default:
		s.pos++
	}
	return f, isFormula
}

// skipFenced moves past a line of fenced code, or of its fences.
func (s *formulaScanner) skipFenced(line string) bool {
	found := fencePattern.FindStringSubmatch(line)
	switch {
	case s.fence == "" && found == nil, s.fence == "" && found[1][0] == '`' &&
		strings.Contains(line[len(found[0]):], "`"):
		return false
	case s.fence == "":
		s.fence = found[1]
	case found != nil && strings.HasPrefix(found[1], s.fence) && strings.TrimSpace(line[len(found[0]):]) == "":
		s.fence = ""
	}
	s.pos += len(line)
	return true
}

// paragraphLength returns where the next blank line of text starts.
func paragraphLength(text string) int {
	if at := blankLines.FindStringIndex(text); at != nil {
		return at[0] + 1
	}
	return len(text)
}

// codeSpan returns the length of the marks of the code that text starts with, and that of the
// whole. Without code the marks are 0, and the whole is the backticks.
func codeSpan(text string) (marks, length int) {
	marks = countWhile(text, isBacktick)
	for at := marks; at < len(text); {
		start := strings.IndexByte(text[at:], '`')
		if start < 0 {
			break
		}
		run := countWhile(text[at+start:], isBacktick)
		if at += start + run; run == marks {
			return marks, at
		}
	}
	return 0, marks
}

func isBacktick(c byte) bool { return c == '`' }

var environmentPattern = regexp.MustCompile(
	`^\\begin\{((?:equation|align|aligned|gather|gathered|multline|split|eqnarray|array|cases|[pbvBV]?matrix)\*?)\}`)

// readFormula returns the formula that text starts with, which is source at pos. Its end is its
// length.
func readFormula(source string, pos int, text string) (f formula, isFormula bool) {
	switch {
	case strings.HasPrefix(text, `\(`):
		f, isFormula = delimited(text, 2, `\)`, false)
	case strings.HasPrefix(text, `\[`):
		f, isFormula = delimited(text, 2, `\]`, true)
	case strings.HasPrefix(text, `$$`):
		f, isFormula = delimited(text, 2, `$$`, true)
		isFormula = isFormula && !strings.HasSuffix(source[:pos], "$") && !strings.HasPrefix(source[pos+f.end:], "$")
	case text[0] == '$':
		return readDollars(source, pos, text)
	default:
		if name := environmentPattern.FindStringSubmatch(text); name != nil {
			f, isFormula = delimited(text, 0, `\end{`+name[1]+`}`, true)
			f.marks[1] = 0
		}
	}
	if !isFormula || strings.Contains(text[:f.end], "```") {
		return f, false
	}
	_, isInOneBlock := linesOf(source, pos, pos+f.end)
	return f, isInOneBlock
}

var quoteMarks = regexp.MustCompile(`^ {0,3}(?:> ?)+`)

// linesOf returns where the lines of a formula, from start to end of source, are, each with its line break and without
// the marks of
// the quotation that they are in. It returns false if a line has other marks than the first: there a block ends.
func linesOf(source string, start, end int) (lines [][2]int, isInOneBlock bool) {
	if !strings.Contains(source[start:end], "\n") {
		return [][2]int{{start, end}}, true
	}
	first := source[strings.LastIndexByte(source[:start], '\n')+1 : start]
	depth := 0
	if quotePattern.MatchString(strings.TrimLeft(first, " ") + "mm") {
		depth = strings.Count(quoteMarks.FindString(first), ">")
	}
	for at := start; ; {
		next := at + endAfter(source[at:end], 0, "\n")
		lines = append(lines, [2]int{at, next})
		if next >= end {
			return lines, true
		}
		marks := quoteMarks.FindString(source[next:end])
		if n := strings.Count(marks, ">"); n != depth && n != 0 {
			return lines, false
		}
		if at = next; strings.Contains(marks, ">") {
			at += len(marks)
		}
	}
}

func delimited(text string, mark int, closing string, isDisplay bool) (f formula, isFound bool) {
	n := strings.Index(text[mark:], closing)
	if n < 0 || strings.TrimSpace(text[mark:mark+n]) == "" {
		return f, false
	}
	return formula{end: mark + n + len(closing), marks: [2]int{mark, len(closing)}, isDisplay: isDisplay}, true
}

// Words in a formula, other than in \text and commands.
var (
	wordGroups = regexp.MustCompile(`\\(?:text\w*|mathrm|operatorname|mbox)\*?\{[^}]*\}|\\[A-Za-z]+`)
	twoWords   = regexp.MustCompile(`\pL{2}\s+\pL{2}`)
)

// readDollars reads $…$ in one line. It is money where a space is inside a dollar sign, a letter
// or digit is outside of one, or two words follow each other.
func readDollars(source string, pos int, text string) (f formula, isFormula bool) {
	line := text[1:][:endBefore(text[1:], "\n")]
	end := 0
	for end < len(line) && line[end] != '$' {
		if line[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(line) || end == 0 || isSpaceByte(line[0]) || isSpaceByte(line[end-1]) ||
		strings.Contains(line[:end], "`") {
		return f, false
	}
	previous, _ := utf8.DecodeLastRuneInString(source[:pos])
	next, _ := utf8.DecodeRuneInString(source[pos+end+2:])
	isMoney := isASCIIWord(previous) || isASCIIWord(next) || previous == '$' || next == '$' ||
		twoWords.MatchString(wordGroups.ReplaceAllString(line[:end], " "))
	return formula{end: end + 2, marks: [2]int{1, 1}}, !isMoney
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isASCIIWord(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// needsMath reports whether tex has what text between brackets does not have.
func needsMath(tex string) bool { return strings.ContainsAny(tex, `\^_=<>`) }

// mask returns source with the formulas replaced by letters, at the same places.
func mask(source string, formulas []formula) []byte {
	masked := []byte(source)
	for _, f := range formulas {
		for i := f.start; i < f.end; i++ {
			masked[i] = 'm'
		}
	}
	return masked
}
