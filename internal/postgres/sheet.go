package postgres

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// maxSheetRows is how many rows a sheet has at most. The rest comes with the next sheet.
const maxSheetRows = 1000

// A SheetOwner is an annotator of a batch, who gets sheets.
type SheetOwner struct {
	BatchID   project.BatchID
	AccountID account.ID
	Pseudonym string
}

// SheetOwner returns an annotator of a batch, by address or pseudonym.
func (db *DB) SheetOwner(ctx context.Context, actorID account.ID, p project.Project, batch,
	name string) (owner SheetOwner, err error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return owner, err
	}
	b, err := db.Batch(ctx, 0, p.ID, batch)
	if err != nil {
		return owner, err
	}
	owner, err = collectOne[SheetOwner](db.pool.Query(ctx, `
		SELECT v.batch_id, v.account_id, m.pseudonym
		FROM active_annotators v
		JOIN members m ON m.project_id = $1 AND m.account_id = v.account_id
		JOIN identity.users u ON u.account_id = v.account_id
		WHERE v.batch_id = $2 AND (lower(u.email) = lower($3)
		OR m.pseudonym = $3)`, p.ID, b.ID, strings.TrimSpace(name)))
	if fault.KindOf(err) == fault.NotFound {
		err = fault.NotFound.Errorf("The batch “%s” has no annotator “%s”. Give an address or a pseudonym of its board.", b.Name, name)
	}
	return owner, err
}

// A sheetTarget is the batch and annotator of a sheet.
type sheetTarget struct {
	BatchID           project.BatchID
	AccountID         account.ID
	ProjectID         project.ID
	ProjectKey        string
	BatchName         string
	Pseudonym         string
	Assignment        project.AssignmentMode
	ProtocolVersionID protocol.VersionID
	ProtocolRevision  int
	HasReopenedOpen   bool // a reopened item is open
	HasSheet          bool // one was made before
}

// lockSheetTarget locks an annotator of a batch, for themselves or a lead.
func lockSheetTarget(ctx context.Context, tx pgx.Tx, actorID account.ID, batchID project.BatchID,
	annotatorID account.ID) (sheetTarget, error) {
	target, err := collectOne[sheetTarget](tx.Query(ctx, `
		SELECT ba.batch_id, ba.account_id, b.project_id, p.key AS project_key, b.name AS batch_name, m.pseudonym,
		b.assignment,
		       b.protocol_version_id, b.protocol_revision, coalesce((SELECT a.reopened FROM assignments a
		       WHERE a.id = ba.open_assignment_id), false) AS has_reopened_open,
		       EXISTS (SELECT FROM sheets h WHERE h.batch_id = ba.batch_id
		       AND h.account_id = ba.account_id) AS has_sheet
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		JOIN members m ON m.project_id = p.id AND m.account_id = ba.account_id
		WHERE ba.batch_id = $1 AND ba.account_id = $2 AND ba.removed_at IS NULL AND m.removed_at IS NULL
		FOR NO KEY UPDATE OF ba`, batchID, annotatorID))
	if err == nil && actorID != annotatorID {
		err = requireLead(ctx, tx, actorID, target.ProjectID)
	}
	return target, err
}

// checkSheetState reports why an annotator gets or returns no sheet now.
func checkSheetState(target sheetTarget, s annotatorState) error {
	switch {
	case target.Assignment != project.Planned:
		return fault.Conflict.Errorf("This batch is a pool: its items are claimed one by one, so no sheet can be made in advance. Use a planned batch for sheets.")
	case s.BatchClosed:
		return fault.Conflict.Errorf("This batch is closed.")
	case s.Paused:
		return fault.Conflict.Errorf("A lead paused %s in this batch, so nothing can be labeled now.", target.Pseudonym)
	case s.CalibrationAttemptNo > 0:
		return fault.Conflict.Errorf("The calibration set comes first, on the labeling screen. Sheets have the items after it.")
	case target.HasReopenedOpen:
		return fault.Conflict.Errorf("A reopened item is open on the labeling screen. Submit it there first.")
	}
	return nil
}

// errNoSheet is returned to an annotator without a sheet.
var errNoSheet = fault.Forbidden.Errorf(
	"A lead makes the first sheet of a batch. Ask your lead if you want to label in a spreadsheet.")

// CreateSheet makes a sheet of the items that wait for an annotator of a planned batch, in the
// order of their queue. What was opened before (the open item, and skipped ones that return) stays
// on the labeling screen. A sheet would show hidden duplicates next to their originals: so it has
// none, and with the first sheet the annotator gets no more of them in the batch. The required
// reading is acknowledged before, and the calibration done. Until something changes, a sheet
// that is made again is the same.
//
// Work on sheets has no breaks and no measured time, and the texts leave the program: so the
// first sheet of an annotator in a batch is made by a lead. Then they may also make it themselves.
func (db *DB) CreateSheet(ctx context.Context, actorID account.ID, batchID project.BatchID, annotatorID account.ID) (
	sheet dataset.Sheet, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		target, err := lockSheetTarget(ctx, tx, actorID, batchID, annotatorID)
		if err != nil {
			return err
		}
		if actorID == annotatorID && !target.HasSheet {
			if err := requireLead(ctx, tx, actorID, target.ProjectID); err != nil {
				return errNoSheet
			}
		}
		state, err := loadAnnotatorState(ctx, tx, batchID, annotatorID)
		if err != nil {
			return err
		}
		if err := checkSheetState(target, state); err != nil {
			return err
		}
		if state.MustRead {
			return fault.Conflict.Errorf("The required reading comes first. The annotator signs in, opens the batch and acknowledges it.")
		}
		items, err := collectColumn[project.ItemID](tx.Query(ctx, selectSheetItems, batchID, annotatorID))
		if err != nil {
			return err
		}
		rows := items[:min(len(items), maxSheetRows)]
		sheet = dataset.Sheet{Project: target.ProjectKey, Batch: target.BatchID, Annotator: target.Pseudonym,
			Remaining: len(items) - len(rows)}
		if sheet.Protocol, err = db.protocolRevision(ctx, tx, target.ProtocolVersionID,
			target.ProtocolRevision); err != nil {
			return err
		}
		return storeSheet(ctx, tx, actorID, target, rows, &sheet)
	})
	return sheet, err
}

// selectSheetItems returns what waits in the queue of an annotator, in order.
const selectSheetItems = `
	SELECT s.item_id
	FROM batch_annotators ba
	JOIN slots s ON s.batch_id = ba.batch_id AND s.account_id = ba.account_id AND s.queue_no > ba.queue_cursor
	WHERE ba.batch_id = $1 AND ba.account_id = $2
	ORDER BY s.queue_no`

// storeSheet adds the items to sheet, with the keys of the last sheet if that has the same ones.
func storeSheet(ctx context.Context, tx pgx.Tx, actorID account.ID, target sheetTarget, ids []project.ItemID,
	sheet *dataset.Sheet) error {
	if len(ids) == 0 {
		return fault.Conflict.Errorf("Nothing waits for %s in this batch.", target.Pseudonym)
	}
	keys, err := lastSheetKeys(ctx, tx, target, ids)
	if err != nil {
		return err
	}
	if keys == nil {
		if keys, err = insertSheet(ctx, tx, actorID, target, ids); err != nil {
			return err
		}
	}
	items, err := collectAll[struct {
		ID      project.ItemID
		Content project.Content
		Facts   protocol.Facts
	}](tx.Query(ctx, `SELECT id, content, facts FROM items WHERE id = ANY ($1)`, ids))
	if err != nil {
		return err
	}
	units := map[project.ItemID]dataset.SheetUnit{}
	for _, item := range items {
		units[item.ID] = dataset.SheetUnit{Content: item.Content, Facts: item.Facts}
	}
	for i, id := range ids {
		unit := units[id]
		unit.ID = keys[i]
		sheet.Rows = append(sheet.Rows, unit)
	}
	return recordAudit(ctx, tx, actorID, "sheet.create", batchSubject(target.ProjectKey, target.BatchName),
		map[string]any{"annotator": target.Pseudonym, "rows": len(ids)})
}

// lastSheetKeys returns the keys of the annotator's last sheet if its rows are these.
func lastSheetKeys(ctx context.Context, tx pgx.Tx, target sheetTarget, ids []project.ItemID) (keys []string,
	err error) {
	last, err := collectAll[struct {
		ItemID project.ItemID
		RowKey string
	}](tx.Query(ctx, `
		SELECT r.item_id, r.row_key
		FROM sheet_rows r
		WHERE r.sheet_id = (SELECT max(id) FROM sheets WHERE batch_id = $1 AND account_id = $2)
		ORDER BY r.row_no`, target.BatchID, target.AccountID))
	if err != nil || len(last) != len(ids) {
		return nil, err
	}
	for i, row := range last {
		if row.ItemID != ids[i] {
			return nil, nil
		}
		keys = append(keys, row.RowKey)
	}
	return keys, nil
}

// insertSheet stores a sheet. The hidden duplicates that are still to come are dropped.
func insertSheet(ctx context.Context, tx pgx.Tx, actorID account.ID, target sheetTarget,
	ids []project.ItemID) (keys []string, err error) {
	for range ids {
		key := newRowKey()
		for slices.Contains(keys, key) {
			key = newRowKey()
		}
		keys = append(keys, key)
	}
	_, err = tx.Exec(ctx, `
		WITH sheet AS (
			INSERT INTO sheets (batch_id, account_id, created_by) VALUES ($1, $2, nullif($3, 0)) RETURNING id
		), dropped AS (
			DELETE FROM hidden_items h
			USING batch_annotators ba
			WHERE ba.batch_id = $1 AND ba.account_id = $2 AND h.batch_id = ba.batch_id AND h.account_id = ba.account_id
			AND h.position > ba.presented_count
		)
		INSERT INTO sheet_rows (sheet_id, row_no, row_key, item_id)
		SELECT sheet.id, r.row_no, r.row_key, r.item_id
		FROM sheet, unnest($4::text[], $5::bigint[]) WITH ORDINALITY r(row_key, item_id, row_no)`,
		target.BatchID, target.AccountID, actorID, keys, ids)
	return keys, err
}

// newRowKey returns a random key of letters only, which no spreadsheet program takes for a
// number, a date or a formula, and which is no word.
func newRowKey() string {
	const letters, length = "bcdfghkmnpqrstvwxz", 10
	random := make([]byte, length)
	_, _ = rand.Read(random) // never fails
	for i, b := range random {
		random[i] = letters[int(b)%len(letters)]
	}
	return string(random)
}
