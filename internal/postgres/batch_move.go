package postgres

import (
	"context"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// reassign moves what an annotator has left to another one, or evenly to all others. It goes
// to the end of their queues, in a pool too.
func (e *batchEditor) reassign(ctx context.Context, c project.BatchChange) error {
	r := c.Reassign
	if r.From == "" {
		return nil
	}
	found, err := e.find("reassign_from", []string{r.From})
	if err != nil {
		return err
	}
	from := found[0]
	to := e.working(from.AccountID)
	if r.To != "" {
		if to, err = e.find("reassign_to", []string{r.To}); err != nil {
			return err
		}
	}
	if len(to) == 0 || to[0].AccountID == from.AccountID {
		return project.FormProblems{{Field: "reassign_to",
			Err: fault.Conflict.Errorf("There is no other annotator who could get the items.")}}
	}
	hasMoved, moved := false, 0
	if r.Items.HasOpen() {
		if hasMoved, err = e.reassignOpen(ctx, from.AccountID, to); err != nil {
			return err
		}
		if err := e.loadAnnotators(ctx); err != nil {
			return err
		}
	}
	if r.Items.HasWaiting() {
		if moved, err = e.reassignWaiting(ctx, from, e.reload(to), r); err != nil {
			return err
		}
	}
	if moved == 0 && !hasMoved {
		return project.FormProblems{{Field: "reassign_from",
			Err: fault.Conflict.Errorf("%s has no such item that another annotator could get.", from.Pseudonym)}}
	}
	return nil
}

// give gives the chosen items to one annotator, all or none, at the end of the queue: of each item a label that no
// annotator has, or one more.
func (e *batchEditor) give(ctx context.Context, c project.BatchChange) error {
	if c.GiveTo == "" {
		return nil
	}
	to, err := e.find("give_to", []string{c.GiveTo})
	if err != nil {
		return err
	}
	refuse := func(err error) error { return project.FormProblems{{Field: "give_to", Err: err}} }
	switch {
	case slices.ContainsFunc(e.annotators, func(a batchAnnotator) bool { return a.AccountID == e.actorID }):
		return labeling.ErrBlinded // a refusal would tell who has an item
	case e.batch.IsRound():
		return refuse(errRoundIsFixed)
	case to[0].Paused:
		return refuse(fault.Conflict.Errorf("%s is paused and gets no items.", to[0].Pseudonym))
	}
	free, err := collectAll[slotKey](e.tx.Query(ctx, `
		SELECT DISTINCT ON (item_id) item_id, slot_no
		FROM slots
		WHERE batch_id = $1 AND item_id = ANY ($2) AND account_id IS NULL AND NOT withheld
		ORDER BY item_id, slot_no`, e.batch.ID, e.labelItems))
	if err != nil {
		return err
	}
	added, err := e.insertSlots(ctx, `
		SELECT item_id, (max(slot_no) + 1)::smallint
		FROM slots
		WHERE batch_id = $1 AND item_id = ANY ($2)
		GROUP BY item_id
		HAVING count(*) FILTER (WHERE account_id IS NULL AND NOT withheld) = 0`, e.labelItems)
	if err != nil {
		return err
	}
	left, err := e.assignSlots(ctx, append(free, added...), to)
	if err != nil {
		return err
	}
	if e.changed.ItemsGiven = len(free) + len(added); len(left) > 0 || e.changed.ItemsGiven < len(e.labelItems) {
		return refuse(fault.Conflict.Errorf("%s cannot get this: annotators label an item once, without having seen its answers, and never calibration items as work.", to[0].Pseudonym))
	}
	return nil
}

// reload returns annotators with their current counts.
func (e *batchEditor) reload(annotators []batchAnnotator) (current []batchAnnotator) {
	for _, a := range e.annotators {
		for _, b := range annotators {
			if a.AccountID == b.AccountID {
				current = append(current, a)
			}
		}
	}
	return current
}

// reassignWaiting moves waiting items, and with all items also the skipped ones that would
// return. Items that all others had stay. It returns how many moved.
func (e *batchEditor) reassignWaiting(ctx context.Context, from batchAnnotator, to []batchAnnotator,
	r project.Reassignment) (moved int, err error) {
	count := from.WaitingCount
	if r.Count > 0 {
		count = min(count, r.Count)
	}
	freed, err := e.freeWaitingFor(ctx, from.AccountID, count, accountIDs(to))
	if err != nil {
		return 0, err
	}
	if r.Items == project.AllItems {
		deferred, err := e.freeDeferred(ctx, from.AccountID, to)
		if err != nil {
			return 0, err
		}
		freed = append(freed, deferred...)
	}
	left, err := e.assignSlots(ctx, freed, to)
	if err != nil {
		return 0, err
	}
	if err := e.returnSlots(ctx, from, left); err != nil {
		return 0, err
	}
	moved = len(freed) - len(left)
	if moved == 0 {
		return 0, nil
	}
	e.changed.ItemsReassigned += moved
	return moved, e.notify(ctx, from.AccountID, "items_reassigned", moved, nil)
}

// returnSlots gives slots that no other annotator can get back to the annotator who had them waiting.
func (e *batchEditor) returnSlots(ctx context.Context, to batchAnnotator, slots []slotKey) error {
	last, err := e.lastQueueNos(ctx, []batchAnnotator{to})
	if err != nil {
		return err
	}
	owners, queueNos := make([]account.ID, len(slots)), make([]int64, len(slots))
	for i := range slots {
		owners[i], queueNos[i] = to.AccountID, last[to.AccountID]+int64(i)+1
	}
	return e.storeOwners(ctx, slots, owners, queueNos)
}

// freeDeferred frees the skipped items that would return to an annotator and that one of the
// others can get. Hidden items among them do not return either, as long as items move.
func (e *batchEditor) freeDeferred(ctx context.Context, id account.ID, to []batchAnnotator) ([]slotKey, error) {
	deferred, err := collectColumn[int64](e.tx.Query(ctx, `
		SELECT a.item_id
		FROM pending_assignments p
		JOIN assignments a ON a.id = p.assignment_id
		WHERE p.batch_id = $1 AND p.account_id = $2 AND a.kind = 'work' AND a.state = 'skipped' AND a.deferred
		AND NOT a.set_back`, e.batch.ID, id))
	if err != nil || len(deferred) == 0 {
		return nil, err
	}
	had, err := e.annotatorsOf(ctx, deferred, accountIDs(to))
	if err != nil {
		return nil, err
	}
	var items []int64
	for _, item := range deferred {
		if len(had[item]) < len(to) {
			items = append(items, item)
		}
	}
	return collectAll[slotKey](e.tx.Query(ctx, `
		WITH kept AS (
			UPDATE assignments SET deferred = false
			WHERE batch_id = $1 AND account_id = $2 AND state = 'skipped' AND deferred AND NOT set_back
			AND (item_id = ANY ($3) OR kind IN ('duplicate', 'gold') AND cardinality($3) > 0)
		)
		UPDATE slots SET `+returnToPool+`
		WHERE batch_id = $1 AND account_id = $2 AND item_id = ANY ($3)
		RETURNING item_id, slot_no`, e.batch.ID, id, items))
}

func accountIDs(annotators []batchAnnotator) (ids []account.ID) {
	for _, a := range annotators {
		ids = append(ids, a.AccountID)
	}
	return ids
}

// An openItem is the open item of an annotator that others can get: not a calibration item,
// and not one reopened for a correction. While the annotator corrects the submit before it, it
// is the item that the undo set back.
type openItem struct {
	ID       labeling.AssignmentID
	ItemID   int64 // of a hidden item, the work item that takes its place when others are checked
	IsHidden bool
}

// id returns the assignment, or nil if there is none.
func (o *openItem) id() *labeling.AssignmentID {
	if o == nil {
		return nil
	}
	return &o.ID
}

// openItem returns the open item of an annotator that can be released, or nil.
func (e *batchEditor) openItem(ctx context.Context, id account.ID) (*openItem, error) {
	found, err := collectAll[openItem](e.tx.Query(ctx, `
		SELECT a.id, a.kind <> 'work' AS is_hidden,
		       CASE WHEN a.kind = 'work' THEN a.item_id ELSE coalesce((
		           SELECT s.item_id FROM slots s
		           WHERE s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor
		           ORDER BY s.queue_no
		           LIMIT 1), a.item_id) END AS item_id
		FROM batch_annotators ba
		JOIN assignments a ON a.id = coalesce((
			SELECT w.assignment_id FROM pending_assignments w JOIN assignments s ON s.id = w.assignment_id
			AND s.set_back AND NOT s.reopened
			WHERE w.batch_id = ba.batch_id AND w.account_id = ba.account_id), ba.open_assignment_id)
		WHERE ba.batch_id = $1 AND ba.account_id = $2 AND a.kind <> 'calibration' AND NOT a.reopened`, e.batch.ID, id))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// releaseOpenItem releases an open item. Its draft is kept.
func (e *batchEditor) releaseOpenItem(ctx context.Context, open *openItem) error {
	if open == nil {
		return nil
	}
	_, err := releaseItems(ctx, e.tx, `SELECT $1::bigint`, open.ID)
	return err
}

// reassignOpen moves the open item of an annotator, who can still read the draft, and reports
// whether there was one. A hidden item does not come back, as if another annotator had it.
func (e *batchEditor) reassignOpen(ctx context.Context, from account.ID, to []batchAnnotator) (hasMoved bool,
	err error) {
	open, err := e.openItem(ctx, from)
	if err != nil || open == nil {
		return false, err
	}
	had, err := e.annotatorsOf(ctx, []int64{open.ItemID}, accountIDs(to))
	if err != nil {
		return false, err
	}
	if len(had[open.ItemID]) == len(to) {
		return false, project.FormProblems{{Field: "reassign_from", Err: fault.Conflict.Errorf(
			"The open item stays: each annotator who could get it has or had the item. Add an annotator, or reassign the waiting items only.")}}
	}
	mark, err := e.markFreed(ctx)
	if err != nil {
		return false, err
	}
	if err := e.releaseOpenItem(ctx, open); err != nil {
		return false, err
	}
	if open.IsHidden {
		if _, err := e.tx.Exec(ctx, `DELETE FROM pending_assignments WHERE assignment_id = $1`, open.ID); err != nil {
			return false, err
		}
	}
	freed, err := e.freedSince(ctx, mark)
	if err != nil {
		return false, err
	}
	if _, err := e.assignSlots(ctx, freed, to); err != nil {
		return false, err
	}
	e.changed.OpenItemsReassigned++
	return true, e.notify(ctx, from, "open_item_reassigned", 1, open.id())
}
