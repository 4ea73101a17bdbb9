package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// Submit stores s for the assignment of that token, closes it, and opens the
// next. It returns where to go on: the next item's token, or empty where a
// break is due or nothing is left. Submitted twice, the first stands and the
// second is told where to go on; with labeling.ErrAlreadySubmitted, if it said something else.
func (db *DB) Submit(ctx context.Context, actorID account.ID, token string, s labeling.Submission) (next string, err error) {
	var alreadySubmitted error
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Submitted && a.AccountID == actorID {
			if alreadySubmitted, err = differsFromStored(ctx, tx, a, s); err != nil {
				return err
			}
			next, err = recordResubmit(ctx, tx, a)
			return err
		}
		if err := a.ensureAssigned(ctx, tx, actorID); err != nil {
			return err
		}
		if a.Protocol, err = db.protocolRevision(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := a.CheckSubmission(actorID, s); err != nil {
			return err
		}
		if err := insertAnnotation(ctx, tx, a, s); err != nil {
			return err
		}
		if err := completeCalibrationAttempt(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		next, err = openNextOrStartBreak(ctx, tx, a)
		return err
	})
	if err == nil {
		err = alreadySubmitted
	}
	return next, err
}

// differsFromStored returns labeling.ErrAlreadySubmitted where s says something else than what was
// sent for a before.
func differsFromStored(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Submission) (differs, err error) {
	var same bool
	err = tx.QueryRow(ctx, `
		SELECT (answers, observations, unsure, note) = ($4::jsonb, $5::text[], $6::text[], $7::text)
		FROM annotations
		WHERE protocol_version_id = $1 AND assignment_id = $2 AND attempt = $3`,
		a.VersionID, a.ID, a.AttemptNo, s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note).Scan(&same)
	if err == nil && !same {
		differs = labeling.ErrAlreadySubmitted
	}
	return differs, err
}

// recordResubmit answers a submit that came twice. It writes, so that the answer is as
// durable as the first one's.
func recordResubmit(ctx context.Context, tx pgx.Tx, a assignment) (next string, err error) {
	if _, err := tx.Exec(ctx, `UPDATE assignments SET tries = tries + 1 WHERE id = $1`, a.ID); err != nil {
		return "", err
	}
	return openAssignmentToken(ctx, tx, a.AccountID, a.BatchID)
}

// openNextOrStartBreak opens the next item, or begins a break where one is due and something
// is left to do after it.
func openNextOrStartBreak(ctx context.Context, tx pgx.Tx, a assignment) (next string, err error) {
	due, err := isBreakDue(ctx, tx, a)
	if err != nil {
		return "", err
	}
	if !due {
		return openNext(ctx, tx, a.BatchID, a.AccountID)
	}
	if left, err := hasNext(ctx, tx, a.BatchID, a.AccountID); err != nil || !left {
		return "", err
	}
	return "", startBreak(ctx, tx, a, a.SequenceNo, true)
}

// Skip closes the assignment of that token without an annotation, gives
// its slot to somebody else, and opens the next; after what distressed, only
// once its annotator asks for it.
func (db *DB) Skip(ctx context.Context, actorID account.ID, token string, s labeling.Skip) (next string, err error) {
	if s, err = s.Check(); err != nil {
		return "", err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Skipped && a.AccountID == actorID {
			next, err = recordResubmit(ctx, tx, a)
			return err
		}
		if err := a.ensureAssigned(ctx, tx, actorID); err != nil {
			return err
		}
		if err := a.CheckOpen(actorID); err != nil {
			return err
		}
		if err := storeSkip(ctx, tx, a, s); err != nil {
			return err
		}
		if a.Protocol, err = db.protocolRevision(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := completeCalibrationAttempt(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		if s.Reason == labeling.Distressing {
			return nil
		}
		next, err = openNext(ctx, tx, a.BatchID, a.AccountID)
		return err
	})
	return next, err
}

// storeSkip closes a, and does with its slot what the project chose. One that
// was opened once more keeps its slot, and the answers that it has.
func storeSkip(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Skip) error {
	next := a.SkipPolicy.Apply(s.Reason, a.SkippedBefore)
	state := labeling.Skipped
	if a.Reopened {
		state = labeling.Submitted
	}
	if a.Reopened || a.Kind != sequence.KindWork {
		next = "" // there is no slot to give
	}
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments SET state = $8, reopened = false, closed_at = clock_timestamp(), later = $7 = 'later' WHERE id = $1
		), freed AS (
			UPDATE slots SET account_id = NULL, claimed_at = NULL
			WHERE batch_id = $2 AND item_id = $3 AND account_id = $4 AND $7 = 'somebody'
		), given_up AS (
			UPDATE slots SET given_up = true
			WHERE batch_id = $2 AND item_id = $3 AND account_id = $4 AND $7 = 'nobody'
		), forgotten AS (
			DELETE FROM drafts WHERE assignment_id = $1
		), sat AS (`+touchSession+`)
		INSERT INTO set_aside (assignment_id, reason, word) VALUES ($1, $5, $6)
		ON CONFLICT (assignment_id) DO UPDATE SET reason = excluded.reason, word = excluded.word, at = now()`,
		a.ID, a.BatchID, a.ItemID, a.AccountID, s.Reason, s.Comment, next, state)
	return err
}

// insertAnnotation writes the annotation, closes its assignment, and counts it
// among what lies behind its annotator. The CHECKs
// of the partition repeat the rules; were one to refuse what Go accepted, it
// would be told in the rule's own words.
func insertAnnotation(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Submission) error {
	attempt := a.AttemptNo
	if a.Reopened {
		attempt++
	}
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments SET state = 'submitted', closed_at = clock_timestamp(), attempt = $4, reopened = false
			WHERE id = $1
			RETURNING opened_at
		), forgotten AS (
			DELETE FROM drafts WHERE assignment_id = $1
		), sat AS (`+touchSession+`
		), counted AS (
			UPDATE batch_annotators
			SET work = work + ($16 AND $4 = 1)::int, since_rest = since_rest + 1, since_break = since_break + 1
			WHERE batch_id = $5 AND account_id = $7
		)
		INSERT INTO annotations (protocol_version_id, revision, assignment_id, attempt, batch_id, item_id, account_id,
			answers, observations, unsure, note, facts, active_ms, position, since_break, opened_at, sitting_minutes, replaces)
		SELECT $2, $3, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, closed.opened_at, sat.minutes, (
			SELECT n.id FROM annotations n WHERE n.protocol_version_id = $2 AND n.assignment_id = $1 AND n.attempt = $4 - 1)
		FROM closed, sat`,
		a.ID, a.VersionID, a.revision, attempt, a.BatchID, a.ItemID, a.AccountID,
		s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note, a.Facts,
		a.activeMS(s), a.SequenceNo, a.ItemsSinceCompletedBreak, a.Kind == sequence.KindWork)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		if problem, ok := a.Protocol.ProblemForConstraint(pgErr.ConstraintName); ok {
			return protocol.Problems{problem}
		}
	}
	return err
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
