package postgres

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// ReportData returns what the report of a project, or of one batch of it, is
// made of, all from one moment and in one round trip.
func (db *DB) ReportData(ctx context.Context, p project.Project, batch string) (report.Data, error) {
	d := report.Data{Project: p.Key, Batch: batch, Protocol: p.Protocol}
	if batch != "" {
		if _, err := db.Batch(ctx, p.ID, batch); err != nil {
			return d, err
		}
	}
	err := db.Snapshot(ctx, p, func(s Snapshot) error {
		return s.read(ctx, &d, false)
	})
	return d, err
}

// Items of calibration have answers of their own and stay out. What is judged is
// measured, and what is not, compared, so that no text has to travel.
const reportItems = `
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

const reportLabels = `
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
const reportCount = `
	SELECT count(*)
	FROM annotations n
	JOIN batches b ON b.id = n.batch_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3)`

const reportModels = `
	SELECT j.item_id, m.pseudonym AS model, j.answers AS values
	FROM judgements j
	JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
	WHERE j.protocol_version_id = $1 AND j.project_id = $2
	ORDER BY j.id`

const reportGold = `
	SELECT DISTINCT ON (item_id) item_id, answers AS values, observations AS observed
	FROM adjudications
	WHERE protocol_version_id = $1 AND project_id = $2 AND NOT $3
	ORDER BY item_id, n DESC`

const reportReferences = `
	SELECT r.item_id, r.answers -> 'values' AS values
	FROM reference_answers r
	JOIN items i ON i.id = r.item_id
	WHERE i.project_id = $1`

// read fills in items, labels, what models said and what leads settled; on
// demand only labels of batches that are closed, as annotators may know of, who
// never learn what was settled.
func (s Snapshot) read(ctx context.Context, d *report.Data, closed bool) error {
	parts := partsOf(s.project.Protocol)
	queue := &pgx.Batch{}
	queue.Queue(reportItems, s.project.ID, parts.judged, parts.passages, parts.role, parts.supporting)
	queue.Queue(reportCount, s.project.ProtocolVersionID, s.project.ID, d.Batch)
	queue.Queue(reportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch, closed)
	queue.Queue(reportModels, s.project.ProtocolVersionID, s.project.ID)
	queue.Queue(reportGold, s.project.ProtocolVersionID, s.project.ID, closed)
	queue.Queue(reportReferences, s.project.ID)
	answers := s.tx.SendBatch(ctx, queue)
	defer answers.Close()
	if err := readItems(answers, d); err != nil {
		return err
	}
	if err := readLabels(answers, d); err != nil {
		return err
	}
	var err error
	if d.Models, err = many[report.Judgement](answers.Query()); err != nil {
		return err
	}
	gold, err := many[decision](answers.Query())
	d.Gold, d.Observed = make(map[int64]map[string]int, len(gold)), make(map[int64][]string, len(gold))
	for _, g := range gold {
		d.Gold[g.ItemID], d.Observed[g.ItemID] = g.Values, g.Observed
	}
	if err != nil {
		return err
	}
	references, err := many[settledValues](answers.Query())
	d.References = make(map[int64]map[string]int, len(references))
	for _, r := range references {
		d.References[r.ItemID] = r.Values
	}
	return err
}

// shared holds what many rows have in common once. A protocol's scales are finite
// and short: a million labels hold a few thousand different answers.
type shared[T any] map[string]T

// of returns what the text of a row stands for, read when it is met first.
func (s shared[T]) of(text []byte, read func([]byte) (T, error)) (T, error) {
	if known, ok := s[string(text)]; ok {
		return known, nil
	}
	value, err := read(text)
	if err == nil {
		s[string(text)] = value
	}
	return value, err
}

func readJSON[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	return value, err
}

func readText(text []byte) (string, error) { return string(text), nil }

// readItems takes the items row by row.
func readItems(answers pgx.BatchResults, d *report.Data) error {
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	facts, texts, metas := shared[protocol.Facts]{}, shared[string]{}, metadata{map[string]map[string]bool{}, map[string]map[string]string{}}
	var i report.Item
	var record, fact, meta, same []byte
	_, err = pgx.ForEachRow(rows, []any{&i.ID, &i.Source, &record, &fact, &meta, &same, &i.Rank, &i.Length}, func() (err error) {
		if i.Record, err = texts.of(record, readText); err != nil {
			return err
		}
		if i.Same, err = texts.of(same, readText); err != nil {
			return err
		}
		if i.Facts, err = facts.of(fact, readJSON[protocol.Facts]); err != nil {
			return err
		}
		if i.Meta, err = metas.of(meta); err != nil {
			return err
		}
		d.Items = append(d.Items, i)
		return nil
	})
	return err
}

// metadata is what items have been seen to hold. A column that is another with
// every item, such as a number of its own, is nothing to compare by, and no longer
// kept once that shows.
type metadata struct {
	values map[string]map[string]bool // column → its values
	same   map[string]map[string]string
}

// mostValues is from how many on a column's values are no longer kept.
const mostValues = 200

// of returns the words of an item's metadata, the same map where they are the same.
func (m metadata) of(text []byte) (map[string]string, error) {
	meta, err := readJSON[map[string]json.RawMessage](text)
	kept, key := words(meta), ""
	for _, column := range slices.Sorted(maps.Keys(kept)) {
		value := kept[column]
		if m.values[column] == nil {
			m.values[column] = map[string]bool{}
		}
		if len(m.values[column]) >= mostValues {
			delete(kept, column)
			continue
		}
		m.values[column][value] = true
		key += column + "\x00" + value + "\x00"
	}
	if known, ok := m.same[key]; ok {
		return known, err
	}
	m.same[key] = kept
	return kept, err
}

// readLabels takes the labels row by row.
func readLabels(answers pgx.BatchResults, d *report.Data) error {
	var most int
	if err := answers.QueryRow().Scan(&most); err != nil {
		return err
	}
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	d.Labels = make([]report.Label, 0, most)
	values, ticked, texts := shared[map[string]int]{}, shared[[]string]{}, shared[string]{}
	var l report.Label
	var who, kind, given, observed []byte
	_, err = pgx.ForEachRow(rows, []any{&l.ID, &l.ItemID, &who, &kind, &given, &observed, &l.SinceBreak, &l.ActiveMS, &l.Submitted, &l.Revision}, func() (err error) {
		if l.Annotator, err = texts.of(who, readText); err != nil {
			return err
		}
		label, err := texts.of(kind, readText)
		if err != nil {
			return err
		}
		l.Kind = report.Kind(label)
		if l.Values, err = values.of(given, readJSON[map[string]int]); err != nil {
			return err
		}
		if l.Observed, err = ticked.of(observed, readJSON[[]string]); err != nil {
			return err
		}
		d.Labels = append(d.Labels, l)
		return nil
	})
	return err
}

type decision struct {
	ItemID   int64
	Values   map[string]int
	Observed []string
}

type settledValues struct {
	ItemID int64
	Values map[string]int
}

// reportParts are the parts of a unit by what a report makes of them.
type reportParts struct {
	judged     []string
	supporting []string
	passages   []string // of one passage, whose rank counts
	role       string   // whose turns of a conversation are judged
}

func partsOf(p protocol.Protocol) reportParts {
	parts := reportParts{judged: []string{}, supporting: []string{}, passages: []string{}, role: "assistant"}
	for _, part := range p.Unit.Parts {
		switch {
		case part.Judged:
			parts.judged = append(parts.judged, part.Key)
		case part.Supporting:
			parts.supporting = append(parts.supporting, part.Key)
		}
		if part.Kind == protocol.Passage {
			parts.passages = append(parts.passages, part.Key)
		}
	}
	for _, f := range p.Facts {
		if f.Role != "" && slices.Contains(parts.judged, f.Part) {
			parts.role = f.Role
		}
	}
	return parts
}

// longestWord is up to where metadata may be something to compare by.
const longestWord = 80

// words returns the metadata that is one word, number or yes or no.
func words(meta map[string]json.RawMessage) map[string]string {
	kept := map[string]string{}
	for k, raw := range meta {
		if len(raw) > longestWord || len(raw) == 0 || strings.ContainsRune("{[n", rune(raw[0])) {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		if text != "" {
			kept[k] = text
		}
	}
	return kept
}

// A Reach is how far the labels of a project have come. A report made at one
// reach holds until the next.
type Reach struct {
	Last   int64 // the last annotation
	Models int64 // the last answer of a model
	Gold   int64 // the last decision of a lead
	Items  int   // imported
	Closed int   // batches that are
}

// Reach returns how far the labels of a project have come.
func (db *DB) Reach(ctx context.Context, p project.Project) (Reach, error) {
	return one[Reach](db.pool.Query(ctx, `
		SELECT coalesce((SELECT n.id
		                 FROM annotations n JOIN batches b ON b.id = n.batch_id
		                 WHERE n.protocol_version_id = $1 AND b.project_id = $2
		                 ORDER BY n.id DESC LIMIT 1), 0) AS last, -- from the end: a walk of one step, as a rule
		       coalesce((SELECT max(id) FROM judgements WHERE project_id = $2), 0) AS models,
		       coalesce((SELECT max(id) FROM adjudications WHERE project_id = $2), 0) AS gold,
		       (SELECT count(*) FROM items WHERE project_id = $2) AS items,
		       (SELECT count(*) FROM batches WHERE project_id = $2 AND closed_at IS NOT NULL) AS closed`, p.ProtocolVersionID, p.ID))
}

// Given is what one annotator answered to an item, under a pseudonym.
type Given struct {
	ID        int64 // of the annotation
	Annotator string
	Batch     string
	Values    map[string]int
	Observed  []string
	Unsure    []string
	Note      string
}

// Givens returns everybody's answers to an item, without those of calibration
// and of hidden duplicates.
func (db *DB) Givens(ctx context.Context, p project.Project, itemID int64) ([]Given, error) {
	return many[Given](db.pool.Query(ctx, `
		SELECT n.id, m.pseudonym AS annotator, b.name AS batch, n.answers AS values, n.observations AS observed, n.unsure, n.note
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.item_id = $3 AND a.kind = 'work' AND n.attempt = a.attempt
		ORDER BY m.pseudonym`, p.ProtocolVersionID, p.ID, itemID))
}
