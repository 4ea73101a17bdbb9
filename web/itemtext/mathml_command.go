package itemtext

import (
	"cmp"
	"html"
	"strings"
)

// command reads what follows a command.
func (p *mathParser) command(name string) string {
	if symbol, isKnown := symbolElement(name); isKnown {
		return symbol
	}
	switch name {
	case `\frac`, `\dfrac`, `\tfrac`, `\cfrac`:
		return "<mfrac>" + p.argument() + p.argument() + "</mfrac>"
	case `\binom`, `\dbinom`, `\tbinom`:
		return `<mrow><mo>(</mo><mfrac linethickness="0">` + p.argument() + p.argument() + "</mfrac><mo>)</mo></mrow>"
	case `\sqrt`:
		return p.root()
	case `\text`, `\textrm`, `\textit`, `\textbf`, `\textnormal`, `\textsf`, `\texttt`, `\mbox`:
		return "<mtext>" + keepSpaces(p.rawGroup()) + "</mtext>"
	case `\mathrm`, `\operatorname`, `\mathit`, `\mathsf`, `\mathtt`:
		return p.upright()
	case `\mathbf`, `\boldsymbol`, `\bm`:
		return `<mrow class="bold">` + p.argument() + "</mrow>"
	case `\mathbb`, `\mathcal`, `\mathscr`:
		return p.letter(alphabets[name])
	case `\boxed`:
		return `<mrow class="boxed">` + p.argument() + "</mrow>"
	case `\left`:
		return p.fenced()
	case `\overset`, `\stackrel`:
		over := p.argument()
		return "<mover>" + p.argument() + over + "</mover>"
	case `\underset`:
		under := p.argument()
		return "<munder>" + p.argument() + under + "</munder>"
	case `\pmod`:
		return inRow(mathSpace(".5em") + operator("(") + "<mi>mod</mi>" + mathSpace(".3em") + p.argument() +
			operator(")"))
	case `\tag`:
		return inRow(mathSpace("2em") + "<mtext>(" + keepSpaces(p.rawGroup()) + ")</mtext>")
	case `\begin`:
		return p.environment()
	case `\displaystyle`, `\textstyle`, `\nonumber`, `\notag`, `\nolimits`:
		return ""
	}
	if size := strings.TrimRight(strings.ToLower(name), "lrm"); size == `\big` || size == `\bigg` {
		return operator(p.delimiter())
	}
	return p.accented(name)
}

// keepSpaces returns text as HTML, with spaces that MathML keeps.
func keepSpaces(text string) string {
	return html.EscapeString(strings.ReplaceAll(text, " ", "\u00a0"))
}

func (p *mathParser) root() string {
	if p.peek() != "[" {
		return "<msqrt>" + p.argument() + "</msqrt>"
	}
	p.next()
	degree := p.row("]")
	p.expect("]")
	return "<mroot>" + p.argument() + "<mrow>" + degree + "</mrow></mroot>"
}

func (p *mathParser) upright() string {
	if p.peek() == "*" {
		p.next()
	}
	return `<mi mathvariant="normal">` + keepSpaces(p.rawGroup()) + "</mi>"
}

// An alphabet has the capital letters of a style, from first, and those that are elsewhere.
type alphabet struct {
	first rune
	other map[byte]rune
}

func (p *mathParser) letter(a alphabet) string {
	token := p.peek()
	if token == "{" {
		token = p.rawGroup()
	} else {
		p.next()
	}
	if len(token) != 1 || token[0] < 'A' || token[0] > 'Z' {
		p.fail()
	}
	return "<mi>" + string(cmp.Or(a.other[token[0]], a.first+rune(token[0]-'A'))) + "</mi>"
}

// fenced reads what is between \left and \right.
func (p *mathParser) fenced() string {
	out := "<mrow>" + stretched(p.delimiter()) + p.row("")
	for p.peek() == `\middle` {
		p.next()
		out += stretched(p.delimiter()) + p.row("")
	}
	p.expect(`\right`)
	return out + stretched(p.delimiter()) + "</mrow>"
}

func stretched(text string) string {
	if text == "" {
		return ""
	}
	return `<mo stretchy="true">` + html.EscapeString(text) + "</mo>"
}

// delimiter reads a bracket or line; "." is none.
func (p *mathParser) delimiter() string {
	token := p.next()
	if token == "." {
		return ""
	}
	if text := delimiters[token]; text != "" {
		return text
	}
	if token == "" || !strings.Contains("()[]|/<>", token) {
		p.fail()
	}
	return token
}

func (p *mathParser) accented(name string) string {
	mark, isKnown := accents[name]
	if !isKnown {
		p.fail()
	}
	element, attribute := "mover", ` accent="true"`
	if strings.HasPrefix(name, `\under`) {
		element, attribute = "munder", ""
	}
	return "<" + element + attribute + ">" + p.argument() + "<mo>" + mark + "</mo></" + element + ">"
}

// environment reads a table and its brackets.
func (p *mathParser) environment() string {
	name := p.rawGroup()
	brackets, isKnown := environments[strings.TrimSuffix(name, "*")]
	if !isKnown {
		p.fail()
	}
	if name == "array" && strings.Trim(p.rawGroup(), "lcr ") != "" {
		p.fail()
	}
	body := p.rows(`\end`, brackets.class)
	p.expect(`\end`)
	if p.rawGroup() != name {
		p.fail()
	}
	return "<mrow>" + stretched(brackets.left) + body + stretched(brackets.right) + "</mrow>"
}
