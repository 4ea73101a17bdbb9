package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// A Reference is a calibration item with its reference answers.
type Reference struct {
	project.Item
	labeling.Reference
	At time.Time
}

type referenceRow struct {
	ID       int64
	SourceID string
	Content  project.Content
	Facts    protocol.Facts
	Answers  protocol.Answers
	Why      map[string]string
	At       time.Time
}

func (r referenceRow) reference() Reference {
	return Reference{project.Item{ID: r.ID, SourceID: r.SourceID, Content: r.Content, Facts: r.Facts},
		labeling.Reference{Answers: r.Answers, Why: r.Why}, r.At}
}

const selectReference = `
	SELECT i.id, i.source_id, i.content, i.facts, r.answers, r.why, r.at
	FROM items i
	JOIN reference_answers r ON r.item_id = i.id
	WHERE i.project_id = $1 AND i.calibration `

// Reference returns a calibration item of a project, or fault.NotFound.
func (db *DB) Reference(ctx context.Context, projectID, itemID int64) (Reference, error) {
	row, err := one[referenceRow](db.pool.Query(ctx, selectReference+`AND i.id = $2`, projectID, itemID))
	return row.reference(), err
}

// A NamedItem is an item by the id it came with.
type NamedItem struct {
	ID       int64
	SourceID string
}

// Calibratable returns up to limit items whose id holds search and that may
// become ones of calibration: those in no batch.
func (db *DB) Calibratable(ctx context.Context, projectID int64, search string, limit int) ([]NamedItem, error) {
	return many[NamedItem](db.pool.Query(ctx, `
		SELECT i.id, i.source_id
		FROM items i
		WHERE i.project_id = $1 AND NOT i.calibration AND ($2 = '' OR position(lower($2) IN lower(i.source_id)) > 0)
		  AND NOT EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id)
		ORDER BY i.id
		LIMIT $3`, projectID, search, limit))
}

// CalibrationSet returns the calibration items of a batch.
func (db *DB) CalibrationSet(ctx context.Context, batchID int64) ([]NamedItem, error) {
	return many[NamedItem](db.pool.Query(ctx, `
		SELECT i.id, i.source_id
		FROM batch_items b
		JOIN items i ON i.id = b.item_id
		WHERE b.batch_id = $1 AND b.calibration
		ORDER BY i.id`, batchID))
}

// References returns the calibration items of a project, in the order they
// were imported.
func (db *DB) References(ctx context.Context, projectID int64) ([]Reference, error) {
	rows, err := many[referenceRow](db.pool.Query(ctx, selectReference+`ORDER BY i.id`, projectID))
	references := make([]Reference, len(rows))
	for i, row := range rows {
		references[i] = row.reference()
	}
	return references, err
}

// takeTurn has the leads of a project wait for one another, so that no item is
// handed out twice, or both handed out and one of calibration.
func takeTurn(ctx context.Context, tx pgx.Tx, projectID int64) error {
	_, err := tx.Exec(ctx, `SELECT FROM projects WHERE id = $1 FOR UPDATE`, projectID)
	return err
}

// SetReference makes an item one of calibration, with these reference answers.
// An item that was handed out to be labelled stays one of work.
func (db *DB) SetReference(ctx context.Context, by int64, p project.Project, itemID int64, r labeling.Reference) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := takeTurn(ctx, tx, p.ID); err != nil {
			return err
		}
		var source string
		var facts protocol.Facts
		var handedOut bool
		err := tx.QueryRow(ctx, `
			SELECT source_id, facts, EXISTS (SELECT FROM batch_items b WHERE b.item_id = items.id AND NOT b.calibration)
			FROM items
			WHERE id = $1 AND project_id = $2`, itemID, p.ID).Scan(&source, &facts, &handedOut)
		if err != nil {
			return notFound(err)
		}
		if handedOut {
			return fault.Conflict.Says("The item “%s” is in a batch to be labelled, so it cannot calibrate anybody. Choose one that is in no batch.", source)
		}
		r, problems := r.Check(p.Protocol, facts)
		if problems != nil {
			return problems
		}
		return storeReference(ctx, tx, by, p, itemID, source, r)
	})
}

func storeReference(ctx context.Context, tx pgx.Tx, by int64, p project.Project, itemID int64, source string, r labeling.Reference) error {
	_, err := tx.Exec(ctx, `
		WITH marked AS (UPDATE items SET calibration = true WHERE id = $1)
		INSERT INTO reference_answers (item_id, answers, why, by) VALUES ($1, $2, $3, nullif($4, 0))
		ON CONFLICT (item_id) DO UPDATE SET answers = excluded.answers, why = excluded.why, by = excluded.by, at = now()`,
		itemID, r.Answers, r.Why, by)
	if err != nil {
		return err
	}
	return audit(ctx, tx, by, "project.reference", projectSubject(p.Key), map[string]any{"item": source, "answers": r.Answers.Values})
}

// Unreference takes an item out of calibration again, unless a batch has it.
func (db *DB) Unreference(ctx context.Context, by int64, p project.Project, itemID int64) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := takeTurn(ctx, tx, p.ID); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			UPDATE items SET calibration = false
			WHERE id = $1 AND project_id = $2 AND calibration AND NOT EXISTS (SELECT FROM batch_items b WHERE b.item_id = items.id)`, itemID, p.ID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Says("This item is in a batch's calibration set, and stays one of calibration.")
		}
		if _, err := tx.Exec(ctx, `DELETE FROM reference_answers WHERE item_id = $1`, itemID); err != nil {
			return err
		}
		return audit(ctx, tx, by, "project.reference", projectSubject(p.Key), map[string]any{"item": itemID, "removed": true})
	})
}

// ImportReferences stores calibration items with their reference answers, all
// or none. An item that the project has already under the same id, with the
// same content, becomes one of calibration.
func (db *DB) ImportReferences(ctx context.Context, by int64, p project.Project, file File, items []sheet.Referenced) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := takeTurn(ctx, tx, p.ID); err != nil {
			return err
		}
		known, err := knownItems(ctx, tx, p.ID, items)
		if err != nil {
			return err
		}
		if err := importUnknown(ctx, tx, by, p, file, items, known); err != nil {
			return err
		}
		if known, err = knownItems(ctx, tx, p.ID, items); err != nil {
			return err
		}
		for _, item := range items {
			k := known[item.SourceID]
			if err := k.takes(file.Name, item.SourceID); err != nil {
				return err
			}
			if err := storeReference(ctx, tx, by, p, k.ID, item.SourceID, item.Reference); err != nil {
				return err
			}
		}
		return nil
	})
}

// A knownItem is one of a file that the project has already.
type knownItem struct {
	ID        int64
	SourceID  string
	Same      bool // content
	HandedOut bool // to be labelled
}

// takes reports why a reference of a file cannot be that item's, if so.
func (k knownItem) takes(file, id string) error {
	switch {
	case !k.Same:
		return fault.Conflict.Says("%s: the project has another item with the id “%s”. Nothing was stored.", file, id)
	case k.HandedOut:
		return fault.Conflict.Says("%s: the item “%s” is in a batch to be labelled, so it cannot calibrate anybody. Nothing was stored.", file, id)
	}
	return nil
}

func knownItems(ctx context.Context, tx pgx.Tx, projectID int64, items []sheet.Referenced) (map[string]knownItem, error) {
	ids, contents := make([]string, len(items)), make([]project.Content, len(items))
	for i, item := range items {
		ids[i], contents[i] = item.SourceID, item.Content
	}
	rows, err := many[knownItem](tx.Query(ctx, `
		SELECT i.id, i.source_id, i.content = f.content AS same,
		       EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id AND NOT b.calibration) AS handed_out
		FROM unnest($2::text[], $3::jsonb[]) AS f (source_id, content)
		JOIN items i ON i.project_id = $1 AND i.source_id = f.source_id`, projectID, ids, contents))
	known := map[string]knownItem{}
	for _, row := range rows {
		known[row.SourceID] = row
	}
	return known, err
}

// importUnknown stores the items of a file that the project does not have.
func importUnknown(ctx context.Context, tx pgx.Tx, by int64, p project.Project, file File, items []sheet.Referenced, known map[string]knownItem) error {
	var unknown []project.Item
	for _, item := range items {
		if _, there := known[item.SourceID]; !there {
			unknown = append(unknown, item.Item)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return importItems(ctx, tx, by, p, file, unknown)
}
