package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A CalibrationComment is a message in the discussion of a calibration item.
type CalibrationComment struct {
	ItemID    project.ItemID
	AccountID account.ID
	Author    string // a pseudonym; empty: a lead
	CreatedAt time.Time
	Message   string
}

// CalibrationComments is the discussion of the calibration items of a batch. It closes when
// the last annotator starts work.
type CalibrationComments struct {
	IsOpen   bool
	Comments []CalibrationComment // oldest first
}

// commentsOpen is true if an annotator of batch b has not started work.
const commentsOpen = `EXISTS (
	SELECT FROM active_annotators ba
	WHERE ba.batch_id = b.id AND NOT EXISTS (
	    SELECT FROM assignments a WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind = 'work'))`

// CalibrationComments returns the discussion of a batch. The caller checks that the reader
// completed the calibration set or leads the project.
func (db *DB) CalibrationComments(ctx context.Context, batchID project.BatchID) (CalibrationComments, error) {
	var discussion CalibrationComments
	err := db.pool.QueryRow(ctx, `SELECT `+commentsOpen+` FROM batches b WHERE b.id = $1`,
		batchID).Scan(&discussion.IsOpen)
	if err != nil {
		return discussion, notFound(err)
	}
	discussion.Comments, err = collectAll[CalibrationComment](db.pool.Query(ctx, `
		SELECT c.item_id, c.account_id, CASE WHEN m.role = 'annotator' THEN m.pseudonym ELSE '' END AS author, c.created_at, c.message
		FROM calibration_comments c
		JOIN batches b ON b.id = c.batch_id
		LEFT JOIN members m ON m.project_id = b.project_id AND m.account_id = c.account_id
		WHERE c.batch_id = $1
		ORDER BY c.id`, batchID))
	return discussion, err
}

// AddCalibrationComment adds a comment of an annotator after their last calibration attempt.
func (db *DB) AddCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID,
	itemID project.ItemID, message string) error {
	return db.insertCalibrationComment(ctx, accountID, batchID, itemID, message, `EXISTS (
		SELECT FROM active_annotators ba WHERE ba.batch_id = b.id AND ba.account_id = $1 AND `+finishedCalibration+`)`)
}

// AddLeadCalibrationComment adds a comment of a lead. The caller checks that the account leads
// the project.
func (db *DB) AddLeadCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID,
	itemID project.ItemID, message string) error {
	return db.insertCalibrationComment(ctx, accountID, batchID, itemID, message, `TRUE`)
}

func (db *DB) insertCalibrationComment(ctx context.Context, accountID account.ID, batchID project.BatchID,
	itemID project.ItemID, message, condition string) error {
	comment, err := labeling.Comment(message).Check()
	if err != nil {
		return err
	}
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO calibration_comments (batch_id, item_id, account_id, message)
		SELECT b.id, i.item_id, $1, $4
		FROM batches b
		JOIN batch_items i ON i.batch_id = b.id AND i.is_calibration
		WHERE b.id = $2 AND i.item_id = $3 AND `+commentsOpen+` AND `+condition, accountID, batchID, itemID, comment)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.Conflict.Errorf("The discussion of this item is closed, or you cannot take part in it yet.")
	}
	return err
}
