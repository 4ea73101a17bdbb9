package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
)

// ReportData returns the data of the report of a project, or of one of its batches. It
// returns labeling.ErrBlinded to an account that must not see some answers yet.
func (db *DB) ReportData(ctx context.Context, actorID account.ID, p project.Project, batch string) (study.Data, error) {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return study.Data{}, err
	}
	d, err := db.loadReportData(ctx, p, reportFilter{batch: batch})
	return d, errors.Join(err, db.recordReveal(ctx, actorID, p.ID, batch))
}

// A reportFilter selects the labels and decisions of a report.
type reportFilter struct {
	batch       string           // empty: the whole project
	onlyClosed  bool             // only labels of closed batches and no decisions: the part that annotators may see
	hiddenItems []project.ItemID // whose answers are left out
}

// loadReportData reads the data of a report from one snapshot.
func (db *DB) loadReportData(ctx context.Context, p project.Project, f reportFilter) (study.Data, error) {
	p, err := db.inBatchVersion(ctx, p, f.batch)
	if err != nil {
		return study.Data{}, err
	}
	d := study.Data{Project: p.Key, Batch: f.batch, Protocol: p.Protocol, TieRule: p.TieRule}
	err = db.snapshot(ctx, p, func(s Snapshot) error { return s.loadReportData(ctx, &d, f) })
	return d, err
}

// selectReportItems selects all but calibration items.
func (p reportParts) selectReportItems() string {
	columns, join := p.measureItems()
	return `
	SELECT i.id, i.source_id, i.record_id, i.facts, i.meta, ` + columns + `
	FROM items i` + join + `
	WHERE i.project_id = $1 AND NOT i.is_calibration
	ORDER BY i.id`
}

// measureItems returns the columns match_key, rank and text_length of items i, and the join that
// they need. The parameters are $2 to $5: judged parts, chunks, role and supporting parts. It
// measures judged texts and hashes the others, so that no text is sent. Of a judged conversation
// the opening counts: what others say before the first answer of the judged role. Later turns
// depend on that answer, and the system's and its tools' are part of the judged system. Only what
// the judged role says has a length, not what it thinks or calls.
func (p reportParts) measureItems() (columns, join string) {
	// every protocol has the same parameters
	opening, turns, chunks := `SELECT NULL AS turns WHERE $4::text IS NOT NULL`, ``, ``
	if p.hasTurns {
		opening = `
		SELECT string_agg(turns, chr(30) ORDER BY k) AS turns
		FROM (
			SELECT DISTINCT ON (k) k, string_agg(concat_ws(' ', turn ->> 'address', turn ->> 'text'), chr(30)
			ORDER BY turn_no) AS turns
			FROM (
				SELECT k, turn, turn_no, count(*) FILTER (WHERE turn ->> 'role' = $4) OVER (PARTITION BY k
				ORDER BY turn_no) AS answers
				FROM unnest($2::text[]) k
				CROSS JOIN LATERAL jsonb_array_elements(i.content -> k -> 'turns') WITH ORDINALITY AS t (turn, turn_no))
				turns
			WHERE turn ->> 'role' NOT IN ($4, 'system', 'tool')
			GROUP BY k, answers
			ORDER BY k, answers) opening`
		turns = `
	            UNION ALL SELECT turn ->> 'text' FROM jsonb_array_elements(i.content -> k -> 'turns') turn WHERE turn ->> 'role' = $4 AND NOT turn ? 'kind'`
	}
	if p.hasChunks {
		chunks = `
	            UNION ALL SELECT chunk ->> 'text' FROM jsonb_array_elements(i.content -> k -> 'chunks') chunk`
	}
	columns = `
	       CASE WHEN i.content - $2::text[] - $5::text[] = '{}' AND other.turns IS NULL THEN ''
	            ELSE md5((i.content - $2::text[] - $5::text[])::text || coalesce(other.turns, '')) END AS match_key,
	       coalesce((SELECT (i.content -> k #>> '{chunks,0,rank}')::int
	                 FROM unnest($3::text[]) k LIMIT 1), 0) AS rank,
	       (SELECT coalesce(sum(char_length(t)), 0)
	        FROM unnest($2::text[]) k
	        CROSS JOIN LATERAL (
	            SELECT i.content -> k ->> 'text' AS t` + turns + chunks + `) judged) AS text_length`
	return columns, `
	CROSS JOIN LATERAL (` + opening + `) other`
}

const selectReportLabels = `
	SELECT n.id, n.item_id, m.pseudonym, n.kind, n.answers, to_json(n.observations),
	       n.items_since_completed_break, n.active_ms, n.submitted_at, n.revision
	FROM current_annotations n
	JOIN batches b ON b.id = n.batch_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.kind <> 'round' AND ($3 = '' OR b.name = $3)
	  AND (NOT $4 OR b.closed_at IS NOT NULL) AND n.item_id <> ALL ($5::bigint[])
	ORDER BY n.id`

// countReportLabels returns an upper bound, to allocate memory once.
const countReportLabels = `
	SELECT count(*)
	FROM annotations n
	JOIN batches b ON b.id = n.batch_id
	WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3)`

const selectReportJudgments = `
	SELECT j.item_id, m.pseudonym AS judge, j.answers AS values, j.rationale
	FROM judgments j
	JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
	WHERE j.protocol_version_id = $1 AND j.project_id = $2
	ORDER BY j.id`

// selectKeptOut selects the items of batches that were drawn by disagreement.
const selectKeptOut = `
	SELECT DISTINCT bi.item_id
	FROM batches b
	JOIN batch_items bi ON bi.batch_id = b.id
	WHERE b.project_id = $1 AND b.drawn_by_disagreement AND NOT bi.is_calibration`

const selectReportAdjudications = `
	SELECT item_id, answers AS values, observations, cause
	FROM current_adjudications
	WHERE protocol_version_id = $1 AND project_id = $2 AND NOT $3 AND item_id <> ALL ($4::bigint[])
	ORDER BY item_id`

const selectReportReferences = `
	SELECT r.item_id, r.answers -> 'values' AS values
	FROM reference_answers r
	JOIN items i ON i.id = r.item_id
	WHERE i.project_id = $1`

const countEmptyRecords = `
	SELECT count(*)
	FROM empty_records e
	WHERE e.project_id = $1 AND NOT EXISTS (SELECT FROM items i WHERE i.project_id = e.project_id
	AND i.record_id = e.record_id)`

// loadReportData fills d in one round trip.
func (s Snapshot) loadReportData(ctx context.Context, d *study.Data, f reportFilter) error {
	if f.hiddenItems == nil {
		f.hiddenItems = []project.ItemID{}
	}
	queue := &pgx.Batch{}
	parts := classifyParts(s.project.Protocol)
	queue.Queue(parts.selectReportItems(), s.project.ID, parts.judged, parts.chunks, parts.role, parts.supporting)
	queue.Queue(countReportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch)
	queue.Queue(selectReportLabels, s.project.ProtocolVersionID, s.project.ID, d.Batch, f.onlyClosed, f.hiddenItems)
	queue.Queue(selectReportJudgments, s.project.ProtocolVersionID, s.project.ID)
	queue.Queue(selectKeptOut, s.project.ID)
	queue.Queue(selectReportAdjudications, s.project.ProtocolVersionID, s.project.ID, f.onlyClosed, f.hiddenItems)
	queue.Queue(selectReportReferences, s.project.ID)
	queue.Queue(countEmptyRecords, s.project.ID)
	results := s.tx.SendBatch(ctx, queue)
	defer results.Close()
	items, err := readItems(results)
	if err != nil {
		return err
	}
	d.Source = study.NewLabelSource(d.Protocol, items)
	var count int
	if err := results.QueryRow().Scan(&count); err != nil {
		return err
	}
	d.Source.Reserve(count)
	if err := readLabels(results, d.Source); err != nil {
		return err
	}
	if d.Judgments, err = collectAll[study.Judgment](results.Query()); err != nil {
		return err
	}
	keptOut, err := collectColumn[project.ItemID](results.Query())
	if err != nil {
		return err
	}
	d.KeptOut = make(map[project.ItemID]bool, len(keptOut))
	for _, id := range keptOut {
		d.KeptOut[id] = true
	}
	if err := readAdjudications(results, d); err != nil {
		return err
	}
	references, err := collectAll[itemValues](results.Query())
	if err != nil {
		return err
	}
	d.References = valuesByItem(references)
	return results.QueryRow().Scan(&d.EmptyRecords)
}

// An ItemAnnotation is one annotator's answers to an item.
type ItemAnnotation struct {
	AnnotationID int64
	Annotator    string // the pseudonym
	Batch        string
	Values       map[string]int
	Observations []string
	Unsure       []string
	Note         string
}

// ItemAnnotations returns the answers to an item, without calibration and hidden
// duplicates. It returns labeling.ErrBlinded if the account must not see them yet.
func (db *DB) ItemAnnotations(ctx context.Context, actorID account.ID, p project.Project,
	itemID project.ItemID) ([]ItemAnnotation, error) {
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	if err := db.recordItemReveal(ctx, actorID, slices.Values([]project.ItemID{itemID})); err != nil {
		return nil, err
	}
	return collectAll[ItemAnnotation](db.pool.Query(ctx, `
		SELECT n.id AS annotation_id, m.pseudonym AS annotator, b.name AS batch, n.answers AS values, n.observations,
		n.unsure, n.note
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND n.item_id = $3 AND n.kind = 'work'
		ORDER BY m.pseudonym`, p.ProtocolVersionID, p.ID, itemID))
}

// ItemJudgments returns the answers of model judges to an item; the note is the judge's reason. It returns
// labeling.ErrBlinded if the account must not see answers to the item yet.
func (db *DB) ItemJudgments(ctx context.Context, actorID account.ID, p project.Project,
	itemID project.ItemID) ([]ItemAnnotation, error) {
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return nil, err
	}
	if err := db.recordItemReveal(ctx, actorID, slices.Values([]project.ItemID{itemID})); err != nil {
		return nil, err
	}
	return collectAll[ItemAnnotation](db.pool.Query(ctx, `
		SELECT 0 AS annotation_id, m.pseudonym AS annotator, '' AS batch, j.answers AS values,
		'{}'::text[] AS observations, '{}'::text[] AS unsure, j.rationale AS note
		FROM judgments j
		JOIN members m ON m.project_id = j.project_id AND m.account_id = j.account_id
		WHERE j.protocol_version_id = $1 AND j.project_id = $2 AND j.item_id = $3
		ORDER BY m.pseudonym`, p.ProtocolVersionID, p.ID, itemID))
}
