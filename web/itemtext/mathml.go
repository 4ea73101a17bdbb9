package itemtext

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMathDepth is how deep the groups of a formula are nested.
const maxMathDepth = 24

// typeset returns the formula tex as MathML. isTypeset is false where it has anything but what
// the README lists, or words, whose spaces would be lost.
func typeset(tex string, isDisplay bool) (mathML string, isTypeset bool) {
	p := mathParser{rest: tex, isDisplay: isDisplay}
	defer func() {
		if fault := recover(); fault != nil && fault != (unknownTeX{}) {
			panic(fault)
		}
	}()
	body := p.rows("", "aligned")
	display := ""
	if isDisplay {
		display = ` display="block"`
	}
	return fmt.Sprintf(`<math dir="ltr"%s alttext="%s">%s</math>`, display, html.EscapeString(tex), body), true
}

// unknownTeX is what a mathParser panics with at TeX that it does not know.
type unknownTeX struct{}

// A mathParser reads TeX and returns MathML. The functions read from the start of rest.
type mathParser struct {
	rest      string
	isDisplay bool
	depth     int
}

func (p *mathParser) fail() { panic(unknownTeX{}) }

// peek returns the next token: a command, or a character, or nothing at the end.
func (p *mathParser) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" {
		return ""
	}
	if p.rest[0] != '\\' {
		_, n := utf8.DecodeRuneInString(p.rest)
		return p.rest[:n]
	}
	n := 1 + countWhile(p.rest[1:], isASCIILetter)
	if n == 1 && len(p.rest) > 1 {
		_, size := utf8.DecodeRuneInString(p.rest[1:])
		n += size
	}
	return p.rest[:n]
}

func isASCIILetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (p *mathParser) next() string {
	token := p.peek()
	p.rest = p.rest[len(token):]
	return token
}

func (p *mathParser) expect(token string) {
	if p.next() != token {
		p.fail()
	}
}

// isEnd reports whether a row of elements ends before token.
func isEnd(token string) bool {
	return slices.Contains([]string{"", "}", "&", `\\`, `\end`, `\right`, `\middle`}, token)
}

// rows reads lines and cells up to the token that ends them: a table, or one row.
func (p *mathParser) rows(end, class string) string {
	lines := [][]string{{p.row("")}}
	for p.peek() != end {
		last := &lines[len(lines)-1]
		switch p.next() {
		case "&":
			*last = append(*last, p.row(""))
		case `\\`:
			if p.peek() == "[" {
				p.fail()
			}
			lines = append(lines, []string{p.row("")})
		default:
			p.fail()
		}
	}
	if len(lines) == 1 && len(lines[0]) == 1 && end == "" {
		return lines[0][0]
	}
	if end == "" && !p.isDisplay {
		p.fail()
	}
	var rows []string
	for _, cells := range lines {
		rows = append(rows, strings.Join(cells, "</mtd><mtd>"))
	}
	return `<mtable class="` + class + `"><mtr><mtd>` + strings.Join(rows, "</mtd></mtr><mtr><mtd>") +
		"</mtd></mtr></mtable>"
}

// row reads elements up to stop or to what ends every row.
func (p *mathParser) row(stop string) string {
	var out strings.Builder
	for token := p.peek(); !isEnd(token) && token != stop; token = p.peek() {
		out.WriteString(p.scripted())
	}
	return out.String()
}

// scripted reads an element with what is above and below it.
func (p *mathParser) scripted() string {
	token := p.peek()
	isOver := limitOperators[token] != "" || strings.HasSuffix(token, "brace")
	base, sub, sup := p.element(), "", ""
	for {
		var script *string
		switch p.peek() {
		case `\limits`:
			isOver = true
			p.next()
			continue
		case "'":
			if p.next(); sup != "" && !strings.HasSuffix(sup, prime) {
				p.fail()
			}
			sup += prime
			continue
		case "_":
			script = &sub
		case "^":
			script = &sup
		default:
			element := withScripts(base, sub, sup, isOver)
			if functionNames[token] {
				element += mathSpace(".17em")
			}
			return element
		}
		if p.next(); *script != "" && (script == &sub || !strings.HasPrefix(sup, prime)) {
			p.fail()
		}
		*script += p.argument()
	}
}

const prime = "<mo>′</mo>"

// scriptElements are the elements for what is below, above, or both: next to the base, or over it.
var scriptElements = [2][4]string{{"", "msub", "msup", "msubsup"}, {"", "munder", "mover", "munderover"}}

func withScripts(base, sub, sup string, isOver bool) string {
	position, scripts := 0, 0
	if isOver {
		position = 1
	}
	if sub != "" {
		scripts = 1
	}
	if sup != "" {
		scripts += 2
	}
	element := scriptElements[position][scripts]
	if element == "" {
		return base
	}
	if strings.HasPrefix(sup, prime) {
		sup = inRow(sup)
	}
	return "<" + element + ">" + cmp.Or(base, inRow("")) + sub + sup + "</" + element + ">"
}

// inRow returns elements as one.
func inRow(elements string) string { return "<mrow>" + elements + "</mrow>" }

// argument reads a group or one token as one element.
func (p *mathParser) argument() string {
	token := p.peek()
	if len(token) == 1 && token[0] >= '0' && token[0] <= '9' {
		return "<mn>" + p.next() + "</mn>"
	}
	if isEnd(token) || token == "^" || token == "_" {
		p.fail()
	}
	return cmp.Or(p.element(), inRow(""))
}

// rawGroup reads a group as it is written.
func (p *mathParser) rawGroup() string {
	p.expect("{")
	n := strings.IndexByte(p.rest, '}')
	if n < 0 || strings.ContainsAny(p.rest[:n], `{$\`) {
		p.fail()
	}
	text := p.rest[:n]
	p.rest = p.rest[n+1:]
	return text
}

// A run of letters that is a word, other than a product or the corners of a figure.
var wordPattern = regexp.MustCompile(`^(?:\pL*\p{Ll}\pL*\pL\pL|\pL{5})`)

// element reads one element without scripts.
func (p *mathParser) element() string {
	if p.depth++; p.depth > maxMathDepth {
		p.fail()
	}
	defer func() { p.depth-- }()
	token := p.peek()
	r, _ := utf8.DecodeRuneInString(token)
	switch {
	case token == "{":
		p.next()
		row := p.row("")
		p.expect("}")
		return inRow(row)
	case token == "_" || token == "^" || token == "'":
		return "" // scripts of nothing
	case r == '\\':
		return p.command(p.next())
	case unicode.IsDigit(r):
		n := len(numberPattern.FindString(p.rest))
		digits := p.rest[:max(n, len(token))]
		p.rest = p.rest[len(digits):]
		return "<mn>" + digits + "</mn>"
	case unicode.IsLetter(r):
		if wordPattern.MatchString(p.rest) {
			p.fail()
		}
		return "<mi>" + p.next() + "</mi>"
	case token == "~":
		p.next()
		return mathSpace(".33em")
	case token == "-":
		p.next()
		return operator("−")
	case strings.ContainsRune("+*/=<>()[]|,;:.!?", r), r >= utf8.RuneSelf && (unicode.IsSymbol(r) ||
		unicode.IsPunct(r)):
		return operator(p.next())
	}
	panic(unknownTeX{})
}

var numberPattern = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?`)

func operator(text string) string {
	if strings.Contains("()[]{}|‖⟨⟩⌊⌋⌈⌉/", text) {
		return `<mo stretchy="false">` + text + "</mo>"
	}
	return "<mo>" + html.EscapeString(text) + "</mo>"
}

func mathSpace(width string) string { return `<mspace width="` + width + `"></mspace>` }
