package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A SharedCalibrationAnswer is the answers of another annotator to a calibration item.
type SharedCalibrationAnswer struct {
	ItemID    project.ItemID
	Pseudonym string
	Values    map[string]int
}

// finishedCalibration is true of an annotator ba whose last attempt is complete, as
// labeling.CalibrationAttempt.IsLast: no retake follows a miss.
const finishedCalibration = `EXISTS (
	SELECT FROM calibration_attempts c
	JOIN batches cb ON cb.id = c.batch_id
	JOIN projects cp ON cp.id = cb.project_id
	WHERE c.batch_id = ba.batch_id AND c.account_id = ba.account_id AND c.completed_at IS NOT NULL
	  AND (c.resolved_at IS NOT NULL OR c.is_practice OR cp.miss_policy <> 'retake' OR c.missed_fields = '{}')
	  AND NOT EXISTS (
	      SELECT FROM calibration_attempts later
	      WHERE later.batch_id = c.batch_id AND later.account_id = c.account_id AND later.attempt_no > c.attempt_no))`

// calibrationShared is true of a batch b whose annotators may see each other's calibration
// answers: the lead allows it, and the last attempt of each annotator is complete. An
// attempt that starts later, such as a retake, ends it until that one is complete.
const calibrationShared = `EXISTS (SELECT FROM projects p WHERE p.id = b.project_id AND p.share_calibration_scores)
	AND NOT EXISTS (
	    SELECT FROM active_annotators ba
	    WHERE ba.batch_id = b.id AND NOT ` + finishedCalibration + `)`

// SharedCalibrationAnswers returns the answers of the other annotators of a batch to its
// calibration items, by item and pseudonym. It returns none to others than its annotators,
// and before all of them finished.
func (db *DB) SharedCalibrationAnswers(ctx context.Context, accountID account.ID, batchID project.BatchID) (
	[]SharedCalibrationAnswer, error) {
	return collectAll[SharedCalibrationAnswer](db.pool.Query(ctx, `
		SELECT a.item_id, m.pseudonym, n.answers AS values
		FROM batches b
		JOIN active_annotators ba ON ba.batch_id = b.id AND ba.account_id <> $1
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN assignments a ON a.batch_id = b.id AND a.account_id = ba.account_id AND a.kind = 'calibration'
		JOIN current_annotations n ON n.assignment_id = a.id AND n.protocol_version_id = a.protocol_version_id
		WHERE b.id = $2 AND EXISTS (SELECT FROM active_annotators me WHERE me.batch_id = b.id AND me.account_id = $1)
		  AND a.presentation_no = (
		      SELECT max(c.attempt_no) FROM calibration_attempts c WHERE c.batch_id = b.id
		      AND c.account_id = ba.account_id)
		  AND `+calibrationShared+`
		ORDER BY a.item_id, m.pseudonym`, accountID, batchID))
}
