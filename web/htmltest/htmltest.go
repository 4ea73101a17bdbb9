// Package htmltest queries rendered pages in tests: by CSS selector, text and
// attribute.
package htmltest

import (
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// An Element is a page or a part of it, in a test.
type Element struct {
	testing.TB
	*html.Node
}

// Parse parses a page. An error fails the test.
func Parse(t testing.TB, page io.Reader) Element {
	t.Helper()
	root, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return Element{t, root}
}

// FindAll returns the elements within e that match a CSS selector, in order.
func (e Element) FindAll(selector string) []Element {
	e.Helper()
	matcher, err := cascadia.ParseGroup(selector)
	if err != nil {
		e.Fatalf("selector %s: %v", selector, err)
	}
	var found []Element
	for _, n := range cascadia.QueryAll(e.Node, matcher) {
		found = append(found, Element{e.TB, n})
	}
	return found
}

// FindOne returns the only element that matches a selector.
func (e Element) FindOne(selector string) Element {
	e.Helper()
	found := e.FindAll(selector)
	if len(found) != 1 {
		e.Fatalf("%d elements match %s, want one, in:\n%.1000s", len(found), selector, e.Text())
	}
	return found[0]
}

// FindFirst returns the first element that matches a selector.
func (e Element) FindFirst(selector string) Element {
	e.Helper()
	found := e.FindAll(selector)
	if len(found) == 0 {
		e.Fatalf("no element matches %s in:\n%.1000s", selector, e.Text())
	}
	return found[0]
}

// Attr returns the value of an attribute; empty if it is missing.
func (e Element) Attr(name string) string {
	for _, a := range e.Node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// HasAttr reports whether e has an attribute.
func (e Element) HasAttr(name string) bool {
	return slices.ContainsFunc(e.Node.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// RawText returns the text of the page, byte for byte.
func (e Element) RawText() string {
	var b strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// Text returns the visible text: blocks are separated, and white space is collapsed.
func (e Element) Text() string {
	var b strings.Builder
	writeText(&b, e.Node)
	return strings.Join(strings.Fields(b.String()), " ")
}

// FormValues returns what a browser without scripts posts from the form e.
func (e Element) FormValues() url.Values {
	e.Helper()
	values := url.Values{}
	for _, input := range e.FindAll("input[name]") {
		kind := input.Attr("type")
		if !input.HasAttr("checked") && (kind == "radio" || kind == "checkbox") {
			continue
		}
		value := input.Attr("value")
		if !input.HasAttr("value") {
			value = "on"
		}
		values.Add(input.Attr("name"), value)
	}
	for _, area := range e.FindAll("textarea[name]") {
		values.Set(area.Attr("name"), area.RawText())
	}
	return values
}

// Texts returns the text of each element.
func Texts(elements []Element) []string {
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = e.Text()
	}
	return texts
}

// inlineElements are the elements that do not separate words.
var inlineElements = []string{"a", "b", "bdi", "code", "kbd", "span", "strong"}

func writeText(b *strings.Builder, n *html.Node) {
	isBlock := n.Type == html.ElementNode && !slices.Contains(inlineElements, n.Data)
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	if isBlock {
		b.WriteByte(' ')
	}
	for child := range n.ChildNodes() {
		writeText(b, child)
	}
	if isBlock {
		b.WriteByte(' ')
	}
}
