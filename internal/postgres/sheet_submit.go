package postgres

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A SheetFile is a filled annotation sheet.
type SheetFile struct {
	Name    string
	Content io.Reader
	IsTrial bool // check everything, and store nothing
}

// A SheetResult is what SubmitSheet stored.
type SheetResult struct{ Submitted, Unchanged int }

// errTrial rolls a trial back.
var errTrial = errors.New("trial")

// SubmitSheet submits the rows of a filled sheet for an annotator: all, or none if anything is
// wrong, which importer.FileErrors lists by row and column. Each row is opened and submitted in
// the order of the sheet, like on the labeling screen, so that slots and counters are the same. The
// time and the breaks of the work are not known: its active time is 0,
// and the next break is as far away as before. Rows that were submitted before must be the same.
func (db *DB) SubmitSheet(ctx context.Context, actorID account.ID, batchID project.BatchID, annotatorID account.ID,
	file SheetFile) (result SheetResult, err error) {
	var target sheetTarget
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		target, err = lockSheetTarget(ctx, tx, actorID, batchID, annotatorID)
		if err != nil {
			return err
		}
		if err := requireSheetVisible(ctx, tx, actorID, target); err != nil {
			return err
		}
		s := sheetSubmission{sheetTarget: target, tx: tx, file: file.Name}
		if s.protocol, err = db.protocolRevision(ctx, tx, target.ProtocolVersionID,
			target.ProtocolRevision); err != nil {
			return err
		}
		if result, err = s.submit(ctx, actorID, file.Content); err == nil && file.IsTrial {
			return errTrial
		}
		return err
	})
	if errors.Is(err, errTrial) {
		err = nil
	}
	_, isRefused := errors.AsType[importer.FileErrors](err) // which says what is stored
	if actorID != annotatorID && (err == nil || isRefused) {
		err = errors.Join(err, db.recordReveal(ctx, actorID, target.ProjectID, target.BatchName))
	}
	return result, err
}

// requireSheetVisible returns labeling.ErrBlinded for a lead who labels in the batch: a sheet
// has the answers of another annotator.
func requireSheetVisible(ctx context.Context, tx pgx.Tx, actorID account.ID, target sheetTarget) error {
	if actorID == target.AccountID {
		return nil
	}
	var blinded bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM blinded_items WHERE account_id = $1
		AND batch_id = $2)`, actorID, target.BatchID).Scan(&blinded)
	if err == nil && blinded {
		return labeling.ErrBlinded
	}
	return err
}

// A sheetSubmission is a sheet that is being submitted.
type sheetSubmission struct {
	sheetTarget
	tx       pgx.Tx
	protocol protocol.Protocol
	file     string
	rows     map[string]sheetRow // by key
}

// A sheetRow is a row as it was made, and what became of its item.
type sheetRow struct {
	RowKey       string
	SheetID      int64
	RowNo        int
	ItemID       project.ItemID
	Facts        protocol.Facts
	IsAssigned   bool // the item has a slot of the annotator
	State        labeling.State
	Answers      map[string]int
	Observations []string
	Unsure       []string
	Note         string
	Draft        *protocol.Answers // of the open item
}

// selectSheetRows reads the rows of all sheets of annotator $2 in batch $1.
const selectSheetRows = `
	SELECT r.row_key, r.sheet_id, r.row_no, r.item_id, i.facts,
	       EXISTS (SELECT FROM slots s WHERE s.batch_id = h.batch_id AND s.item_id = r.item_id
	       AND s.account_id = h.account_id) AS is_assigned,
	       coalesce(a.state, '') AS state, n.answers, n.observations, n.unsure, coalesce(n.note, '') AS note,
	       (SELECT d.answers FROM drafts d WHERE d.assignment_id = a.id AND a.state = 'open') AS draft
	FROM sheets h
	JOIN sheet_rows r ON r.sheet_id = h.id
	JOIN items i ON i.id = r.item_id
	LEFT JOIN assignments a ON a.batch_id = h.batch_id AND a.item_id = r.item_id AND a.account_id = h.account_id
	AND a.kind = 'work'
	LEFT JOIN current_annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id
	WHERE h.batch_id = $1 AND h.account_id = $2`

func (s *sheetSubmission) submit(ctx context.Context, actorID account.ID, content io.Reader) (result SheetResult,
	err error) {
	rows, err := collectAll[sheetRow](s.tx.Query(ctx, selectSheetRows, s.BatchID, s.AccountID))
	if err != nil {
		return result, err
	}
	expected := importer.ExpectedSheet{Annotator: s.Pseudonym, Rows: map[string]importer.ExpectedRow{}}
	s.rows = map[string]sheetRow{}
	for _, row := range rows {
		s.rows[row.RowKey], expected.Rows[row.RowKey] = row, row.toExpected()
	}
	answers, err := importer.ReadSheet(s.protocol, &expected, s.file, content)
	if err != nil {
		return result, err
	}
	waiting := slices.DeleteFunc(slices.Clone(answers), func(a importer.SheetAnswers) bool { return a.IsStored })
	result = SheetResult{Submitted: len(waiting), Unchanged: len(answers) - len(waiting)}
	if len(waiting) == 0 {
		return result, nil
	}
	slices.SortFunc(waiting, func(a, b importer.SheetAnswers) int {
		first, second := s.rows[a.ID], s.rows[b.ID]
		return cmp.Or(cmp.Compare(first.SheetID, second.SheetID), first.RowNo-second.RowNo)
	})
	if err := s.store(ctx, waiting); err != nil {
		return result, err
	}
	return result, recordAudit(ctx, s.tx, actorID, "sheet.submit", batchSubject(s.ProjectKey, s.BatchName),
		map[string]any{"annotator": s.Pseudonym, "file": s.file, "rows": result.Submitted})
}

// toExpected returns the row as the importer checks it.
func (r sheetRow) toExpected() importer.ExpectedRow {
	row := importer.ExpectedRow{SheetID: r.SheetID, RowNo: r.RowNo, Facts: r.Facts}
	switch {
	case r.State == labeling.Submitted:
		row.Stored = &protocol.Answers{Values: r.Answers, Observations: r.Observations, Unsure: r.Unsure, Note: r.Note}
	case r.State == labeling.Skipped:
		row.Problem = "This item was skipped on the labeling screen. Delete the row."
	case r.State == labeling.Released || !r.IsAssigned:
		row.Problem = "This item is no longer assigned to this annotator. Delete the row."
	case r.Draft != nil && len(r.Draft.Values)+len(r.Draft.Observations)+len(r.Draft.Note) > 0:
		row.Problem = "This item has answers on the labeling screen that are not submitted. Submit them there, and write the same here."
	}
	return row
}

// store opens and submits the rows, in their order.
func (s *sheetSubmission) store(ctx context.Context, answers []importer.SheetAnswers) error {
	state, err := loadAnnotatorState(ctx, s.tx, s.BatchID, s.AccountID)
	if err != nil {
		return err
	}
	if err := checkSheetState(s.sheetTarget, state); err != nil {
		return err
	}
	var sinceBreak, sinceCompletedBreak int
	if err := s.lockItems(ctx, answers); err != nil {
		return err
	}
	err = s.tx.QueryRow(ctx, `SELECT items_since_break, items_since_completed_break FROM batch_annotators
		WHERE batch_id = $1 AND account_id = $2`,
		s.BatchID, s.AccountID).Scan(&sinceBreak, &sinceCompletedBreak)
	if err != nil {
		return err
	}
	token, err := openAssignmentToken(ctx, s.tx, s.AccountID, s.BatchID)
	mismatch := errOtherOpen
	for _, row := range answers {
		if err == nil && token == "" {
			mismatch = importer.FileErrors{{File: s.file, Row: row.Row, Column: s.protocol.SheetIDColumn(),
				Message: queueChanged, Format: queueChanged}}
			token, err = openByStatement(ctx, s.tx, openWaiting, s.BatchID, s.AccountID)
		}
		if err != nil {
			return err
		}
		if err := s.storeRow(ctx, token, row, sinceCompletedBreak, mismatch); err != nil {
			return err
		}
		token = ""
	}
	_, err = s.tx.Exec(ctx, `
		UPDATE batch_annotators SET items_since_break = $3, items_since_completed_break = $4 WHERE batch_id = $1
		AND account_id = $2`,
		s.BatchID, s.AccountID, sinceBreak, sinceCompletedBreak)
	return err
}

// lockItems locks the states of all items in one order, so that sheets with the same items wait
// for each other instead of failing.
func (s *sheetSubmission) lockItems(ctx context.Context, answers []importer.SheetAnswers) error {
	ids := make([]project.ItemID, len(answers))
	for i, row := range answers {
		ids[i] = s.rows[row.ID].ItemID
	}
	_, err := s.tx.Exec(ctx, `SELECT FROM item_states WHERE item_id = ANY ($1) ORDER BY item_id FOR NO KEY UPDATE`, ids)
	return err
}

var errOtherOpen = fault.Conflict.Errorf(
	"Another item is open on the labeling screen. Submit it there first, then this sheet.")

const queueChanged = "This item is not next for this annotator: their queue changed after the sheet was made. Make a new sheet, and copy the answers to it."

// storeRow submits the item of that token. It returns mismatch if that is not the item of the row.
func (s *sheetSubmission) storeRow(ctx context.Context, token string, row importer.SheetAnswers,
	sinceCompletedBreak int, mismatch error) error {
	if token == "" {
		return mismatch
	}
	a, err := lockAssignment(ctx, s.tx, token)
	if err != nil {
		return err
	}
	if a.ItemID != s.rows[row.ID].ItemID {
		return mismatch
	}
	a.Protocol, a.ItemsSinceCompletedBreak = s.protocol, sinceCompletedBreak
	submission := labeling.Submission{Answers: row.Answers}
	if err := a.CheckSubmission(s.AccountID, submission); err != nil {
		return err
	}
	sql, args := insertAnnotation(a, submission)
	_, err = s.tx.Exec(ctx, sql, args...)
	return problemFromViolation(s.protocol, err)
}
