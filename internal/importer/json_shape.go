package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A RecordList is a place in a document where its records may be.
type RecordList struct {
	Path  string // for Options.Records
	Count int    // of its elements
}

const (
	maxRecordLists = 20
	maxListDepth   = 6 // levels of objects in which lists are searched
)

func describeLists(lists []RecordList) string {
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = fmt.Sprintf("%s (%s)", l.Path, formatCount(l.Count))
	}
	return strings.Join(names, ", ")
}

// recordLists appends the lists of objects in v, and the objects of alike objects, whose keys may
// be ids.
func (v value) recordLists(lists []RecordList, path string) []RecordList {
	if strings.Count(path, ".") >= maxListDepth {
		return lists
	}
	if v.isByID() {
		lists = append(lists, RecordList{joinPath(path, "*"), len(v.members)})
	}
	for _, m := range v.members {
		at := joinPath(path, quoteKey(m.key))
		switch {
		case len(lists) >= maxRecordLists:
			return lists
		case m.is('{'):
			lists = m.recordLists(lists, at)
		case m.is('[') && len(m.list) > 0 && !slices.ContainsFunc(m.list, func(e value) bool { return !e.is('{') }):
			lists = append(lists, RecordList{at, len(m.list)})
		}
	}
	return lists
}

// findLists does the same for a document that is too large for memory: it takes lists that start with
// an object.
func (s *jsonScanner) findLists(path string, depth int, lists *[]RecordList) error {
	b, err := s.peek()
	if err != nil {
		return err
	}
	if b == '{' && depth < maxListDepth {
		return s.elements(func(key string) error { return s.findLists(joinPath(path, quoteKey(key)), depth+1, lists) })
	}
	if b != '[' || path == "" || len(*lists) == maxRecordLists {
		return s.skipValue()
	}
	found := RecordList{Path: path}
	isObject := true
	err = s.elements(func(string) error {
		b, err := s.peek()
		isObject = isObject && b == '{'
		if found.Count++; err != nil {
			return err
		}
		return s.skipValue()
	})
	if isObject && found.Count > 0 {
		*lists = append(*lists, found)
	}
	return err
}

// isByID reports whether v is an object of at least two objects with the same keys.
func (v value) isByID() bool {
	if len(v.members) < 2 {
		return false
	}
	for _, m := range v.members {
		if len(m.members) == 0 || !hasSameKeys(m.value, v.members[0].value) {
			return false
		}
	}
	return true
}

func hasSameKeys(a, b value) bool {
	return slices.EqualFunc(a.members, b.members, func(a, b member) bool { return a.key == b.key })
}

// rows returns the records of a document that is written by columns, nil if v is not: all values are
// lists of one length, or objects with the same row numbers. A list of objects, such as messages, is
// no column. The names of the columns can also be apart from the rows, which are lists.
func (v value) rows() (rows []value) {
	if len(v.members) == 0 {
		return nil
	}
	if rows := v.splitRows(); rows != nil {
		return rows
	}
	isColumns, isNumbered, count := true, true, len(v.members[0].list)+len(v.members[0].members) // one is empty
	for _, m := range v.members {
		isColumns = isColumns && len(m.list) == count && slices.ContainsFunc(m.list, func(e value) bool {
			return !e.is('{')
		})
		isNumbered = isNumbered && areNumbered(m.members) && hasSameKeys(m.value, v.members[0].value)
	}
	if !isColumns && !isNumbered {
		return nil
	}
	for i := range count {
		record := value{kind: '{'}
		for _, m := range v.members {
			if isNumbered {
				record.members = append(record.members, member{m.key, m.members[i].value})
			} else {
				record.members = append(record.members, member{m.key, m.list[i]})
			}
		}
		rows = append(rows, record)
	}
	return rows
}

// splitRows returns the records of a document that has the names of its columns as "columns", their rows as "data",
// and perhaps the names of the rows as "index", as pandas writes it; else nil.
func (v value) splitRows() (rows []value) {
	columns, _ := findMember(v.members, "columns")
	data, _ := findMember(v.members, "data")
	index, hasIndex := findMember(v.members, "index")
	isNoName := func(name value) bool { return !name.is('"') }
	if len(columns.list) == 0 || slices.ContainsFunc(columns.list, isNoName) || hasIndex && len(index.list) != len(
		data.list) {
		return nil
	}
	for i, cells := range data.list {
		if len(cells.list) != len(columns.list) {
			return nil
		}
		record := value{kind: '{'}
		for j, cell := range cells.list {
			record.members = append(record.members, member{columns.list[j].text, cell})
		}
		if _, isTaken := findMember(record.members, "index"); hasIndex && !isTaken {
			record.members = append(record.members, member{"index", index.list[i]})
		}
		rows = append(rows, record)
	}
	return rows
}

// areNumbered reports whether the keys are row numbers.
func areNumbered(ms []member) bool {
	for _, m := range ms {
		if _, err := strconv.Atoi(m.key); err != nil {
			return false
		}
	}
	return len(ms) > 0
}

// rowsByID returns the records of an object: by columns, or its values with their keys as ids.
func (v value) rowsByID() []value {
	if rows := v.rows(); rows != nil {
		return rows
	}
	rows := make([]value, len(v.members))
	for i, m := range v.members {
		rows[i] = withID(m.value, m.key)
	}
	return rows
}

// withID returns an object with the id, unless it has one. "" is none.
func withID(v value, id string) value {
	if _, ok := findMember(v.members, "id"); v.is('{') && !ok && id != "" {
		v.members = append([]member{textMember("id", id)}, v.members...)
	}
	return v
}

// quoteKey returns a key as a path has it.
func quoteKey(key string) string {
	if key != "" && !strings.ContainsAny(key, `.[]",=*`) && strings.TrimSpace(key) == key {
		return key
	}
	return `"` + strings.ReplaceAll(key, `"`, `""`) + `"`
}

// cutKey returns what follows a key at the start of a path.
func cutKey(path, key string) (rest string, ok bool) {
	if name, rest, isQuoted := cutQuoted(path); isQuoted {
		return strings.TrimPrefix(rest, "."), name == key
	}
	rest, ok = strings.CutPrefix(path, key)
	if ok = ok && (rest == "" || rest[0] == '.' || rest[0] == '['); !ok {
		return "", false
	}
	return strings.TrimPrefix(rest, "."), true
}

// cutIndex returns what follows the number of an element at the start of a path.
func cutIndex(path string, elementNo int) (rest string, ok bool) {
	digits := strconv.Itoa(elementNo)
	if rest, ok = strings.CutPrefix(path, "["+digits+"]"); ok {
		return strings.TrimPrefix(rest, "."), true
	}
	return cutKey(path, digits)
}
