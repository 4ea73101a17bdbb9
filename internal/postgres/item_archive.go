package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

// SelectItems returns all items that a filter selects, in the order of the list. It returns
// an error if there are none, or more than an action can change.
func (db *DB) SelectItems(ctx context.Context, actorID account.ID, p project.Project,
	f project.ItemFilter) (ids []project.ItemID, err error) {
	err = db.inSelectTx(ctx, actorID, p, func(tx pgx.Tx) error {
		ids, err = selectItems(ctx, tx, actorID, p, f)
		return err
	})
	return ids, err
}

// inSelectTx runs fn in a transaction that selects items for an action of a lead. All labels
// that were submitted before are measured.
func (db *DB) inSelectTx(ctx context.Context, actorID account.ID, p project.Project, fn func(pgx.Tx) error) error {
	if err := db.measureAll(ctx); err != nil {
		return err
	}
	return db.inListTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		return fn(tx)
	})
}

// selectItems returns the items as SelectItems does.
func selectItems(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project,
	f project.ItemFilter) ([]project.ItemID, error) {
	ids, err := matchItems(ctx, tx, actorID, p, f, "LIMIT "+strconv.Itoa(project.MaxSelectedItems+1))
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0 && f.IDs != nil:
		return nil, fault.Invalid.Errorf("Select at least one item.")
	case len(ids) == 0:
		return nil, fault.Invalid.Errorf("No items match.")
	case len(ids) > project.MaxSelectedItems:
		return nil, fault.Invalid.Errorf(
			"More than 100,000 items match. Narrow the search, and repeat the action for the rest.")
	}
	return ids, nil
}

// matchItems returns the items that a filter selects, in the order of the list. limit is a
// LIMIT clause, or empty.
func matchItems(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, f project.ItemFilter,
	limit string) ([]project.ItemID, error) {
	q, err := newItemQuery(ctx, tx, actorID, p, f)
	if err != nil {
		return nil, err
	}
	if _, err := q.searchInWordsIfNoneStarts(ctx, tx, p.ID); err != nil {
		return nil, err
	}
	order, ok := itemOrders[q.filter.Sort]
	if !ok {
		return nil, errInvalidFilter
	}
	return collectColumn[project.ItemID](tx.Query(ctx, `SELECT
		s.item_id`+q.from()+` ORDER BY `+order.order+` `+limit, q.args...))
}

// ArchiveItems keeps items out of all batches from now on. It changes all of them or none:
// items in an open batch, and calibration items, cannot be archived. It returns the number
// of items that were not archived before.
func (db *DB) ArchiveItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	reason string) (changed int, err error) {
	if reason, err = project.CheckReason(reason); err != nil {
		return 0, err
	}
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		if err := checkArchivable(ctx, tx, p, ids); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			WITH unavailable AS (DELETE FROM available_items WHERE project_id = $1 AND item_id = ANY ($2))
			UPDATE item_states SET archived_at = now()
			WHERE project_id = $1 AND item_id = ANY ($2) AND archived_at IS NULL`, p.ID, ids)
		changed = int(tag.RowsAffected())
		if err != nil || changed == 0 {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.archive_items", projectSubject(p.Key), selectionDetails(f, ids,
			changed, reason))
	})
	return changed, err
}

func checkArchivable(ctx context.Context, tx pgx.Tx, p project.Project, ids []project.ItemID) error {
	var inOpenBatch, calibration int
	err := tx.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE s.is_calibration), count(*) FILTER (WHERE EXISTS (
		    SELECT FROM batch_items bi JOIN batches b ON b.id = bi.batch_id WHERE bi.item_id = s.item_id
		    AND b.closed_at IS NULL))
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
	return nil
}

// maxRecordedIDs is the number of ids up to which an entry of the audit log lists them.
const maxRecordedIDs = 1000

// selectionDetails are the details of an action on items in the audit log.
func selectionDetails(f project.ItemFilter, ids []project.ItemID, changed int, reason string) map[string]any {
	details := map[string]any{"items": changed}
	if reason != "" {
		details["reason"] = reason
	}
	if f.IDs == nil {
		details["filter"] = f.Describe(locale.English)
	}
	if len(ids) <= maxRecordedIDs {
		details["ids"] = ids
	}
	return details
}

// RestoreItems makes archived items available to batches again.
func (db *DB) RestoreItems(ctx context.Context, actorID account.ID, p project.Project,
	f project.ItemFilter) (changed int, err error) {
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		tag, err := tx.Exec(ctx, `
			WITH restored AS (
				UPDATE item_states SET archived_at = NULL
				WHERE project_id = $1 AND item_id = ANY ($2) AND archived_at IS NOT NULL
				RETURNING project_id, item_id, batch_id, label_count, labels_wanted
			), available AS (
				INSERT INTO available_items (project_id, item_id, label_count)
				SELECT project_id, item_id, label_count FROM restored WHERE batch_id IS NULL
				OR label_count < labels_wanted
				ON CONFLICT DO NOTHING
			)
			SELECT FROM restored`, p.ID, ids)
		changed = int(tag.RowsAffected())
		if err != nil || changed == 0 {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.restore_items", projectSubject(p.Key), selectionDetails(f, ids,
			changed, ""))
	})
	return changed, err
}

// changeItems runs fn with the items that f selects, while no other lead opens a batch or
// changes items of the project.
func (db *DB) changeItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	fn func(pgx.Tx, []project.ItemID) error) error {
	if err := db.measureAll(ctx); err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		if err := prepareList(ctx, tx); err != nil {
			return err
		}
		ids, err := selectItems(ctx, tx, actorID, p, f)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `SELECT FROM item_states WHERE project_id = $1 AND item_id = ANY ($2)
			ORDER BY item_id FOR NO KEY UPDATE`, p.ID, ids)
		if err != nil {
			return err
		}
		return fn(tx, ids)
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
