package importer

import (
	"context"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Options say how to read a file. The zero value reads rows whose columns are the parts of an item.
type Options struct {
	Preset   Preset            // "": none
	Map      []Mapping         // where columns are; they take precedence over the preset
	Take     Take              // which answers of a conversation, where the unit shows one
	Encoding encoding.Encoding // of the text; nil: UTF-8 or UTF-16, as the file starts
	Records  string            // path of the list of records in a document; "": the document is one, or a list
	GroupBy  string            // path of what the messages of one conversation share; "": a row is no message
	Order    string            // path of the order of messages; "": as in the file

	// OnSkip is called for each record that the preset leaves out, with its number and what such
	// records are. It may be nil.
	OnSkip func(recordNo int, what string)
}

// Take says which answers of a record become items, where the unit shows one question and one
// answer and the record has more: several turns, or several completions.
type Take string

// The choices. With TakeEach the items of a record share its record id.
const (
	TakeLast Take = ""     // the last question with its answer, of the first completion
	TakeEach Take = "each" // each question with its answer, and each completion
)

// ParseTake returns the choice of that name: "last", also by "", or "each".
func ParseTake(name string) (Take, error) {
	switch name {
	case "", "last":
		return TakeLast, nil
	case string(TakeEach):
		return TakeEach, nil
	}
	return "", fault.Invalid.Errorf("“%s” is not a choice of answers. Write last or each.", name)
}

// isSet reports whether o changes how rows are read.
func (o Options) isSet() bool { return o.Preset != "" || len(o.Map) > 0 || o.GroupBy != "" }

// mappingText returns the mappings of o, one per line.
func (o Options) mappingText() string {
	var text strings.Builder
	for _, m := range o.Map {
		text.WriteString(quoteMapping(m.Column) + "=" + quoteMapping(m.Path) + "\n")
	}
	return text.String()
}

// A PathSample is a path of a mapping, and the value that a record has there.
type PathSample struct {
	Path  string
	Value string // the start of a text, or JSON
}

const (
	maxPaths        = 60
	pathSampleLimit = 120 // characters
	maxListSamples  = 3   // elements of a list whose paths are given
)

// An Outline is what can be mapped in a file.
type Outline struct {
	Paths []PathSample // of the first record
	Lists []RecordList // where the records of a document may be
}

// Outline returns the paths of the values in the first record of a file that can be read, and the lists in
// its document. With a preset the record is the first one in the program's document.
func (o Options) Outline(ctx context.Context, p protocol.Protocol, name string, r io.Reader) (found Outline) {
	b := newBuilder(p, name)
	b.options, b.limits = o, streamLimits
	b.options.Map = nil
	b.source, _ = r.(Source)
	b.handleDocument = func(document value) { found.Lists = document.recordLists(nil, "") }
	b.handleRecord = func(record value) error {
		found.Paths = record.paths(nil, "")
		return errAborted
	}
	_ = b.readFile(ctx, r) // the errors of the file are reported by ScanItems
	return found
}

// paths appends the paths of the values in v, whose own path is path.
func (v value) paths(paths []PathSample, path string) []PathSample {
	if len(paths) == maxPaths {
		return paths
	}
	switch v = v.parsed(); v.kind {
	case '{':
		for _, m := range v.members {
			key := m.key
			if path != "" {
				key = path + "." + key
			}
			paths = m.value.paths(paths, key)
		}
	case '[':
		for i, element := range v.list[:min(len(v.list), maxListSamples)] {
			paths = element.paths(paths, path+"["+strconv.Itoa(i)+"]")
		}
	case 'n':
	default:
		text := v.text
		if !v.is('"') {
			text = string(v.json())
		}
		if runes := []rune(text); len(runes) > pathSampleLimit {
			text = string(runes[:pathSampleLimit]) + "…"
		}
		paths = append(paths, PathSample{path, text})
	}
	return paths
}

// isForeign reports whether rows are records of another program, or have paths.
func (b *builder) isForeign() bool { return b.options.isSet() || b.handleRecord != nil }
