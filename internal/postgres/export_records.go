package postgres

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A recordQuery reads a table of an export. Its columns are those of spec; further columns have
// names with an underscore, such as _answers.
type recordQuery struct {
	spec dataset.RecordSpec
	sql  string
	args []any
}

// addRecordTables adds the tables of everything else that a report is computed from.
func (s Snapshot) addRecordTables(ctx context.Context, d *dataset.Dataset) {
	for _, q := range s.recordQueries() {
		d.Tables = append(d.Tables, dataset.RecordTable(q.spec, s.records(ctx, q)))
	}
}

// records streams the rows of a query. It reads ahead, while the caller writes.
func (s Snapshot) records(ctx context.Context, q recordQuery) iter.Seq2[dataset.Record, error] {
	return readAhead(func(yield func(dataset.Record, error) bool) {
		rows, err := s.tx.Query(ctx, q.sql, q.args...)
		if err != nil {
			yield(dataset.Record{}, err)
			return
		}
		defer rows.Close()
		reader := recordReader{snapshot: s, query: q, facts: interner[protocol.Facts]{},
			meta: metaParser{keys: interner[string]{}}}
		for rows.Next() {
			record, err := reader.read(rows)
			if !yield(record, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(dataset.Record{}, err)
		}
	})
}

// A recordReader reads rows of a query.
type recordReader struct {
	snapshot Snapshot
	query    recordQuery
	facts    interner[protocol.Facts]
	meta     metaParser
	targets  []any // reused
}

// read reads one row. Ids of items and records are blinded where the export is.
func (r *recordReader) read(rows pgx.Rows) (record dataset.Record, err error) {
	columns := r.query.spec.Columns
	record.Values = make([]any, len(columns))
	r.targets = r.targets[:0]
	for i := range columns {
		r.targets = append(r.targets, &record.Values[i])
	}
	var answers, facts, content, meta pgtype.DriverBytes
	for _, description := range rows.FieldDescriptions()[len(columns):] {
		var target any
		switch description.Name {
		case "_answers":
			target = &answers
		case "_facts":
			target = &facts
		case "_content":
			target = &content
		case "_meta":
			target = &meta
		case "_observations":
			target = &record.Answers.Observations
		case "_unsure":
			target = &record.Answers.Unsure
		case "_note":
			target = &record.Answers.Note
		}
		r.targets = append(r.targets, target)
	}
	if err := rows.Scan(r.targets...); err != nil {
		return record, err
	}
	if err := r.parse(&record, answers, facts, content, meta); err != nil {
		return record, err
	}
	blind := r.snapshot.blind
	record.Content = blind.content(record.Content)
	for i, c := range columns {
		switch id, _ := record.Values[i].(string); c.Name {
		case "item":
			record.Values[i] = blind.item(id)
		case "record":
			record.Values[i] = blind.record(id)
		}
	}
	return record, nil
}

// parse parses the further columns. Those that are null stay empty.
func (r *recordReader) parse(record *dataset.Record, answers, facts, content, meta []byte) (err error) {
	for _, part := range []struct {
		text   []byte
		target any
	}{{answers, &record.Answers.Values}, {content, &record.Content}} {
		if part.text != nil {
			if err := json.Unmarshal(part.text, part.target); err != nil {
				return err
			}
		}
	}
	if facts != nil {
		if record.Facts, err = r.facts.get(facts, parseJSON[protocol.Facts]); err != nil {
			return err
		}
	}
	if meta != nil {
		record.Meta, err = r.meta.parse(meta)
	}
	return err
}

// recordQueries lists the tables in the order of the export.
func (s Snapshot) recordQueries() []recordQuery {
	queries := []recordQuery{s.itemTable(), s.referenceTable(), s.judgmentTable(), s.decisionTable()}
	if s.options.Contents.HasRaw() {
		queries = append(queries, s.skipTable(), s.correctionTable(), s.attemptTable(), s.breakTable(),
			s.sessionTable())
	}
	return queries
}

// itemNames are the columns that name an item.
var itemNames = []dataset.RecordColumn{
	{Name: "item", Type: dataset.TextColumn, Description: "The item's id."},
	{Name: "record", Type: dataset.TextColumn,
		Description: "The id of the item's record. Items of one record share it."},
}

func (s Snapshot) itemTable() recordQuery {
	parts := classifyParts(s.project.Protocol)
	columns, join := parts.measureItems()
	content := `NULL::jsonb`
	if s.options.IncludeTexts {
		content = "i.content"
	}
	meta := "i.meta"
	if s.blind != nil {
		meta = `NULL::jsonb`
	}
	return recordQuery{
		spec: dataset.RecordSpec{Name: "items",
			Description: "the items of the project, with what a report compares and groups by", HasItem: true,
			Columns: append(itemNames[:2:2],
				dataset.RecordColumn{Name: "calibration", Type: dataset.BooleanColumn,
					Description: "true if the item has reference answers, and counts for calibration only."},
				dataset.RecordColumn{Name: "state", Type: dataset.TextColumn,
					Description: "The state of the item in the lead's lists."},
				dataset.RecordColumn{Name: "match_key", Type: dataset.TextColumn,
					Description: "Equal for items that differ only in the judged part, and for conversations with the same opening: they are compared in pairs."},
				dataset.RecordColumn{Name: "rank", Type: dataset.IntegerColumn,
					Description: "The rank of the item's chunk, from 1."},
				dataset.RecordColumn{Name: "text_length", Type: dataset.IntegerColumn,
					Description: "Characters of the judged text."},
				dataset.RecordColumn{Name: "words", Type: dataset.IntegerColumn, Description: "Words of all texts."})},
		sql: `
			SELECT i.source_id, i.record_id, i.is_calibration, i.state, nullif(r.match_key, ''), nullif(r.rank, 0),
			r.text_length, i.word_count,
			       i.facts AS _facts, ` + content + ` AS _content, ` + meta + ` AS _meta
			FROM (SELECT i.*, st.state FROM items i JOIN item_states st ON st.item_id = i.id) i
			LEFT JOIN LATERAL (SELECT ` + columns + ` FROM (SELECT) one` + join + `) r ON NOT i.is_calibration
			WHERE i.project_id = $1 AND (i.is_calibration OR ` + s.scope.inItems("i.id") + `)
			ORDER BY i.id`,
		args: []any{s.project.ID, parts.judged, parts.chunks, parts.role, parts.supporting},
	}
}

func (s Snapshot) referenceTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "references", Description: "reference answers of the calibration items",
			HasAnswers: true, HasObservations: true,
			Columns: append(itemNames[:2:2],
				dataset.RecordColumn{Name: "reasons", Type: dataset.ListColumn, Description: "Reasons by field."},
				dataset.RecordColumn{Name: "saved", Type: dataset.MomentColumn,
					Description: "When the answers were saved."})},
		sql: `
			SELECT i.source_id, i.record_id, r.reasons, r.created_at, r.answers -> 'values' AS _answers,
			i.facts AS _facts,
			       ARRAY (SELECT jsonb_array_elements_text(nullif(r.answers -> 'observations', 'null'))) AS
			       _observations,
			       ARRAY (SELECT jsonb_array_elements_text(nullif(r.answers -> 'unsure', 'null'))) AS _unsure,
			       coalesce(r.answers ->> 'note', '') AS _note
			FROM reference_answers r
			JOIN items i ON i.id = r.item_id
			WHERE i.project_id = $1
			ORDER BY i.id`,
		args: []any{s.project.ID},
	}
}

func (s Snapshot) judgmentTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "judgments",
			Description: "answers of model judges, which are never mixed into the consensus", HasAnswers: true,
			Columns: append(itemNames[:2:2],
				dataset.RecordColumn{Name: "judge", Type: dataset.TextColumn, Description: "The judge's name."},
				dataset.RecordColumn{Name: "rationale", Type: dataset.TextColumn,
					Description: "The judge's reason. Empty: none was imported."},
				dataset.RecordColumn{Name: "imported", Type: dataset.MomentColumn,
					Description: "When the answers were imported."})},
		sql: `
			SELECT i.source_id, i.record_id, m.pseudonym, j.rationale, j.created_at, j.answers AS _answers,
			i.facts AS _facts
			FROM judgments j
			JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
			JOIN items i ON i.id = j.item_id
			WHERE j.protocol_version_id = $1 AND j.project_id = $2 AND ` + s.scope.inItems("j.item_id") + `
			ORDER BY j.id`,
		args: []any{s.project.ProtocolVersionID, s.project.ID},
	}
}

func (s Snapshot) decisionTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "adjudications",
			Description: "decisions of leads on items, with reasons; a revised decision is kept", HasAnswers: true,
			HasObservations: true,
			Columns: append([]dataset.RecordColumn{{Name: "decision", Type: dataset.TextColumn,
				Description: "The decision's id."}}, append(itemNames[:2:2],
				dataset.RecordColumn{Name: "decision_no", Type: dataset.IntegerColumn,
					Description: "The number of the decision on the item, from 1."},
				dataset.RecordColumn{Name: "replaces_id", Type: dataset.TextColumn,
					Description: "The decision that this one replaces."},
				dataset.RecordColumn{Name: "current", Type: dataset.BooleanColumn,
					Description: "false if a later decision replaced it."},
				dataset.RecordColumn{Name: "adjudicator", Type: dataset.TextColumn,
					Description: "The adjudicator's pseudonym. Empty: not a member of the project."},
				dataset.RecordColumn{Name: "revision", Type: dataset.IntegerColumn,
					Description: "The revision of the protocol."},
				dataset.RecordColumn{Name: "cause", Type: dataset.TextColumn,
					Description: "The cause of the disagreement."},
				dataset.RecordColumn{Name: "reason", Type: dataset.TextColumn,
					Description: "The reason of the decision."},
				dataset.RecordColumn{Name: "annotations", Type: dataset.ListColumn,
					Description: "The ids of the annotations that were compared."},
				dataset.RecordColumn{Name: "decided", Type: dataset.MomentColumn,
					Description: "When it was decided."})...)},
		sql: `
			SELECT d.id::text, i.source_id, i.record_id, d.decision_no, d.replaces_id::text, NOT EXISTS (
			           SELECT FROM adjudications later
			           WHERE later.protocol_version_id = d.protocol_version_id AND later.item_id = d.item_id
			           AND later.decision_no > d.decision_no),
			       m.pseudonym, d.revision, d.cause, d.reason, d.annotation_ids::text[], d.created_at,
			       d.answers AS _answers, d.facts AS _facts, d.observations AS _observations, d.unsure AS _unsure,
			       d.note AS _note
			FROM adjudications d
			JOIN items i ON i.id = d.item_id
			LEFT JOIN members m ON m.project_id = d.project_id AND m.account_id = d.account_id
			WHERE d.protocol_version_id = $1 AND d.project_id = $2 AND ` + s.scope.inItems("d.item_id") + `
			ORDER BY d.id`,
		args: []any{s.project.ProtocolVersionID, s.project.ID},
	}
}
