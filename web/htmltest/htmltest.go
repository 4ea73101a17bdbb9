// Package htmltest reads pages as tests see them: by CSS selector, as text, and
// by attribute.
package htmltest

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// An Element is a page, or a piece of it, within a test.
type Element struct {
	testing.TB
	*html.Node
}

// Parse reads a page. What cannot be read fails the test.
func Parse(t testing.TB, page io.Reader) Element {
	t.Helper()
	root, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return Element{t, root}
}

// FindAll returns the elements within e that a CSS selector finds, in order.
func (e Element) FindAll(selector string) []Element {
	e.Helper()
	matcher, err := cascadia.ParseGroup(selector)
	if err != nil {
		e.Fatalf("the selector %s: %v", selector, err)
	}
	var found []Element
	for _, n := range cascadia.QueryAll(e.Node, matcher) {
		found = append(found, Element{e.TB, n})
	}
	return found
}

// FindOne returns the only element that a selector finds.
func (e Element) FindOne(selector string) Element {
	e.Helper()
	found := e.FindAll(selector)
	if len(found) != 1 {
		e.Fatalf("%d elements are %s, want one, in:\n%.1000s", len(found), selector, e.Text())
	}
	return found[0]
}

// FindFirst returns the first element that a selector finds; there has to be one.
func (e Element) FindFirst(selector string) Element {
	e.Helper()
	found := e.FindAll(selector)
	if len(found) == 0 {
		e.Fatalf("nothing is %s in:\n%.1000s", selector, e.Text())
	}
	return found[0]
}

// Attr returns the value of an attribute, empty where there is none.
func (e Element) Attr(name string) string {
	for _, a := range e.Node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// HasAttr reports whether there is an attribute of a name.
func (e Element) HasAttr(name string) bool {
	return slices.ContainsFunc(e.Node.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// RawText returns the text as it stands in the page, byte for byte.
func (e Element) RawText() string {
	var b strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// Text returns the text as one reads it: blocks apart, and every run of white
// space as one space.
func (e Element) Text() string {
	var b strings.Builder
	writeText(&b, e.Node)
	return strings.Join(strings.Fields(b.String()), " ")
}

// Texts returns the text of each element.
func Texts(elements []Element) []string {
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = e.Text()
	}
	return texts
}

// inlineElements are the elements that do not part words.
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
