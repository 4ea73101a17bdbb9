package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// A doc is a rendered page, or an element of it.
type doc struct {
	*testing.T
	*html.Node
}

func rendered(t *testing.T, c templ.Component) doc {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc{t, root}
}

// all returns the elements that selector finds, in order. A selector is steps
// apart by spaces, each "tag", "#id", ".class", "[name]" or "[name=value]", or
// several of these in a row.
func (d doc) all(selector string) []doc {
	found := []*html.Node{d.Node}
	for step := range strings.FieldsSeq(selector) {
		var next []*html.Node
		for _, n := range found {
			for child := range n.Descendants() {
				if matches(child, step) && !slices.Contains(next, child) {
					next = append(next, child)
				}
			}
		}
		found = next
	}
	docs := make([]doc, len(found))
	for i, n := range found {
		docs[i] = doc{d.T, n}
	}
	return docs
}

// one returns the only element that selector finds.
func (d doc) one(selector string) doc {
	d.Helper()
	found := d.all(selector)
	if len(found) != 1 {
		d.Fatalf("%d elements are %s, want one", len(found), selector)
	}
	return found[0]
}

func matches(n *html.Node, step string) bool {
	if n.Type != html.ElementNode {
		return false
	}
	for step != "" {
		end := strings.IndexAny(step[1:], "#.[") + 1
		if step[0] == '[' {
			end = strings.IndexByte(step, ']') + 1
		}
		if end == 0 {
			end = len(step)
		}
		if !matchesOne(n, step[:end]) {
			return false
		}
		step = step[end:]
	}
	return true
}

func matchesOne(n *html.Node, step string) bool {
	switch step[0] {
	case '#':
		return attribute(n, "id") == step[1:]
	case '.':
		return slices.Contains(strings.Fields(attribute(n, "class")), step[1:])
	case '[':
		name, value, asked := strings.Cut(step[1:len(step)-1], "=")
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && (!asked || a.Val == value) })
	}
	return n.Data == step
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (d doc) attr(name string) string { return attribute(d.Node, name) }

func (d doc) has(name string) bool {
	return slices.ContainsFunc(d.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// raw returns the text as it stands in the page, byte for byte.
func (d doc) raw() string {
	var b strings.Builder
	for n := range d.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// text returns the text as people read it.
func (d doc) text() string { return strings.Join(strings.Fields(d.raw()), " ") }

func texts(docs []doc) []string {
	list := make([]string, len(docs))
	for i, d := range docs {
		list[i] = d.text()
	}
	return list
}
