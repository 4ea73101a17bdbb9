package postgres

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/sequence"
)

// Submit stores s for the assignment of that token, closes it, and opens the next item or
// starts a break. If the assignment was submitted before, the first answers count.
func (db *DB) Submit(ctx context.Context, accountID account.ID, token string,
	s labeling.Submission) (result labeling.SubmitResult, err error) {
	err = db.inPipelinedTx(ctx, func(tx *pipelinedTx) error {
		a, state, err := lockSubmitted(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Submitted && a.AccountID == accountID {
			if result, err = recordResubmit(ctx, tx, a, s); err == nil {
				result.ShowsReference, err = showsReference(ctx, tx, a)
			}
			return err
		}
		if err := a.ensureAssigned(ctx, tx, accountID); err != nil {
			return err
		}
		if s.RequiresReading && state.MustRead && a.AccountID == accountID {
			return labeling.ErrMustRead
		}
		if a.Protocol, err = db.protocolRevision(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := a.CheckSubmission(accountID, s); err != nil {
			return err
		}
		if a.Kind == sequence.KindCalibration {
			if result.NextToken, err = submitCalibration(ctx, tx, a, s); err == nil {
				result.ShowsReference, err = showsReference(ctx, tx, a)
			}
		} else {
			result.NextToken, err = submitAndOpenNext(ctx, tx, a, state, s)
		}
		return err
	})
	return result, err
}

// selectSubmitting locks and reads the assignment of token $1 and the state of its annotator.
const selectSubmitting = `
	SELECT ` + assignmentColumns + `, ` + sequenceStateColumns + `
	` + fromAssignment + joinSequenceState + `
	WHERE a.token = $1
	FOR NO KEY UPDATE OF a, ba`

type submittingRow struct {
	assignmentRow
	sequenceState
}

// lockSubmitted returns the assignment of that token and the state of its annotator, and
// locks both, in one round trip.
func lockSubmitted(ctx context.Context, tx *pipelinedTx, token string) (a assignment, state annotatorState, err error) {
	queue := &pgx.Batch{}
	queue.Queue(lockAnnotator, token)
	queue.Queue(selectSubmitting, token)
	results, err := tx.sendFirst(ctx, queue)
	if err != nil {
		return a, state, err
	}
	_, err = results.Exec()
	row, rowErr := collectOne[submittingRow](results.Query())
	if err := cmp.Or(err, rowErr, results.Close()); err != nil {
		return a, state, err
	}
	a = row.toLocked()
	return a, annotatorState{a.BatchID, a.AccountID, a.OnBreak, row.sequenceState}, a.findReplaced(ctx, tx)
}

// submitCalibration stores the annotation of a calibration item and opens the next item.
func submitCalibration(ctx context.Context, tx querier, a assignment, s labeling.Submission) (nextToken string,
	err error) {
	sql, args := insertAnnotation(a, s)
	if _, err := tx.Exec(ctx, sql, args...); err != nil {
		return "", problemFromViolation(a.Protocol, err)
	}
	if err := completeCalibrationAttempt(ctx, tx, a, a.Protocol); err != nil {
		return "", err
	}
	return openNextAfter(ctx, tx, a)
}

// submitAndOpenNext stores the annotation and opens the next item. For an item of the own
// queue, which cannot fail to be found, that is one statement, sent with the commit. The
// statement that claims an item from the pool is sent with the annotation.
func submitAndOpenNext(ctx context.Context, tx *pipelinedTx, a assignment, stored annotatorState,
	s labeling.Submission) (nextToken string, err error) {
	stored.ItemsSinceBreak++
	stored.ItemsToday++
	if !a.Reopened {
		stored.CompletedCount++
	}
	state := stored.toSequence()
	state.HasSubmitted = true
	if stored.GoldMinimum > 0 && !a.Reopened && stored.CompletedCount%goldCheckEvery == 0 {
		return submitAndCheckGold(ctx, tx, a, s, stored, state)
	}
	isClaim := sequence.Next(state) == sequence.Claim
	if isClaim && stored.WaitingCount > 0 {
		return submitAndOpenWaiting(ctx, tx, a, s)
	}
	queue := &pgx.Batch{}
	sql, args := insertAnnotation(a, s)
	queue.Queue(sql, args...)
	if isClaim {
		queue.Queue(claimFromPool, stored.BatchID, stored.AccountID, newItemToken())
	}
	results := tx.send(ctx, queue)
	if _, err := results.Exec(); err != nil {
		_ = results.Close()
		return "", problemFromViolation(a.Protocol, err)
	}
	if isClaim {
		nextToken, err = readToken(results.QueryRow())
	}
	if err := cmp.Or(err, results.Close()); err != nil || nextToken != "" {
		return nextToken, err
	}
	if isClaim {
		state.Slots = sequence.SlotsExhausted
	}
	return openFromState(ctx, tx, a, stored, state)
}

// goldCheckEvery is after how many items the answers to gold items are looked at.
const goldCheckEvery = 10

// submitAndCheckGold stores the annotation, and opens the next item unless the answers to gold items pause the work.
func submitAndCheckGold(ctx context.Context, tx querier, a assignment, s labeling.Submission, stored annotatorState,
	state sequence.AnnotatorState) (nextToken string, err error) {
	sql, args := insertAnnotation(a, s)
	if _, err := tx.Exec(ctx, sql, args...); err != nil {
		return "", problemFromViolation(a.Protocol, err)
	}
	isPaused, err := pauseByGold(ctx, tx, a, stored.GoldMinimum)
	if err != nil || isPaused {
		return "", err
	}
	return openFromState(ctx, tx, a, stored, state)
}

// submitAndOpenWaiting stores the annotation, opens the next item of the own queue, and
// commits, in one round trip.
func submitAndOpenWaiting(ctx context.Context, tx *pipelinedTx, a assignment, s labeling.Submission) (nextToken string,
	err error) {
	queue := &pgx.Batch{}
	queue.Queue(insertAnnotationAndOpenWaiting, append(annotationArgs(a, s), newItemToken())...)
	results := tx.sendLast(ctx, queue)
	nextToken, err = readToken(results.QueryRow())
	if err != nil {
		_ = results.Close()
		return "", problemFromViolation(a.Protocol, err)
	}
	return nextToken, results.Close()
}

// recordResubmit answers a repeated submit. It counts it, so that the answer is as durable
// as the first one.
func recordResubmit(ctx context.Context, tx querier, a assignment, s labeling.Submission) (labeling.SubmitResult,
	error) {
	result := labeling.SubmitResult{AlreadySubmitted: true}
	err := tx.QueryRow(ctx, `
		SELECT (answers, observations, unsure, note) IS DISTINCT FROM ($3::jsonb, $4::text[], $5::text[], $6::text)
		FROM current_annotations
		WHERE protocol_version_id = $1 AND assignment_id = $2`,
		a.VersionID, a.ID, s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure),
		s.Answers.Note).Scan(&result.Differs)
	if err != nil {
		return result, err
	}
	result.NextToken, err = countResubmit(ctx, tx, a)
	return result, err
}

// countResubmit counts a repeated submit or skip, and returns the token of the open item.
func countResubmit(ctx context.Context, tx querier, a assignment) (nextToken string, err error) {
	if _, err := tx.Exec(ctx, `UPDATE assignments SET resubmit_count = resubmit_count + 1
		WHERE id = $1`, a.ID); err != nil {
		return "", err
	}
	return openAssignmentToken(ctx, tx, a.AccountID, a.BatchID)
}

// insertAnnotation returns the statement that stores the annotation, closes its assignment
// and updates the annotator's counters.
func insertAnnotation(a assignment, s labeling.Submission) (sql string, args []any) {
	return insertAnnotationOnly, annotationArgs(a, s)
}

var (
	insertAnnotationOnly = closeAssignment + `, counted AS (
			UPDATE batch_annotators ba SET ` + countAnnotation + `
			WHERE ba.batch_id = $5 AND ba.account_id = $7
		)
		` + insertClosed

	// insertAnnotationAndOpenWaiting also opens the next item of the own queue, under token $19.
	// It changes the row of the annotator once.
	insertAnnotationAndOpenWaiting = closeAssignment + `, ` + nextWaiting("closed", "$5", "$7", "$19") + `, counted AS (
			UPDATE batch_annotators ba SET ` + countAnnotation + `, ` + countWaiting + `
			FROM next LEFT JOIN opened ON true
			WHERE ba.batch_id = $5 AND ba.account_id = $7
		), inserted AS (
			` + insertClosed + `
		)
		SELECT token FROM opened`

	closeAssignment = `
		WITH closed AS (
			UPDATE assignments SET state = 'submitted', closed_at = clock_timestamp(), attempt_no = $4, reopened = false
			WHERE id = $1
			RETURNING opened_at, protocol_version_id
		), deleted AS (
			DELETE FROM drafts WHERE assignment_id = $1
		), session AS (` + touchSession("$18", "$7") + `
		), day AS (` + countDay("$18", "$7", "$2") + `
		)`
)

const (
	countAnnotation = `completed_count = ba.completed_count + ($16 <> 'calibration' AND $4 = 1)::int, label_count = ba.label_count + ($16 = 'work' AND $4 = 1)::int,
			    items_since_break = ba.items_since_break + 1, items_since_completed_break = ba.items_since_completed_break + 1,
			    recent_active_ms = CASE WHEN $2 > 0 THEN array_prepend(least($2, 2147483647)::integer, ba.recent_active_ms[:49]) ELSE ba.recent_active_ms END,
			    last_submit_id = CASE WHEN $16 <> 'calibration' THEN $1::bigint END, last_submit_undone = false`

	insertClosed = `INSERT INTO annotations (protocol_version_id, revision, assignment_id, attempt_no, batch_id,
		item_id, account_id,
			answers, observations, unsure, note, facts, active_ms, sequence_no, items_since_completed_break, opened_at,
			session_minutes, replaces_id, not_blind)
		SELECT $3, $17, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $2, $14, $15, closed.opened_at, session.minutes, $13,
			$16 <> 'calibration' AND has_seen_answers($7, $6)
		FROM closed, session`
)

// annotationArgs returns the parameters of insertAnnotationOnly.
func annotationArgs(a assignment, s labeling.Submission) []any {
	attemptNo := a.AttemptNo
	if a.Reopened {
		attemptNo++
	}
	return []any{
		a.ID, a.activeMS(s), a.VersionID, attemptNo, a.BatchID, a.ItemID, a.AccountID,
		s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note, a.Facts,
		a.replacesID, a.SequenceNo, a.ItemsSinceCompletedBreak, a.Kind, a.revision, a.ProjectID}
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
