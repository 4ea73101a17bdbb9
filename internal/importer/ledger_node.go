package importer

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A recordNode is a value of a record of another program, with what becomes of it.
type recordNode struct {
	value
	inner     value  // what a text in JSON holds, else the value itself
	key       string // general path
	index     int    // in a list
	isContent bool   // under a key that usually holds content
	children  []*recordNode

	isClassified bool
	fate         fate
}

// comparable returns what makes two values the same: a text, or JSON without spaces.
func (v value) comparable() string {
	text := v.text
	if !v.is('"') && !v.is('0') {
		text = string(v.raw)
	}
	if v.is('{') || v.is('[') || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if raw := jsontext.Value(text); raw.Compact() == nil {
			return string(raw)
		}
	}
	return text
}

// contentKeys are the keys that usually hold what a model was asked and what it wrote.
var contentKeys = slices.Concat(messageKeys, inputKeys, outputKeys, contextKeys, completionKeys,
	[]string{"inputs", "outputs", "prompts", "data", "fields"})

// completionKeys are the keys of lists of several answers to one question.
var completionKeys = []string{"choices", "generations", "completions", "candidates"}

func isContentKey(key string) bool {
	return slices.Contains(contentKeys, key) || slices.ContainsFunc(strings.Split(key, "."), func(k string) bool {
		return slices.Contains(contentKeys, k)
	})
}

func newRecordNode(v value, key string, index int, isContent bool) *recordNode {
	n := &recordNode{value: v, inner: v.parsed(), key: key, index: index, isContent: isContent}
	for i, element := range n.inner.list {
		n.children = append(n.children, newRecordNode(element, key+"[]", i, isContent))
	}
	for _, m := range n.inner.members {
		n.children = append(n.children, newRecordNode(m.value, childKey(key, m.key), 0, isContent ||
			isContentKey(m.key)))
	}
	return n
}

// classify sets the fate of all values in n that have none.
func (n *recordNode) classify(f fate) {
	if !n.isClassified && len(n.children) == 0 {
		n.isClassified, n.fate = true, f
	}
	for _, child := range n.children {
		child.classify(f)
	}
}

// classifyWhole does the same where n was found as it is: a text in JSON is one value.
func (n *recordNode) classifyWhole(f fate) {
	if n.is('"') {
		n.children = nil
	}
	n.classify(f)
}

// has reports whether a value in n has the fate.
func (n *recordNode) has(f fate) bool {
	if len(n.children) == 0 {
		return n.isClassified && n.fate == f
	}
	return slices.ContainsFunc(n.children, func(c *recordNode) bool { return c.has(f) })
}

// isOpen reports whether no value in n has a fate.
func (n *recordNode) isOpen() bool {
	return !n.has(fateShown) && !n.has(fateID) && !n.has(fateMetadata) && !n.has(fateLeftOut)
}

// isMessage reports whether n is a message inside a record.
func (n *recordNode) isMessage() bool { return n.key != "" && isMessage(n.inner) }

// classifyStructure classifies the roles and types of what a message says, and what it does not have: they
// are shown with it.
func (n *recordNode) classifyStructure() {
	for _, child := range n.children {
		name := child.key[strings.LastIndex(child.key, ".")+1:]
		isRole := slices.Contains(roleKeys, name) && (slices.Contains(turnRoles, strings.ToLower(child.text)) ||
			roleNames[strings.ToLower(child.text)] != "")
		if isRole || name == "type" && child.is('"') || child.is('n') {
			child.classify(fateShown)
		}
		if child.has(fateShown) {
			child.classifyStructure()
		}
	}
}

// fates returns the fate of each value.
func (n *recordNode) fates(all []keyFate) []keyFate {
	if len(n.children) == 0 {
		return append(all, keyFate{n.key, n.fate})
	}
	for _, child := range n.children {
		all = child.fates(all)
	}
	return all
}
