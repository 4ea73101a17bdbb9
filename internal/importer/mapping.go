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
// between the mappings. Names with commas, equals signs or dots are in double quotes. A column that
// is mapped several times makes as many items of each record, which share a pair_id.
func ParseMappings(text string) (mappings []Mapping, err error) {
	for _, pair := range splitUnquoted(text, ",\r\n", -1) {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		sides := splitUnquoted(pair, "=", 2)
		if len(sides) < 2 || strings.TrimSpace(sides[0]) == "" || strings.TrimSpace(sides[1]) == "" {
			return nil, fault.Invalid.Errorf("“%s” is not a mapping. Write COLUMN=PATH, such as answer=output.text.",
				pair)
		}
		column := strings.TrimSpace(sides[0])
		if inner, rest, ok := cutQuoted(column); ok && rest == "" {
			column = inner
		}
		mappings = append(mappings, Mapping{column, strings.TrimSpace(sides[1])})
	}
	_, err = countPaired(mappings)
	return mappings, err
}

// countPaired returns how many items the mappings make of each record: as many as a column is
// mapped, which must be equal for all columns that are mapped more than once.
func countPaired(mappings []Mapping) (count int, err error) {
	byColumn := map[string]int{}
	for _, m := range mappings {
		byColumn[m.Column]++
	}
	count = 1
	for _, m := range mappings {
		n := byColumn[m.Column]
		switch {
		case n == 1 || n == count:
		case count > 1:
			return 0, fault.Invalid.Errorf(
				"The column “%s” is mapped %d times, another column %d times. Each item of a pair needs one of each.",
				m.Column, n, count)
		default:
			count = n
		}
	}
	return count, nil
}

// splitUnquoted splits text, into at most n parts if n > 0, at separators outside double quotes.
func splitUnquoted(text, separators string, n int) (parts []string) {
	isQuoted, start := false, 0
	for i, r := range text {
		if r == '"' {
			isQuoted = !isQuoted
		} else if !isQuoted && strings.ContainsRune(separators, r) && len(parts)+1 != n {
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// cutQuoted returns the name in the double quotes at the start of text, and what follows.
// A quote in the name is doubled.
func cutQuoted(text string) (name, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, `"`)
	for ok {
		var part string
		if part, rest, ok = strings.Cut(rest, `"`); !ok {
			break
		}
		name += part
		if !strings.HasPrefix(rest, `"`) {
			return name, rest, true
		}
		name, rest = name+`"`, rest[1:]
	}
	return "", text, false
}

// quoteMapping returns a side of a mapping as ParseMappings reads it.
func quoteMapping(side string) string {
	if strings.HasPrefix(side, `"`) || !strings.ContainsAny(side, "=,\r\n") {
		return side
	}
	return `"` + strings.ReplaceAll(side, `"`, `""`) + `"`
}

// checkMappings returns what is wrong with the columns that o maps for p, or "".
func checkMappings(p protocol.Protocol, o Options) string {
	columns := mappableColumns(p.Unit)
	if o.GroupBy != "" {
		columns = append(columns, roleColumn, contentColumn)
	}
	for _, m := range o.Map {
		if !strings.HasPrefix(m.Column, metaPrefix) && !slices.Contains(columns, m.Column) {
			return "“" + plaintext.Shorten(m.Column) + "” cannot be mapped. The columns of this protocol are " +
				strings.Join(columns, ", ") + ", and meta.NAME for metadata."
		}
	}
	return ""
}

const metaPrefix = "meta."

// MappableColumns returns the columns that items of p can have.
func MappableColumns(p protocol.Protocol) []string { return mappableColumns(p.Unit) }

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
// brackets or after a dot, from 0; [-1] is the last. A key may have dots itself, or be in double
// quotes. Texts that hold JSON are read as JSON where the path continues into them.
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
	if ok = ok && path[0] == '['; !ok {
		end := len(path)
		if i := strings.IndexAny(path, ".["); i >= 0 {
			end = i
		}
		digits, rest = path[:end], path[end:]
	}
	i, err := strconv.Atoi(digits)
	if err != nil {
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
	if name, rest, ok := cutQuoted(path); ok {
		m, ok := findMember(v.members, name)
		if !ok {
			return value{}, false
		}
		return m.find(strings.TrimPrefix(rest, "."))
	}
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
func numberValue(n int) value            { return digitsValue(strconv.Itoa(n)) }
func textMember(key, text string) member { return member{key, textValue(text)} }
