package postgres

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
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

// readItems reads the rows of selectReportItems.
func readItems(results pgx.BatchResults, d *report.Data) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	facts, texts, metaValues := interner[protocol.Facts]{}, interner[string]{}, newMetadataInterner()
	var i report.ItemData
	var record, fact, meta, matchKey []byte
	_, err = pgx.ForEachRow(rows, []any{&i.ID, &i.SourceID, &record, &fact, &meta, &matchKey, &i.Rank, &i.TextLength}, func() (err error) {
		if i.RecordID, err = texts.get(record, parseText); err != nil {
			return err
		}
		if i.MatchKey, err = texts.get(matchKey, parseText); err != nil {
			return err
		}
		if i.Facts, err = facts.get(fact, parseJSON[protocol.Facts]); err != nil {
			return err
		}
		if i.Meta, err = metaValues.get(meta); err != nil {
			return err
		}
		d.Items = append(d.Items, i)
		return nil
	})
	return err
}

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

// readLabels reads the rows of countReportLabels and selectReportLabels.
func readLabels(results pgx.BatchResults, d *report.Data) error {
	var capacity int
	if err := results.QueryRow().Scan(&capacity); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	d.Labels = make([]report.Label, 0, capacity)
	values, observations, texts := interner[map[string]int]{}, interner[[]string]{}, interner[string]{}
	var l report.Label
	var annotator, kind, answers, observed []byte
	_, err = pgx.ForEachRow(rows, []any{&l.ID, &l.ItemID, &annotator, &kind, &answers, &observed, &l.ItemsSinceBreak, &l.ActiveMS, &l.SubmittedAt, &l.Revision}, func() (err error) {
		if l.Annotator, err = texts.get(annotator, parseText); err != nil {
			return err
		}
		kindText, err := texts.get(kind, parseText)
		if err != nil {
			return err
		}
		l.Kind = report.LabelKind(kindText)
		if l.Values, err = values.get(answers, parseJSON[map[string]int]); err != nil {
			return err
		}
		if l.Observations, err = observations.get(observed, parseJSON[[]string]); err != nil {
			return err
		}
		d.Labels = append(d.Labels, l)
		return nil
	})
	return err
}

func readAdjudications(results pgx.BatchResults, d *report.Data) error {
	rows, err := collectAll[adjudicatedAnswers](results.Query())
	d.Adjudicated, d.AdjudicatedObservations = make(map[project.ItemID]map[string]int, len(rows)), make(map[project.ItemID][]string, len(rows))
	for _, row := range rows {
		d.Adjudicated[row.ItemID], d.AdjudicatedObservations[row.ItemID] = row.Values, row.Observations
	}
	return err
}

type adjudicatedAnswers struct {
	ItemID       project.ItemID
	Values       map[string]int
	Observations []string
}

type itemValues struct {
	ItemID project.ItemID
	Values map[string]int
}

func valuesByItem(rows []itemValues) map[project.ItemID]map[string]int {
	values := make(map[project.ItemID]map[string]int, len(rows))
	for _, row := range rows {
		values[row.ItemID] = row.Values
	}
	return values
}

// reportParts groups the parts of an item by their use in a report.
type reportParts struct {
	judged     []string
	supporting []string
	chunks     []string // single chunks, which have a rank
	role       string   // of the judged turns of a conversation
}

func classifyParts(p protocol.Protocol) reportParts {
	parts := reportParts{judged: []string{}, supporting: []string{}, chunks: []string{}, role: "assistant"}
	for _, part := range p.Unit.Parts {
		switch {
		case part.Judged:
			parts.judged = append(parts.judged, part.Key)
		case part.Supporting:
			parts.supporting = append(parts.supporting, part.Key)
		}
		if part.Kind == protocol.PartChunk {
			parts.chunks = append(parts.chunks, part.Key)
		}
	}
	for _, f := range p.Facts {
		if f.Role != "" && slices.Contains(parts.judged, f.Part) {
			parts.role = f.Role
		}
	}
	return parts
}
