package importer

import (
	"slices"
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
		return b.addMappedRow(r.line, document, slices.Clone(r.members))
	}
	reader := presetReaders[b.options.Preset]
	for _, record := range reader.records(document) {
		if b.recordNo++; b.handleRecord != nil {
			return b.handleRecord(record)
		}
		found, ok := reader.read(record)
		switch {
		case len(b.options.Map) > 0: // which may find what the preset does not
		case !ok:
			b.skip(reader.other)
			continue
		case b.needsChunks() && !found.hasContexts:
			b.skip("records without retrieved documents")
			continue
		}
		if err := b.addMappedRow(b.recordNo, record, found.members(b.protocol.Unit)); err != nil {
			return err
		}
	}
	return nil
}

// skip leaves a record out.
func (b *builder) skip(what string) {
	if b.skipped++; b.options.OnSkip != nil {
		b.options.OnSkip(b.recordNo, what)
	}
}

// needsChunks reports whether the unit shows retrieved documents at first.
func (b *builder) needsChunks() bool {
	return slices.ContainsFunc(b.protocol.Unit.Parts, func(p protocol.Part) bool {
		return !p.Supporting && (p.Kind == protocol.PartChunk || p.Kind == protocol.PartChunks)
	})
}

// addMappedRow replaces the columns of a row that are mapped to paths of its record.
func (b *builder) addMappedRow(line int, record value, members []member) error {
	before := b.errs.count()
	for _, m := range b.options.Map {
		v, ok := record.find(m.Path)
		if !ok {
			b.errs.add(line, m.Path, "This path, from which %s is read, is missing.", m.Column)
			continue
		}
		key := strings.TrimPrefix(m.Column, metaPrefix)
		members = slices.DeleteFunc(members, func(other member) bool { return other.key == key || other.key == m.Path })
		members = append(members, member{key, b.mappedValue(m.Column, v)})
	}
	if b.errs.count() > before {
		b.rowCount++
		return nil
	}
	return b.addOwnRow(row{line, members})
}

// mappedValue returns what a mapped column holds, in the form of its part.
func (b *builder) mappedValue(column string, v value) value {
	parsed := v.parsed()
	switch {
	case strings.HasPrefix(column, metaPrefix) || column == "id" || column == "record_id":
		return v
	case column == "chunks" || column == "context_set":
		if chunks := foreignChunks(v); len(chunks) > 0 {
			return listValue(chunks)
		}
	case isMessageList(parsed):
		if b.isConversation(column) {
			return listValue(foreignTurns(parsed))
		}
	}
	if b.isConversation(column) {
		return parsed
	}
	if text, ok := foreignText(parsed); ok && !v.is('"') {
		return textValue(text)
	}
	return v
}

func (b *builder) isConversation(column string) bool {
	for _, part := range b.protocol.Unit.Parts {
		if part.Key == column {
			return part.Kind == protocol.PartConversation
		}
	}
	return false
}
