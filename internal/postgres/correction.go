package postgres

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A SubmittedItem is an item that an annotator submitted, by its place among them. Of
// its content nothing is told, so that an item met twice cannot be found out.
type SubmittedItem struct {
	Token          string
	ItemNo         int // from 1, as the screen counts
	SubmittedAt    time.Time
	HasOpenRequest bool
}

// selectSubmitted are the items of batch $2 that annotator $1 submitted, each at its place.
// An item answered once more keeps its place.
const selectSubmitted = `
	SELECT a.id, a.token, a.state, n.submitted_at AS at, row_number() OVER (ORDER BY n.id) AS place
	FROM assignments a
	JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt = 1
	WHERE a.account_id = $1 AND a.batch_id = $2 AND a.kind <> 'calibration'`

// SubmittedItems returns up to limit items that an annotator submitted in a batch, newest
// first: those before a place, or all where it is 0.
func (db *DB) SubmittedItems(ctx context.Context, accountID account.ID, batchID project.BatchID, before, limit int) ([]SubmittedItem, error) {
	return collectAll[SubmittedItem](db.pool.Query(ctx, `
		WITH sent AS (`+selectSubmitted+`)
		SELECT token, place, at, EXISTS (SELECT FROM flags f WHERE f.assignment_id = sent.id AND f.settled_at IS NULL) AS flagged
		FROM sent
		WHERE state = 'submitted' AND ($3 = 0 OR place < $3)
		ORDER BY place DESC
		LIMIT $4`, accountID, batchID, before, limit))
}

// An OwnCorrectionRequest is a slip as its annotator told of it, or an item that the lead
// opened for them once more.
type OwnCorrectionRequest struct {
	ItemNo   int
	Message  string
	ByLead   bool
	Resolved bool
	Reopened bool
	Reply    string // of the lead, where they left it as it is
}

// OwnCorrectionRequests returns what became of an annotator's slips in a batch, newest first.
func (db *DB) OwnCorrectionRequests(ctx context.Context, accountID account.ID, batchID project.BatchID) ([]OwnCorrectionRequest, error) {
	return collectAll[OwnCorrectionRequest](db.pool.Query(ctx, `
		WITH sent AS (`+selectSubmitted+`)
		SELECT sent.place, f.says, f.raised_by IS NOT NULL AS by_lead, f.settled_at IS NOT NULL AS settled, f.reopened, f.reply
		FROM sent
		JOIN flags f ON f.assignment_id = sent.id
		ORDER BY f.id DESC
		LIMIT 100`, accountID, batchID))
}

// RequestCorrection tells the lead of a slip in an item that was submitted. What was
// submitted stays as it is.
func (db *DB) RequestCorrection(ctx context.Context, accountID account.ID, token, message string) error {
	message, err := checkMessage(message, "Please say in a few words what went wrong, in at most 1,000 characters.")
	if err != nil {
		return err
	}
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO flags (assignment_id, says)
		SELECT a.id, $3
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		WHERE a.token = $2 AND a.account_id = $1 AND a.state = 'submitted' AND a.kind <> 'calibration' AND b.closed_at IS NULL
		ON CONFLICT (assignment_id) WHERE settled_at IS NULL DO UPDATE SET says = excluded.says`, accountID, token, message)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.Conflict.Errorf("Please choose an item that you have sent, of a batch that is still open. Tell your lead about others.")
	}
	return err
}

func checkMessage(text, problem string) (string, error) {
	text = strings.Trim(text, protocol.BlankChars)
	if n := utf8.RuneCountInString(text); n == 0 || n > 1000 {
		return text, fault.Invalid.Errorf("%s", problem)
	}
	return text, nil
}

// A CorrectionRequest is a slip that an annotator told of, or an item that a lead opened once
// more unasked.
type CorrectionRequest struct {
	ID          labeling.CorrectionID
	Pseudonym   string
	SourceID    string
	ItemID      project.ItemID
	SequenceNo  int
	Message     string
	ByLead      bool // the word is the lead's, who opened the item unasked
	CreatedAt   time.Time
	ResolvedAt  *time.Time
	Reopened    bool
	Reply       string
	SubmittedAt time.Time // the item
}

// CorrectionRequests returns the slips flagged in a batch, those not settled first.
func (db *DB) CorrectionRequests(ctx context.Context, batchID project.BatchID) ([]CorrectionRequest, error) {
	return collectAll[CorrectionRequest](db.pool.Query(ctx, `
		SELECT f.id, m.pseudonym, i.source_id, i.id AS item_id, a.position, f.says, f.raised_by IS NOT NULL AS by_lead, f.at, f.settled_at, f.reopened, f.reply, a.closed_at AS answered_at
		FROM flags f
		JOIN assignments a ON a.id = f.assignment_id
		JOIN items i ON i.id = a.item_id
		JOIN batches b ON b.id = a.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
		WHERE a.batch_id = $1
		ORDER BY f.settled_at IS NOT NULL, f.id`, batchID))
}

// AcceptCorrection lets the annotator answer a flagged item once more: it comes next, with
// the answers it has. They stay, and the new ones point to them.
func (db *DB) AcceptCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, requestID labeling.CorrectionID) error {
	return db.resolveCorrection(ctx, actorID, p, b, requestID, true, "")
}

// DeclineCorrection settles a flag without changing anything; the annotator reads why.
func (db *DB) DeclineCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, requestID labeling.CorrectionID, reply string) error {
	reply, err := checkMessage(reply, "Please tell the annotator in a few words why the answers stay as they are.")
	if err != nil {
		return err
	}
	return db.resolveCorrection(ctx, actorID, p, b, requestID, false, reply)
}

func (db *DB) resolveCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, requestID labeling.CorrectionID, reopen bool, reply string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			WITH settled AS (
				UPDATE flags f SET settled_at = now(), settled_by = nullif($3, 0), reopened = $4, reply = $5
				FROM assignments a
				WHERE f.id = $1 AND a.id = f.assignment_id AND a.batch_id = $2 AND f.settled_at IS NULL
				RETURNING f.assignment_id
			)
			UPDATE assignments SET reopened = reopened OR $4 FROM settled WHERE id = settled.assignment_id AND state = 'submitted'`,
			requestID, b.ID, actorID, reopen, reply)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("This flag is settled already, or its item is open again.")
		}
		return recordAudit(ctx, tx, actorID, "batch.flag", batchSubject(p.Key, b.Name), map[string]any{"flag": requestID, "reopened": reopen})
	})
}

// ReopenItem lets an annotator answer an item once more that nobody flagged. The
// word on why is kept, and told to them.
func (db *DB) ReopenItem(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, pseudonym, sourceID, reason string) error {
	reason, err := checkMessage(reason, "Please say in a few words why the item is opened once more: the annotator reads it.")
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			WITH opened AS (
				UPDATE assignments a SET reopened = true
				FROM items i, members m, batches b
				WHERE a.batch_id = $1 AND b.id = a.batch_id AND b.closed_at IS NULL AND a.state = 'submitted' AND a.kind = 'work' AND NOT a.reopened
				  AND i.id = a.item_id AND i.source_id = $4
				  AND m.project_id = b.project_id AND m.account_id = a.account_id AND m.pseudonym = $3
				RETURNING a.id
			), settled AS (
				UPDATE flags SET settled_at = now(), settled_by = $2, reopened = true
				FROM opened WHERE flags.assignment_id = opened.id AND settled_at IS NULL
			)
			INSERT INTO flags (assignment_id, says, raised_by, settled_at, settled_by, reopened)
			SELECT id, $5, $2, now(), $2, true FROM opened`, b.ID, actorID, pseudonym, sourceID, reason)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("There is no answer of %s to “%s” that can be opened: it was not sent, is opened already, or the batch is closed.", pseudonym, sourceID)
		}
		return recordAudit(ctx, tx, actorID, "batch.flag", batchSubject(p.Key, b.Name), map[string]any{"item": sourceID, "annotator": pseudonym, "reopened": true, "why": reason})
	})
}

// openReopened opens a submitted item once more, with the answers it has.
func openReopened(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH opened AS (
			UPDATE assignments SET state = 'open', token = $3, opened_at = clock_timestamp()
			WHERE id = (
				SELECT id FROM assignments
				WHERE batch_id = $1 AND account_id = $2 AND state = 'submitted' AND reopened
				ORDER BY position
				LIMIT 1)
			RETURNING id, token, protocol_version_id, attempt
		), typed AS (
			INSERT INTO drafts (assignment_id, version, answers)
			SELECT o.id, 1, jsonb_build_object('values', n.answers, 'observations', n.observations, 'unsure', n.unsure, 'note', n.note)
			FROM opened o
			JOIN annotations n ON n.protocol_version_id = o.protocol_version_id AND n.assignment_id = o.id AND n.attempt = o.attempt
			ON CONFLICT (assignment_id) DO UPDATE SET version = drafts.version + 1, answers = excluded.answers
		)
		SELECT token FROM opened`, s.BatchID, s.AccountID)
}
