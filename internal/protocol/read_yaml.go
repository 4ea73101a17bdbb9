package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// A reader reads the nodes of a definition and collects all errors. A value that
// cannot be read keeps its zero value.
type reader struct {
	file           string
	errs           DefinitionErrors
	terms          map[string]term // by key; what rules may refer to
	hasUnreadTerms bool            // some terms could not be read
	lines          map[string]int  // of declared keys, ids and points
}

// A term is a name that rules may use.
type term struct {
	kind   string // "field", "observation", "fact" or "note"
	title  string
	values []int
}

func (r *reader) errorf(line int, format string, args ...any) {
	r.errs = append(r.errs, DefinitionError{r.file, max(line, 1), fmt.Sprintf(format, args...)})
}

// rejectUnsupportedYAML reports YAML features that hide content: aliases, anchors,
// tags and merge keys.
func (r *reader) rejectUnsupportedYAML(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.errorf(n.Line, "Aliases (*%s) are not supported. Repeat the text.", n.Value)
	case n.Tag == "!!merge":
		r.errorf(n.Line, "Merge keys (<<) are not supported. Repeat the keys.")
	case n.Style&yaml.TaggedStyle != 0:
		r.errorf(n.Line, "Tags (%s) are not supported. Remove the tag.", n.Tag)
	case n.Anchor != "":
		r.errorf(n.Line, "Anchors (&%s) are not supported. Remove the anchor.", n.Anchor)
	}
	for _, child := range n.Content {
		r.rejectUnsupportedYAML(child)
	}
}

// A mapping is a YAML mapping read by its shape.
type mapping struct {
	*reader
	nodes map[string]*yaml.Node
}

// readMapping reads n as a mapping of the named shape, and reports unknown and
// missing keys.
func (r *reader) readMapping(n *yaml.Node, shapeName string) mapping {
	s := shapes[shapeName]
	nodes, lines := r.readPairs(n, s.noun)
	m := mapping{r, nodes}
	unused := slices.DeleteFunc(s.keys(), func(key string) bool { return m.nodes[key] != nil })
	for _, key := range sortedKeys(m.nodes) {
		if !slices.Contains(s.keys(), key) {
			r.errorf(lines[key], "%s is not a valid key of %s. %s", quote(key), s.noun, suggestName(key, unused))
		}
	}
	for _, key := range s.required {
		if _, ok := m.nodes[key]; !ok && n.Kind == yaml.MappingNode {
			r.errorf(n.Line, "%s needs “%s”.", capitalize(s.noun), key)
		}
	}
	return m
}

// readPairs returns the values of mapping n and the lines of its keys, by key. A
// repeated key is an error; the first one counts.
func (r *reader) readPairs(n *yaml.Node, expected string) (values map[string]*yaml.Node, lines map[string]int) {
	values, lines = map[string]*yaml.Node{}, map[string]int{}
	if n.Kind != yaml.MappingNode {
		r.addTypeError(n, expected+" with “key: value” lines")
		return values, lines
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			r.addTypeError(key, "a word as a key")
			continue
		}
		if firstLine, ok := lines[key.Value]; ok {
			r.errorf(key.Line, "%s appears twice, first on line %d. Keep one.", quote(key.Value), firstLine)
			continue
		}
		values[key.Value], lines[key.Value] = value, key.Line
	}
	return values, lines
}

// addTypeError reports that n is not what was expected, unless n is reported already.
func (r *reader) addTypeError(n *yaml.Node, expected string) {
	if n.Kind != yaml.AliasNode && n.Tag != "!!merge" {
		r.errorf(n.Line, "Expected %s.", expected)
	}
}

// readList calls readItem for each element of the list under key, at most maxItems.
func (m mapping) readList(key string, maxItems int, readItem func(*yaml.Node)) {
	n := m.nodes[key]
	if n == nil {
		return
	}
	if n.Kind != yaml.SequenceNode {
		m.addTypeError(n, "a list under “"+key+"”, with “- ” before each entry")
		return
	}
	if len(n.Content) == 0 {
		m.errorf(n.Line, "The list “%s” is empty. Add an entry, or remove the key.", key)
	}
	if len(n.Content) > maxItems {
		m.errorf(n.Content[maxItems].Line, "“%s” has at most %d entries; this one has %d. Remove some.", key, maxItems,
			len(n.Content))
		return
	}
	for _, child := range n.Content {
		readItem(child)
	}
}

// readTexts reads one text or a list of them.
func (m mapping) readTexts(key string, maxLength int) (texts []string) {
	n := m.nodes[key]
	if n != nil && n.Kind == yaml.ScalarNode {
		return []string{m.readParagraph(n, key, maxLength)}
	}
	m.readList(key, maxTexts, func(child *yaml.Node) { texts = append(texts, m.readParagraph(child, key, maxLength)) })
	return texts
}

// readText reads one text; "" without the key.
func (m mapping) readText(key string, maxLength int) string {
	if n := m.nodes[key]; n != nil {
		return m.readParagraph(n, key, maxLength)
	}
	return ""
}

// readParagraph reads n as one paragraph. Line breaks and repeated spaces become one
// space, so that texts may be wrapped in the file.
func (r *reader) readParagraph(n *yaml.Node, key string, maxLength int) string {
	if n.Kind != yaml.ScalarNode {
		r.addTypeError(n, "a text under “"+key+"”")
		return ""
	}
	if n.Tag != "!!str" && n.Tag != "!!null" {
		r.errorf(n.Line, "“%s” must be a text. Put %s in quotation marks.", key, quote(n.Value))
		return ""
	}
	words := strings.FieldsFunc(n.Value, func(c rune) bool { return strings.ContainsRune(" \t\r\n", c) })
	text := strings.Join(words, " ")
	switch {
	case n.Tag == "!!null" || !HasText(text):
		r.errorf(n.Line, "“%s” is empty. Write a text, or remove the key if it is optional.", key)
	case plaintext.HasControl(text):
		r.errorf(n.Line, "“%s” contains a control character. Remove it.", key)
	case utf8.RuneCountInString(text) > maxLength:
		r.errorf(n.Line, "“%s” has %d characters; the limit is %d. Shorten it.", key,
			utf8.RuneCountInString(text), maxLength)
	default:
		return text
	}
	return ""
}

// readInt reads a whole number from minimum to maximum.
func (m mapping) readInt(key string, minimum, maximum int) int {
	n := m.nodes[key]
	if n == nil {
		return 0
	}
	value, ok := parseInt(n)
	if !ok || value < minimum || value > maximum {
		m.addTypeError(n, fmt.Sprintf("a whole number from %d to %d under “%s”", minimum, maximum, key))
		return minimum
	}
	return value
}

// parseInt reads n as a whole number in decimal digits.
func parseInt(n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" {
		return 0, false
	}
	return parseDigits(n.Value)
}

func parseDigits(text string) (int, bool) {
	value, err := strconv.Atoi(text)
	return value, err == nil && strconv.Itoa(value) == text && value >= 0
}

// readBool reads yes or no; no without the key.
func (m mapping) readBool(key string) bool {
	n := m.nodes[key]
	if n == nil {
		return false
	}
	value, ok := termWords["fact"][n.Value]
	if n.Kind != yaml.ScalarNode || !ok {
		m.addTypeError(n, "yes or no under “"+key+"”")
	}
	return value == 1
}

// readChoice reads one of the choices; the first without the key.
func (m mapping) readChoice(key string, choices ...string) string {
	n := m.nodes[key]
	if n == nil {
		return choices[0]
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(choices, n.Value) || n.Value == "" {
		m.addTypeError(n, "one of "+strings.Join(slices.DeleteFunc(slices.Clone(choices), func(c string) bool {
			return c == ""
		}), ", ")+" under “"+key+"”")
		return choices[0]
	}
	return n.Value
}

func capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
