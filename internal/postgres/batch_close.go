package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// isUndone is true of a slot s that has no label and no open item.
const isUndone = `(NOT s.withheld AND NOT EXISTS (
	SELECT FROM assignments done
	WHERE done.batch_id = s.batch_id AND done.item_id = s.item_id AND done.account_id = s.account_id AND done.kind = 'work' AND (done.state IN ('submitted', 'open') OR done.set_back)))`

// isInLaterBatch is true of an item of slot s that a later batch took over. A round takes over nothing.
const isInLaterBatch = `EXISTS (
	SELECT FROM batch_items later
	JOIN batches later_batch ON later_batch.id = later.batch_id AND later_batch.round_of IS NULL
	WHERE later.item_id = s.item_id AND later.batch_id > s.batch_id AND NOT later.is_calibration)`

// CloseBatch closes a batch: no more of its items are assigned. Annotators can still submit
// open items, or they are released. Items without all their labels become available for other
// batches, which count the labels they have.
func (db *DB) CloseBatch(ctx context.Context, actorID account.ID, p project.Project, name string,
	c project.BatchClosing) error {
	return db.endBatch(ctx, actorID, p, name, c.Reason, "batch.close", func(e *batchEditor) error {
		if e.batch.ClosedAt != nil {
			return fault.Conflict.Errorf("The batch “%s” is already closed.", name)
		}
		if err := e.notifyAll(ctx, "closed", c.ReleaseOpen); err != nil {
			return err
		}
		if c.ReleaseOpen {
			if err := e.releaseOpenItems(ctx); err != nil {
				return err
			}
		}
		if _, err := e.tx.Exec(ctx, `UPDATE batches SET closed_at = now() WHERE id = $1`, e.batch.ID); err != nil {
			return err
		}
		if e.batch.IsRound() {
			return nil
		}
		n, err := makeAvailable(ctx, e.tx, p.ID, `SELECT DISTINCT s.item_id FROM slots s WHERE s.batch_id = $2
			AND `+isUndone, e.batch.ID)
		e.changed.ItemsAvailable += n
		if err != nil {
			return err
		}
		_, err = e.tx.Exec(ctx, `SELECT mark_earlier_items($1)`, p.ID)
		return err
	})
}

// IncompleteItems returns how many items of a closed batch lack labels that no later batch collects, up to 500. It
// returns 0 for an archived batch.
func (db *DB) IncompleteItems(ctx context.Context, id project.BatchID) (count int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce(sum(task_count), 0) FROM lead_tasks
		WHERE kind = 'incomplete' AND batch_id = $1`, id).Scan(&count)
	return count, err
}

// makeAvailable lets other batches draw the items that a query selects from a closed batch of
// project $1. They count the labels that the items have.
func makeAvailable(ctx context.Context, tx pgx.Tx, projectID project.ID, selectItems string, args ...any) (n int,
	err error) {
	tag, err := tx.Exec(ctx, `
		WITH undone AS (
			`+selectItems+`
		), returned AS (
			UPDATE item_states i SET is_returned = true FROM undone u WHERE i.item_id = u.item_id
		)
		INSERT INTO available_items (project_id, item_id, label_count)
		SELECT $1, u.item_id, (
		    SELECT count(*)
		    FROM batch_items bi
		    JOIN batches b ON b.id = bi.batch_id AND b.round_of IS NULL AND b.protocol_version_id = (
		        SELECT p.protocol_version_id FROM projects p WHERE p.id = $1)
		    JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.kind = 'work' AND (a.state IN ('submitted', 'open') OR a.reopened OR a.set_back)
		    WHERE bi.item_id = u.item_id)
		FROM undone u
		ON CONFLICT DO NOTHING`, append([]any{projectID}, args...)...)
	return int(tag.RowsAffected()), err
}

// releaseOpenItems releases the open items of all annotators, except calibration items and
// corrections. Their drafts are kept.
func (e *batchEditor) releaseOpenItems(ctx context.Context) error {
	for _, a := range e.annotators {
		open, err := e.openItem(ctx, a.AccountID)
		if err != nil {
			return err
		}
		if err := e.releaseOpenItem(ctx, open); err != nil {
			return err
		}
		if open != nil {
			e.changed.OpenItemsReleased++
		}
	}
	return nil
}

// ReopenBatch reopens a closed batch. Labels that a later batch collects instead are no longer
// part of it.
func (db *DB) ReopenBatch(ctx context.Context, actorID account.ID, p project.Project, name, reason string) error {
	return db.endBatch(ctx, actorID, p, name, reason, "batch.reopen", func(e *batchEditor) error {
		if e.batch.ClosedAt == nil || e.batch.ArchivedAt != nil {
			return fault.Conflict.Errorf("Only a closed batch that is not archived can be reopened.")
		}
		if e.project.IsEarlier() {
			return fault.Conflict.Errorf("The batch has version %d of the protocol, and the project has a later one. Open another batch.",
				e.project.Protocol.Version)
		}
		if err := e.requireNoOpenRound(ctx); err != nil {
			return err
		}
		tag, err := e.tx.Exec(ctx, `DELETE FROM slots s WHERE s.batch_id = $1 AND NOT $2
			AND `+isUndone+` AND `+isInLaterBatch, e.batch.ID, e.batch.IsRound())
		if err != nil {
			return err
		}
		e.changed.LabelsInLaterBatches += int(tag.RowsAffected())
		_, err = e.tx.Exec(ctx, `
			WITH reopened AS (
				UPDATE batches SET closed_at = NULL, slot_count = slot_count - $3 WHERE id = $1
			), taken AS (
				UPDATE item_states i SET is_returned = false
				FROM batch_items s
				WHERE s.batch_id = $1 AND NOT $4 AND i.item_id = s.item_id AND i.is_returned AND NOT `+isInLaterBatch+`
			), counted AS (
				UPDATE batch_annotators ba SET waiting_count = (
				    SELECT count(*) FROM slots s WHERE s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor)
				WHERE ba.batch_id = $1
			)
			DELETE FROM available_items v
			USING batch_items s
			WHERE v.project_id = $2 AND s.batch_id = $1 AND NOT $4 AND v.item_id = s.item_id AND NOT `+isInLaterBatch,
			e.batch.ID, p.ID, tag.RowsAffected(), e.batch.IsRound())
		if err != nil {
			return err
		}
		if err := e.applyKeptRule(ctx); err != nil {
			return err
		}
		return e.notifyAll(ctx, "reopened", false)
	})
}

// ArchiveBatch archives a closed batch. It cannot be reopened.
func (db *DB) ArchiveBatch(ctx context.Context, actorID account.ID, p project.Project, name, reason string) error {
	return db.endBatch(ctx, actorID, p, name, reason, "batch.archive", func(e *batchEditor) error {
		tag, err := e.tx.Exec(ctx, `UPDATE batches SET archived_at = now() WHERE id = $1 AND closed_at IS NOT NULL
			AND archived_at IS NULL`, e.batch.ID)
		if err == nil && tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("Only a closed batch that is not archived can be archived.")
		}
		return err
	})
}

// endBatch changes the state of a batch, for a reason.
func (db *DB) endBatch(ctx context.Context, actorID account.ID, p project.Project, name, reason, action string,
	change func(*batchEditor) error) error {
	reason, err := project.CheckReason(reason)
	if err != nil {
		return err
	}
	return db.editBatch(ctx, actorID, p, name, func(e *batchEditor) error {
		if err := change(e); err != nil {
			return err
		}
		return e.record(ctx, action, reason)
	})
}

// notifyAll notifies all annotators who have something left. losesOpen: they lose their open
// items.
func (e *batchEditor) notifyAll(ctx context.Context, kind string, losesOpen bool) error {
	_, err := e.tx.Exec(ctx, `
		INSERT INTO work_notices (batch_id, account_id, kind, item_count, assignment_id)
		SELECT ba.batch_id, ba.account_id, $2, ba.waiting_count, (
		           SELECT a.id FROM assignments a WHERE $3 AND a.id = ba.open_assignment_id AND a.kind <> 'calibration'
		           AND NOT a.reopened)
		FROM batch_annotators ba
		WHERE ba.batch_id = $1 AND ba.removed_at IS NULL AND (ba.waiting_count > 0
		OR ba.open_assignment_id IS NOT NULL)`, e.batch.ID, kind, losesOpen)
	return err
}

// requireNoOpenRound refuses to reopen a batch whose items a round labels again: annotators would see their first
// answers while they give their second ones.
func (e *batchEditor) requireNoOpenRound(ctx context.Context) error {
	names, err := collectColumn[string](e.tx.Query(ctx, `
		SELECT b.name
		FROM batches b
		WHERE b.project_id = $1 AND b.round_of IS NOT NULL AND b.closed_at IS NULL AND b.id <> $2 AND EXISTS (
			SELECT FROM batch_items again
			JOIN batch_items own ON own.item_id = again.item_id AND own.batch_id = $2
			WHERE again.batch_id = b.id)
		ORDER BY b.id
		LIMIT 1`, e.batch.ProjectID, e.batch.ID))
	if err != nil || len(names) == 0 {
		return err
	}
	return fault.Conflict.Errorf("The round “%s” labels items of this batch again. Close it first.", names[0])
}
