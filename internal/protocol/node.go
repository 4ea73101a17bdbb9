package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A reader walks the nodes of a definition and notes every fault it meets. It
// never stops at one: what cannot be read is left at its zero value.
type reader struct {
	file   string
	faults Faults
	terms  map[string]term // all that rules may speak of
	vague  bool            // terms are missing that could not be read
	lines  map[string]int  // where a key, an id or a point was declared
}

// A term is something that rules may speak of.
type term struct {
	kind   string // "field", "observation", "fact" or "note"
	title  string
	values []int
}

func (r *reader) fault(line int, says string, args ...any) {
	r.faults = append(r.faults, Fault{r.file, max(line, 1), fmt.Sprintf(says, args...)})
}

// refuseTricks notes what makes YAML say more than it shows: aliases, anchors,
// tags and merge keys.
func (r *reader) refuseTricks(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(n.Line, "Aliases (*%s) are not read here. Write the text out again.", n.Value)
	case n.Tag == "!!merge":
		r.fault(n.Line, "Merge keys (<<) are not read here. Write the keys out again.")
	case n.Style&yaml.TaggedStyle != 0:
		r.fault(n.Line, "Tags (%s) are not read here. Leave the tag out.", n.Tag)
	case n.Anchor != "":
		r.fault(n.Line, "Anchors (&%s) are not read here. Leave the anchor out.", n.Anchor)
	}
	for _, child := range n.Content {
		r.refuseTricks(child)
	}
}

// entries is one mapping, read under its shape.
type entries struct {
	*reader
	of map[string]*yaml.Node
}

// mapping reads n as a mapping of the named shape, noting unknown and missing
// keys.
func (r *reader) mapping(n *yaml.Node, name string) entries {
	s := shapes[name]
	of, lines := r.pairs(n, s.noun)
	e := entries{r, of}
	spare := slices.DeleteFunc(s.keys(), func(key string) bool { return e.of[key] != nil })
	for _, key := range sortedKeys(e.of) {
		if !slices.Contains(s.keys(), key) {
			r.fault(lines[key], "%s is not a key of %s. %s", quoted(key), s.noun, didYouMean(key, spare))
		}
	}
	for _, key := range s.required {
		if _, ok := e.of[key]; !ok && n.Kind == yaml.MappingNode {
			r.fault(n.Line, "%s needs “%s”. Please add it.", capital(s.noun), key)
		}
	}
	return e
}

// pairs returns the values of mapping n and the lines of its keys, by key. A
// key that stands twice is noted and the first is kept.
func (r *reader) pairs(n *yaml.Node, what string) (values map[string]*yaml.Node, lines map[string]int) {
	values, lines = map[string]*yaml.Node{}, map[string]int{}
	if n.Kind != yaml.MappingNode {
		r.mistyped(n, what+" with “key: value” lines")
		return values, lines
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			r.mistyped(key, "a plain word as a key")
			continue
		}
		if first, ok := lines[key.Value]; ok {
			r.fault(key.Line, "%s stands here twice, first on line %d. Keep one.", quoted(key.Value), first)
			continue
		}
		values[key.Value], lines[key.Value] = value, key.Line
	}
	return values, lines
}

// mistyped notes that n is not what was expected, unless n was noted already.
func (r *reader) mistyped(n *yaml.Node, want string) {
	if n.Kind != yaml.AliasNode && n.Tag != "!!merge" {
		r.fault(n.Line, "Here should stand %s.", want)
	}
}

// list calls read for each element of the list under key, of which there may
// be most.
func (e entries) list(key string, most int, read func(*yaml.Node)) {
	n := e.of[key]
	if n == nil {
		return
	}
	if n.Kind != yaml.SequenceNode {
		e.mistyped(n, "a list under “"+key+"”, one “- ” for each entry")
		return
	}
	if len(n.Content) == 0 {
		e.fault(n.Line, "The list “%s” is empty. Add an entry, or leave the key out.", key)
	}
	if len(n.Content) > most {
		e.fault(n.Content[most].Line, "“%s” may have at most %d entries, and here are %d. Please take some out.", key, most, len(n.Content))
		return
	}
	for _, child := range n.Content {
		read(child)
	}
}

// texts reads one text or a list of them.
func (e entries) texts(key string, longest int) (texts []string) {
	n := e.of[key]
	if n != nil && n.Kind == yaml.ScalarNode {
		return []string{e.prose(n, key, longest)}
	}
	e.list(key, maxLines, func(child *yaml.Node) { texts = append(texts, e.prose(child, key, longest)) })
	return texts
}

// text reads one text; "" where the key is not there.
func (e entries) text(key string, longest int) string {
	if n := e.of[key]; n != nil {
		return e.prose(n, key, longest)
	}
	return ""
}

// prose reads n as one paragraph. Line breaks and runs of spaces become one
// space, so that a text may be folded in the file as one likes.
func (r *reader) prose(n *yaml.Node, key string, longest int) string {
	if n.Kind != yaml.ScalarNode {
		r.mistyped(n, "a text under “"+key+"”")
		return ""
	}
	if n.Tag != "!!str" && n.Tag != "!!null" {
		r.fault(n.Line, "“%s” should be a text. Put %s between quotation marks.", key, quoted(n.Value))
		return ""
	}
	words := strings.FieldsFunc(n.Value, func(c rune) bool { return strings.ContainsRune(" \t\r\n", c) })
	text := strings.Join(words, " ")
	switch {
	case n.Tag == "!!null" || !Written(text):
		r.fault(n.Line, "“%s” is empty. Write a text, or leave the key out where it may be left out.", key)
	case strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text):
		r.fault(n.Line, "“%s” holds a control character. Please remove it.", key)
	case utf8.RuneCountInString(text) > longest:
		r.fault(n.Line, "“%s” has %d characters, and there is room for %d. Please shorten it.", key, utf8.RuneCountInString(text), longest)
	default:
		return text
	}
	return ""
}

// number reads a whole number from low to high.
func (e entries) number(key string, low, high int) int {
	n := e.of[key]
	if n == nil {
		return 0
	}
	value, ok := whole(n)
	if !ok || value < low || value > high {
		e.mistyped(n, fmt.Sprintf("a whole number from %d to %d under “%s”", low, high, key))
		return low
	}
	return value
}

// whole reads n as a whole number written in plain digits.
func whole(n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" {
		return 0, false
	}
	return digits(n.Value)
}

func digits(text string) (int, bool) {
	value, err := strconv.Atoi(text)
	return value, err == nil && strconv.Itoa(value) == text && value >= 0
}

// yes reads yes or no; no where the key is not there.
func (e entries) yes(key string) bool {
	n := e.of[key]
	if n == nil {
		return false
	}
	value, ok := words["fact"][n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		e.mistyped(n, "yes or no under “"+key+"”")
	}
	return value == 1
}

// choice reads one of a few words, the first where the key is not there.
func (e entries) choice(key string, choices ...string) string {
	n := e.of[key]
	if n == nil {
		return choices[0]
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(choices, n.Value) || n.Value == "" {
		e.mistyped(n, "one of "+strings.Join(slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return c == "" }), ", ")+" under “"+key+"”")
		return choices[0]
	}
	return n.Value
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
