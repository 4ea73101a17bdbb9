package postgres

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// An interner stores equal values of many rows once: a million labels have a few
// thousand different answers.
type interner[T any] map[string]T

// get returns the value that parse returns for text. It parses each text once.
func (s interner[T]) get(text []byte, parse func([]byte) (T, error)) (T, error) {
	if known, ok := s[string(text)]; ok {
		return known, nil
	}
	value, err := parse(text)
	if err == nil {
		s[string(text)] = value
	}
	return value, err
}

func parseJSON[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	return value, err
}

func parseText(text []byte) (string, error) { return string(text), nil }

// A metadataInterner stores equal metadata of many items once. It drops columns with
// too many different values to compare by, such as an id.
type metadataInterner struct {
	values   map[string]map[string]bool // column → its values
	interned map[string]map[string]string
}

func newMetadataInterner() metadataInterner {
	return metadataInterner{map[string]map[string]bool{}, map[string]map[string]string{}}
}

// maxDistinctValues is the number of values at which a column is dropped.
const maxDistinctValues = 200

// get returns the scalar metadata of an item. Equal metadata is the same map.
func (m metadataInterner) get(text []byte) (map[string]string, error) {
	meta, err := parseJSON[map[string]json.RawMessage](text)
	kept, key := scalarMetadata(meta), ""
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
		return known, err
	}
	m.interned[key] = kept
	return kept, err
}

// maxMetaValueLength is the longest metadata value to compare by, in bytes.
const maxMetaValueLength = 80

// scalarMetadata returns the metadata values that are short texts, numbers or booleans.
func scalarMetadata(meta map[string]json.RawMessage) map[string]string {
	scalars := map[string]string{}
	for k, raw := range meta {
		if len(raw) > maxMetaValueLength || len(raw) == 0 || strings.ContainsRune("{[n", rune(raw[0])) {
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
