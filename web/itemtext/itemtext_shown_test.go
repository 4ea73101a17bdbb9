package itemtext_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

// visible returns what a reader sees of markup: its text, and the source of typeset formulas. The
// label of images, which the screen adds, is left out.
func visible(markup string) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(markup))
	skipped := "" // the element that ends what is left out
	for tokens.Next() != html.ErrorToken {
		token := tokens.Token()
		switch {
		case skipped != "":
			if token.Type == html.EndTagToken && token.Data == skipped {
				skipped = ""
			}
		case token.Type == html.TextToken:
			out.WriteString(token.Data)
		case token.Data == "math" && token.Type == html.StartTagToken:
			skipped = "math"
			for _, a := range token.Attr {
				if a.Key == "alttext" {
					out.WriteString(a.Val)
				}
			}
		case strings.Contains(token.String(), `class="image-label"`):
			skipped = "span"
		}
	}
	return out.String()
}

// withoutLayout returns text without the spaces and line breaks that the layout of blocks
// stands for.
func withoutLayout(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(text)
}

// dropped returns what of source is left out in shown, in order. isComplete is false if shown
// has anything else than source, or another order.
func dropped(source, shown string) (left string, isComplete bool) {
	rest := []rune(withoutLayout(shown))
	var out strings.Builder
	for _, r := range withoutLayout(source) {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		} else {
			out.WriteRune(r)
		}
	}
	return out.String(), len(rest) == 0
}

// The places of the delimiters that the README lists. Each is found in the source alone.
var delimiterPlaces = map[rune]*regexp.Regexp{
	'#': regexp.MustCompile("(?m)^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*[ \t>]*#{1,6}(?:[ \t]|$)"),
	'>': regexp.MustCompile("(?m)^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*[ \t>]*>"),
	'-': regexp.MustCompile("(?m)^.*[|].*$|^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*[ \t>]*-{3,}[ \t]*$"),
	':': regexp.MustCompile("(?m)^.*[|].*$"),
	'|': regexp.MustCompile("[|]"),
	'*': regexp.MustCompile(`[*]`), '_': regexp.MustCompile(`_`), '~': regexp.MustCompile("~~+"),
	'`': regexp.MustCompile("`+"),
	'[': regexp.MustCompile(`\[`), ']': regexp.MustCompile(`\](?:\(|)`), '!': regexp.MustCompile(`!\[`),
	'$': regexp.MustCompile(`\$+`),
	'(': regexp.MustCompile(`\\\(`), ')': regexp.MustCompile(`\\\)`), '\\': regexp.MustCompile(`\\[!-/:-@\[-` +
		"`" + `{-~]`),
}

type failer interface {
	Errorf(format string, args ...any)
	Helper()
}

// checkShown reports characters that Render leaves out and may not.
func checkShown(t failer, source string, formats ...protocol.TextFormat) {
	t.Helper()
	if strings.TrimSpace(source) == "" {
		return
	}
	for _, format := range formats {
		markup, isRendered := itemtext.Render(source, format, 3)
		if !isRendered {
			markup = itemtext.Plain(source)
		}
		shown := visible(markup)
		left, isComplete := dropped(source, shown)
		if !isComplete {
			t.Errorf("%q as %s shows %q: other characters, or in another order", source, format, shown)
			continue
		}
		counts := map[rune]int{}
		for _, r := range left {
			counts[r]++
		}
		for r, n := range counts {
			allowed := 0
			if place := delimiterPlaces[r]; place != nil && format == protocol.FormatMarkdown && isRendered {
				allowed = strings.Count(strings.Join(place.FindAllString(source, -1), "\n"), string(r))
			}
			if n > allowed {
				t.Errorf("%q as %s shows %q: %d × %q left out, %d are delimiters", source, format, shown, n, r, allowed)
			}
		}
	}
}

var sourcePieces = []string{
	"a", "word", "two words", "x", "2", "10", "3.5", " ", " ", " ", "  ", "\n", "\n", "\n\n", "\n\n", "\t", "    ",
	"\r\n", "\u00a0", "\u200b", "\u202e", "\u2028", "é", "e\u0301", "重点", "内容。", "مرحبا", "😀", "\u0007",
	"*", "*", "**", "**", "***", "_", "__", "~", "~~", "`", "``", "```", "```go\n", "~~~\n", "\\", "\\\\", "\\*", "\\_",
	"\\(", "\\)", "\\[", "\\]", "\\|", "\\#", "1\\. ", "\\`", "\\$",
	"$", "$", "$$", "$x_1$", "$$\\int_0^1$$", "\\(x+1\\)", "\\[\\frac{a}{b}\\]",
	"\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "$5", "^2", "{", "}", "&", "&lt;b&gt;", "&amp;",
	"&#60;", "&copy",
	"[", "]", "(", ")", "](", "![", "[a](https://a.example/x_y_z)", "![alt](pic.png \"T\")", "<https://a.example>",
	"https://a.example/a_b_c*", "www.a.example", "[1]: https://a.example\n", "[^1]", "[x][1]", "f[i](x)",
	"<", ">", "<b>", "</b>", "<br>", "<!-- c -->", "<div>\n", "\n> ", "\n>> ", "\n>>> ", "\n- ", "\n* ", "\n+ ",
	"\n1. ", "\n1) ", "\n7. ", "\n  - ", "- [x] ", "\n# ", "\n## ", " #", "\n---\n", "\n***\n", "\n___\n",
	"\n===\n", "\n- - -\n",
	"\n> $$\n> x^2\n> $$\n", "> \\[\n> \\foo{x}\n> \\]", "\n> > \\(a\n> > b\\)", "|", " | ", "\n|a|b|\n|-|-|\n",
	"| c | d | e |\n", "|:-:|", "\n|---|\n", "2*3*4", "a_i*b_i", "__init__", "C:\\_tmp", "3~5", "{\"a\":1}", ":",
	"-", "!", ".", ",", "'", "\"", "/",
}

// With LABELWRIGHT_SLOW=1, 10,000 texts.
func TestRender_AnyText_AllCharactersShown(t *testing.T) {
	t.Parallel()
	source := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(sourcePieces), 1, 24), func(pieces []string) string {
		return strings.Join(pieces, "")
	})
	runs := 5 // of 100 texts
	if os.Getenv("LABELWRIGHT_SLOW") != "" {
		runs = 100
	}
	for range runs {
		rapid.Check(t, func(t *rapid.T) { checkShown(t, source.Draw(t, "source"), protocol.Formats...) })
	}
}

// Texts that look like Markdown to a parser and are none.
func TestRender_SignsOfOtherMeaning_AsWritten(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"So 2*3*4 = 24.", "a_i*b_i + c_i*d_i", "Use __init__ here.", "Open C:\\_tmp\\!x now.",
		"Write &lt;b&gt; for bold.", "3~5 minutes, or 10~12", "> 5 is more", ">>> print(1)", ">= 3", "> $5",
		"2**3**4", "(a)*(b)*(c)", "2*(3+4)*5", "f(*args, **kwargs)", "void (*f)(int*);", "*.txt and *.*",
		"a/*comment*/b", "^.*foo.*$", ".*foo.*", "C*-algebra, K*-theory", "5* and 4* hotels",
		"__name__ == \"__main__\"", "self.__dict__, _id_, __proto__", "snake_case_name", "C:\\Users\\*\\_x",
		"\\\\server\\share", "\\d+\\.\\d*", "5 \\* 3", "&copy; &#169; &nbsp;", "~5~ ~x~", "a~~b~~c",
		"$5 and $10", "$5-$10", "US$5, A$6", "It's $5 or so, i.e. 5$.", "$HOME/$USER", "\\$5",
		"1. One\n1. Two\n7) Seven", "007. Bond", "1986. A year.", "- 5\n+ 5", "- [x] done\n- [ ] not",
		"[1]: https://a.example", "[^1]: note",
		"[x][1] and [x]", "f[i](j) a[0](1)", "Title\n===", "____", "_____\n", "- - -", "line\\\nnext", "a  \nb",
		"a    b", "#tag #1", "<b>bold</b> <T> List<String>", "<https://a.example> <a@b.example>",
		"https://a.example/_a_/__b__?x=*1*", "价格*数量*折扣", "a | b", "\\# not", "[](x)", "!x", "* * *x",
		"\\begin{x}a\\end{x}", "\u00a0a\u00a0", "5 \\times 3",
	} {
		markup, isRendered := itemtext.Render(source, protocol.FormatMarkdown, 3)
		if !isRendered {
			continue // shown as text
		}
		if shown := visible(markup); withoutLayout(shown) != withoutLayout(source) {
			t.Errorf("%q is shown as %q: %s", source, shown, markup)
		}
	}
}
