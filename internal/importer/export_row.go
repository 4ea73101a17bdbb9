package importer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/dataset"
)

// An exportedMember is a value in a row of an export, under the name that its column has in tables.
type exportedMember struct {
	path string // general
	member
}

// isExportHeader reports whether columns are those of a table of an export.
func isExportHeader(keys []string) bool {
	return isExportTable(keys) || isExportWithoutTexts(keys)
}

// exportedMembers returns the values of a row of an export of this program, in any layout, or false:
// in tables, and in the data of tasks, the columns of an item begin with "item." and "meta."; items of
// data sets have the first in their input.
func exportedMembers(row []member) (found []exportedMember, ok bool) {
	keys := memberKeys(row)
	hasItem := func(v value) bool {
		keys := memberKeys(v.members)
		return slices.Contains(keys, "item") && slices.Contains(keys, "record")
	}
	data, _ := findMember(row, "data")
	metadata, _ := findMember(row, "metadata")
	switch {
	case isExportTable(keys):
		for _, m := range row {
			found = append(found, exportedMember{childKey("", m.key), m})
		}
		return found, true
	case slices.Contains(keys, "annotations") && hasItem(data):
		for _, m := range row {
			if m.key == "data" {
				found = append(found, taskMembers(data)...)
			} else {
				found = append(found, exportedMember{childKey("", m.key), m})
			}
		}
		return found, true
	case slices.Contains(keys, "datasetName") && hasItem(metadata):
		for _, m := range row {
			switch m.key {
			case "input":
				found = append(found, innerMembers("input", m.value, partColumn)...)
			case "metadata":
				found = append(found, innerMembers("metadata", m.value, "")...)
			default:
				found = append(found, exportedMember{childKey("", m.key), member{"dataset." + m.key, m.value}})
			}
		}
		return found, true
	}
	return nil, false
}

func isExportTable(keys []string) bool {
	return slices.Contains(keys, "item") && slices.ContainsFunc(keys, isPartColumn)
}

// partColumn is how the columns with the content of an item begin.
const partColumn = "item."

func isPartColumn(key string) bool { return strings.HasPrefix(key, partColumn) }

// taskMembers returns the data of a task. A part that is no text is there twice: as a text, and as it is.
func taskMembers(data value) (found []exportedMember) {
	for _, inner := range innerMembers("data", data, "") {
		_, isTwice := findMember(data.members, partColumn+inner.key)
		isNamed := inner.key == "item" || inner.key == "record" || isPartColumn(inner.key) ||
			strings.HasPrefix(inner.key, metaPrefix)
		switch {
		case isTwice:
			inner.key = "text." + inner.key
		case !isNamed:
			inner.key = partColumn + inner.key
		}
		found = append(found, inner)
	}
	return found
}

func innerMembers(key string, v value, prefix string) (found []exportedMember) {
	for _, m := range v.members {
		found = append(found, exportedMember{childKey(key, m.key), member{prefix + m.key, m.value}})
	}
	return found
}

// isScoreOfExport reports whether a row is a score in the layout of Langfuse, which has no texts.
func isScoreOfExport(row []member) bool {
	id, _ := findMember(row, "id")
	_, hasTrace := findMember(row, "traceId")
	_, hasType := findMember(row, "dataType")
	return strings.HasPrefix(id.text, "labelwright-") && hasTrace && hasType
}

// isExportWithoutTexts reports whether columns are those of an export in which items have no texts.
func isExportWithoutTexts(keys []string) bool {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(keys, name) })
	}
	return has("item", "record") && (has("annotation", "annotator") || has("match_key", "text_length")) &&
		!slices.ContainsFunc(keys, isPartColumn)
}

const noTextsText = "This export has no texts. Export the project with the texts of its items and import that."

// mayBeExport reports whether rows may be those of an export: no other way to read them was chosen.
func (b *builder) mayBeExport() bool {
	isOwnPreset := b.options.Preset == PresetLabelStudio || b.options.Preset == PresetLangfuse
	return (b.options.Preset == "" || isOwnPreset) && len(b.options.Map) == 0 && b.options.GroupBy == "" &&
		b.handleRow == nil && b.handleRecord == nil
}

// addExport adds the item of a row of an export, and returns whether it is one.
func (b *builder) addExport(r row) (isExport bool, err error) {
	if !b.mayBeExport() {
		return false, nil
	}
	if isScoreOfExport(r.members) || isExportWithoutTexts(memberKeys(r.members)) {
		b.errs.add(r.line, "", noTextsText)
		return true, errAborted
	}
	found, isExport := exportedMembers(r.members)
	if !isExport {
		return false, nil
	}
	return true, b.addExportedRow(r, found)
}

// addExportedRow adds the item of a row of an export. An item has several rows if it has several labels;
// they are left out, and so are the labels.
func (b *builder) addExportedRow(r row, exported []exportedMember) error {
	b.isExport = true
	defer func() { b.isExport = false }()
	var found []member
	fates := map[string]fate{}
	for _, m := range exported {
		name, isMeta := strings.CutPrefix(m.key, metaPrefix)
		part, isPart := strings.CutPrefix(m.key, partColumn)
		fates[m.path] = fateMetadata
		switch {
		case m.key == "item":
			name, fates[m.path] = "id", fateID
		case m.key == "record":
			name, fates[m.path] = "record_id", fateID
		case isPart:
			name, fates[m.path] = b.exportedColumn(part), fateShown
		case !isMeta:
			fates[m.path] = fateLeftOut
			continue
		}
		if v, ok := b.exportedValue(m.value, name, isMeta, isPart && name != part); ok {
			found = append(found, member{name, v})
		}
	}
	isCSV := b.isCSV
	b.isCSV = false // values have been found by now
	defer func() { b.isCSV = isCSV }()
	id, _ := findMember(found, "id")
	before := b.errs.count()
	_, isRepeated := b.idLines.line(id.text)
	if !isRepeated {
		if err := b.addOwnRow(row{r.line, found}); err != nil {
			return err
		}
	}
	if b.isValid(before) {
		b.classifyExportedRow(exported, fates, isRepeated)
	}
	return b.finishRecord(r.line, value{members: r.members})
}

// exportedValue returns a value as a file of items has it, or false
// if the export says so that an item has none. A list is then null.
func (b *builder) exportedValue(v value, name string, isMeta, isOfChunk bool) (value, bool) {
	isList := !isMeta && b.isListColumn(name)
	isEmpty := v.is('"') && v.text == "" && (name == "record_id" || isOfChunk || b.isCSV && (isMeta || isList))
	if v.is('n') || isEmpty {
		return value{kind: 'n', raw: []byte("null")}, isList
	}
	if b.isCSV {
		v.text = dataset.UnescapeFormula(v.text)
		if name == "chunk_rank" {
			v = value{kind: '0', text: v.text, raw: []byte(v.text)}
		}
	}
	switch {
	case isMeta:
	case isList:
		v = b.exportedList(name, v.parsed())
	case v.is('[') && len(v.list) == 1: // the chunk of an item
		v = b.exportedList(name, v).list[0]
	}
	return v, true
}

// classifyExportedRow adds the values of a row of an export to the ledger. Those of a repeated item are left out.
func (b *builder) classifyExportedRow(exported []exportedMember, fates map[string]fate, isRepeated bool) {
	var all []keyFate
	hasLabels := isRepeated
	for _, m := range exported {
		f := fates[m.path]
		if isRepeated {
			f = fateLeftOut
		}
		hasLabels = hasLabels || f == fateLeftOut
		m.value.walkLeaves(m.path, func(path string, _ value) { all = append(all, keyFate{path, f}) })
	}
	ledger := b.options.ledger()
	ledger.add(all)
	if hasLabels {
		ledger.leaveOut(omittedLabels, "", 1)
	}
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
