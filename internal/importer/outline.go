package importer

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A PathNode is a value in a record, with the path by which a mapping finds it.
type PathNode struct {
	Key      string // in the object around it, or the number of an element
	Path     string
	Value    string // the start of a text, or JSON; empty: a list or an object
	Children []PathNode
}

const (
	maxPathNodes    = 150
	pathSampleLimit = 120 // characters
	maxListSamples  = 3   // elements of a list whose paths are given
)

// An Outline is what can be mapped in a file.
type Outline struct {
	Record []PathNode   // the first record, as a tree
	Lists  []RecordList // where the records of a document may be
}

// Outline returns the values in the first record of a file that can be read, and the lists in
// its document. With a preset the record is the first one in the program's document.
func (o Options) Outline(ctx context.Context, p protocol.Protocol, name string, r io.Reader) (found Outline) {
	b := newBuilder(p, name)
	b.options, b.limits = o, streamLimits
	b.options.Map = nil
	b.source, _ = r.(Source)
	b.handleDocument = func(document value) { found.Lists = document.recordLists(nil, "") }
	b.handleRecord = func(record value) error {
		remaining := maxPathNodes
		found.Record = record.pathNodes("", &remaining)
		return errAborted
	}
	_ = b.readFile(ctx, r) // the errors of the file are reported by ScanItems
	return found
}

// pathNodes returns the values in v, whose own path is path.
func (v value) pathNodes(path string, remaining *int) (nodes []PathNode) {
	add := func(key, path string, inner value) {
		if *remaining > 0 {
			*remaining--
			node := PathNode{Key: key, Path: path, Value: inner.sample()}
			node.Children = inner.pathNodes(path, remaining)
			nodes = append(nodes, node)
		}
	}
	v = v.parsed()
	for _, m := range v.members {
		add(m.key, joinPath(path, quoteKey(m.key)), m.value)
	}
	for i, element := range v.list[:min(len(v.list), maxListSamples)] {
		add(strconv.Itoa(i), path+"["+strconv.Itoa(i)+"]", element)
	}
	return nodes
}

// sample returns the start of a value that has no others.
func (v value) sample() string {
	if !v.parsed().isLeaf() {
		return ""
	}
	text := v.text
	if !v.is('"') {
		text = string(v.json())
	}
	if runes := []rune(text); len(runes) > pathSampleLimit {
		text = string(runes[:pathSampleLimit]) + "…"
	}
	return text
}

// Paths returns all values of the record, in its order.
func (o Outline) Paths() (nodes []PathNode) {
	var visit func([]PathNode)
	visit = func(list []PathNode) {
		for _, n := range list {
			nodes = append(nodes, n)
			visit(n.Children)
		}
	}
	visit(o.Record)
	return nodes
}

// alikeKeys are names for the same thing.
var alikeKeys = [][]string{inputKeys, outputKeys, contextKeys, {"id", "item_id", "uuid", "uid"},
	{"record_id", "trace_id", "conversation_id", "session_id"}}

// Guess returns the value whose name is most like that of a column; empty if none is alike.
func (o Outline) Guess(column string) (path string) {
	column = plainName(column)
	best := 0
	for _, n := range o.Paths() {
		name, likeness := plainName(n.Key), 0
		switch {
		case name == "":
		case name == column:
			likeness = 3
		case slices.ContainsFunc(alikeKeys, func(keys []string) bool {
			return slices.ContainsFunc(keys, isNamed(name)) && slices.ContainsFunc(keys, isNamed(column))
		}):
			likeness = 2
		case strings.Contains(name, column) && len(column) > 2:
			likeness = 1
		}
		if likeness > best {
			best, path = likeness, n.Path
		}
	}
	return path
}

// isNamed reports for keys whether they have a plain name.
func isNamed(plain string) func(key string) bool {
	return func(key string) bool { return plainName(key) == plain }
}
