package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// Skip closes the assignment of that token without an annotation and opens the next item,
// also after a distressing one: leads see whether an item is open.
func (db *DB) Skip(ctx context.Context, accountID account.ID, token string, s labeling.Skip) (nextToken string,
	err error) {
	if s, err = s.Check(); err != nil {
		return "", err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Skipped && a.AccountID == accountID {
			nextToken, err = countResubmit(ctx, tx, a)
			return err
		}
		if err := a.ensureAssigned(ctx, tx, accountID); err != nil {
			return err
		}
		if err := a.CheckOpen(accountID); err != nil {
			return err
		}
		if err := insertSkip(ctx, tx, a, s); err != nil {
			return err
		}
		if a.Protocol, err = db.protocolRevision(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if s.Reason.IsPersonal() && a.Kind != sequence.KindCalibration {
			if err := withholdSiblings(ctx, tx, a); err != nil {
				return err
			}
		}
		if err := completeCalibrationAttempt(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		nextToken, err = openNext(ctx, tx, a.BatchID, a.AccountID)
		return err
	})
	return nextToken, err
}

// insertSkip stores the skip, closes a, and applies the skip policy. A hidden duplicate
// returns later like a work item, but has no slot to reassign or withhold. A reopened item
// keeps its slot and its current answers.
func insertSkip(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Skip) error {
	policy, state := a.SkipPolicy.Apply(s.Reason, a.SkippedBefore), labeling.Skipped
	if a.Reopened {
		state = labeling.Submitted
	}
	if a.Reopened || a.Kind == sequence.KindCalibration {
		policy = ""
	}
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments
			SET state = $8, reopened = false, closed_at = clock_timestamp(), deferred = $7 = 'return_later'
			WHERE id = $1
		), freed AS (
			UPDATE slots SET `+returnToPool+`
			WHERE batch_id = $5 AND item_id = $3 AND account_id = $4 AND $7 = 'reassign' AND $9
		), withheld AS (
			UPDATE slots SET withheld = true
			WHERE batch_id = $5 AND item_id = $3 AND account_id = $4 AND $7 = 'drop' AND $9
		), deleted AS (
			DELETE FROM drafts WHERE assignment_id = $1
		), session AS (`+touchSession("$11", "$4")+`
		), day AS (`+countDay("$11", "$4", "$2")+`)
		INSERT INTO skips (assignment_id, project_id, batch_id, item_id, reason, comment)
		VALUES ($1, $11, $5, $3, $10, $6)
		ON CONFLICT (assignment_id) DO UPDATE SET reason = excluded.reason, comment = excluded.comment, created_at = now()`,
		a.ID, 0, a.ItemID, a.AccountID, a.BatchID, s.Comment, policy, state, a.Kind == sequence.KindWork, s.Reason,
		a.ProjectID)
	return err
}

// A SkippedItem is a skipped item and its reason, without the annotator.
type SkippedItem struct {
	ItemID   project.ItemID
	SourceID string
	Reason   labeling.SkipReason
	Comment  string
}

// maxListedSkips is how many skipped items SkippedItems returns.
const maxListedSkips = 100

// SkippedItems returns the first items of a batch that were skipped for a reason about the
// item. It leaves out items that are blinded for the account: a comment may tell an answer,
// and an own skip a hidden duplicate.
func (db *DB) SkippedItems(ctx context.Context, actorID account.ID, batchID project.BatchID) ([]SkippedItem, error) {
	items, err := collectAll[SkippedItem](db.pool.Query(ctx, `
		SELECT i.id AS item_id, i.source_id, a.reason, a.comment
		FROM (SELECT batch_id, item_id, reason, comment FROM skips WHERE batch_id = $1 AND NOT is_personal
		ORDER BY item_id LIMIT $3) a
		JOIN items i ON i.id = a.item_id
		WHERE NOT `+isBlinded+`
		ORDER BY i.id, a.comment COLLATE "C"`, batchID, actorID, maxListedSkips))
	return revealRows(ctx, db, actorID, items, func(i SkippedItem) project.ItemID { return i.ItemID }, err)
}
