package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// ArchiveItems keeps items out of all batches from now on. It changes all of them or none:
// items in an open batch, and calibration items, cannot be archived. It returns the number
// of items that were not archived before.
func (db *DB) ArchiveItems(ctx context.Context, actorID account.ID, p project.Project, ids []project.ItemID) (changed int, err error) {
	err = db.changeItems(ctx, actorID, p, ids, func(tx pgx.Tx) error {
		var inOpenBatch, calibration int
		err := tx.QueryRow(ctx, `
			SELECT count(*) FILTER (WHERE s.is_calibration), count(*) FILTER (WHERE EXISTS (
			    SELECT FROM batch_items bi JOIN batches b ON b.id = bi.batch_id WHERE bi.item_id = s.item_id AND b.closed_at IS NULL))
			FROM item_states s
			WHERE s.project_id = $1 AND s.item_id = ANY ($2)`, p.ID, ids).Scan(&calibration, &inOpenBatch)
		switch {
		case err != nil:
			return err
		case calibration > 0:
			return fault.Conflict.Errorf("%d of the %d items are calibration items. Remove them from calibration, or from the selection.", calibration, len(ids))
		case inOpenBatch > 0:
			return fault.Conflict.Errorf("%d of the %d items are in an open batch. Close the batch, or remove them from the selection.", inOpenBatch, len(ids))
		}
		tag, err := tx.Exec(ctx, `
			WITH unavailable AS (DELETE FROM available_items WHERE project_id = $1 AND item_id = ANY ($2))
			UPDATE item_states SET archived_at = now()
			WHERE project_id = $1 AND item_id = ANY ($2) AND archived_at IS NULL`, p.ID, ids)
		changed = int(tag.RowsAffected())
		if err != nil || changed == 0 {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.archive_items", projectSubject(p.Key), map[string]any{"items": changed, "ids": ids})
	})
	return changed, err
}

// RestoreItems makes archived items available to batches again.
func (db *DB) RestoreItems(ctx context.Context, actorID account.ID, p project.Project, ids []project.ItemID) (changed int, err error) {
	for hasMore := true; hasMore; { // the number of labels decides whether a batch may have the item
		if hasMore, err = db.MeasureItems(ctx); err != nil {
			return 0, err
		}
	}
	err = db.changeItems(ctx, actorID, p, ids, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			WITH restored AS (
				UPDATE item_states SET archived_at = NULL
				WHERE project_id = $1 AND item_id = ANY ($2) AND archived_at IS NOT NULL
				RETURNING project_id, item_id, batch_id, label_count, labels_wanted
			), available AS (
				INSERT INTO available_items (project_id, item_id, label_count)
				SELECT project_id, item_id, label_count FROM restored WHERE batch_id IS NULL OR label_count < labels_wanted
				ON CONFLICT DO NOTHING
			)
			SELECT FROM restored`, p.ID, ids)
		changed = int(tag.RowsAffected())
		if err != nil || changed == 0 {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.restore_items", projectSubject(p.Key), map[string]any{"items": changed, "ids": ids})
	})
	return changed, err
}

// changeItems runs fn while no other lead opens a batch or changes items of the project.
func (db *DB) changeItems(ctx context.Context, actorID account.ID, p project.Project, ids []project.ItemID, fn func(pgx.Tx) error) error {
	if len(ids) == 0 {
		return fault.Invalid.Errorf("Select at least one item.")
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT FROM item_states WHERE project_id = $1 AND item_id = ANY ($2) ORDER BY item_id FOR NO KEY UPDATE`, p.ID, ids)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// ItemIDs returns the ids of items by the ids in their files.
func (db *DB) ItemIDs(ctx context.Context, p project.Project, sourceIDs []string) ([]project.ItemID, error) {
	rows, err := collectAll[ItemRef](db.pool.Query(ctx, `
		SELECT id, source_id FROM items WHERE project_id = $1 AND source_id = ANY ($2) ORDER BY id`, p.ID, sourceIDs))
	if err != nil {
		return nil, err
	}
	found, ids := map[string]bool{}, make([]project.ItemID, len(rows))
	for i, row := range rows {
		found[row.SourceID], ids[i] = true, row.ID
	}
	for _, id := range sourceIDs {
		if !found[id] {
			return nil, fault.NotFound.Errorf("The project %s has no item “%s”.", p.Key, id)
		}
	}
	return ids, nil
}
