package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// canUndo is true of an annotator ba of batch b in project p who can take back the last
// submit. It depends on nothing but the setting, the batch, and whether the last submit and
// the open item are of the calibration.
const canUndo = `(p.allows_undo AND b.closed_at IS NULL AND ba.paused_at IS NULL AND NOT ba.last_submit_undone
	AND can_take_back(ba.last_submit_id, ba.open_assignment_id))`

// UndoSubmit takes back the last submit of an annotator in a batch: the item is open again
// with its answers as draft, under a new token, which it returns. The annotation stays until
// the item is submitted again. The item of openToken, if any, must be the open one; it is set
// back with its draft, and comes next.
func (db *DB) UndoSubmit(ctx context.Context, accountID account.ID, batchID project.BatchID,
	openToken string) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batches, err := lockOpenBatches(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		if len(batches) != 1 {
			return labeling.ErrNothingToUndo
		}
		if token, err = undoLocked(ctx, tx, accountID, batches[0], openToken); err != nil {
			return err
		}
		var projectKey, batchName string
		err = tx.QueryRow(ctx, `SELECT p.key, b.name FROM batches b JOIN projects p ON p.id = b.project_id
			WHERE b.id = $1`, batches[0]).Scan(&projectKey, &batchName)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, accountID, "correction.undo_submit", batchSubject(projectKey, batchName), nil)
	})
	return token, err
}

// undoLocked does that once the annotator's row of the batch is locked.
func undoLocked(ctx context.Context, tx pgx.Tx, accountID account.ID, batchID project.BatchID,
	openToken string) (token string, err error) {
	state, err := collectOne[struct {
		CanUndo   bool
		OnBreak   bool
		OpenToken string
	}](tx.Query(ctx, `
		SELECT `+canUndo+` AS can_undo, EXISTS (SELECT FROM breaks k WHERE k.account_id = ba.account_id AND k.ended_at IS NULL) AS on_break,
		       coalesce((SELECT o.token FROM assignments o WHERE o.id = ba.open_assignment_id), '') AS open_token
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE ba.batch_id = $1 AND ba.account_id = $2`, batchID, accountID))
	switch {
	case err != nil:
		return "", err
	case state.OnBreak:
		return "", labeling.ErrOnBreak
	case !state.CanUndo || state.OpenToken != openToken:
		return "", labeling.ErrNothingToUndo
	}
	if _, err := tx.Exec(ctx, setBackOpen, batchID, accountID); err != nil {
		return "", err
	}
	if token, err = openByStatement(ctx, tx, openUndone, batchID, accountID); err == nil && token == "" {
		err = fault.Conflict.Errorf("The last submit has no stored answers.")
	}
	return token, err
}

// setBackOpen sets back the open item, whatever its kind: a work item keeps its slot, and
// like a hidden duplicate it can only come back to this annotator.
const setBackOpen = `
	UPDATE assignments a SET state = 'skipped', deferred = true, set_back = true, closed_at = clock_timestamp()
	FROM batch_annotators ba
	WHERE ba.batch_id = $1 AND ba.account_id = $2 AND a.id = ba.open_assignment_id`

// openUndone opens the last submitted item under token $3 and takes it out of the counters
// that its submit changed. Its time so far is kept, so that the next annotation has the whole.
const openUndone = `
	WITH undone AS (
		UPDATE batch_annotators
		SET last_submit_undone = true, items_since_break = greatest(items_since_break - 1, 0),
		    items_since_completed_break = greatest(items_since_completed_break - 1, 0)
		WHERE batch_id = $1 AND account_id = $2
		RETURNING last_submit_id
	), opened AS (
		UPDATE assignments a SET state = 'open', reopened = true, token = $3
		FROM undone
		WHERE a.id = undone.last_submit_id
		RETURNING a.id, a.protocol_version_id, a.attempt_no
	), annotation AS (
		SELECT n.*
		FROM opened o
		JOIN annotations n ON n.protocol_version_id = o.protocol_version_id AND n.assignment_id = o.id
		AND n.attempt_no = o.attempt_no
	), draft AS (
		INSERT INTO drafts (assignment_id, version, answers, tab_times)
		SELECT n.assignment_id, 1, jsonb_build_object('values', n.answers, 'observations', n.observations, 'unsure',
		n.unsure, 'note', n.note),
		       jsonb_build_object('earlier', n.active_ms)
		FROM annotation n
		ON CONFLICT (assignment_id) DO UPDATE SET version = drafts.version + 1, answers = excluded.answers,
		tab_times = excluded.tab_times
	), day AS (
		UPDATE annotator_days d SET item_count = greatest(d.item_count - 1, 0), active_ms = greatest(d.active_ms -
		n.active_ms, 0)
		FROM annotation n, batches b
		WHERE b.id = $1 AND d.project_id = b.project_id AND d.account_id = $2 AND d.day = n.submitted_at::date
	)
	SELECT $3::text FROM annotation`

// openSetBack opens the item that an undo set back, with its draft and under its token.
func openSetBack(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return readToken(tx.QueryRow(ctx, `
		WITH opened AS (
			UPDATE assignments SET state = 'open', deferred = false, set_back = false, closed_at = NULL
			WHERE id = (
				SELECT a.id FROM pending_assignments w
				JOIN assignments a ON a.id = w.assignment_id
				WHERE w.batch_id = $1 AND w.account_id = $2 AND a.set_back AND NOT a.reopened)
			RETURNING id, batch_id, item_id, account_id, kind, token
		), slot AS (
			UPDATE slots s SET claimed_at = clock_timestamp()
			FROM opened o
			WHERE o.kind = 'work' AND s.batch_id = o.batch_id AND s.item_id = o.item_id AND s.account_id = o.account_id
		), duplicate AS (
			UPDATE hidden_items h SET claimed_at = clock_timestamp() FROM opened o WHERE h.assignment_id = o.id
		)
		SELECT token FROM opened`, s.BatchID, s.AccountID))
}
