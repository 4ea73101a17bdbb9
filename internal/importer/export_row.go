package importer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/dataset"
)

// isOwnExport reports whether a row is one of an export of this program: the columns of its item begin
// with "item." and "meta.".
func isOwnExport(keys []string) bool {
	return slices.Contains(keys, "item") && slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, "item.") })
}

// isExportRow reports whether rows are read as those of an export: no other way to read them was chosen.
func (b *builder) isExportRow(keys []string) bool {
	return !b.options.isSet() && b.handleRow == nil && b.handleRecord == nil && isOwnExport(keys)
}

// addExportedRow adds the item of a row of an export. An item has several rows if it has several labels;
// they are left out, and so are the labels.
func (b *builder) addExportedRow(r row) error {
	b.isExport = true
	defer func() { b.isExport = false }()
	var found, labels []member
	for _, m := range r.members {
		name, isMeta := strings.CutPrefix(m.key, metaPrefix)
		part, isPart := strings.CutPrefix(m.key, "item.")
		switch {
		case m.key == "item":
			name = "id"
		case m.key == "record":
			name = "record_id"
		case isPart:
			name = b.exportedColumn(part)
		case !isMeta:
			labels = append(labels, m)
			continue
		}
		isEmpty := m.is('"') && m.text == "" && (name == "record_id" || isPart && name != part || b.isCSV && (isMeta || b.isListColumn(name)))
		if m.is('n') || isEmpty { // how an export writes that an item has none
			continue
		}
		v := m.value
		if b.isCSV {
			v.text = dataset.UnescapeFormula(v.text)
			if name == "chunk_rank" {
				v = value{kind: '0', text: v.text, raw: []byte(v.text)}
			}
		}
		if b.isListColumn(name) {
			v = b.exportedList(name, v.parsed())
		}
		found = append(found, member{name, v})
	}
	isCSV := b.isCSV
	b.isCSV = false // values have been found by now
	defer func() { b.isCSV = isCSV }()
	ledger := b.options.ledger()
	id, _ := findMember(found, "id")
	before := b.errs.count()
	_, isRepeated := b.idLines.line(id.text)
	if !isRepeated {
		if err := b.addOwnRow(row{r.line, found}); err != nil {
			return err
		}
	}
	if b.isValid(before) {
		var fates []keyFate
		for _, m := range r.members {
			f := fateLeftOut
			switch {
			case isRepeated || slices.ContainsFunc(labels, func(l member) bool { return l.key == m.key }):
			case strings.HasPrefix(m.key, "item."):
				f = fateShown
			default:
				f = fateMetadata
			}
			m.value.walkLeaves(childKey("", m.key), func(path string, _ value) { fates = append(fates, keyFate{path, f}) })
		}
		ledger.add(fates)
		ledger.leaveOut("rows with labels, of which only the items are imported", 1, "")
	}
	return b.finishRecord(r.line, value{members: r.members})
}

// exportedColumn returns the column of an item that an export writes as "item.NAME".
func (b *builder) exportedColumn(name string) string {
	part, field, _ := strings.Cut(name, ".")
	if key, ok := exportedChunkKeys[field]; ok {
		return key
	}
	return part
}

// exportedChunkKeys are what an export calls the parts of a chunk, and what a file of items does.
var exportedChunkKeys = map[string]string{"id": "chunk_id", "source": "doc_id", "rank": "chunk_rank"}

// exportedList returns turns as they are, and chunks with the keys of a file of items.
func (b *builder) exportedList(name string, list value) value {
	if b.isConversation(name) || !list.is('[') {
		return list
	}
	chunks := make([]value, len(list.list))
	for i, chunk := range list.list {
		members := slices.Clone(chunk.members)
		for j, m := range members {
			members[j].key = cmp.Or(exportedChunkKeys[m.key], m.key)
		}
		chunks[i] = objectValue(members...)
	}
	return listValue(chunks)
}

// isListColumn reports whether a column holds a list, which CSV and Parquet have as text.
func (b *builder) isListColumn(name string) bool {
	for _, part := range b.protocol.Unit.Parts {
		if part.Key == name {
			return isListPart(part)
		}
	}
	return false
}
