package postgres

import (
	"context"
	"encoding/json"
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
	SELECT n.id, n.item_id, m.pseudonym AS annotator, a.kind, n.answers AS values, n.observations AS observed,
	       n.since_break, n.active_ms, n.submitted_at AS submitted
	FROM annotations n
	JOIN assignments a ON a.id = n.assignment_id
	JOIN batches b ON b.id = n.batch_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.attempt = a.attempt AND ($3 = '' OR b.name = $3)
	  AND (NOT $4 OR b.closed_at IS NOT NULL)
	ORDER BY n.id`

const reportModels = `
	SELECT j.item_id, m.pseudonym AS model, j.answers AS values
	FROM judgements j
	JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
	WHERE j.protocol_version_id = $1 AND j.project_id = $2
	ORDER BY j.id`

type reportItem struct {
	ID       int64
	SourceID string
	RecordID string
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage
	Same     string
	Rank     int
	Length   int
}

// read fills in items, labels and what models said; on demand only labels of
// batches that are closed.
func (s Snapshot) read(ctx context.Context, d *report.Data, closed bool) error {
	parts := partsOf(s.project.Protocol)
	queue := &pgx.Batch{}
	queue.Queue(reportItems, s.project.ID, parts.judged, parts.passages, parts.role, parts.supporting)
	queue.Queue(reportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch, closed)
	queue.Queue(reportModels, s.project.ProtocolVersionID, s.project.ID)
	answers := s.tx.SendBatch(ctx, queue)
	defer answers.Close()
	rows, err := many[reportItem](answers.Query())
	if err != nil {
		return err
	}
	d.Items = make([]report.Item, len(rows))
	for i, r := range rows {
		d.Items[i] = report.Item{ID: r.ID, Source: r.SourceID, Record: r.RecordID, Same: r.Same, Rank: r.Rank,
			Length: r.Length, Facts: r.Facts, Meta: words(r.Meta)}
	}
	if d.Labels, err = many[report.Label](answers.Query()); err != nil {
		return err
	}
	d.Models, err = many[report.Judgement](answers.Query())
	return err
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
		       (SELECT count(*) FROM items WHERE project_id = $2) AS items,
		       (SELECT count(*) FROM batches WHERE project_id = $2 AND closed_at IS NOT NULL) AS closed`, p.ProtocolVersionID, p.ID))
}

// Given is what one annotator answered to an item, under a pseudonym.
type Given struct {
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
		SELECT m.pseudonym AS annotator, b.name AS batch, n.answers AS values, n.observations AS observed, n.unsure, n.note
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.item_id = $3 AND a.kind = 'work' AND n.attempt = a.attempt
		ORDER BY m.pseudonym`, p.ProtocolVersionID, p.ID, itemID))
}
