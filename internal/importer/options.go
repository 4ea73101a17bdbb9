package importer

import (
	"io"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Options say how to read the file of another program. The zero value reads rows whose columns
// are the parts of an item.
type Options struct {
	Preset Preset    // "": none
	Map    []Mapping // where columns are; they take precedence over the preset
	Take   Take      // which answers of a conversation, where the unit shows one

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
func (o Options) isSet() bool { return o.Preset != "" || len(o.Map) > 0 }

// ParseOptions returns the options with the preset of that name, or none if it is empty, and the
// mappings of a text as ParseMappings reads it.
func ParseOptions(preset, mappings string) (o Options, err error) {
	if preset != "" {
		if o.Preset, err = ParsePreset(preset); err != nil {
			return o, err
		}
	}
	o.Map, err = ParseMappings(mappings)
	return o, err
}

// MappingText returns the mappings of o, one per line.
func (o Options) MappingText() string {
	var text strings.Builder
	for _, m := range o.Map {
		text.WriteString(m.Column + "=" + m.Path + "\n")
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

// FirstPaths returns the paths of the values in the first record of a file that can be read, for
// a mapping. With a preset it is the first record in the program's document.
func (o Options) FirstPaths(p protocol.Protocol, name string, r io.Reader) (paths []PathSample) {
	b := newBuilder(p, name)
	b.options.Preset, b.limits = o.Preset, streamLimits
	b.source, _ = r.(Source)
	b.handleRecord = func(record value) error {
		paths = record.paths(nil, "")
		return errAborted
	}
	if err := b.readFile(r); err != nil && len(paths) == 0 {
		return nil // the errors of the file are reported by ScanItems
	}
	return paths
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
