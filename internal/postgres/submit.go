package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/sequence"
)

// Submit stores s for the assignment of that token, closes it, and opens the next item or
// starts a break. If the assignment was submitted before, the first answers count.
func (db *DB) Submit(ctx context.Context, accountID account.ID, token string, s labeling.Submission) (result labeling.SubmitResult, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Submitted && a.AccountID == accountID {
			result, err = recordResubmit(ctx, tx, a, s)
			return err
		}
		if err := a.ensureAssigned(ctx, tx, accountID); err != nil {
			return err
		}
		if a.Protocol, err = db.protocolRevision(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := a.CheckSubmission(accountID, s); err != nil {
			return err
		}
		if err := insertAnnotation(ctx, tx, a, s); err != nil {
			return err
		}
		if err := completeCalibrationAttempt(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		result.NextToken, err = openNextAfter(ctx, tx, a)
		return err
	})
	return result, err
}

// recordResubmit answers a repeated submit. It counts it, so that the answer is as durable
// as the first one.
func recordResubmit(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Submission) (labeling.SubmitResult, error) {
	result := labeling.SubmitResult{AlreadySubmitted: true}
	err := tx.QueryRow(ctx, `
		SELECT (answers, observations, unsure, note) IS DISTINCT FROM ($3::jsonb, $4::text[], $5::text[], $6::text)
		FROM current_annotations
		WHERE protocol_version_id = $1 AND assignment_id = $2`,
		a.VersionID, a.ID, s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note).Scan(&result.Differs)
	if err != nil {
		return result, err
	}
	result.NextToken, err = countResubmit(ctx, tx, a)
	return result, err
}

// countResubmit counts a repeated submit or skip, and returns the token of the open item.
func countResubmit(ctx context.Context, tx pgx.Tx, a assignment) (nextToken string, err error) {
	if _, err := tx.Exec(ctx, `UPDATE assignments SET resubmit_count = resubmit_count + 1 WHERE id = $1`, a.ID); err != nil {
		return "", err
	}
	return openAssignmentToken(ctx, tx, a.AccountID, a.BatchID)
}

// insertAnnotation stores the annotation, closes its assignment and updates the
// annotator's counters.
func insertAnnotation(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Submission) error {
	attemptNo := a.AttemptNo
	if a.Reopened {
		attemptNo++
	}
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments SET state = 'submitted', closed_at = clock_timestamp(), attempt_no = $4, reopened = false
			WHERE id = $1
			RETURNING opened_at
		), deleted AS (
			DELETE FROM drafts WHERE assignment_id = $1
		), session AS (`+touchSession+`
		), counted AS (
			UPDATE batch_annotators
			SET completed_count = completed_count + ($16 AND $4 = 1)::int,
			    items_since_break = items_since_break + 1, items_since_completed_break = items_since_completed_break + 1
			WHERE batch_id = $5 AND account_id = $7
		)
		INSERT INTO annotations (protocol_version_id, revision, assignment_id, attempt_no, batch_id, item_id, account_id,
			answers, observations, unsure, note, facts, active_ms, sequence_no, items_since_completed_break, opened_at, session_minutes, replaces_id)
		SELECT $2, $3, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, closed.opened_at, session.minutes, (
			SELECT n.id FROM annotations n WHERE n.protocol_version_id = $2 AND n.assignment_id = $1 AND n.attempt_no = $4 - 1)
		FROM closed, session`,
		a.ID, a.VersionID, a.revision, attemptNo, a.BatchID, a.ItemID, a.AccountID,
		s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note, a.Facts,
		a.activeMS(s), a.SequenceNo, a.ItemsSinceCompletedBreak, a.Kind != sequence.KindCalibration)
	return problemFromViolation(a.Protocol, err)
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
