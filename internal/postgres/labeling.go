package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// An assignment is a labeling.Assignment with what storing its annotation
// needs.
type assignment struct {
	labeling.Assignment
	VersionID    int32
	revision     int
	Attempt      int16
	BreakEvery   int
	BreakMinutes int
	SinceBreak   int // items labelled since the last break
	Kind         sequence.Kind
	Presentation int // of a calibration item, which run
}

// Submit stores s for the assignment of that token, closes it, and opens the
// next. It returns where to go on: the next item's token, or empty where a
// break is due or nothing is left. Submitted twice, the first stands and the
// second is told where to go on.
func (db *DB) Submit(ctx context.Context, by int64, token string, s labeling.Submission) (next string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.Submitted && a.AccountID == by {
			next, err = again(ctx, tx, a)
			return err
		}
		if a.Protocol, err = db.protocolAt(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := a.Accept(by, s); err != nil {
			return err
		}
		if err := insertAnnotation(ctx, tx, a, s); err != nil {
			return err
		}
		if err := closeRun(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		next, err = goOn(ctx, tx, a)
		return err
	})
	return next, err
}

// again answers a submit that came twice. It writes, so that the answer is as
// durable as the first one's.
func again(ctx context.Context, tx pgx.Tx, a assignment) (next string, err error) {
	if _, err := tx.Exec(ctx, `UPDATE assignments SET tries = tries + 1 WHERE id = $1`, a.ID); err != nil {
		return "", err
	}
	return openToken(ctx, tx, a.AccountID, a.BatchID)
}

// goOn begins a break where one is due, and otherwise opens the next item.
func goOn(ctx context.Context, tx pgx.Tx, a assignment) (next string, err error) {
	if a.BreakEvery > 0 && a.SinceBreak+1 >= a.BreakEvery {
		return "", beginBreak(ctx, tx, a, a.Position, true)
	}
	return give(ctx, tx, a.BatchID, a.AccountID)
}

// SetAside closes the assignment of that token without an annotation, gives
// its slot to somebody else, and opens the next.
func (db *DB) SetAside(ctx context.Context, by int64, token string, s labeling.Aside) (next string, err error) {
	if s, err = s.Check(); err != nil {
		return "", err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if a.State == labeling.SetAside && a.AccountID == by {
			next, err = again(ctx, tx, a)
			return err
		}
		if err := a.Takes(by); err != nil {
			return err
		}
		if err := closeAside(ctx, tx, a, s); err != nil {
			return err
		}
		if a.Protocol, err = db.protocolAt(ctx, tx, a.VersionID, a.revision); err != nil {
			return err
		}
		if err := closeRun(ctx, tx, a, a.Protocol); err != nil {
			return err
		}
		next, err = give(ctx, tx, a.BatchID, a.AccountID)
		return err
	})
	return next, err
}

func closeAside(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Aside) error {
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments SET state = 'set_aside', closed_at = clock_timestamp() WHERE id = $1
		), freed AS (
			UPDATE slots SET account_id = NULL, claimed_at = NULL
			WHERE batch_id = $2 AND item_id = $3 AND account_id = $4 AND $7 = 'work'
		), forgotten AS (
			DELETE FROM drafts WHERE assignment_id = $1
		)
		INSERT INTO set_aside (assignment_id, reason, word) VALUES ($1, $5, $6)`,
		a.ID, a.BatchID, a.ItemID, a.AccountID, s.Reason, s.Word, a.Kind)
	return err
}

type assignmentRow struct {
	ID, BatchID, ItemID, AccountID int64
	Token                          string
	State                          labeling.State
	Position                       int
	Attempt                        int16
	VersionID                      int32
	Revision                       int
	Facts                          protocol.Facts
	BreakEvery, BreakMinutes       int
	SinceBreak                     int
	Kind                           sequence.Kind
	Presentation                   int
}

const selectAssignment = `
	SELECT a.id, a.batch_id, a.item_id, a.account_id, a.token, a.state, a.position, a.attempt, a.kind, a.presentation,
	       a.protocol_version_id AS version_id, i.facts, b.break_every, b.break_minutes,
	       (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = a.protocol_version_id) AS revision,
	       (SELECT count(*) FROM assignments e
	        WHERE e.batch_id = a.batch_id AND e.account_id = a.account_id AND e.state = 'submitted' AND e.position < a.position
	          AND e.position > coalesce((SELECT max(k.after) FROM breaks k WHERE k.batch_id = a.batch_id AND k.account_id = a.account_id), 0)
	       ) AS since_break
	FROM assignments a
	JOIN items i ON i.id = a.item_id
	JOIN batches b ON b.id = a.batch_id
	JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
	WHERE a.token = $1 `

// lockAssignment returns the assignment of that token. Until the transaction
// ends, its annotator's other requests wait.
func lockAssignment(ctx context.Context, tx pgx.Tx, token string) (assignment, error) {
	row, err := one[assignmentRow](tx.Query(ctx, selectAssignment+`FOR UPDATE OF a, ba`, token))
	return assignment{
		Assignment: labeling.Assignment{ID: row.ID, Token: row.Token, BatchID: row.BatchID, ItemID: row.ItemID,
			AccountID: row.AccountID, State: row.State, Position: row.Position, Facts: row.Facts},
		VersionID: row.VersionID, revision: row.Revision, Attempt: row.Attempt,
		BreakEvery: row.BreakEvery, BreakMinutes: row.BreakMinutes, SinceBreak: row.SinceBreak, Kind: row.Kind, Presentation: row.Presentation,
	}, err
}

// insertAnnotation writes the annotation and closes its assignment. The CHECKs
// of the partition repeat the rules; were one to refuse what Go accepted, it
// would be told in the rule's own words.
func insertAnnotation(ctx context.Context, tx pgx.Tx, a assignment, s labeling.Submission) error {
	_, err := tx.Exec(ctx, `
		WITH closed AS (
			UPDATE assignments SET state = 'submitted', closed_at = clock_timestamp() WHERE id = $3 RETURNING opened_at
		), forgotten AS (
			DELETE FROM drafts WHERE assignment_id = $3
		)
		INSERT INTO annotations (protocol_version_id, revision, assignment_id, attempt, batch_id, item_id, account_id,
			answers, observations, unsure, note, facts, active_ms, position, since_break, opened_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, opened_at FROM closed`,
		a.VersionID, a.revision, a.ID, a.Attempt, a.BatchID, a.ItemID, a.AccountID,
		s.Answers.Values, nonNil(s.Answers.Observations), nonNil(s.Answers.Unsure), s.Answers.Note, a.Facts,
		s.ActiveMS, a.Position, a.SinceBreak)
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
		if problem, ok := a.Protocol.Broken(refusal.ConstraintName); ok {
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

// SaveDraft keeps a form as it was typed. A version the page counted earlier
// never replaces a later one.
func (db *DB) SaveDraft(ctx context.Context, by int64, token string, version int64, s labeling.Submission) error {
	var state labeling.State
	var owner int64
	err := db.pool.QueryRow(ctx, `
		WITH a AS (
			SELECT id, state, account_id FROM assignments WHERE token = $1 FOR SHARE
		), kept AS (
			INSERT INTO drafts (assignment_id, version, answers, active_ms)
			SELECT id, $3, $4, $5 FROM a WHERE state = 'open' AND account_id = $2
			ON CONFLICT (assignment_id) DO UPDATE
			SET version = excluded.version, answers = excluded.answers, active_ms = greatest(drafts.active_ms, excluded.active_ms), saved_at = now()
			WHERE drafts.version < excluded.version
		)
		SELECT state, account_id FROM a`, token, by, version, s.Answers, s.ActiveMS).Scan(&state, &owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.NotFound
	}
	if err != nil {
		return err
	}
	return labeling.Assignment{AccountID: owner, State: state}.Takes(by)
}

// KeepDraft keeps what was sent for an open item by somebody whose session was
// over; the token vouches for it. A closed item keeps nothing.
func (db *DB) KeepDraft(ctx context.Context, token string, s labeling.Submission) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO drafts (assignment_id, version, answers, active_ms)
		SELECT id, 1, $2, $3 FROM assignments WHERE token = $1 AND state = 'open'
		ON CONFLICT (assignment_id) DO UPDATE
		SET version = drafts.version + 1, answers = excluded.answers, active_ms = greatest(drafts.active_ms, excluded.active_ms), saved_at = now()`,
		token, s.Answers, s.ActiveMS)
	return err
}
