package itemtext_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

func TestRender_Markdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"emphasis": {"A **bold** and *quiet* ~~old~~ `code`.",
			`<p dir="auto">A <strong>bold</strong> and <em>quiet</em> <del>old</del> <code>code</code>.</p>`},
		"line break": {"**a**\nb", "<p dir=\"auto\"><strong>a</strong>\nb</p>"},
		"list": {"- a\n- b",
			"<ul dir=\"ltr\"><li><span class=\"marker\">- </span>a</li><li><span class=\"marker\">- </span>b</li></ul>"},
		"list from right": {"1. مرحبا\n1. b",
			"<ol dir=\"rtl\"><li><span class=\"marker\">1. </span>مرحبا</li><li><span class=\"marker\">1. </span>b</li></ol>"},
		"task": {"- [x] a", "<ul dir=\"ltr\"><li><span class=\"marker\">- </span>[x] a</li></ul>"},
		"headings in order": {"## A\n#### B\n## C",
			"<h3 dir=\"auto\">A</h3><h4 dir=\"auto\">B</h4><h3 dir=\"auto\">C</h3>"},
		"link": {"[here](https://a.example/?x=1&y=2)",
			`<p dir="auto"><span class="link">here</span><bdi class="link-target" dir="ltr">(https://a.example/?x=1&amp;y=2)</bdi></p>`},
		"formula": {"$x^2$",
			`<p dir="auto"><math dir="ltr" alttext="x^2"><msup><mi>x</mi><mn>2</mn></msup></math></p>`},
		"other TeX": {"$\\foo_a$", `<p dir="auto"><code class="tex">$\foo_a$</code></p>`},
		"image": {"![A cat](https://a.example/c.png)",
			`<p dir="auto"><span class="image-placeholder"><span class="image-label">Image:</span>A cat<bdi class="link-target" dir="ltr">(https://a.example/c.png)</bdi></span></p>`},
		"HTML as text":    {"a <b>*c*</b>", `<p dir="auto">a &lt;b&gt;<em>c</em>&lt;/b&gt;</p>`},
		"HTML line break": {"a<br>b", `<p dir="auto">a<span class="line-break">&lt;br&gt;</span><br>b</p>`},
		"code": {"```go\nreturn 1\n```",
			`<pre class="code" dir="ltr"><span class="code-language">go</span><code><span class="hl-keyword">return</span> <span class="hl-number">1</span></code></pre>`},
		"quotes and names": {"```js\nlet a = 'b' // it's\nf(`x\ny`, don't)\n```",
			`<pre class="code" dir="ltr"><span class="code-language">js</span><code><span class="hl-keyword">let</span> a = <span class="hl-string">&#39;b&#39;</span> <span class="hl-comment">// it&#39;s</span>` + "\n" + `<span class="hl-name">f</span>(<span class="hl-string">` + "`x\ny`" + `</span>, don&#39;t)</code></pre>`},
		"diff": {"```diff\n-a\n+b\n```",
			`<pre class="code" dir="ltr"><span class="code-language">diff</span><code><span class="hl-deleted">-a` +
				"\n" + `</span><span class="hl-inserted">+b</span></code></pre>`},
		"unknown language": {"```zzz\na < b\n```",
			`<pre class="code" dir="ltr"><span class="code-language">zzz</span><code>a &lt; b</code></pre>`},
		"hidden characters": {"**a**\u200bb",
			`<p dir="auto"><strong>a</strong><span class="invisible-character" role="img" aria-label="zero width space" data-character="ZWSP">` + "\u200b" + `</span>b</p>`},
		"table": {"|a|b|\n|-|-:|\n|c|d|e|",
			"<div class=\"wide-table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table dir=\"ltr\"><thead><tr><th>a</th><th align=\"right\">b</th></tr></thead><tbody><tr><td>c</td><td align=\"right\">d</td><td>e</td></tr></tbody></table></div>"},
		"JSON": {`{"b":1,"a":[true]}`,
			"<pre class=\"code\" dir=\"ltr\"><code>{\n  <span class=\"hl-name\">&#34;b&#34;</span>: <span class=\"hl-number\">1</span>,\n  <span class=\"hl-name\">&#34;a&#34;</span>: [\n    <span class=\"hl-keyword\">true</span>\n  ]\n}</code></pre>"},
	} {
		if got, isRendered := itemtext.Render(c.source, protocol.FormatMarkdown, 3); !isRendered ||
			strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, isRendered, got, c.want)
		}
	}
}

func TestRender_NoMarkup_ShownAsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n", "One line.", "Two\nlines & more.\n\nA paragraph: “quoted” <3",
		"我得到了努力四年的升职。\n\nحصلت على الترقية", strings.Repeat("> ", 100) + "too deep", strings.Repeat("**a** ", 100_000)} {
		if got, isRendered := itemtext.Render(text, protocol.FormatMarkdown, 3); isRendered {
			t.Errorf("%.40q is rendered as %.200s", text, got)
		}
	}
	if _, isRendered := itemtext.Render("**a**", protocol.FormatText, 3); isRendered {
		t.Error("a text is rendered as Markdown")
	}
}

// allowedAttributes are the attributes of each element that no attack may exceed.
var allowedAttributes = map[string]string{
	"p": "dir", "br": "", "hr": "", "strong": "", "em": "", "del": "", "code": "class", "pre": "class dir",
	"blockquote": "dir", "ul": "dir", "ol": "dir", "li": "",
	"h3": "dir", "h4": "dir", "h5": "dir", "h6": "dir", "table": "dir", "thead": "", "tbody": "", "tr": "",
	"th": "align", "td": "align",
	"math": "dir display alttext", "mrow": "class", "mi": "mathvariant", "mn": "", "mo": "stretchy movablelimits",
	"mtext": "", "mspace": "width", "msub": "", "msup": "", "msubsup": "",
	"munder": "", "mover": "accent", "munderover": "", "mfrac": "linethickness", "msqrt": "", "mroot": "",
	"mtable": "class", "mtr": "", "mtd": "",
	"div": "class role aria-label tabindex", "span": "class role aria-label data-character",
	"bdi": "class dir role aria-label data-character",
}

func checkHarmless(t interface{ Errorf(string, ...any) }, source string) {
	for _, format := range protocol.Formats {
		started := time.Now()
		rendered, isRendered := itemtext.Render(source, format, 4)
		if took := time.Since(started); took > 30*time.Second {
			t.Errorf("%.60q as %s took %s", source, format, took)
		}
		if !isRendered {
			rendered = itemtext.Plain(source)
		}
		tokens := html.NewTokenizer(strings.NewReader(rendered))
		for tokens.Next() != html.ErrorToken {
			token := tokens.Token()
			if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
				continue
			}
			names, isAllowed := allowedAttributes[token.Data]
			for _, a := range token.Attr {
				isAllowed = isAllowed && slices.Contains(strings.Fields(names), a.Key)
			}
			if !isAllowed {
				t.Errorf("%.200q as %s has %s", source, format, token)
			}
		}
	}
}

func TestRender_AnyText_OnlyText(t *testing.T) {
	t.Parallel()
	pieces := append(attacks()[:100], "\n", "\n\n", "- ", "1. ", "> ", "|", "|-|\n", "```", "`", "**", "_", "[", "](",
		")", "<", ">", "&", "\\", "    ", "\u202e", "مرحبا", "$", "$$", "\\(", "\\)", "\\text{</mtext><script>}",
		"\\frac", "\\sqrt[", "{", "}", "_", "^", "\\begin{cases}", "\\end{cases}")
	rapid.Check(t, func(t *rapid.T) {
		checkHarmless(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30).Draw(t, "pieces"), ""))
	})
}

// Patterns that make some converters slow, at the size of a long item.
func TestRender_Patterns_Fast(t *testing.T) {
	if testing.Short() {
		t.Skip("This test measures time, which the race detector's run, with -short, multiplies.")
	}
	t.Parallel()
	const size = 100_000
	for _, pattern := range []string{"*a ", "_a_", "[", "![", "[a](", "[a]", "<", "<a ", "`", "`a", "\\", "&", "> ",
		">", "- ", "-", "* a\n", "|", "|a|\n", "|-|\n|", "~", "~~a ", "a\n", "#", "# a\n", "[a]: b\n", "1. ", "  ",
		"\t", "***a", "<!--", "<![CDATA[", "<?", "&#x", "```\n", "~~~a\n", "    a\n", "\n", "(((", "[a][b]", "](",
		"**a *b ", "\"", "{\"a\":", "```c\n/*", "```python\n'''\"\"\"\n", "```html\n<a <a \n",
		"```js\n`${`${\n", "```rust\nr#r#\n", "$", "$x$ ", "$a", "$$", "\\(", "\\(a\\) ", "\\[{", "$\\frac",
		"$$a\n", "\\begin{align}", "$x_", "*a*b", "_a_b_", "\\*a", "(*a", "](http://a) [", "![a](b)",
		"|$a|", "a <!-- ", "www.a ", "https://", "a](", "[a]("} {
		source := strings.Repeat(pattern, size/len(pattern))
		started := time.Now()
		itemtext.Render(source, protocol.FormatMarkdown, 3)
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("%d × %q took %s", size/len(pattern), pattern, took)
		} else if took > 200*time.Millisecond {
			t.Logf("%d × %q took %s", size/len(pattern), pattern, took)
		}
	}
}
