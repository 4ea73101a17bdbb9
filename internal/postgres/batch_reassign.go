package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A slotKey identifies a slot of a batch.
type slotKey struct {
	ItemID int64
	SlotNo int16
}

// freeWaiting frees up to limit waiting slots of an annotator, the last of the queue first.
func (e *batchEditor) freeWaiting(ctx context.Context, id account.ID, limit int) ([]slotKey, error) {
	return collectAll[slotKey](e.tx.Query(ctx, `
		WITH last AS (
			SELECT s.item_id, s.slot_no
			FROM batch_annotators ba
			JOIN slots s ON s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor
			WHERE ba.batch_id = $1 AND ba.account_id = $2
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
		SELECT item_id, slot_no FROM freed ORDER BY item_id, slot_no`, e.batch.ID, id, limit))
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
	e.count("items_reassigned", len(freed))
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
		SELECT item_id, slot_no FROM slots WHERE batch_id = $1 AND account_id IS NULL AND queue_no > $2 ORDER BY item_id, slot_no`, e.batch.ID, mark))
}

// removeOne ends the work of an annotator in the batch, and frees what they have left.
func (e *batchEditor) removeOne(ctx context.Context, a batchAnnotator) error {
	hasOpen, hasDraft, err := e.releaseOpenItem(ctx, a.AccountID)
	if err != nil {
		return err
	}
	_, err = e.tx.Exec(ctx, `
		WITH returned AS (
			UPDATE assignments SET deferred = false
			WHERE batch_id = $1 AND account_id = $2 AND kind = 'work' AND state = 'skipped' AND deferred
			RETURNING item_id
		), corrected AS (
			UPDATE assignments SET state = 'submitted', reopened = false
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
	e.count("annotators_removed", 1)
	items := a.WaitingCount
	if hasOpen {
		items++
	}
	return e.notify(ctx, a.AccountID, "removed", items, hasDraft)
}

// releaseOpenItem releases the open item of an annotator, with its draft kept. A calibration
// item and a reopened one have no slot to release.
func (e *batchEditor) releaseOpenItem(ctx context.Context, id account.ID) (isReleased, hasDraft bool, err error) {
	const selectOpen = `
		SELECT a.id FROM batch_annotators ba JOIN assignments a ON a.id = ba.open_assignment_id
		WHERE ba.batch_id = $1 AND ba.account_id = $2 AND a.kind <> 'calibration' AND NOT a.reopened`
	err = e.tx.QueryRow(ctx, `
		SELECT count(*) > 0, count(d.assignment_id) > 0 FROM (`+selectOpen+`) open LEFT JOIN drafts d ON d.assignment_id = open.id`,
		e.batch.ID, id).Scan(&isReleased, &hasDraft)
	if err != nil || !isReleased {
		return false, false, err
	}
	_, err = releaseItems(ctx, e.tx, selectOpen, e.batch.ID, id)
	return true, hasDraft, err
}

// reassign moves what waits for one annotator to another, or evenly to all others. Items that
// the others had stay.
func (e *batchEditor) reassign(ctx context.Context, c project.BatchChange) error {
	if c.Reassign.From == "" {
		return nil
	}
	from, err := e.find("reassign_from", []string{c.Reassign.From})
	if err != nil {
		return err
	}
	to := e.working(from[0].AccountID)
	if c.Reassign.To != "" {
		if to, err = e.find("reassign_to", []string{c.Reassign.To}); err != nil {
			return err
		}
	}
	if len(to) == 0 || to[0].AccountID == from[0].AccountID {
		return project.FormProblems{{Field: "reassign_to", Err: fault.Conflict.Errorf("There is no other annotator who could get the items.")}}
	}
	count := from[0].WaitingCount
	if c.Reassign.Count > 0 {
		count = min(count, c.Reassign.Count)
	}
	freed, err := e.freeWaiting(ctx, from[0].AccountID, count)
	if err != nil {
		return err
	}
	left, err := e.assignSlots(ctx, freed, to)
	if err != nil {
		return err
	}
	if _, err := e.assignSlots(ctx, left, from); err != nil {
		return err
	}
	e.count("items_reassigned", len(freed)-len(left))
	return e.notify(ctx, from[0].AccountID, "items_reassigned", len(freed)-len(left), false)
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
	e.count("items_reassigned", len(freed))
	return e.distribute(ctx, freed, e.working())
}
