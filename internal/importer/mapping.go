package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Mapping says where a column of an item is in the records of another program.
type Mapping struct {
	Column string // a part, "id", "record_id", or a name in the metadata such as "meta.model"
	Path   string // such as output.choices[0].message.content
}

// ParseMappings parses "answer=output.text,query=input[0].content", with commas or line breaks
// between the mappings.
func ParseMappings(text string) (mappings []Mapping, err error) {
	for pair := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",\r\n", r) }) {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		column, path, found := strings.Cut(pair, "=")
		column, path = strings.TrimSpace(column), strings.TrimSpace(path)
		if !found || column == "" || path == "" {
			return nil, fault.Invalid.Errorf("“%s” is not a mapping. Write COLUMN=PATH, such as answer=output.text.", pair)
		}
		if slices.ContainsFunc(mappings, func(m Mapping) bool { return m.Column == column }) {
			return nil, fault.Invalid.Errorf("The column “%s” is mapped twice.", column)
		}
		mappings = append(mappings, Mapping{column, path})
	}
	return mappings, nil
}

// checkMappings returns what is wrong with the columns of mappings for p, or "".
func checkMappings(p protocol.Protocol, mappings []Mapping) string {
	columns := mappableColumns(p.Unit)
	for _, m := range mappings {
		if !strings.HasPrefix(m.Column, metaPrefix) && !slices.Contains(columns, m.Column) {
			return "“" + plaintext.Shorten(m.Column) + "” cannot be mapped. The columns of this protocol are " + strings.Join(columns, ", ") + ", and meta.NAME for metadata."
		}
	}
	return ""
}

const metaPrefix = "meta."

// mappableColumns returns the columns that items of u can have.
func mappableColumns(u protocol.Unit) (columns []string) {
	if u.RecordKind != protocol.RecordNone {
		columns = []string{"query", "answer", "chunks", "context_set"}
	}
	for _, part := range u.Parts {
		if !slices.Contains(columns, part.Key) {
			columns = append(columns, part.Key)
		}
	}
	return append(columns, "id", "record_id")
}

// find returns the value at a path of keys, with dots between them, and of elements in
// brackets, from 0; [-1] is the last. A key may have dots itself. Texts that hold JSON are
// read as JSON where the path continues into them.
func (v value) find(path string) (value, bool) {
	if path == "" {
		return v, true
	}
	switch v = v.parsed(); v.kind {
	case '[':
		return v.findElement(path)
	case '{':
		return v.findMember(path)
	}
	return value{}, false
}

func (v value) findElement(path string) (value, bool) {
	digits, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || path[0] != '[' {
		return value{}, false
	}
	if i < 0 {
		i += len(v.list)
	}
	if i < 0 || i >= len(v.list) {
		return value{}, false
	}
	return v.list[i].find(strings.TrimPrefix(rest, "."))
}

// findMember tries the longest key first, so that "llm.input" is found before the key "llm".
func (v value) findMember(path string) (value, bool) {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		m, ok := findMember(v.members, path[:end])
		if !ok {
			continue
		}
		if found, ok := m.find(strings.TrimPrefix(path[end:], ".")); ok {
			return found, true
		}
	}
	return value{}, false
}

// parsed returns the JSON that a text holds, else v.
func (v value) parsed() value {
	text := strings.TrimLeft(v.text, " \t\r\n")
	if !v.is('"') || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return v
	}
	hasProblem := false
	r := newJSONReader([]byte(text), func(*location, string, ...any) { hasProblem = true })
	parsed, err := r.readValue(nil, 1)
	if err != nil || hasProblem || len(r.trailing()) > 0 {
		return v
	}
	return parsed
}

// findFirst returns the value at the first path that exists and is not null.
func (v value) findFirst(paths ...string) (value, bool) {
	for _, path := range paths {
		if found, ok := v.find(path); ok && !found.is('n') {
			return found, true
		}
	}
	return value{}, false
}

func textValue(text string) value        { return value{kind: '"', text: text} }
func listValue(list []value) value       { return value{kind: '[', list: list} }
func objectValue(ms ...member) value     { return value{kind: '{', members: ms} }
func numberValue(n int) value            { return value{kind: '0', raw: []byte(strconv.Itoa(n))} }
func textMember(key, text string) member { return member{key, textValue(text)} }
