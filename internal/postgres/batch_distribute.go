package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// distribute gives free slots to annotators of a planned batch. Those that none of them
// can get stay free, and so do all of a pool.
func (e *batchEditor) distribute(ctx context.Context, slots []slotKey, to []batchAnnotator) error {
	if e.batch.Assignment == project.Pool {
		return nil
	}
	_, err := e.assignSlots(ctx, slots, to)
	return err
}

// assignSlots gives free slots to annotators at the end of their queues, with balanced loads,
// and notifies them. It returns the slots that none of them can get.
func (e *batchEditor) assignSlots(ctx context.Context, slots []slotKey, to []batchAnnotator) (left []slotKey,
	err error) {
	if len(slots) == 0 || len(to) == 0 {
		return slots, nil
	}
	request, items, err := e.requestFor(ctx, slots, to)
	if err != nil {
		return nil, err
	}
	plan := project.PlanAssignments(request)
	last, err := e.lastQueueNos(ctx, to)
	if err != nil {
		return nil, err
	}
	var keys []slotKey
	var owners []account.ID
	var queueNos []int64
	label := 0
	for item := range items {
		for _, owner := range plan.Owners.At(item) {
			if owner == project.Unassigned {
				left = append(left, items[item][label-int(plan.Owners.Start[item])])
			} else {
				keys = append(keys, items[item][label-int(plan.Owners.Start[item])])
				owners = append(owners, to[owner].AccountID)
				queueNos = append(queueNos, last[to[owner].AccountID]+int64(plan.QueueNos[label]))
			}
			label++
		}
	}
	if err := e.storeOwners(ctx, keys, owners, queueNos); err != nil {
		return left, err
	}
	return left, e.notifyAdded(ctx, owners)
}

// notifyAdded notifies the owners of slots, each with the number of theirs.
func (e *batchEditor) notifyAdded(ctx context.Context, owners []account.ID) error {
	_, err := e.tx.Exec(ctx, `
		INSERT INTO work_notices (batch_id, account_id, kind, item_count)
		SELECT $1, o.account_id, 'items_added', count(*) FROM unnest($2::bigint[]) AS o (account_id)
		GROUP BY o.account_id`, e.batch.ID, owners)
	return err
}

// requestFor returns the request that assigns slots, and the slots of each of its items.
func (e *batchEditor) requestFor(ctx context.Context, slots []slotKey,
	to []batchAnnotator) (r project.AssignmentRequest, items [][]slotKey, err error) {
	places, ids, accounts, indexes := map[int64]int{}, []int64(nil), []account.ID(nil), map[account.ID]int32{}
	for _, s := range slots {
		place, isKnown := places[s.ItemID]
		if !isKnown {
			place = len(items)
			places[s.ItemID], ids, items = place, append(ids, s.ItemID), append(items, nil)
		}
		items[place] = append(items[place], s)
	}
	r.Seed = e.batch.Seed + int64(len(slots))
	for i, a := range to {
		accounts, indexes[a.AccountID] = append(accounts, a.AccountID), int32(i)
		r.Annotators = append(r.Annotators, project.PlanAnnotator{ID: a.AccountID, Share: a.Share,
			Load: a.WaitingCount})
	}
	had, err := e.annotatorsOf(ctx, ids, accounts)
	for place, id := range ids {
		var list []int32
		for _, accountID := range had[id] {
			list = append(list, indexes[accountID])
		}
		r.Had.Append(list...)
		r.Labels = append(r.Labels, uint8(len(items[place])))
	}
	return r, items, err
}

// annotatorsOf returns which of these accounts have or had these items, in any batch, or do not
// get them.
func (e *batchEditor) annotatorsOf(ctx context.Context, items []int64, accounts []account.ID) (map[int64][]account.ID,
	error) {
	rows, err := collectAll[struct {
		ItemID    int64
		AccountID account.ID
	}](e.tx.Query(ctx, `
		SELECT s.item_id, s.account_id FROM slots s WHERE s.batch_id = $1 AND s.item_id = ANY ($2)
		AND s.account_id = ANY ($3)
		UNION
		SELECT a.item_id, a.account_id
		FROM batch_items bi
		JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.account_id = ANY ($3)
		WHERE bi.item_id = ANY ($2) AND NOT bi.is_calibration
		UNION
		SELECT w.item_id, w.account_id FROM withheld_items w WHERE w.item_id = ANY ($2) AND w.account_id = ANY ($3)`,
		e.batch.ID, items, accounts))
	had := map[int64][]account.ID{}
	for _, row := range rows {
		had[row.ItemID] = append(had[row.ItemID], row.AccountID)
	}
	return had, err
}

// lastQueueNos returns the last place in use in the queues of annotators.
func (e *batchEditor) lastQueueNos(ctx context.Context, annotators []batchAnnotator) (map[account.ID]int64, error) {
	var accounts []account.ID
	for _, a := range annotators {
		accounts = append(accounts, a.AccountID)
	}
	rows, err := collectAll[struct {
		AccountID account.ID
		QueueNo   int64
	}](e.tx.Query(ctx, `
		SELECT ba.account_id, greatest(ba.queue_cursor, coalesce((
		           SELECT max(s.queue_no) FROM slots s WHERE s.batch_id = ba.batch_id AND s.account_id = ba.account_id),
		           0)) AS queue_no
		FROM batch_annotators ba
		WHERE ba.batch_id = $1 AND ba.account_id = ANY ($2)`, e.batch.ID, accounts))
	last := map[account.ID]int64{}
	for _, row := range rows {
		last[row.AccountID] = row.QueueNo
	}
	return last, err
}

// storeOwners stores the owners of slots, and counts what waits for them.
func (e *batchEditor) storeOwners(ctx context.Context, keys []slotKey, owners []account.ID, queueNos []int64) error {
	items, slotNos := make([]int64, len(keys)), make([]int16, len(keys))
	for i, k := range keys {
		items[i], slotNos[i] = k.ItemID, k.SlotNo
	}
	_, err := e.tx.Exec(ctx, `
		WITH planned AS (
			SELECT * FROM unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[]) AS t (item_id, slot_no,
			account_id, queue_no)
		), owned AS (
			UPDATE slots s SET account_id = p.account_id, queue_no = p.queue_no
			FROM planned p
			WHERE s.batch_id = $1 AND s.item_id = p.item_id AND s.slot_no = p.slot_no
		), counts AS (
			SELECT account_id, count(*) AS item_count FROM planned GROUP BY account_id
		)
		UPDATE batch_annotators ba SET waiting_count = ba.waiting_count + c.item_count
		FROM counts c
		WHERE ba.batch_id = $1 AND ba.account_id = c.account_id`, e.batch.ID, items, slotNos, owners, queueNos)
	return err
}
