package web

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// An element is a page, or a piece of it.
type element struct {
	t    *testing.T
	node *html.Node
}

// all returns the elements that selector finds, in order. A selector is steps
// apart by spaces, each "tag", "#id", ".class", "[name]" or "[name=value]", or
// several of these in a row.
func (e element) all(selector string) (list []element) {
	found := []*html.Node{e.node}
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
	for _, n := range found {
		list = append(list, element{e.t, n})
	}
	return list
}

// one returns the first element that selector finds; there has to be one.
func (e element) one(selector string) element {
	e.t.Helper()
	found := e.all(selector)
	if len(found) == 0 {
		e.t.Fatalf("nothing is %s in:\n%s", selector, e.text())
	}
	return found[0]
}

func matches(n *html.Node, step string) bool {
	for n.Type == html.ElementNode && step != "" {
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
	return n.Type == html.ElementNode
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

func (e element) attr(name string) string { return attribute(e.node, name) }

// raw returns the text as it stands in the page, byte for byte.
func (e element) raw() string {
	var b strings.Builder
	for n := range e.node.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// text returns the text as one reads it: blocks apart, and every run of white
// space as one space.
func (e element) text() string {
	var b strings.Builder
	write(&b, e.node)
	return strings.Join(strings.Fields(b.String()), " ")
}

func write(b *strings.Builder, n *html.Node) {
	inline := slices.Contains([]string{"a", "b", "bdi", "code", "kbd", "span", "strong"}, n.Data)
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	} else if !inline {
		b.WriteByte(' ')
	}
	for child := range n.ChildNodes() {
		write(b, child)
	}
	if n.Type == html.ElementNode && !inline {
		b.WriteByte(' ')
	}
}
