package itemtext_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

// mathCase is TeX and what a reader sees of it, from left to right. An empty shown means that it
// is shown as written.
type mathCase struct{ tex, shown string }

// mathAtoms are TeX without arguments. In the generated formulas each is preceded by a space.
var mathAtoms = []mathCase{
	{"x", "x"}, {"A", "A"}, {"12", "12"}, {"3.5", "3.5"}, {"+", "+"}, {"-", "−"}, {"=", "="}, {"<", "<"}, {">", ">"},
	{"(", "("}, {")", ")"}, {"|", "|"}, {",", ","}, {"!", "!"}, {"y'", "y′"},
	{`\alpha`, "α"}, {`\Omega`, "Ω"}, {`\le`, "≤"}, {`\neq`, "≠"}, {`\to`, "→"}, {`\infty`, "∞"}, {`\cdot`, "⋅"},
	{`\times`, "×"}, {`\sum`, "∑"}, {`\int`, "∫"}, {`\lim`, "lim"}, {`\sin`, "sin"}, {`\ldots`, "…"},
	{`\{`, "{"}, {`\}`, "}"}, {`\%`, "%"}, {`\$`, "$"}, {`\,`, ""}, {`\quad`, ""}, {`\in`, "∈"}, {`\mathbb{R}`, "ℝ"},
	{`\text{if so}`, "if so"}, {`\operatorname{rank}`, "rank"}, {"é", "é"}, {"≤", "≤"}, {`\angle`, "∠"},
}

// mathForms have arguments, 1 to 3.
var mathForms = []mathCase{
	{`\frac{1}{2}`, "12"}, {`\sqrt{1}`, "1"}, {`x_{1}^{2}`, "x12"}, {`\sum_{1}^{2}`, "∑12"}, {`\left(1\right]`, "(1]"},
	{`\hat{1}`, "1^"}, {`\boxed{1}`, "1"}, {`\binom{1}{2}`, "(12)"},
	{`\begin{pmatrix}1&2\\3\end{pmatrix}`, "(123)"}, {`\begin{cases}1&2\\3\end{cases}`, "{123"},
	{`\begin{array}{lc}1&2\end{array}`, "12"}, {`\mathbf{1}`, "1"}, {`{1}`, "1"}, {`\overset{1}{2}`, "21"},
	{`\pmod{1}`, "(mod1)"},
}

func drawMath(t *rapid.T, depth int) mathCase {
	var all mathCase
	for range rapid.IntRange(1, 4).Draw(t, "length") {
		piece := rapid.SampledFrom(mathAtoms).Draw(t, "atom")
		if depth > 0 && rapid.Bool().Draw(t, "has arguments") {
			piece = rapid.SampledFrom(mathForms).Draw(t, "form")
			var tex, shown []string
			for _, name := range []string{"1", "2", "3"} {
				argument := drawMath(t, depth-1)
				tex, shown = append(tex, name, argument.tex), append(shown, name, argument.shown)
			}
			piece = mathCase{strings.NewReplacer(tex...).Replace(piece.tex),
				strings.NewReplacer(shown...).Replace(piece.shown)}
		}
		all.tex, all.shown = all.tex+" "+piece.tex, all.shown+piece.shown
	}
	return all
}

// textOf returns the text of markup, and reports unbalanced elements and wrong numbers of
// children.
func textOf(t failer, markup string) string {
	children := map[string]int{"msub": 2, "msup": 2, "mfrac": 2, "mroot": 2, "munder": 2, "mover": 2, "msubsup": 3,
		"munderover": 3}
	document, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Errorf("%v", err)
	}
	var out strings.Builder
	for n := range document.Descendants() {
		if n.Type == html.TextNode {
			out.WriteString(n.Data)
		}
		count := 0
		for range n.ChildNodes() {
			count++
		}
		if want, isFixed := children[n.Data]; isFixed && count != want {
			t.Errorf("%s has %d children: %s", n.Data, count, markup)
		}
	}
	return out.String()
}

func TestRender_Formula_AllSymbolsShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawMath(t, 3)
		markup, _ := itemtext.Render("$$"+c.tex+" $$", protocol.FormatMarkdown, 3)
		got := strings.ReplaceAll(textOf(t, markup), "\u00a0", " ")
		if !strings.Contains(markup, "<math") || got != c.shown {
			t.Errorf("%s is shown as %s, want %s\n%s", c.tex, got, c.shown, markup)
		}
	})
}

func TestRender_OtherTeX_AsWritten(t *testing.T) {
	t.Parallel()
	for _, tex := range []string{
		`\unknown`, `x^`, `x_1_2`, `x^2'`, `x^a^b`, `\frac{a}`, `{a`, `a}`, `\left(a`, `a\right)`, `\begin{pmatrix}a`,
		`\begin{pmatrix}a\end{bmatrix}`, `\begin{array}{c|c}a\end{array}`, `\color{red}x`,
		`\href{https://a.example}{x}`,
		`x % comment`, `speed = 3`, `\sqrt[3{x}`, `\text{a $b$}`, `\mathbb{x}`, `a # b`, `\left\alpha a\right)`,
		`a \\[2em] b`, `\not x`, `\def\a{b}`, strings.Repeat("{", 40) + "x" + strings.Repeat("}", 40),
	} {
		markup, isRendered := itemtext.Render("$$"+tex+"$$", protocol.FormatMarkdown, 3)
		if got := textOf(t, markup); !isRendered || strings.Contains(markup, "<math") || got != "$$"+tex+"$$" {
			t.Errorf("%s: %s", tex, markup)
		}
	}
}

// Formulas come before Markdown, and code before formulas.
func TestRender_FormulaAmongMarkdown_NeverTouched(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"$a_i*b_i$ and $c_i*d_i$": "a_i*b_i|c_i*d_i", "$$\na\n- b\n# c\n$$": "-", "**$x$**": "x",
		"| $|x|$ | b |\n|-|-|\n": "|x|", "- \\[\n  x^2\n  \\]": "\n  x^2\n  ", "`$x$` $y$": "y",
		"```\n$x$\n```\n$y$":   "y",
		"> Let $x$ be\n> more": "x", "> $$\n> x^2\n> $$\n> so": "\nx^2\n", "> a\n> \\[\n>  y_1\n> \\]": "\n y_1\n",
		"- > $$\n  > z\n  > $$": "", "> > \\(a +\n> > b\\)": "a +\nb",
		"$$\n> x\n$$": "", "> $$\n> > x\n> $$": "",
		"\\begin{align} a &= b \\\\ c &= d \\end{align}": "\\begin{align} a &= b \\\\ c &= d \\end{align}",
		"$5 and $x$": "x", "`a $` $x$ `$`": "x", "\\\\(a\\\\) $x$": "x", "# On $x_1$ and $x_2$": "x_1|x_2",
	} {
		markup, _ := itemtext.Render(source, protocol.FormatMarkdown, 3)
		var found []string
		for tokens := html.NewTokenizer(strings.NewReader(markup)); tokens.Next() != html.ErrorToken; {
			for _, a := range tokens.Token().Attr {
				if a.Key == "alttext" {
					found = append(found, a.Val)
				}
			}
		}
		if want == "-" { // shown as written, as one formula
			if !strings.Contains(markup, `<code class="tex display">$$`+"\na\n- b\n# c\n$$</code>") {
				t.Errorf("%q: %s", source, markup)
			}
		} else if got := strings.Join(found, "|"); got != want {
			t.Errorf("%q: formulas %q, want %q: %s", source, got, want, markup)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, source := range attacks() {
		f.Add(source)
	}
	for _, c := range append(mathAtoms, mathForms...) {
		f.Add("$" + c.tex + "$")
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 20_000 {
			return
		}
		checkHarmless(t, source)
		checkShown(t, source, protocol.Formats...)
	})
}
