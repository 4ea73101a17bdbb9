package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// A MetadataReader reads the metadata of the items of a report: the pairing key, and scalar values
// of columns that do not differ from item to item. Equal metadata is the same map.
type MetadataReader struct {
	values   map[string]map[string]bool // by column
	interned map[string]map[string]string
	pairIDs  map[string]string
}

// NewMetadataReader returns a reader for the items of one report, in their order.
func NewMetadataReader() MetadataReader {
	return MetadataReader{map[string]map[string]bool{}, map[string]map[string]string{}, map[string]string{}}
}

// pairColumn is the metadata column that declares pairs.
const pairColumn = "pair_id"

// maxDistinctValues is the number of values at which a column is dropped.
const maxDistinctValues = 200

// Read sets the metadata and the pairing key of the next item.
func (m MetadataReader) Read(item *study.ItemData, meta map[string]json.RawMessage) {
	item.Meta, item.PairID = m.readColumns(meta), m.readPairID(meta[pairColumn])
}

// readPairID returns the key of any length and number of values. Items of a pair share its memory.
func (m MetadataReader) readPairID(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	id := string(raw)
	_ = json.Unmarshal(raw, &id) // else the key is no text: its JSON identifies the pair
	if known, ok := m.pairIDs[id]; ok {
		return known
	}
	m.pairIDs[id] = id
	return id
}

// readColumns returns the values of the other columns.
func (m MetadataReader) readColumns(meta map[string]json.RawMessage) map[string]string {
	kept, key := scalarMetadata(meta), ""
	delete(kept, pairColumn)
	for _, column := range slices.Sorted(maps.Keys(kept)) {
		value := kept[column]
		if m.values[column] == nil {
			m.values[column] = map[string]bool{}
		}
		if len(m.values[column]) >= maxDistinctValues {
			delete(kept, column)
			continue
		}
		m.values[column][value] = true
		key += column + "\x00" + value + "\x00"
	}
	if known, ok := m.interned[key]; ok {
		return known
	}
	m.interned[key] = kept
	return kept
}

// MaxMetaValueLength is the longest metadata value to compare by, in bytes.
const MaxMetaValueLength = 80

// scalarMetadata returns the metadata values that are short texts, numbers or booleans.
func scalarMetadata(meta map[string]json.RawMessage) map[string]string {
	scalars := map[string]string{}
	for k, raw := range meta {
		if len(raw) > MaxMetaValueLength || len(raw) == 0 || strings.ContainsRune("{[n", rune(raw[0])) {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		if text != "" {
			scalars[k] = text
		}
	}
	return scalars
}
