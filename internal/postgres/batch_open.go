package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// OpenBatch opens a batch as PreviewBatch shows it. It returns project.FormProblems that list
// what to change, or ErrPlanChanged if spec has the digest of another plan.
func (db *DB) OpenBatch(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec) (
	project.Batch, error) {
	return db.OpenBatchWithProgress(ctx, actorID, p, spec, func(int, int) {})
}

// OpenBatchWithProgress is OpenBatch that reports how many rows of the batch are written.
func (db *DB) OpenBatchWithProgress(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec,
	report func(done, total int)) (project.Batch, error) {
	var name string
	if err := db.measureForRound(ctx, spec); err != nil {
		return project.Batch{}, err
	}
	err := db.inTx(ctx, func(tx pgx.Tx) (err error) {
		name, err = openBatch(ctx, tx, actorID, p, spec, report)
		return err
	})
	if err != nil {
		return project.Batch{}, err
	}
	return db.Batch(ctx, 0, p.ID, name)
}

func openBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, spec project.BatchSpec,
	report func(done, total int)) (name string, err error) {
	if err := lockProject(ctx, tx, p.ID); err != nil {
		return "", err
	}
	if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
		return "", err
	}
	plan, err := planBatch(ctx, tx, actorID, p, spec, true)
	if err != nil {
		return "", err
	}
	if err := plan.CheckCalibration(p.Protocol.Plan); err != nil {
		return "", err
	}
	if spec.PlanDigest != "" && spec.PlanDigest != plan.digest {
		return "", ErrPlanChanged
	}
	plan.items = plan.OrderQueues(plan.items, plan.planAnnotators())
	return plan.Name, insertBatch(ctx, tx, actorID, p, plan, report)
}

func insertBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, plan batchPlan,
	report func(done, total int)) error {
	var id project.BatchID
	items, labels := plan.itemIDs(), len(plan.items.Assignment.Owners.Values)
	err := tx.QueryRow(ctx, `
		INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, assignment, seed,
		break_every, break_minutes,
		                     calibration_count, duplicate_count, opened_by, item_count, slot_count,
		                     drawn_by_disagreement, gold_count, gold_minimum, reference_at_end, round_of)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12, 0), $13, $14, $15, $16, $17, $18,
			nullif($19, ''))
		RETURNING id`, p.ID, p.ProtocolVersionID, p.Protocol.Revision, plan.Name, plan.Overlap, plan.Assignment,
		plan.Seed, plan.BreakEvery, plan.BreakMinutes,
		plan.CalibrationCount, plan.DuplicateCount, actorID, len(items), labels, plan.Draw != nil &&
			plan.Draw.By == project.DrawByDisagreement, plan.GoldCount, plan.GoldMinimum,
		plan.ReferenceAtEnd, plan.Round).Scan(&id)
	if err != nil {
		return err
	}
	w := rowWriter{tx: tx, total: len(items) + labels, report: report}
	if err := w.insertItems(ctx, id, items, plan.calibrationSet()); err != nil {
		return err
	}
	if err := insertAnnotators(ctx, tx, actorID, p, id, plan); err != nil {
		return err
	}
	if err := w.insertSlots(ctx, id, items, plan); err != nil {
		return err
	}
	if err := withholdSeen(ctx, tx, id); err != nil {
		return err
	}
	if err := w.recordDraw(ctx, actorID, p, plan); err != nil {
		return err
	}
	detail := map[string]any{
		"items": len(items), "labels": labels, "overlap": plan.Overlap, "assignment": plan.Assignment,
		"annotators": len(plan.annotatorIDs), "seed": plan.Seed,
		"calibration": plan.CalibrationCount, "duplicates": plan.DuplicateCount}
	if plan.Round != "" {
		detail["round_of"] = plan.Round
	}
	if plan.GoldCount > 0 {
		detail["gold"], detail["gold_minimum"] = plan.GoldCount, plan.GoldMinimum
	}
	if required := p.Protocol.Plan.CalibrationItems; plan.CalibrationCount < required {
		detail["calibration_required"], detail["fewer_calibration"] = required, plan.FewerCalibration
	}
	return recordBatchAction(ctx, tx, actorID, p, id, plan.Name, "batch.open", detail)
}

// insertAnnotators adds the annotators with their hidden items and first calibration
// attempts.
func insertAnnotators(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, batchID project.BatchID,
	plan batchPlan) error {
	for i, accountID := range plan.annotatorIDs {
		if err := addMember(ctx, tx, actorID, p.ID, accountID, account.Annotator); err != nil {
			return err
		}
		load, waiting := plan.items.Assignment.Loads[i], 0
		if plan.Assignment == project.Planned {
			waiting = load
		}
		_, err := tx.Exec(ctx, `INSERT INTO batch_annotators (batch_id, account_id, share, expected_items,
			waiting_count) VALUES ($1, $2, $3, $4, $5)`,
			batchID, accountID, plan.Share(plan.Annotators[i]), load, waiting)
		if err != nil {
			return err
		}
		if err := plan.scheduleExtraItems(ctx, tx, batchID, accountID, load); err != nil {
			return err
		}
		if err := queueMail(ctx, tx, account.MailNewWork, accountID, p.ID, ""); err != nil {
			return err
		}
	}
	return nil
}

// scheduleExtraItems stores the hidden items of an annotator and starts the calibration.
func (b *batchPlan) scheduleExtraItems(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID,
	load int) error {
	arrangement, err := b.Sequence(load).Arrange(b.Seed, accountID)
	if err != nil {
		return project.FormProblems{{Field: "duplicates", Err: err}}
	}
	if err := insertHiddenItems(ctx, tx, batchID, accountID, arrangement); err != nil {
		return err
	}
	if b.CalibrationCount == 0 {
		return nil
	}
	return startCalibrationAttempt(ctx, tx, batchID, accountID, 0)
}

// insertHiddenItems stores the hidden items of an annotator who was not shown anything yet.
func insertHiddenItems(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID,
	arrangement sequence.Arrangement) error {
	var positions []int
	var originals []*int // nil: gold
	for _, d := range arrangement.Placed {
		positions, originals = append(positions, d.Position), append(originals, &d.OriginalNo)
	}
	for _, position := range arrangement.GoldAt {
		positions, originals = append(positions, position), append(originals, nil)
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO hidden_items (batch_id, account_id, position, original_no)
		SELECT $1, $2, h.position, h.original_no
		FROM unnest($3::integer[], $4::integer[]) AS h (position, original_no)`,
		batchID, accountID, positions, originals)
	return err
}

// A rowWriter writes the many rows of a batch in pieces, and reports its progress.
type rowWriter struct {
	tx          pgx.Tx
	done, total int
	report      func(done, total int)
}

// rowsPerCopy is how many rows one COPY writes. It takes a few seconds at most, well below
// the limit of a statement.
const rowsPerCopy = 100_000

func (w *rowWriter) insertItems(ctx context.Context, batchID project.BatchID, items, calibration []int64) error {
	all := len(items) + len(calibration)
	w.total += len(calibration)
	return w.copyRows(ctx, "batch_items", []string{"batch_id", "item_id", "is_calibration"}, all,
		func(i int, row []any) {
			if i < len(items) {
				row[0], row[1], row[2] = int64(batchID), items[i], false
			} else {
				row[0], row[1], row[2] = int64(batchID), calibration[i-len(items)], true
			}
		})
}

// insertSlots writes the slots. Those of a pool, and labels that no annotator can give, are
// free.
func (w *rowWriter) insertSlots(ctx context.Context, batchID project.BatchID, items []int64, plan batchPlan) error {
	assignment, item := plan.items.Assignment, 0
	return w.copyRows(ctx, "slots", []string{"batch_id", "item_id", "slot_no", "account_id", "queue_no"},
		len(assignment.Owners.Values), func(label int, row []any) {
			for int(assignment.Owners.Start[item+1]) <= label {
				item++
			}
			owner := assignment.Owners.Values[label]
			row[0], row[1], row[2] = int64(batchID), items[item], int16(label-int(assignment.Owners.Start[item])+1)
			row[3], row[4] = nil, int64(max(assignment.QueueNos[label], 1))
			if owner != project.Unassigned && plan.Assignment == project.Planned {
				row[3] = int64(plan.annotatorIDs[owner])
			}
		})
}

// copyRows writes count rows, in order. fill sets the columns of one row.
func (w *rowWriter) copyRows(ctx context.Context, table string, columns []string, count int,
	fill func(i int, row []any)) error {
	row := make([]any, len(columns))
	for from := 0; from < count; from += rowsPerCopy {
		size, next := min(rowsPerCopy, count-from), 0
		_, err := w.tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
			if next == size {
				return nil, nil
			}
			fill(from+next, row)
			next++
			return row, nil
		}))
		if err != nil {
			return err
		}
		w.done += size
		w.report(w.done, w.total)
	}
	return nil
}
