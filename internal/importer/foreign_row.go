package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// addForeignRow adds the items of a record of another program, as the preset and the mappings
// find them.
func (b *builder) addForeignRow(r row) error {
	b.isCSV = false // values have been found by now, whatever held them
	document := objectValue(r.members...)
	if b.options.Preset == "" && b.handleRecord != nil {
		return b.handleRecord(document)
	}
	if b.options.Preset == "" {
		isKnown := func(m member) bool { return slices.Contains(b.knownNames, m.key) }
		return b.addFound(r.line, document, [][]member{slices.DeleteFunc(slices.Clone(r.members), func(m member) bool {
			return !isKnown(m)
		})}, foreignRecord{})
	}
	reader := presetReaders[b.options.Preset]
	records, listPath := reader.records(document)
	if listPath != "" && b.handleRecord == nil {
		document.walkLeaves("", func(path string, _ value) {
			if !isBelow(path, listPath) {
				b.leaveOutside(path)
			}
		})
	}
	for _, record := range records {
		if b.recordNo++; b.handleRecord != nil {
			return b.handleRecord(record)
		}
		found, ok := reader.read(record)
		switch {
		case len(b.options.Map) > 0: // which may find what the preset does not
		case !ok:
			b.skip(record, reader.other)
			continue
		case b.needsChunks() && !found.hasContexts:
			b.skip(record, omittedNoDocuments)
			continue
		}
		found.leavesOut = reader.leavesOut
		if err := b.addViews(record, &found); err != nil {
			return err
		}
	}
	return nil
}

// isBelow reports whether a general path leads into the list at another.
func isBelow(path, list string) bool { return path == list || strings.HasPrefix(path, list+"[]") }

// addViews adds a row for each item that a record becomes.
func (b *builder) addViews(record value, found *foreignRecord) error {
	views := found.views(b.protocol.Unit, b.options.Take)
	rows := make([][]member, len(views))
	for i, v := range views {
		if rows[i] = found.members(b.protocol.Unit, v); len(views) > 1 {
			rows[i] = found.numberMembers(rows[i], i+1)
		}
	}
	return b.addFound(b.recordNo, record, rows, *found)
}

// skip leaves a record out.
func (b *builder) skip(record value, what omission) {
	b.skipped++
	ledger := b.options.ledger()
	ledger.Records++
	ledger.leaveOut(what, "", 1)
	var fates []keyFate
	record.walkLeaves("", func(path string, _ value) { fates = append(fates, keyFate{path, fateLeftOut}) })
	ledger.add(fates)
}

// needsChunks reports whether the unit shows retrieved documents at first.
func (b *builder) needsChunks() bool {
	return slices.ContainsFunc(b.protocol.Unit.Parts, func(p protocol.Part) bool {
		return !p.Supporting && (p.Kind == protocol.PartChunk || p.Kind == protocol.PartChunks)
	})
}

// addFound adds the items of a record, whose columns were found: as many as a column is mapped. Everything
// else in the record becomes metadata, or is named as left out.
func (b *builder) addFound(line int, record value, found [][]member, read foreignRecord) error {
	before, itemsBefore := b.errs.count(), b.itemCount
	count, _ := countPaired(b.options.Map) // ParseMappings has checked it
	var rows [][]member
	for _, members := range found {
		for i := range count {
			mapped, ok := b.mapMembers(line, record, slices.Clone(members), i)
			if ok && count > 1 {
				mapped = b.pairMembers(mapped, record, i)
			}
			rows = append(rows, mapped)
		}
	}
	if !b.isValid(before) {
		b.rowCount++
		return b.finishRecord(line, record)
	}
	if read.source.kind == 0 {
		read.source = record
	}
	s := b.classifyRecord(rows, read)
	for _, members := range rows {
		if err := b.addOwnRow(row{line, append(members, s.members(members, b.knownNames)...)}); err != nil {
			return err
		}
	}
	if b.isValid(before) {
		b.addToLedger(s, b.itemCount > itemsBefore)
	}
	return b.finishRecord(line, record)
}

// mapMembers replaces the columns of a row that are mapped to paths of its record. Of a column that is mapped
// several times it takes the path with that index.
func (b *builder) mapMembers(line int, record value, members []member, index int) (mapped []member, ok bool) {
	before, seen := b.errs.count(), map[string]int{}
	for _, m := range b.options.Map {
		key := strings.TrimPrefix(m.Column, metaPrefix)
		members = slices.DeleteFunc(members, func(other member) bool {
			return other.key == key || other.key == m.Path ||
				`"`+other.key+`"` == m.Path
		})
	}
	for _, m := range b.options.Map {
		isOther := b.isPaired(m.Column) && seen[m.Column] != index
		if seen[m.Column]++; isOther || b.options.GroupBy != "" && (m.Column == roleColumn ||
			m.Column == contentColumn) {
			continue
		}
		v, ok := record.find(m.Path)
		if !ok {
			b.errs.add(line, m.Path, "This path, from which %s is read, is missing.", m.Column)
			continue
		}
		members = append(members, member{strings.TrimPrefix(m.Column, metaPrefix), b.mappedValue(m.Column, v)})
	}
	return members, b.errs.count() == before
}

func (b *builder) isPaired(column string) bool {
	first := slices.IndexFunc(b.options.Map, func(m Mapping) bool { return m.Column == column })
	return slices.ContainsFunc(b.options.Map[first+1:], func(m Mapping) bool { return m.Column == column })
}

// pairMembers gives the items of one record ids of their own, and what says that they are a pair: pair_id, and
// the paths that differ in pair_path.
func (b *builder) pairMembers(members []member, record value, index int) []member {
	pair := "p-" + hashTexts(string(record.json()))
	for i, m := range members {
		if (m.key == "id" || m.key == b.protocol.Unit.IDColumn) && m.text != "" {
			pair = m.text
			members[i].value = textValue(m.text + "#" + strconv.Itoa(index+1))
		}
	}
	if _, ok := findMember(members, "pair_id"); !ok {
		members = append(members, textMember("pair_id", pair))
	}
	var paths []string
	seen := map[string]int{}
	for _, m := range b.options.Map {
		if b.isPaired(m.Column) && seen[m.Column] == index && !strings.HasPrefix(m.Column, metaPrefix) {
			paths = append(paths, m.Path)
		}
		seen[m.Column]++
	}
	return append(members, textMember("pair_path", strings.Join(paths, " ")))
}

// mappedValue returns what a mapped column holds, in the form of its part.
func (b *builder) mappedValue(column string, v value) value {
	switch {
	case strings.HasPrefix(column, metaPrefix) || column == "id" || column == "record_id":
		return v
	case column == "chunks" || column == "context_set":
		if chunks := foreignChunks(v); len(chunks) > 0 {
			return listValue(chunks)
		}
		return v
	case b.isConversation(column):
		return v.parsed()
	case v.is('"') || v.is('n'):
		return v
	}
	text, _ := messageText(readMessages(messagesOf(v, "assistant")), 1)
	return textValue(text)
}

func (b *builder) isConversation(column string) bool {
	for _, part := range b.protocol.Unit.Parts {
		if part.Key == column {
			return part.Kind == protocol.PartConversation
		}
	}
	return false
}
