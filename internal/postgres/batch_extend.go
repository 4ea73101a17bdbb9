package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A round that grew while its first labels are known would no longer be a sample.
var errRoundIsFixed = fault.Conflict.Errorf("A round keeps its items and labels per item. Open another round.")

// addItems draws available items into the batch, with the batch's overlap.
func (e *batchEditor) addItems(ctx context.Context, c project.BatchChange) error {
	if c.AddItems == nil {
		return nil
	}
	if e.batch.IsRound() {
		return project.FormProblems{{Field: "add_items", Err: errRoundIsFixed}}
	}
	spec := project.BatchSpec{Sample: *c.AddItems, Overlap: e.batch.Overlap, Seed: e.batch.Seed + int64(e.batch.Items)}
	available, err := loadAvailable(ctx, e.tx, e.project.ID, spec, nil, true)
	if err != nil {
		return err
	}
	if available.Count == 0 {
		return project.FormProblems{{Field: "add_items", Err: errNoItems("")}}
	}
	plan, err := spec.PlanItems(available.BatchItems, nil)
	if err != nil {
		return err
	}
	ids, labels := make([]int64, len(plan.Items)), make([]int16, len(plan.Items))
	for i, item := range plan.Items {
		ids[i], labels[i] = available.ids[item], int16(plan.Labels[i])
	}
	_, err = e.tx.Exec(ctx, `
		WITH counted AS (UPDATE batches SET item_count = item_count + cardinality($2::bigint[]) WHERE id = $1)
		INSERT INTO batch_items (batch_id, item_id) SELECT $1, unnest($2::bigint[])`, e.batch.ID, ids)
	if err != nil {
		return err
	}
	e.changed.ItemsAdded += len(ids)
	return e.addSlots(ctx, `
		SELECT t.item_id, n FROM unnest($2::bigint[], $3::smallint[]) AS t (item_id, label_count), generate_series(1,
		t.label_count) n`, ids, labels)
}

// addSlots adds the slots that a query selects by item and number, and gives them to the
// annotators who work.
func (e *batchEditor) addSlots(ctx context.Context, query string, args ...any) error {
	added, err := e.insertSlots(ctx, query, args...)
	if err != nil {
		return err
	}
	return e.distribute(ctx, added, e.working())
}

// insertSlots inserts the slots that a query selects by item and number. They are free.
func (e *batchEditor) insertSlots(ctx context.Context, query string, args ...any) (added []slotKey, err error) {
	added, err = collectAll[slotKey](e.tx.Query(ctx, `
		WITH wanted (item_id, slot_no) AS (`+query+`), added AS (
			INSERT INTO slots (batch_id, item_id, slot_no, queue_no)
			SELECT $1, w.item_id, w.slot_no, nextval('returned_queue_no') FROM wanted w
			RETURNING item_id, slot_no
		), counted AS (
			UPDATE batches SET slot_count = slot_count + (SELECT count(*) FROM added) WHERE id = $1
		)
		SELECT item_id, slot_no FROM added ORDER BY item_id, slot_no`, append([]any{e.batch.ID}, args...)...))
	e.changed.LabelsAdded += len(added)
	return added, err
}

// raiseLabels raises the number of labels per item, for the batch or for some of its items.
// Labels from closed batches count.
func (e *batchEditor) raiseLabels(ctx context.Context, c project.BatchChange) error {
	if c.Labels == 0 {
		return nil
	}
	if e.batch.IsRound() {
		return project.FormProblems{{Field: "labels", Err: errRoundIsFixed}}
	}
	if people := len(e.working()); c.Labels > people {
		return project.FormProblems{{Field: "labels",
			Err: fault.Invalid.Errorf("%d labels per item need %d annotators who work. The batch has %d.", c.Labels,
				c.Labels, people)}}
	}
	if e.labelItems == nil {
		if c.Labels <= e.batch.Overlap {
			return project.FormProblems{{Field: "labels",
				Err: fault.Invalid.Errorf("The batch has %d labels per item already. Enter a higher number.",
					e.batch.Overlap)}}
		}
		if _, err := e.tx.Exec(ctx, `UPDATE batches SET overlap = $2 WHERE id = $1`, e.batch.ID, c.Labels); err != nil {
			return err
		}
	}
	return e.addSlots(ctx, `
		SELECT bi.item_id, (s.last_no + n)::smallint
		FROM batch_items bi
		CROSS JOIN LATERAL (
			SELECT max(slot_no) AS last_no, count(*) FILTER (WHERE NOT withheld) AS slot_count
			FROM slots WHERE batch_id = bi.batch_id AND item_id = bi.item_id) s
		CROSS JOIN LATERAL (
			SELECT count(*) AS label_count
			FROM batch_items o
			JOIN batches ob ON ob.id = o.batch_id AND ob.round_of IS NULL AND ob.protocol_version_id = (
			    SELECT b.protocol_version_id FROM batches b WHERE b.id = $1)
			JOIN assignments a ON a.batch_id = o.batch_id AND a.item_id = o.item_id AND a.kind = 'work'
			AND a.state = 'submitted'
			WHERE o.item_id = bi.item_id AND o.batch_id <> bi.batch_id) earlier,
		generate_series(1, $2::int - s.slot_count - earlier.label_count) n
		WHERE bi.batch_id = $1 AND NOT bi.is_calibration AND ($3::bigint[] IS NULL
		OR bi.item_id = ANY ($3))`, c.Labels, e.labelItems)
}

// selectBatchItems returns the items of a batch that a filter selects, as the list of items
// shows them.
func (db *DB) selectBatchItems(ctx context.Context, actorID account.ID, p project.Project, batch string,
	f project.ItemFilter) (ids []project.ItemID, err error) {
	if f.Batch != "" && f.Batch != batch {
		return nil, project.FormProblems{{Field: "items",
			Err: fault.Invalid.Errorf("The chosen items are in the batch “%s”. Choose items of the batch “%s”.",
				f.Batch, batch)}}
	}
	f.Batch = batch
	err = db.inSelectTx(ctx, actorID, p, func(tx pgx.Tx) error {
		ids, err = matchItems(ctx, tx, actorID, p, f, "")
		return err
	})
	if err == nil && len(ids) == 0 {
		err = project.FormProblems{{Field: "items",
			Err: fault.Invalid.Errorf("No item of the batch matches. Items that you label yourself are left out if the filter depends on labels.")}}
	}
	return ids, err
}

// changeRule applies a rule to the labels that are in, and keeps it for future ones if the
// lead wants that.
func (e *batchEditor) changeRule(ctx context.Context, c project.BatchChange) error {
	if c.DropRule {
		e.changed.Rule = "dropped"
		if _, err := e.tx.Exec(ctx, `DELETE FROM overlap_rules WHERE batch_id = $1`, e.batch.ID); err != nil {
			return err
		}
	}
	r := c.Rule
	if r == nil {
		return nil
	}
	if _, ok := e.project.Protocol.Field(r.Field); !ok && r.Field != "" {
		return project.FormProblems{{Field: "rule", Err: fault.Invalid.Errorf("The protocol has no field “%s”.",
			r.Field)}}
	}
	e.changed.Rule = *r
	if c.KeepRule {
		_, err := e.tx.Exec(ctx, `
			INSERT INTO overlap_rules (batch_id, field, min_difference, most_labels, created_by)
			VALUES ($1, $2, $3, $4, nullif($5, 0))
			ON CONFLICT (batch_id) DO UPDATE
			SET field = excluded.field, min_difference = excluded.min_difference, most_labels = excluded.most_labels,
			created_by = excluded.created_by, created_at = now()`,
			e.batch.ID, r.Field, r.MinDifference, r.MostLabels, e.actorID)
		if err != nil {
			return err
		}
	}
	return e.applyRule(ctx, *r)
}

// applyKeptRule applies the rule that the batch keeps, which nothing applied while the batch
// was closed.
func (e *batchEditor) applyKeptRule(ctx context.Context) error {
	rules, err := collectAll[project.OverlapRule](e.tx.Query(ctx, selectOverlapRule, e.batch.ID))
	if err != nil || len(rules) == 0 {
		return err
	}
	return e.applyRule(ctx, rules[0])
}

const selectOverlapRule = `SELECT field, min_difference, most_labels FROM overlap_rules WHERE batch_id = $1`

// applyRule adds labels to the items that a rule selects now.
func (e *batchEditor) applyRule(ctx context.Context, r project.OverlapRule) error {
	mark, err := e.markFreed(ctx)
	if err != nil {
		return err
	}
	_, err = e.tx.Exec(ctx, `
		WITH added AS (
			SELECT coalesce(sum(add_slot_by_rule(ROW($1::bigint, $2::text, $3::integer, $4::smallint, NULL::bigint,
			now())::overlap_rules, l.item_id)), 0) AS slot_count
			FROM (SELECT item_id FROM assignments WHERE batch_id = $1 AND kind = 'work' AND state = 'submitted'
			GROUP BY item_id HAVING count(*) > 1) l
		)
		UPDATE batches SET slot_count = batches.slot_count + added.slot_count FROM added
		WHERE id = $1`, e.batch.ID, r.Field, r.MinDifference, r.MostLabels)
	if err != nil {
		return err
	}
	added, err := e.freedSince(ctx, mark)
	if err != nil {
		return err
	}
	e.changed.LabelsAdded += len(added)
	return e.distribute(ctx, added, e.working())
}

// OverlapRule returns the rule that a batch keeps, or nil.
func (db *DB) OverlapRule(ctx context.Context, batchID project.BatchID) (*project.OverlapRule, error) {
	rules, err := collectAll[project.OverlapRule](db.pool.Query(ctx, selectOverlapRule, batchID))
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	return &rules[0], nil
}

// A BatchMember is an annotator of a batch, as a lead sees them.
type BatchMember struct {
	Pseudonym, Name string
	LabelCount      int
	WaitingCount    int
	HasOpenItem     bool
	Paused, Removed bool
}

// BatchMembers returns the annotators of a batch by name, removed ones last.
func (db *DB) BatchMembers(ctx context.Context, batchID project.BatchID) ([]BatchMember, error) {
	return collectAll[BatchMember](db.pool.Query(ctx, `
		SELECT m.pseudonym, u.name, ba.label_count, ba.waiting_count, ba.open_assignment_id IS NOT NULL AS
		has_open_item, ba.paused_at IS NOT NULL AS paused,
		       ba.removed_at IS NOT NULL OR m.removed_at IS NOT NULL AS removed
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.member_names u ON u.project_id = m.project_id AND u.account_id = m.account_id
		WHERE ba.batch_id = $1
		ORDER BY removed, lower(u.name), ba.account_id`, batchID))
}
