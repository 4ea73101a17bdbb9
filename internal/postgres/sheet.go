package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
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
	b, err := db.Batch(ctx, p.ID, batch)
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
// order in which the labeling screen would show them, hidden duplicates included. The required
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
		rows, remaining, err := planSheetRows(ctx, tx, target)
		if err != nil {
			return err
		}
		sheet = dataset.Sheet{Project: target.ProjectKey, Batch: target.BatchID, Annotator: target.Pseudonym,
			Remaining: remaining}
		if sheet.Protocol, err = db.protocolRevision(ctx, tx, target.ProtocolVersionID,
			target.ProtocolRevision); err != nil {
			return err
		}
		return storeSheet(ctx, tx, actorID, target, rows, &sheet)
	})
	return sheet, err
}

// A plannedRow is a presentation of an item on a sheet.
type plannedRow struct {
	ItemID         project.ItemID
	PresentationNo int
}

// planSheetRows returns what an annotator gets who labels everything in order, and how many
// items wait after that. It opens and closes the items like the labeling screen, and takes all
// of it back.
func planSheetRows(ctx context.Context, tx pgx.Tx, target sheetTarget) (rows []plannedRow, remaining int, err error) {
	trial, err := tx.Begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, trial.Rollback(ctx)) }()
	for len(rows) < maxSheetRows {
		token, err := openSheetItem(ctx, trial, target, len(rows) == 0)
		if err != nil || token == "" {
			return rows, 0, err
		}
		row, err := collectOne[plannedRow](trial.Query(ctx, `
			UPDATE assignments SET state = 'submitted', closed_at = clock_timestamp() WHERE token = $1
			RETURNING item_id, presentation_no`, token))
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	err = trial.QueryRow(ctx, `SELECT waiting_count FROM batch_annotators WHERE batch_id = $1
		AND account_id = $2`, target.BatchID, target.AccountID).Scan(&remaining)
	return rows, remaining, err
}

// openSheetItem opens the next item of an annotator, of their own queue only, and returns its
// token; empty if there is none. A break or a limit that would be due on the labeling screen
// does not count, because the work was done elsewhere. The item that is open comes first.
func openSheetItem(ctx context.Context, tx querier, target sheetTarget, isFirst bool) (token string, err error) {
	if isFirst {
		token, err = openAssignmentToken(ctx, tx, target.AccountID, target.BatchID)
		if err != nil || token != "" {
			return token, err
		}
	}
	stored, err := loadAnnotatorState(ctx, tx, target.BatchID, target.AccountID)
	if err != nil {
		return "", err
	}
	state := stored.toSequence()
	state.OnBreak, state.LimitReached, state.HasReopened, state.AbandonedReleased = false, false, false, true
	if !stored.HasWaiting {
		state.Slots = sequence.SlotsExhausted
	}
	return openFromState(ctx, tx, assignment{Assignment: labeling.Assignment{BatchID: target.BatchID,
		AccountID: target.AccountID}}, stored, state)
}

// storeSheet adds the rows to sheet, with the keys of the last sheet if that has the same ones.
func storeSheet(ctx context.Context, tx pgx.Tx, actorID account.ID, target sheetTarget, rows []plannedRow,
	sheet *dataset.Sheet) error {
	if len(rows) == 0 {
		return fault.Conflict.Errorf("Nothing waits for %s in this batch.", target.Pseudonym)
	}
	keys, err := lastSheetKeys(ctx, tx, target, rows)
	if err != nil {
		return err
	}
	if keys == nil {
		if keys, err = insertSheet(ctx, tx, actorID, target, rows); err != nil {
			return err
		}
	}
	ids := make([]project.ItemID, len(rows))
	for i, row := range rows {
		ids[i] = row.ItemID
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
	for i, row := range rows {
		unit := units[row.ItemID]
		unit.ID = keys[i]
		sheet.Rows = append(sheet.Rows, unit)
	}
	return recordAudit(ctx, tx, actorID, "sheet.create", batchSubject(target.ProjectKey, target.BatchName),
		map[string]any{"annotator": target.Pseudonym, "rows": len(rows)})
}

// lastSheetKeys returns the keys of the annotator's last sheet if its rows are these.
func lastSheetKeys(ctx context.Context, tx pgx.Tx, target sheetTarget, rows []plannedRow) (keys []string, err error) {
	last, err := collectAll[struct {
		plannedRow
		RowKey string
	}](tx.Query(ctx, `
		SELECT r.item_id, r.presentation_no, r.row_key
		FROM sheet_rows r
		WHERE r.sheet_id = (SELECT max(id) FROM sheets WHERE batch_id = $1 AND account_id = $2)
		ORDER BY r.row_no`, target.BatchID, target.AccountID))
	if err != nil || len(last) != len(rows) {
		return nil, err
	}
	for i, row := range last {
		if row.plannedRow != rows[i] {
			return nil, nil
		}
		keys = append(keys, row.RowKey)
	}
	return keys, nil
}

func insertSheet(ctx context.Context, tx pgx.Tx, actorID account.ID, target sheetTarget,
	rows []plannedRow) (keys []string, err error) {
	var items []project.ItemID
	var presentations []int
	for _, row := range rows {
		key := newRowKey()
		for slices.Contains(keys, key) {
			key = newRowKey()
		}
		keys, items, presentations = append(keys, key), append(items, row.ItemID), append(presentations,
			row.PresentationNo)
	}
	_, err = tx.Exec(ctx, `
		WITH sheet AS (
			INSERT INTO sheets (batch_id, account_id, created_by) VALUES ($1, $2, nullif($3, 0)) RETURNING id
		)
		INSERT INTO sheet_rows (sheet_id, row_no, row_key, item_id, presentation_no)
		SELECT sheet.id, r.row_no, r.row_key, r.item_id, r.presentation_no
		FROM sheet, unnest($4::text[], $5::bigint[], $6::smallint[]) WITH ORDINALITY r(row_key, item_id,
		presentation_no, row_no)`,
		target.BatchID, target.AccountID, actorID, keys, items, presentations)
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
