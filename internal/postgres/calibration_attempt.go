package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// startCalibrationAttempt has an annotator go through the calibration set of a batch, in an
// order that no passage before had. What distressed them is left out. by is the
// lead who asked for it, or 0.
func startCalibrationAttempt(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, actorID account.ID) error {
	row, err := collectOne[struct {
		Seed int64
		N    int
		Set  []int64
	}](tx.Query(ctx, `
		SELECT b.seed, 1 + (SELECT count(*) FROM calibration_runs r WHERE r.batch_id = b.id AND r.account_id = $2) AS n,
		       ARRAY (SELECT i.item_id FROM batch_items i WHERE i.batch_id = b.id AND i.calibration AND NOT EXISTS (
		           SELECT FROM assignments a JOIN set_aside s ON s.assignment_id = a.id AND s.reason = 'distressing'
		           WHERE a.batch_id = b.id AND a.account_id = $2 AND a.item_id = i.item_id)
		           ORDER BY i.item_id) AS set
		FROM batches b
		WHERE b.id = $1`, batchID, accountID))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO calibration_runs (batch_id, account_id, n, path, asked_by, done_at, missed)
		SELECT $1, $2, $3, path, nullif($5, 0), CASE WHEN path = '{}' THEN clock_timestamp() END, CASE WHEN path = '{}' THEN '{}'::text[] END
		FROM (SELECT $4::bigint[] AS path) set`,
		batchID, accountID, row.N, sequence.ShuffleAttempt(row.Seed, accountID, row.N, row.Set), actorID)
	return err
}

// openCalibrationItem opens the next item of the run under way.
func openCalibrationItem(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH next AS (
			SELECT item.id
			FROM calibration_runs r, unnest(r.path) WITH ORDINALITY AS item (id, ord)
			WHERE r.batch_id = $1 AND r.account_id = $2 AND r.n = $4 AND NOT EXISTS (
			    SELECT FROM assignments a
			    WHERE a.batch_id = $1 AND a.account_id = $2 AND a.item_id = item.id AND a.presentation = $4)
			ORDER BY item.ord
			LIMIT 1
		), placed AS (
			UPDATE batch_annotators SET placed = placed + 1
			WHERE batch_id = $1 AND account_id = $2 AND EXISTS (SELECT FROM next)
			RETURNING placed
		)
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation, position)
		SELECT $3, $1, next.id, $2, p.protocol_version_id, 'calibration', $4, placed.placed
		FROM next, placed, batches b
		JOIN projects p ON p.id = b.project_id
		WHERE b.id = $1
		RETURNING token`, s.BatchID, s.AccountID, s.CalibrationAttemptNo)
}

// completeCalibrationAttempt ends a run whose last item was just closed, and notes which fields
// were far from the reference.
func completeCalibrationAttempt(ctx context.Context, tx pgx.Tx, a assignment, p protocol.Protocol) error {
	if a.Kind != sequence.KindCalibration {
		return nil
	}
	var hasOpenItems bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM calibration_runs r, unnest(r.path) item
			WHERE r.batch_id = $1 AND r.account_id = $2 AND r.n = $3 AND NOT EXISTS (
			    SELECT FROM assignments a
			    WHERE a.batch_id = $1 AND a.account_id = $2 AND a.item_id = item AND a.presentation = $3 AND a.state <> 'open'))`,
		a.BatchID, a.AccountID, a.PresentationNo).Scan(&hasOpenItems)
	if err != nil || hasOpenItems {
		return err
	}
	items, err := loadCalibrationItems(ctx, tx, a.BatchID, a.AccountID, a.PresentationNo)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE calibration_runs SET done_at = clock_timestamp(), missed = $4
		WHERE batch_id = $1 AND account_id = $2 AND n = $3`,
		a.BatchID, a.AccountID, a.PresentationNo, labeling.MissedFields(labeling.ComputeBiases(p, pairAnswers(items))))
	return err
}

// A CalibrationItem is an item of a calibration set, with what its annotator
// said of it beside the reference.
type CalibrationItem struct {
	ItemID    project.ItemID
	SourceID  string
	Content   project.Content
	Facts     protocol.Facts
	Reference protocol.Answers
	Reasons   map[string]string // by field, and under protocol.NoteKey of the whole
	Answered  bool              // else it was set aside, or is still to come
	Own       protocol.Answers
}

type calibrationItemRow struct {
	ItemID               project.ItemID
	SourceID             string
	Content              project.Content
	Facts                protocol.Facts
	Reference            protocol.Answers
	Reasons              map[string]string
	Answered             bool
	Values               map[string]int
	Observations, Unsure []string
	Note                 string
}

func loadCalibrationItems(ctx context.Context, q querier, batchID project.BatchID, accountID account.ID, attemptNo int) ([]CalibrationItem, error) {
	rows, err := collectAll[calibrationItemRow](q.Query(ctx, `
		SELECT i.id AS item_id, i.source_id, i.content, i.facts, r.answers AS reference, r.why, n.id IS NOT NULL AS answered,
		       coalesce(n.answers, '{}') AS values, coalesce(n.observations, '{}') AS observed,
		       coalesce(n.unsure, '{}') AS unsure, coalesce(n.note, '') AS note
		FROM calibration_runs run
		CROSS JOIN unnest(run.path) WITH ORDINALITY AS item (id, ord)
		JOIN items i ON i.id = item.id
		JOIN reference_answers r ON r.item_id = i.id
		LEFT JOIN assignments a ON a.batch_id = run.batch_id AND a.account_id = run.account_id AND a.item_id = i.id
		     AND a.presentation = run.n AND a.kind = 'calibration'
		LEFT JOIN annotations n ON n.assignment_id = a.id AND n.protocol_version_id = a.protocol_version_id AND n.attempt = a.attempt
		WHERE run.batch_id = $1 AND run.account_id = $2 AND run.n = $3
		ORDER BY item.ord`, batchID, accountID, attemptNo))
	items := make([]CalibrationItem, len(rows))
	for i, r := range rows {
		items[i] = CalibrationItem{ItemID: r.ItemID, SourceID: r.SourceID, Content: r.Content, Facts: r.Facts, Reference: r.Reference, Reasons: r.Reasons,
			Answered: r.Answered, Own: protocol.Answers{Values: r.Values, Observations: r.Observations, Unsure: r.Unsure, Note: r.Note}}
	}
	return items, err
}

// pairAnswers returns the items that were answered.
func pairAnswers(items []CalibrationItem) (pairs []labeling.AnswerPair) {
	for _, i := range items {
		if i.Answered {
			pairs = append(pairs, labeling.AnswerPair{Own: i.Own, Reference: i.Reference})
		}
	}
	return pairs
}
