package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A slotKey identifies a slot of a batch.
type slotKey struct {
	ItemID int64
	SlotNo int16
}

// freeWaiting frees up to limit waiting slots of an annotator, the last of the queue first.
func (e *batchEditor) freeWaiting(ctx context.Context, id account.ID, limit int) ([]slotKey, error) {
	return e.freeWaitingWhere(ctx, "true", id, limit)
}

// freeWaitingFor frees slots of items that one of the others did not have.
func (e *batchEditor) freeWaitingFor(ctx context.Context, id account.ID, limit int, others []account.ID) ([]slotKey,
	error) {
	return e.freeWaitingWhere(ctx, `EXISTS (
		SELECT FROM unnest($4::bigint[]) AS other (account_id)
		WHERE NOT EXISTS (SELECT FROM slots o WHERE o.batch_id = s.batch_id AND o.item_id = s.item_id AND o.account_id = other.account_id)
		  AND NOT EXISTS (SELECT FROM assignments a WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = other.account_id))`, id, limit, others)
}

func (e *batchEditor) freeWaitingWhere(ctx context.Context, condition string, id account.ID, limit int,
	args ...any) ([]slotKey, error) {
	return collectAll[slotKey](e.tx.Query(ctx, `
		WITH last AS (
			SELECT s.item_id, s.slot_no
			FROM batch_annotators ba
			JOIN slots s ON s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor
			WHERE ba.batch_id = $1 AND ba.account_id = $2 AND `+condition+`
			ORDER BY s.queue_no DESC
			LIMIT $3
		), freed AS (
			UPDATE slots s SET `+returnToPool+`
			FROM last l
			WHERE s.batch_id = $1 AND s.item_id = l.item_id AND s.slot_no = l.slot_no
			RETURNING s.item_id, s.slot_no
		), counted AS (
			UPDATE batch_annotators SET waiting_count = waiting_count - (SELECT count(*) FROM freed)
			WHERE batch_id = $1 AND account_id = $2
		)
		SELECT item_id, slot_no FROM freed ORDER BY item_id, slot_no`, append([]any{e.batch.ID, id, limit},
		args...)...))
}

// remove removes annotators from the batch. Their open items and what waits go to the others.
// Submitted labels stay.
func (e *batchEditor) remove(ctx context.Context, c project.BatchChange) error {
	annotators, err := e.find("remove", c.Remove)
	if err != nil || len(annotators) == 0 {
		return err
	}
	mark, err := e.markFreed(ctx)
	if err != nil {
		return err
	}
	for _, a := range annotators {
		if err := e.removeOne(ctx, a); err != nil {
			return err
		}
	}
	if err := e.loadAnnotators(ctx); err != nil {
		return err
	}
	freed, err := e.freedSince(ctx, mark)
	if err != nil {
		return err
	}
	e.changed.ItemsReassigned += len(freed)
	return e.distribute(ctx, freed, e.working())
}

// markFreed returns a mark for freedSince.
func (e *batchEditor) markFreed(ctx context.Context) (mark int64, err error) {
	err = e.tx.QueryRow(ctx, `SELECT nextval('returned_queue_no')`).Scan(&mark)
	return mark, err
}

// freedSince returns the slots of the batch that became free since a mark.
func (e *batchEditor) freedSince(ctx context.Context, mark int64) ([]slotKey, error) {
	return collectAll[slotKey](e.tx.Query(ctx, `
		SELECT item_id, slot_no FROM slots WHERE batch_id = $1 AND account_id IS NULL AND queue_no > $2
		ORDER BY item_id, slot_no`, e.batch.ID, mark))
}

// removeOne ends the work of an annotator in the batch, and frees what they have left.
func (e *batchEditor) removeOne(ctx context.Context, a batchAnnotator) error {
	open, err := e.openItem(ctx, a.AccountID)
	if err != nil {
		return err
	}
	if err := e.releaseOpenItem(ctx, open); err != nil {
		return err
	}
	_, err = e.tx.Exec(ctx, `
		WITH returned AS (
			UPDATE assignments SET deferred = false
			WHERE batch_id = $1 AND account_id = $2 AND kind = 'work' AND state = 'skipped' AND deferred
			RETURNING item_id
		), corrected AS (
			UPDATE assignments SET state = 'submitted', reopened = false, deferred = false, set_back = false
			WHERE batch_id = $1 AND account_id = $2 AND reopened
			RETURNING id
		), deleted AS (
			DELETE FROM drafts d USING corrected WHERE d.assignment_id = corrected.id
		), ended AS (
			UPDATE breaks SET ended_at = clock_timestamp() WHERE batch_id = $1 AND account_id = $2 AND ended_at IS NULL
		), removed AS (
			UPDATE batch_annotators SET removed_at = now() WHERE batch_id = $1 AND account_id = $2
		)
		UPDATE slots s SET `+returnToPool+`
		FROM returned r
		WHERE s.batch_id = $1 AND s.item_id = r.item_id AND s.account_id = $2`, e.batch.ID, a.AccountID)
	if err != nil {
		return err
	}
	if _, err = e.freeWaiting(ctx, a.AccountID, a.WaitingCount); err != nil {
		return err
	}
	e.changed.AnnotatorsRemoved++
	items := a.WaitingCount
	if open != nil {
		items++
	}
	return e.notify(ctx, a.AccountID, "removed", items, open.id())
}

// shareWaiting moves waiting items from the annotators with the most to those with the
// fewest, by their shares. In a pool, nothing waits for anybody.
func (e *batchEditor) shareWaiting(ctx context.Context) error {
	working, total, shares := e.working(), 0, 0.0
	for _, a := range working {
		total, shares = total+a.WaitingCount, shares+a.Share
	}
	var freed []slotKey
	for _, a := range working {
		fair := int(float64(total)*a.Share/shares + 0.999)
		if a.WaitingCount <= fair {
			continue
		}
		slots, err := e.freeWaiting(ctx, a.AccountID, a.WaitingCount-fair)
		if err != nil {
			return err
		}
		freed = append(freed, slots...)
	}
	if err := e.loadAnnotators(ctx); err != nil {
		return err
	}
	e.changed.ItemsReassigned += len(freed)
	return e.distribute(ctx, freed, e.working())
}
