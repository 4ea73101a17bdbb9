package importer

import (
	"context"
	"io"
	"strconv"

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
