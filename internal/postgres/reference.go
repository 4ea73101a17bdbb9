package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Reference is a calibration item with its reference answers.
type Reference struct {
	project.Item
	labeling.Reference
	CreatedAt time.Time
}

type referenceRow struct {
	ID        project.ItemID
	SourceID  string
	Content   project.Content
	Facts     protocol.Facts
	Answers   protocol.Answers
	Reasons   map[string]string
	CreatedAt time.Time
}

func (r referenceRow) toReference() Reference {
	return Reference{project.Item{ID: r.ID, SourceID: r.SourceID, Content: r.Content, Facts: r.Facts},
		labeling.Reference{Answers: r.Answers, Reasons: r.Reasons}, r.CreatedAt}
}

const selectReference = `
	SELECT i.id, i.source_id, i.content, i.facts, r.answers, r.reasons, r.created_at
	FROM items i
	JOIN reference_answers r ON r.item_id = i.id
	WHERE i.project_id = $1 AND i.is_calibration `

// Reference returns a calibration item of a project, or fault.NotFound.
func (db *DB) Reference(ctx context.Context, projectID project.ID, itemID project.ItemID) (Reference, error) {
	row, err := collectOne[referenceRow](db.pool.Query(ctx, selectReference+`AND i.id = $2`, projectID, itemID))
	return row.toReference(), err
}

// An ItemRef identifies an item by its source id.
type ItemRef struct {
	ID       project.ItemID
	SourceID string
}

// A CalibrationRef is a calibration item in a list.
type CalibrationRef struct {
	ItemRef
	Title string // the first line
}

// CalibrationSet returns the calibration items of a batch.
func (db *DB) CalibrationSet(ctx context.Context, batchID project.BatchID) ([]CalibrationRef, error) {
	return collectAll[CalibrationRef](db.pool.Query(ctx, `
		SELECT i.id, i.source_id, coalesce(nullif(i.title, ''), i.source_id) AS title
		FROM batch_items b
		JOIN items i ON i.id = b.item_id
		WHERE b.batch_id = $1 AND b.is_calibration
		ORDER BY i.id`, batchID))
}

// References returns the calibration items of a project in the order of import.
func (db *DB) References(ctx context.Context, projectID project.ID) ([]Reference, error) {
	rows, err := collectAll[referenceRow](db.pool.Query(ctx, selectReference+`ORDER BY i.id`, projectID))
	references := make([]Reference, len(rows))
	for i, row := range rows {
		references[i] = row.toReference()
	}
	return references, err
}

// lockProject makes the leads of a project wait for each other, so that an item cannot be in
// two batches, or in a batch and the calibration set.
func lockProject(ctx context.Context, tx pgx.Tx, projectID project.ID) error {
	_, err := tx.Exec(ctx, `SELECT FROM projects WHERE id = $1 FOR UPDATE`, projectID)
	return err
}

// SetReference makes an item a calibration item with these reference answers. It rejects an
// item that a batch includes as work, unless the item is adjudicated: then a copy becomes the
// calibration item, so that the labels of the item stay what they are.
func (db *DB) SetReference(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	r labeling.Reference) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		return setReference(ctx, tx, actorID, p, itemID, r)
	})
}

func setReference(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, itemID project.ItemID,
	r labeling.Reference) error {
	item, err := collectOne[referenceableItem](tx.Query(ctx, selectReferenceable, p.ID, []project.ItemID{itemID}))
	if err != nil {
		return err
	}
	if err := item.check(); err != nil {
		return err
	}
	r, problems := r.Check(p.Protocol, item.Facts)
	if problems != nil {
		return problems
	}
	if _, err := tx.Exec(ctx, `DELETE FROM reference_drafts WHERE item_id = $1
		AND account_id = $2`, itemID, actorID); err != nil {
		return err
	}
	if item.InWorkBatch {
		if itemID, item.SourceID, err = copyForCalibration(ctx, tx, itemID, item.SourceID); err != nil {
			return err
		}
	}
	return storeReference(ctx, tx, actorID, p, itemID, item.SourceID, r)
}

const selectReferenceable = `
	SELECT i.source_id, i.facts, s.decided_at IS NOT NULL AS adjudicated, s.archived_at IS NOT NULL AS archived,
	       EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id AND NOT b.is_calibration) AS in_work_batch
	FROM items i
	JOIN item_states s ON s.item_id = i.id
	WHERE i.project_id = $1 AND i.id = ANY ($2)
	ORDER BY i.id`

// CheckReferenceable returns why one of the items cannot become a calibration item, before a lead enters its
// reference answers.
func (db *DB) CheckReferenceable(ctx context.Context, p project.Project, ids []project.ItemID) error {
	items, err := collectAll[referenceableItem](db.pool.Query(ctx, selectReferenceable, p.ID, ids))
	for _, item := range items {
		if err == nil {
			err = item.check()
		}
	}
	return err
}

// A referenceableItem is an item that may become a calibration item.
type referenceableItem struct {
	SourceID    string
	Facts       protocol.Facts
	Adjudicated bool
	Archived    bool
	InWorkBatch bool
}

func (i referenceableItem) check() error {
	switch {
	case i.InWorkBatch && !i.Adjudicated:
		return fault.Conflict.Errorf("The item “%s” is in a batch as work, so it cannot be a calibration item. Choose an item that is in no batch, or adjudicate it first.", i.SourceID)
	case i.Archived:
		return fault.Conflict.Errorf("The item “%s” is archived. Restore it first.", i.SourceID)
	}
	return nil
}

// copyForCalibration copies an item that annotators labeled as work.
func copyForCalibration(ctx context.Context, tx pgx.Tx, itemID project.ItemID, original string) (id project.ItemID,
	sourceID string, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO items (project_id, import_id, source_id, content, facts, word_count, meta, title, preview, search)
		SELECT project_id, import_id, left(source_id, 380) || ' (calibration)', content, facts, word_count, meta, title,
		preview, search
		FROM items
		WHERE id = $1
		RETURNING id, source_id`, itemID).Scan(&id, &sourceID)
	if violates(err, "items_source_id_unique") {
		return 0, "", fault.Conflict.Errorf(
			"The item “%s” has a copy in the calibration set already. Edit the reference answers of the copy.",
			original)
	}
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE imports SET item_count = item_count + 1 WHERE id = (SELECT import_id FROM items
			WHERE id = $1)`, id)
	}
	return id, sourceID, err
}

func storeReference(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, itemID project.ItemID,
	sourceID string, r labeling.Reference) error {
	_, err := tx.Exec(ctx, `
		WITH marked AS (UPDATE items SET is_calibration = true WHERE id = $1)
		INSERT INTO reference_answers (item_id, answers, reasons, created_by) VALUES ($1, $2, $3, nullif($4, 0))
		ON CONFLICT (item_id) DO UPDATE
		SET answers = excluded.answers, reasons = excluded.reasons, created_by = excluded.created_by,
		created_at = now()`,
		itemID, r.Answers, r.Reasons, actorID)
	if err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.set_reference", projectSubject(p.Key),
		map[string]any{"item": sourceID, "answers": r.Answers.Values})
}

// RemoveReference makes a calibration item an ordinary item again, unless a batch includes it.
func (db *DB) RemoveReference(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		sourceID, err := collectValue[string](tx.Query(ctx, `
			UPDATE items SET is_calibration = false
			WHERE id = $1 AND project_id = $2 AND is_calibration AND NOT EXISTS (SELECT FROM batch_items b
			WHERE b.item_id = items.id)
			RETURNING source_id`, itemID, p.ID))
		if fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Errorf("This item is in the calibration set of a batch and cannot be removed.")
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM reference_answers WHERE item_id = $1`, itemID); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.remove_reference", projectSubject(p.Key),
			map[string]any{"item": sourceID})
	})
}

// ImportReferences stores calibration items with their reference answers, all or none. An
// existing item with the same source id and content becomes a calibration item.
func (db *DB) ImportReferences(ctx context.Context, actorID account.ID, p project.Project, file File,
	items []importer.ReferenceRow) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		existing, err := loadExistingItems(ctx, tx, p.ID, items)
		if err != nil {
			return err
		}
		if err := importNewItems(ctx, tx, actorID, p, file, items, existing); err != nil {
			return err
		}
		if existing, err = loadExistingItems(ctx, tx, p.ID, items); err != nil {
			return err
		}
		for _, item := range items {
			stored := existing[item.SourceID]
			if err := stored.checkReferenceable(file.Name, item.SourceID); err != nil {
				return err
			}
			if err := storeReference(ctx, tx, actorID, p, stored.ID, item.SourceID, item.Reference); err != nil {
				return err
			}
		}
		return nil
	})
}

// An existingItem is an item of a file that the project has already.
type existingItem struct {
	ID          project.ItemID
	SourceID    string
	SameContent bool
	InWorkBatch bool
}

// checkReferenceable reports why i cannot become a calibration item.
func (i existingItem) checkReferenceable(file, id string) error {
	switch {
	case !i.SameContent:
		return fault.Conflict.Errorf("%s: the project has an item with the source id “%s” and different content. Nothing was imported.", file, id)
	case i.InWorkBatch:
		return fault.Conflict.Errorf("%s: the item “%s” is in a batch as work, so it cannot be a calibration item. Nothing was imported.", file, id)
	}
	return nil
}

func loadExistingItems(ctx context.Context, tx pgx.Tx, projectID project.ID, items []importer.ReferenceRow) (
	map[string]existingItem, error) {
	ids, contents := make([]string, len(items)), make([]project.Content, len(items))
	for i, item := range items {
		ids[i], contents[i] = item.SourceID, item.Content
	}
	rows, err := collectAll[existingItem](tx.Query(ctx, `
		SELECT i.id, i.source_id, i.content = f.content AS same_content,
		       EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id AND NOT b.is_calibration) AS in_work_batch
		FROM unnest($2::text[], $3::jsonb[]) AS f (source_id, content)
		JOIN items i ON i.project_id = $1 AND i.source_id = f.source_id`, projectID, ids, contents))
	existing := map[string]existingItem{}
	for _, row := range rows {
		existing[row.SourceID] = row
	}
	return existing, err
}

// importNewItems stores the items of a file that the project does not have yet.
func importNewItems(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, file File,
	items []importer.ReferenceRow, existing map[string]existingItem) error {
	var newItems []project.Item
	for _, item := range items {
		if _, ok := existing[item.SourceID]; !ok {
			newItems = append(newItems, item.Item)
		}
	}
	if len(newItems) == 0 {
		return nil
	}
	return importItems(ctx, tx, actorID, p, file, newItems)
}
