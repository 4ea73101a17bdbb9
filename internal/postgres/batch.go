package postgres

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// OpenBatch opens a batch of items that are in no batch yet. It returns
// project.FormProblems that list what to change.
func (db *DB) OpenBatch(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec) (project.Batch, error) {
	if spec.Seed == 0 {
		spec.Seed = rand.Int64N(1<<53-1) + 1 // exact in JSON and spreadsheets
	}
	var name string
	err := db.inTx(ctx, func(tx pgx.Tx) (err error) {
		name, err = openBatch(ctx, tx, actorID, p, spec)
		return err
	})
	if err != nil {
		return project.Batch{}, err
	}
	return db.Batch(ctx, p.ID, name)
}

func openBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, spec project.BatchSpec) (name string, err error) {
	if err := lockProject(ctx, tx, p.ID); err != nil {
		return "", err
	}
	plan, err := planBatch(ctx, tx, actorID, p, spec)
	if err != nil {
		return "", err
	}
	return plan.Name, insertBatch(ctx, tx, actorID, p, plan)
}

func insertBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, plan batchPlan) error {
	var id project.BatchID
	items, calibration := plan.sampleItems(), plan.calibrationSet()
	slots := plan.slots(items)
	err := tx.QueryRow(ctx, `
		INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, assignment, seed, break_every, break_minutes, calibration_count, duplicate_count, opened_by, item_count, slot_count)
		VALUES ($1, $2, $3, $4, $5, $12, $6, $7, $8, $9, $10, nullif($11, 0), $13, $14)
		RETURNING id`, p.ID, p.ProtocolVersionID, p.Protocol.Revision, plan.Name, plan.Overlap, plan.Seed, plan.BreakEvery, plan.BreakMinutes, plan.CalibrationCount, plan.DuplicateCount, actorID, plan.Assignment, len(items), len(slots)).Scan(&id)
	if err != nil {
		return err
	}
	if err := insertBatchItems(ctx, tx, id, items, calibration); err != nil {
		return err
	}
	for _, accountID := range plan.annotatorIDs {
		if err := addMember(ctx, tx, actorID, p.ID, accountID, account.Annotator); err != nil {
			return err
		}
		if err := addAnnotator(ctx, tx, id, accountID, plan); err != nil {
			return err
		}
	}
	if err := insertSlots(ctx, tx, id, slots); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "batch.open", batchSubject(p.Key, plan.Name), map[string]any{
		"items": len(items), "overlap": plan.Overlap, "assignment": plan.Assignment, "annotators": len(plan.annotatorIDs), "seed": plan.Seed,
		"calibration": plan.CalibrationCount, "duplicates": plan.DuplicateCount})
}

func insertBatchItems(ctx context.Context, tx pgx.Tx, batchID project.BatchID, items, calibration []int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO batch_items (batch_id, item_id, is_calibration)
		SELECT $1::bigint, unnest($2::bigint[]), false
		UNION ALL
		SELECT $1::bigint, unnest($3::bigint[]), true`, batchID, items, calibration)
	return err
}

// A plannedSlot is a slot of a new batch.
type plannedSlot struct {
	ItemID  int64
	SlotNo  int16
	OwnerID *account.ID // nil: free
	QueueNo int64
}

// insertSlots stores the slots of a new batch and counts what waits for each annotator.
func insertSlots(ctx context.Context, tx pgx.Tx, batchID project.BatchID, slots []plannedSlot) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"slots"}, []string{"batch_id", "item_id", "slot_no", "account_id", "queue_no"},
		pgx.CopyFromSlice(len(slots), func(i int) ([]any, error) {
			s := slots[i]
			return []any{batchID, s.ItemID, s.SlotNo, s.OwnerID, s.QueueNo}, nil
		}))
	if err != nil {
		return err
	}
	waiting := map[account.ID]int{}
	for _, s := range slots {
		if s.OwnerID != nil {
			waiting[*s.OwnerID]++
		}
	}
	for accountID, n := range waiting {
		_, err := tx.Exec(ctx, `UPDATE batch_annotators SET waiting_count = $3, expected_items = $3 WHERE batch_id = $1 AND account_id = $2`, batchID, accountID, n)
		if err != nil {
			return err
		}
	}
	return nil
}

// addAnnotator adds an annotator with the hidden duplicates and the first calibration
// attempt.
func addAnnotator(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, plan batchPlan) error {
	arrangement, err := plan.sequence.Arrange(plan.Seed, accountID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO batch_annotators (batch_id, account_id, expected_items) VALUES ($1, $2, $3)`,
		batchID, accountID, plan.sequence.Work)
	if err != nil {
		return err
	}
	for _, d := range arrangement.Placed {
		_, err := tx.Exec(ctx, `INSERT INTO hidden_duplicates (batch_id, account_id, position, original_no) VALUES ($1, $2, $3, $4)`, batchID, accountID, d.Position, d.OriginalNo)
		if err != nil {
			return err
		}
	}
	if plan.sequence.Calibration == 0 {
		return nil
	}
	return startCalibrationAttempt(ctx, tx, batchID, accountID, 0)
}

const selectBatch = `
	SELECT b.id, b.project_id, b.protocol_revision, b.name, b.overlap, b.assignment, b.seed, b.break_every, b.break_minutes,
	       (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = b.protocol_version_id) AS latest_revision,
	       b.calibration_count, b.duplicate_count, b.opened_at, b.closed_at,
	       b.item_count AS items, b.slot_count AS slots, b.deadline, b.archived_at, a.annotators, a.submitted, a.in_progress
	FROM batches b
	CROSS JOIN LATERAL (
		SELECT count(*) AS annotators, coalesce(sum(label_count), 0) AS submitted, count(open_assignment_id) AS in_progress
		FROM batch_annotators
		WHERE batch_id = b.id) a `

// Batches returns the batches of a project, newest first.
func (db *DB) Batches(ctx context.Context, projectID project.ID) ([]project.Batch, error) {
	return collectAll[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $1 ORDER BY b.id DESC`, projectID))
}

// Batch returns the batch of a project with that name.
func (db *DB) Batch(ctx context.Context, projectID project.ID, name string) (project.Batch, error) {
	b, err := collectOne[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $1 AND b.name = $2`, projectID, name))
	if errors.Is(err, fault.NotFound) {
		return b, fault.NotFound.Errorf("This project has no batch “%s”.", name)
	}
	return b, err
}

// requireBatch returns fault.NotFound if a project has no batch with that name. The
// empty name means all batches.
func (db *DB) requireBatch(ctx context.Context, projectID project.ID, name string) error {
	if name == "" {
		return nil
	}
	_, err := db.Batch(ctx, projectID, name)
	return err
}

// CloseBatch closes a batch: no more of its items are assigned. Annotators can still
// submit open items.
func (db *DB) CloseBatch(ctx context.Context, actorID account.ID, p project.Project, name string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE batches SET closed_at = now() WHERE project_id = $1 AND name = $2 AND closed_at IS NULL`, p.ID, name)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("The batch “%s” is already closed.", name)
		}
		return recordAudit(ctx, tx, actorID, "batch.close", batchSubject(p.Key, name), nil)
	})
}

// MoveToFront moves items, by source id, to the front of a queue that the annotator has
// not started, so that labels can be imported in their original order.
func (db *DB) MoveToFront(ctx context.Context, batchID project.BatchID, accountID account.ID, sourceIDs []string) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE slots s SET queue_no = q.queue_no
		FROM (SELECT w.item_id, row_number() OVER (ORDER BY array_position($3, i.source_id), w.queue_no) AS queue_no
		      FROM slots w
		      JOIN items i ON i.id = w.item_id
		      WHERE w.batch_id = $1 AND w.account_id = $2) q
		WHERE s.batch_id = $1 AND s.account_id = $2 AND s.item_id = q.item_id AND EXISTS (
		    SELECT FROM batch_annotators ba WHERE ba.batch_id = $1 AND ba.account_id = $2 AND ba.queue_cursor = 0)`, batchID, accountID, sourceIDs)
	return err
}
