package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A CalibrationComment is what somebody said of a calibration item to the others.
type CalibrationComment struct {
	ItemID    project.ItemID
	Author    string // a pseudonym, or "the lead"
	CreatedAt time.Time
	Message   string
}

// A CalibrationComments is what was said of the calibration items of a batch. It closes
// when its last annotator begins work.
type CalibrationComments struct {
	IsOpen   bool
	Comments []CalibrationComment // oldest first
}

// commentsOpen is true of a batch b that has an annotator who has not begun work.
const commentsOpen = `EXISTS (
	SELECT FROM batch_annotators ba
	WHERE ba.batch_id = b.id AND NOT EXISTS (
	    SELECT FROM assignments a WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind = 'work'))`

// CalibrationComments returns what was said in a batch. Whoever may read it is decided
// by what leads here: a finished calibration set, or leading the project.
func (db *DB) CalibrationComments(ctx context.Context, batchID project.BatchID) (CalibrationComments, error) {
	var d CalibrationComments
	err := db.pool.QueryRow(ctx, `SELECT `+commentsOpen+` FROM batches b WHERE b.id = $1`, batchID).Scan(&d.IsOpen)
	if err != nil {
		return d, notFound(err)
	}
	d.Comments, err = collectAll[CalibrationComment](db.pool.Query(ctx, `
		SELECT d.item_id, CASE WHEN m.role = 'annotator' THEN m.pseudonym ELSE 'the lead' END AS who, d.at, d.says
		FROM discussion d
		JOIN batches b ON b.id = d.batch_id
		LEFT JOIN members m ON m.project_id = b.project_id AND m.account_id = d.account_id
		WHERE d.batch_id = $1
		ORDER BY d.id`, batchID))
	return d, err
}

// AddCalibrationComment adds a word to the discussion of a calibration item, from an annotator
// who is through the set.
func (db *DB) AddCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID, itemID project.ItemID, message string) error {
	return db.insertCalibrationComment(ctx, accountID, batchID, itemID, message, `EXISTS (
		SELECT FROM calibration_runs r WHERE r.batch_id = b.id AND r.account_id = $1 AND r.done_at IS NOT NULL)`)
}

// AddLeadCalibrationComment does the same for somebody who leads the batch's project.
func (db *DB) AddLeadCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID, itemID project.ItemID, message string) error {
	return db.insertCalibrationComment(ctx, accountID, batchID, itemID, message, `TRUE`)
}

func (db *DB) insertCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID, itemID project.ItemID, message, condition string) error {
	comment, err := labeling.Comment(message).Check()
	if err != nil {
		return err
	}
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO discussion (batch_id, item_id, account_id, says)
		SELECT b.id, i.item_id, $1, $4
		FROM batches b
		JOIN batch_items i ON i.batch_id = b.id AND i.calibration
		WHERE b.id = $2 AND i.item_id = $3 AND `+commentsOpen+` AND `+condition, accountID, batchID, itemID, comment)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.Conflict.Errorf("The discussion of this item is closed, or not open to you.")
	}
	return err
}
