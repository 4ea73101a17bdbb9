package itemtext

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// policy lists the elements and attributes of rendered texts. None of them can run a
// script, load a file or lead to another page: links and images are text.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4",
		"h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td", "div", "span", "bdi")
	p.AllowNoAttrs().OnElements("span", "bdi", "div")
	allowMathML(p)
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(auto|ltr|rtl)$`)).OnElements("p", "ul", "ol", "table",
		"blockquote", "h3", "h4", "h5", "h6", "pre", "bdi", "math")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(
		`^(code|code-language|marker|tex|tex display|line-break|wide-formula|link|link-target|image-placeholder|image-label|wide-table|hl-[a-z]+)$`)).
		OnElements("pre", "code", "div", "span", "bdi")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^group$`)).OnElements("div")
	p.AllowAttrs("aria-label").Matching(regexp.MustCompile(`^` + string(labelTable) + `$`)).OnElements("div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div")
	return p
}

// allowMathML allows what typeset writes.
func allowMathML(p *bluemonday.Policy) {
	elements := []string{"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "munder",
		"mover", "munderover", "mfrac", "msqrt", "mroot",
		"mtable", "mtr", "mtd"}
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
	p.AllowAttrs("alttext").OnElements("math")
	p.AllowAttrs("display").Matching(regexp.MustCompile(`^block$`)).OnElements("math")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(aligned|cases|bold|boxed)$`)).OnElements("mrow", "mtable")
	p.AllowAttrs("mathvariant").Matching(regexp.MustCompile(`^normal$`)).OnElements("mi")
	p.AllowAttrs("stretchy", "movablelimits", "accent").Matching(regexp.MustCompile(`^(true|false)$`)).OnElements(
		"mo", "mover")
	p.AllowAttrs("linethickness").Matching(regexp.MustCompile(`^0$`)).OnElements("mfrac")
	p.AllowAttrs("width").Matching(regexp.MustCompile(`^-?[0-9]*(\.[0-9]+)?em$`)).OnElements("mspace")
}
