package postgres

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// ReportData returns what the report of a project, or of one of its batches, is
// computed from. It returns labeling.ErrBlinded to an account that must stay blind.
func (db *DB) ReportData(ctx context.Context, actorID account.ID, p project.Project, batch string) (report.Data, error) {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID, 0); err != nil {
		return report.Data{}, err
	}
	return db.loadReportData(ctx, p, batch, false)
}

// loadReportData reads the data of a report from one snapshot. An empty batch stands
// for the whole project.
func (db *DB) loadReportData(ctx context.Context, p project.Project, batch string, onlyClosed bool) (report.Data, error) {
	d := report.Data{Project: p.Key, Batch: batch, Protocol: p.Protocol}
	if batch != "" {
		if _, err := db.Batch(ctx, p.ID, batch); err != nil {
			return d, err
		}
	}
	err := db.snapshot(ctx, p, func(s Snapshot) error { return s.loadReportData(ctx, &d, onlyClosed) })
	return d, err
}

// Items of calibration have answers of their own and stay out. What is judged is
// measured, and what is not, compared, so that no text has to travel.
const selectReportItems = `
	SELECT i.id, i.source_id, i.record_id, i.facts, i.meta,
	       CASE WHEN i.content - $2::text[] - $5::text[] = '{}' AND told.turns IS NULL THEN ''
	            ELSE md5((i.content - $2::text[] - $5::text[])::text || coalesce(told.turns, '')) END AS same,
	       coalesce((SELECT (i.content -> k #>> '{passages,0,rank}')::int
	                 FROM unnest($3::text[]) k LIMIT 1), 0) AS rank,
	       (SELECT coalesce(sum(char_length(t)), 0)
	        FROM unnest($2::text[]) k
	        CROSS JOIN LATERAL (
	            SELECT i.content -> k ->> 'text' AS t
	            UNION ALL SELECT turn ->> 'text' FROM jsonb_array_elements(i.content -> k -> 'turns') turn WHERE turn ->> 'role' = $4
	            UNION ALL SELECT passage ->> 'text' FROM jsonb_array_elements(i.content -> k -> 'passages') passage) judged) AS length
	FROM items i
	CROSS JOIN LATERAL (
		SELECT string_agg(turn ->> 'text', chr(30) ORDER BY n) AS turns
		FROM unnest($2::text[]) k
		CROSS JOIN LATERAL jsonb_array_elements(i.content -> k -> 'turns') WITH ORDINALITY AS t (turn, n)
		WHERE turn ->> 'role' <> $4) told
	WHERE i.project_id = $1 AND NOT i.calibration
	ORDER BY i.id`

const selectReportLabels = `
	SELECT n.id, n.item_id, m.pseudonym AS annotator, a.kind, n.answers AS values, to_json(n.observations) AS observed,
	       n.since_break, n.active_ms, n.submitted_at AS submitted, n.revision
	FROM annotations n
	JOIN assignments a ON a.id = n.assignment_id
	JOIN batches b ON b.id = n.batch_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.attempt = a.attempt AND ($3 = '' OR b.name = $3)
	  AND (NOT $4 OR b.closed_at IS NOT NULL)
	ORDER BY n.id`

// How many labels there are at most, so that room for them is made once.
const countReportLabels = `
	SELECT count(*)
	FROM annotations n
	JOIN batches b ON b.id = n.batch_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3)`

const selectReportJudgments = `
	SELECT j.item_id, m.pseudonym AS model, j.answers AS values
	FROM judgements j
	JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
	WHERE j.protocol_version_id = $1 AND j.project_id = $2
	ORDER BY j.id`

const selectReportAdjudications = `
	SELECT DISTINCT ON (item_id) item_id, answers AS values, observations AS observed
	FROM adjudications
	WHERE protocol_version_id = $1 AND project_id = $2 AND NOT $3
	ORDER BY item_id, n DESC`

const selectReportReferences = `
	SELECT r.item_id, r.answers -> 'values' AS values
	FROM reference_answers r
	JOIN items i ON i.id = r.item_id
	WHERE i.project_id = $1`

// loadReportData fills in items, labels, what models said and what leads settled; on
// demand only labels of batches that are closed, as annotators may know of, who
// never learn what was settled.
func (s Snapshot) loadReportData(ctx context.Context, d *report.Data, onlyClosed bool) error {
	parts := classifyParts(s.project.Protocol)
	queue := &pgx.Batch{}
	queue.Queue(selectReportItems, s.project.ID, parts.judged, parts.chunks, parts.role, parts.supporting)
	queue.Queue(countReportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch)
	queue.Queue(selectReportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch, onlyClosed)
	queue.Queue(selectReportJudgments, s.project.ProtocolVersionID, s.project.ID)
	queue.Queue(selectReportAdjudications, s.project.ProtocolVersionID, s.project.ID, onlyClosed)
	queue.Queue(selectReportReferences, s.project.ID)
	results := s.tx.SendBatch(ctx, queue)
	defer results.Close()
	if err := readItems(results, d); err != nil {
		return err
	}
	if err := readLabels(results, d); err != nil {
		return err
	}
	var err error
	if d.Judgments, err = collectAll[report.Judgment](results.Query()); err != nil {
		return err
	}
	adjudications, err := collectAll[adjudicatedAnswers](results.Query())
	d.Adjudicated, d.AdjudicatedObservations = make(map[project.ItemID]map[string]int, len(adjudications)), make(map[project.ItemID][]string, len(adjudications))
	for _, a := range adjudications {
		d.Adjudicated[a.ItemID], d.AdjudicatedObservations[a.ItemID] = a.Values, a.Observations
	}
	if err != nil {
		return err
	}
	references, err := collectAll[itemValues](results.Query())
	d.References = make(map[project.ItemID]map[string]int, len(references))
	for _, r := range references {
		d.References[r.ItemID] = r.Values
	}
	return err
}

// interner holds what many rows have in common once. A protocol's scales are finite
// and short: a million labels hold a few thousand different answers.
type interner[T any] map[string]T

// get returns what the text of a row stands for, read when it is met first.
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

// readItems takes the items row by row.
func readItems(results pgx.BatchResults, d *report.Data) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	facts, texts, metaValues := interner[protocol.Facts]{}, interner[string]{}, metadataInterner{map[string]map[string]bool{}, map[string]map[string]string{}}
	var i report.ItemData
	var record, fact, meta, same []byte
	_, err = pgx.ForEachRow(rows, []any{&i.ID, &i.SourceID, &record, &fact, &meta, &same, &i.Rank, &i.TextLength}, func() (err error) {
		if i.RecordID, err = texts.get(record, parseText); err != nil {
			return err
		}
		if i.MatchKey, err = texts.get(same, parseText); err != nil {
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

// metadataInterner is what items have been seen to hold. A column that is another with
// every item, such as a number of its own, is nothing to compare by, and no longer
// kept once that shows.
type metadataInterner struct {
	values   map[string]map[string]bool // column → its values
	interned map[string]map[string]string
}

// maxDistinctValues is from how many on a column's values are no longer kept.
const maxDistinctValues = 200

// get returns the words of an item's metadata, the same map where they are the same.
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

// readLabels takes the labels row by row.
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

type adjudicatedAnswers struct {
	ItemID       project.ItemID
	Values       map[string]int
	Observations []string
}

type itemValues struct {
	ItemID project.ItemID
	Values map[string]int
}

// reportParts are the parts of a unit by what a report makes of them.
type reportParts struct {
	judged     []string
	supporting []string
	chunks     []string // of one passage, whose rank counts
	role       string   // whose turns of a conversation are judged
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

// maxMetaValueLength is up to where metadata may be something to compare by.
const maxMetaValueLength = 80

// scalarMetadata returns the metadata that is one word, number or yes or no.
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

// A DataVersion is how far the labels of a project have come. A report made at one
// reach holds until the next.
type DataVersion struct {
	LastAnnotationID   int64 // the last annotation
	LastJudgmentID     int64 // the last answer of a model
	LastAdjudicationID int64 // the last decision of a lead
	ItemCount          int   // imported
	ClosedBatches      int   // batches that are
}

// DataVersion returns how far the labels of a project have come.
func (db *DB) DataVersion(ctx context.Context, p project.Project) (DataVersion, error) {
	return collectOne[DataVersion](db.pool.Query(ctx, `
		SELECT coalesce((SELECT n.id
		                 FROM annotations n JOIN batches b ON b.id = n.batch_id
		                 WHERE n.protocol_version_id = $1 AND b.project_id = $2
		                 ORDER BY n.id DESC LIMIT 1), 0) AS last, -- from the end: a walk of one step, as a rule
		       coalesce((SELECT max(id) FROM judgements WHERE project_id = $2), 0) AS models,
		       coalesce((SELECT max(id) FROM adjudications WHERE project_id = $2), 0) AS gold,
		       (SELECT count(*) FROM items WHERE project_id = $2) AS items,
		       (SELECT count(*) FROM batches WHERE project_id = $2 AND closed_at IS NOT NULL) AS closed`, p.ProtocolVersionID, p.ID))
}

// ItemAnnotation is what one annotator answered to an item, under a pseudonym.
type ItemAnnotation struct {
	AnnotationID int64 // of the annotation
	Annotator    string
	Batch        string
	Values       map[string]int
	Observations []string
	Unsure       []string
	Note         string
}

// ItemAnnotations returns every annotator's answers to an item, without calibration
// and hidden duplicates. It returns labeling.ErrBlinded to an account that must
// stay blind to the item.
func (db *DB) ItemAnnotations(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) ([]ItemAnnotation, error) {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	return collectAll[ItemAnnotation](db.pool.Query(ctx, `
		SELECT n.id, m.pseudonym AS annotator, b.name AS batch, n.answers AS values, n.observations AS observed, n.unsure, n.note
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.item_id = $3 AND a.kind = 'work' AND n.attempt = a.attempt
		ORDER BY m.pseudonym`, p.ProtocolVersionID, p.ID, itemID))
}
