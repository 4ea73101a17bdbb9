package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// exportColumns are the columns of annotations n with their assignment a, item i, batch b and
// member m. Texts and metadata are read only where they are written.
func (s Snapshot) exportColumns(withTexts bool) string {
	content, meta := `'{}'`, `'{}'`
	if withTexts {
		content = "i.content"
	}
	if s.blind == nil {
		meta = "i.meta"
	}
	return `n.id, b.name, n.revision, ` + labelKind + `, n.attempt_no, n.attempt_no = a.attempt_no, coalesce(n.replaces_id::text, ''),
	       m.pseudonym, i.source_id, i.record_id, ` + content + `::jsonb, n.facts, ` + meta + `::jsonb,
	       n.answers, to_json(n.observations), to_json(n.unsure), n.note,
	       n.submitted_at, n.active_ms, n.sequence_no, n.items_since_completed_break, n.session_minutes, n.item_id`
}

const exportJoins = `
	FROM annotations n
	JOIN assignments a ON a.id = n.assignment_id
	JOIN batches b ON b.id = n.batch_id
	JOIN items i ON i.id = n.item_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id`

// Annotations streams the annotations of a kind, oldest first.
func (s Snapshot) Annotations(ctx context.Context, kind dataset.AnnotationKind) iter.Seq2[dataset.Annotation, error] {
	s.options.IncludeTexts = true
	return s.annotations(ctx, kind)
}

// annotations reads ahead, while the caller writes.
func (s Snapshot) annotations(ctx context.Context, kind dataset.AnnotationKind) iter.Seq2[dataset.Annotation, error] {
	return readAhead(func(yield func(dataset.Annotation, error) bool) {
		rows, err := s.tx.Query(ctx, `SELECT `+s.exportColumns(s.options.IncludeTexts)+exportJoins+`
			WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND `+labelKind+` = $3 AND `+s.scope.ofLabels("n")+`
			ORDER BY n.id`, s.project.ProtocolVersionID, s.project.ID, kind)
		if err != nil {
			yield(dataset.Annotation{}, err)
			return
		}
		defer rows.Close()
		reader := newAnnotationReader(s)
		for rows.Next() {
			a, err := reader.read(rows)
			if !yield(a, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(dataset.Annotation{}, err)
		}
	})
}

// maxInterned bounds the answers that an annotationReader remembers.
const maxInterned = 20_000

// An annotationReader reads rows with exportColumns. It parses each set of answers once.
type annotationReader struct {
	snapshot Snapshot
	itemID   project.ItemID // of the last row
	answers  interner[map[string]int]
	facts    interner[protocol.Facts]
	lists    interner[[]string]
	texts    interner[string]
	meta     metaParser
}

func newAnnotationReader(s Snapshot) *annotationReader {
	return &annotationReader{snapshot: s, answers: interner[map[string]int]{}, facts: interner[protocol.Facts]{},
		lists: interner[[]string]{}, texts: interner[string]{}, meta: metaParser{keys: interner[string]{}}}
}

func (r *annotationReader) read(rows pgx.Rows) (a dataset.Annotation, err error) {
	if len(r.answers) > maxInterned {
		clear(r.answers)
	}
	var id, activeMS int64
	var batch, kind, pseudonym, content, facts, meta, answers, observations, unsure pgtype.DriverBytes
	err = rows.Scan(&id, &batch, &a.Revision, &kind, &a.AttemptNo, &a.Current, &a.ReplacesID, &pseudonym, &a.SourceID,
		&a.RecordID, &content, &facts, &meta,
		&answers, &observations, &unsure, &a.Answers.Note, &a.SubmittedAt, &activeMS, &a.SequenceNo,
		&a.ItemsSinceCompletedBreak, &a.SessionMinutes, &r.itemID)
	if err != nil {
		return a, err
	}
	p, blind := r.snapshot.project, r.snapshot.blind
	a.ID, a.Project, a.Version, a.ActiveTime = strconv.FormatInt(id, 10), p.CurrentKey(), p.Protocol.Version,
		time.Duration(activeMS)*time.Millisecond
	a.SourceID, a.RecordID = blind.item(a.SourceID), blind.record(a.RecordID)
	for _, text := range []struct {
		source pgtype.DriverBytes
		target *string
	}{{batch, &a.Batch}, {kind, &a.Kind}, {pseudonym, &a.Annotator}} {
		if *text.target, err = r.texts.get(text.source, parseText); err != nil {
			return a, err
		}
	}
	if a.Answers.Values, err = r.answers.get(answers, parseJSON[map[string]int]); err != nil {
		return a, err
	}
	if a.Answers.Observations, err = r.lists.get(observations, parseJSON[[]string]); err != nil {
		return a, err
	}
	if a.Answers.Unsure, err = r.lists.get(unsure, parseJSON[[]string]); err != nil {
		return a, err
	}
	if a.Facts, err = r.facts.get(facts, parseJSON[protocol.Facts]); err != nil {
		return a, err
	}
	return a, r.readItem(&a, content, meta)
}

// readItem parses the content and the metadata, which differ from item to item.
func (r *annotationReader) readItem(a *dataset.Annotation, content, meta []byte) (err error) {
	if len(content) > len("{}") {
		if err := json.Unmarshal(content, &a.Content); err != nil {
			return err
		}
		a.Content = r.snapshot.blind.content(a.Content)
	}
	if len(meta) > len("{}") {
		a.Meta, err = r.meta.parse(meta)
	}
	return err
}

// A metaParser parses the metadata of items.
type metaParser struct {
	decoder jsontext.Decoder
	keys    interner[string]
	size    int // of the last object
}

// parse returns the values of a JSON object by key. It is several times as fast as
// json.Unmarshal, because the database has checked the text.
func (p *metaParser) parse(text []byte) (map[string]json.RawMessage, error) {
	text = bytes.Clone(text) // which is valid until the next row
	decoder := &p.decoder
	decoder.Reset(bytes.NewBuffer(text))
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	meta := make(map[string]json.RawMessage, p.size)
	for decoder.PeekKind() == '"' {
		key, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		name, err := p.keys.get(key, parseJSON[string])
		if err != nil {
			return nil, err
		}
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		end := decoder.InputOffset()
		meta[name] = text[end-int64(len(value)) : end]
	}
	p.size = len(meta)
	return meta, nil
}

// itemLabels streams the items that have current labels, with the labels and, if asked for, the
// consensus.
func (s Snapshot) itemLabels(ctx context.Context) iter.Seq2[dataset.ItemLabels, error] {
	return func(yield func(dataset.ItemLabels, error) bool) {
		for lastID, hasMore := project.ItemID(0), true; hasMore; {
			page, ids, err := s.itemLabelsAfter(ctx, lastID)
			if err != nil {
				yield(dataset.ItemLabels{}, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if hasMore = len(ids) == consensusPageSize; hasMore {
				lastID = ids[len(ids)-1]
			}
		}
	}
}

// itemLabelsAfter returns the next page of items and their labels.
func (s Snapshot) itemLabelsAfter(ctx context.Context, lastID project.ItemID) (page []dataset.ItemLabels,
	ids []project.ItemID, err error) {
	items, consensus, err := s.consensusAfter(ctx, lastID)
	if err != nil {
		return nil, nil, err
	}
	index := map[project.ItemID]int{}
	for i, item := range items {
		ids, index[item.ID] = append(ids, item.ID), i
		row := item.toConsensus(s.project, consensus[item.ID])
		labels := dataset.ItemLabels{Annotation: row.Annotation}
		if s.options.Contents.HasConsensus() {
			labels.Consensus = row.Fields
		}
		page = append(page, labels)
	}
	if !s.options.Contents.HasRaw() {
		return page, ids, nil
	}
	rows, err := s.tx.Query(ctx, `SELECT `+s.exportColumns(false)+exportJoins+`
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = 'work' AND b.round_of IS NULL
		AND n.attempt_no = a.attempt_no AND n.item_id = ANY ($3) AND `+s.scope.ofLabels("n")+`
		ORDER BY n.id`, s.project.ProtocolVersionID, s.project.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for reader := newAnnotationReader(s); rows.Next(); {
		a, err := reader.read(rows)
		if err != nil {
			return nil, nil, err
		}
		item := &page[index[reader.itemID]]
		item.Labels = append(item.Labels, a)
	}
	return page, ids, rows.Err()
}

// metaColumns returns the metadata of the items, by key. A column has a type if all its values
// have it.
func (s Snapshot) metaColumns(ctx context.Context) ([]dataset.MetaColumn, error) {
	columns, err := collectAll[dataset.MetaColumn](s.tx.Query(ctx, `
		SELECT key COLLATE "C" AS key,
		       CASE WHEN bool_and(kind IN ('string', 'null')) THEN 'text'
		            WHEN bool_and(kind IN ('boolean', 'null')) THEN 'boolean'
		            WHEN bool_and(kind = 'null' OR is_integer) THEN 'integer'
		            WHEN bool_and(kind IN ('number', 'null')) THEN 'number'
		            ELSE 'json text' END AS type
		FROM (
			SELECT key, jsonb_typeof(value) AS kind, jsonb_typeof(value) = 'number'
			AND value::text ~ '^-?[0-9]{1,18}$' AS is_integer
			FROM items i
			CROSS JOIN LATERAL jsonb_each(i.meta)
			WHERE i.project_id = $1 AND `+s.scope.inItems("i.id")+`
			GROUP BY 1, 2, 3) kinds
		GROUP BY key
		ORDER BY 1`, s.project.ID))
	if columns == nil {
		columns = []dataset.MetaColumn{}
	}
	return columns, err
}
