package itemtext

import (
	"fmt"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// policy lists the elements and attributes of rendered texts. None of them can run a
// script, load a file or lead to another page: links and images are text.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td", "div", "span", "bdi")
	p.AllowNoAttrs().OnElements("span", "bdi", "div")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(auto|ltr|rtl)$`)).OnElements("p", "ul", "ol", "table", "blockquote", "h3", "h4", "h5", "h6", "pre", "bdi")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(code|code-language|link|link-target|image-placeholder|task|wide-table|hl-[a-z]+)$`)).OnElements("pre", "div", "span", "bdi")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^(img|group)$`)).OnElements("span", "div")
	p.AllowAttrs("aria-label").Matching(regexp.MustCompile(fmt.Sprintf(`^(%s|%s|%s)$`, labelTable, labelDone, labelNotDone))).OnElements("span", "div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div")
	return p
}
