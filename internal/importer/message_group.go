package importer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// A messageGroup is the messages of one conversation, each a row of a file.
type messageGroup struct {
	key  string
	line int // of the first message
	rows []value
	size int // bytes
}

// The columns of a mapping that say where a row has the role and the text of its message.
const (
	roleColumn    = "role"
	contentColumn = "content"
)

// addMessage adds a row to the messages of its conversation. A row of another conversation ends it.
func (b *builder) addMessage(r row) error {
	b.isCSV = false // values have been found by now, whatever held them
	message := objectValue(r.members...)
	keyValue, ok := message.find(b.options.GroupBy)
	key := keyValue.text
	if b.rowCount++; !ok || key == "" {
		b.errs.add(r.line, b.options.GroupBy, "This path, by which messages are grouped, is missing.")
		return nil
	}
	if b.group != nil && b.group.key != key {
		if err := b.addGroup(); err != nil {
			return err
		}
	}
	if b.group == nil {
		if first, isKnown := b.groupLines.line(key); isKnown {
			b.errs.add(r.line, b.options.GroupBy,
				"The messages of “%s”, which start at line %d, are not together. Sort the file by “%s”.",
				plaintext.Shorten(key), first, b.options.GroupBy)
			return nil
		}
		b.groupLines.add(key, r.line)
		b.group = &messageGroup{key: key, line: r.line}
	}
	g := b.group
	if g.size += len(message.json()); g.size > recordLimit || len(g.rows) == valueLimit {
		b.errs.add(g.line, b.options.GroupBy, "The messages of “%s” are more than %d MiB. Split the conversation.",
			plaintext.Shorten(key), recordLimit>>20)
		return errAborted
	}
	g.rows = append(g.rows, message.clone())
	return nil
}

// addGroup adds the items of a conversation whose messages are complete, if there is one.
func (b *builder) addGroup() error {
	g := b.group
	if b.group = nil; g == nil {
		return nil
	}
	if !b.sortMessages(g) {
		return nil
	}
	turns := make([]value, len(g.rows))
	used := []string{}
	for i, message := range g.rows {
		keys := messageKeysOf(message)
		turns[i] = objectValue(slices.DeleteFunc(slices.Clone(message.members), func(m member) bool {
			return !slices.Contains(keys, m.key)
		})...)
		role, hasRole := b.mappedTo(roleColumn, message)
		content, hasContent := b.mappedTo(contentColumn, message)
		if hasRole || hasContent {
			turns[i] = objectValue(member{"role", role}, member{"content", content})
		}
		used = append(used, keys...)
	}
	if !isMessageList(listValue(turns)) {
		b.errs.add(g.line, "", "The messages of “%s” have no roles that are known, or no texts. Map the columns role and content, such as role=speaker.", plaintext.Shorten(g.key))
		return nil
	}
	for _, m := range b.options.Map {
		if m.Column == roleColumn || m.Column == contentColumn {
			used = append(used, m.Path)
		}
	}
	record := []member{}
	if _, ok := g.rows[0].find("id"); !ok {
		record = append(record, textMember("id", g.key))
	}
	record = append(record, sharedMembers(g.rows, used)...)
	record = append(record, member{"turns", listValue(turns)})
	return b.addFound(g.line, objectValue(record...), [][]member{b.readTurnsOf(record)}, foreignRecord{})
}

// readTurnsOf returns the members of a conversation with its turns as the importer reads them.
func (b *builder) readTurnsOf(record []member) []member {
	members := slices.Clone(record)
	turns := &members[len(members)-1]
	turns.value = turnsValue(readMessages(turns.value))
	return members
}

func (b *builder) mappedTo(column string, message value) (value, bool) {
	for _, m := range b.options.Map {
		if m.Column == column {
			return message.find(m.Path)
		}
	}
	return value{}, false
}

// sortMessages sorts messages by their order, numbers by size, and reports those without one.
func (b *builder) sortMessages(g *messageGroup) bool {
	if b.options.Order == "" {
		return true
	}
	type ordered struct {
		value
		text   string
		number float64
	}
	messages, areNumbers := make([]ordered, len(g.rows)), true
	for i, message := range g.rows {
		v, ok := message.find(b.options.Order)
		number, err := strconv.ParseFloat(v.text, 64)
		if areNumbers = areNumbers && err == nil; !ok || v.text == "" {
			b.errs.add(g.line, b.options.Order,
				"This path, by which messages are ordered, is missing in message %d of “%s”.", i+1,
				plaintext.Shorten(g.key))
			return false
		}
		messages[i] = ordered{message, v.text, number}
	}
	slices.SortStableFunc(messages, func(a, b ordered) int {
		if areNumbers {
			return cmp.Compare(a.number, b.number)
		}
		return strings.Compare(a.text, b.text)
	})
	for i, m := range messages {
		g.rows[i] = m.value
	}
	return true
}

// messageKeysOf returns the keys from which the role and the text of a message are read.
func messageKeysOf(message value) (keys []string) {
	for _, known := range [][]string{roleKeys, bodyKeys} {
		for _, key := range known {
			if _, ok := findMember(message.members, key); ok {
				keys = append(keys, key)
				break
			}
		}
	}
	return keys
}

// sharedMembers returns the columns of messages that are not used: as they are where all messages have the
// same, else as a list with the value of each message.
func sharedMembers(messages []value, used []string) (members []member) {
	var keys []string
	for _, message := range messages {
		for _, m := range message.members {
			if !slices.Contains(keys, m.key) && !slices.Contains(used, m.key) {
				keys = append(keys, m.key)
			}
		}
	}
	for _, key := range keys {
		values, isShared := make([]value, len(messages)), true
		for i, message := range messages {
			v, ok := findMember(message.members, key)
			if !ok {
				v = value{kind: 'n'}
			}
			values[i] = v
			isShared = isShared && string(v.json()) == string(values[0].json())
		}
		if isShared {
			members = append(members, member{key, values[0]})
		} else {
			members = append(members, member{key, listValue(values)})
		}
	}
	return members
}
