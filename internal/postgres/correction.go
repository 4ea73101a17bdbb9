package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An OwnCorrectionRequest is a correction request as its annotator sees it, or an item that
// a lead reopened.
type OwnCorrectionRequest struct {
	ItemNo   int
	Message  string
	ByLead   bool
	Resolved bool
	Reopened bool
	Reply    string // of the lead, if declined
}

// OwnCorrectionRequests returns the correction requests on an annotator's items in a batch,
// newest first.
func (db *DB) OwnCorrectionRequests(ctx context.Context, accountID account.ID, batchID project.BatchID) (
	[]OwnCorrectionRequest, error) {
	return collectAll[OwnCorrectionRequest](db.pool.Query(ctx, `
		WITH submitted AS (`+selectSubmitted+`)
		SELECT s.item_no, c.message, c.created_by IS NOT NULL AS by_lead, c.resolved_at IS NOT NULL AS resolved, c.reopened, c.reply
		FROM submitted s
		JOIN correction_requests c ON c.assignment_id = s.id
		ORDER BY c.id DESC
		LIMIT 100`, accountID, batchID))
}

// RequestCorrection reports a mistake in a submitted item to the leads. The annotation stays.
// A second request replaces the message of an unresolved one.
func (db *DB) RequestCorrection(ctx context.Context, accountID account.ID, token, message string) error {
	message, err := checkText(message, MaxCorrection, "Describe the mistake in 1 to 1,000 characters.")
	if err != nil {
		return err
	}
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO correction_requests (assignment_id, message)
		SELECT a.id, $3
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		WHERE a.token = $2 AND a.account_id = $1 AND a.state = 'submitted' AND a.kind <> 'calibration'
		AND b.closed_at IS NULL AND `+isActive+`
		ON CONFLICT (assignment_id) WHERE resolved_at IS NULL DO UPDATE SET message = excluded.message`, accountID,
		token, message)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.Conflict.Errorf("Choose an item that you submitted in an open batch. For other items, contact your lead.")
	}
	return err
}

// A CorrectionRequest is a correction request, or an item that a lead reopened without one.
type CorrectionRequest struct {
	ID        labeling.CorrectionID
	Annotator string // as leads know them, with the pseudonym
	Pseudonym string
	ItemTitle string         // the first line of the item; empty with OwnItemNo
	Answers   map[string]int // that the request is about; nil if hidden
	OwnItemNo int            // of the account's own request while it labels, as it sees it; else 0
	SourceID  string         // empty with OwnItemNo: two of the same item would tell a hidden duplicate
	ItemID    project.ItemID // likewise
	Message   string
	// the message and the reply are empty, because they may tell an answer that the account must not see yet
	Hidden     bool
	ByLead     bool // a lead reopened the item and wrote the message
	CreatedAt  time.Time
	ResolvedAt *time.Time
	Reopened   bool
	Reply      string
}

// A CorrectionStatus is what became of a correction request.
type CorrectionStatus string

// The statuses.
const (
	CorrectionUnresolved CorrectionStatus = "unresolved"
	CorrectionReopened   CorrectionStatus = "reopened"
	CorrectionDeclined   CorrectionStatus = "declined"
)

// Status returns what became of the request.
func (r CorrectionRequest) Status() CorrectionStatus {
	switch {
	case r.ResolvedAt == nil:
		return CorrectionUnresolved
	case r.Reopened:
		return CorrectionReopened
	}
	return CorrectionDeclined
}

// CorrectionRequests returns the correction requests of a batch, unresolved ones first. Of
// items that are blinded for the account, it does not reveal the texts of others, nor which
// items its own requests are about.
func (db *DB) CorrectionRequests(ctx context.Context, actorID account.ID, batchID project.BatchID) ([]CorrectionRequest,
	error) {
	requests, err := collectAll[CorrectionRequest](db.pool.Query(ctx, `
		SELECT c.id, coalesce(names.label, m.pseudonym) AS annotator, m.pseudonym,
		       CASE WHEN blinding.own THEN '' ELSE i.title END AS item_title, CASE WHEN NOT blinding.hidden THEN n.answers
		       END AS answers, blinding.hidden AND NOT blinding.own AS hidden, c.created_by IS NOT NULL AS by_lead,
		       CASE WHEN NOT blinding.own THEN 0 ELSE (
		           SELECT count(*)
		           FROM assignments o
		           JOIN annotations n ON n.protocol_version_id = o.protocol_version_id AND n.assignment_id = o.id
		           AND n.attempt_no = 1
		           WHERE o.account_id = $2 AND o.batch_id = $1 AND o.kind <> 'calibration' AND n.id <= (
		               SELECT f.id FROM annotations f
		               WHERE f.protocol_version_id = a.protocol_version_id AND f.assignment_id = a.id
		               AND f.attempt_no = 1)) END AS own_item_no,
		       CASE WHEN blinding.own THEN '' ELSE i.source_id END AS source_id, CASE WHEN blinding.own THEN 0 ELSE i.id
		       END AS item_id,
		       CASE WHEN blinding.hidden AND NOT blinding.own THEN '' ELSE c.message END AS message, c.created_at,
		       c.resolved_at, c.reopened,
		       CASE WHEN blinding.hidden AND NOT blinding.own THEN '' ELSE c.reply END AS reply
		FROM correction_requests c
		JOIN assignments a ON a.id = c.assignment_id
		JOIN items i ON i.id = a.item_id
		JOIN batches b ON b.id = a.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
		LEFT JOIN identity.member_names names ON names.project_id = b.project_id AND names.account_id = a.account_id
		LEFT JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id
		AND n.attempt_no = a.attempt_no
		CROSS JOIN LATERAL (SELECT blinded.hidden, blinded.hidden AND a.account_id = $2 AS own
		FROM (SELECT `+isBlinded+` AS hidden) blinded) blinding
		WHERE a.batch_id = $1
		ORDER BY c.resolved_at IS NOT NULL, c.id`, batchID, actorID))
	return revealRows(ctx, db, actorID, requests, func(c CorrectionRequest) project.ItemID {
		if c.Hidden {
			return 0
		}
		return c.ItemID
	}, err)
}

// AcceptCorrection reopens an item for another attempt, which comes next for its annotator.
// The earlier annotation stays, and the new one refers to it.
func (db *DB) AcceptCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch,
	requestID labeling.CorrectionID) error {
	return db.resolveCorrection(ctx, actorID, p, b, requestID, true, "")
}

// DeclineCorrection resolves a request without reopening the item. The annotator reads the
// reply.
func (db *DB) DeclineCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch,
	requestID labeling.CorrectionID, reply string) error {
	reply, err := checkText(reply, MaxCorrection, "Explain to the annotator why the answers stay, in 1 to 1,000 characters.")
	if err != nil {
		return err
	}
	return db.resolveCorrection(ctx, actorID, p, b, requestID, false, reply)
}

func (db *DB) resolveCorrection(ctx context.Context, actorID account.ID, p project.Project, b project.Batch,
	requestID labeling.CorrectionID, reopen bool, reply string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		sourceID, err := collectValue[string](tx.Query(ctx, `
			WITH resolved AS (
				UPDATE correction_requests c SET resolved_at = now(), resolved_by = nullif($3, 0), reopened = $4,
				reply = $5
				FROM assignments a
				WHERE c.id = $1 AND a.id = c.assignment_id AND a.batch_id = $2 AND c.resolved_at IS NULL AND (NOT $4
				OR `+isActive+`)
				RETURNING c.assignment_id
			)
			UPDATE assignments SET reopened = assignments.reopened OR $4
			FROM resolved
			JOIN assignments a ON a.id = resolved.assignment_id
			JOIN items i ON i.id = a.item_id
			WHERE assignments.id = a.id AND assignments.state = 'submitted'
			RETURNING i.source_id`, requestID, b.ID, actorID, reopen, reply))
		if fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Errorf("This correction request is resolved, its item is open again, or its annotator was removed from the project.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "correction.resolve", batchSubject(p.Key, b.Name),
			map[string]any{"request": requestID, "item": sourceID, "reopened": reopen})
	})
}

// ReopenItem reopens a submitted item without a correction request. The annotator reads the
// reason.
func (db *DB) ReopenItem(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, pseudonym,
	sourceID, reason string) error {
	reason, err := checkText(reason, MaxCorrection, "Explain to the annotator why you reopen the item, in 1 to 1,000 characters.")
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			WITH opened AS (
				UPDATE assignments a SET reopened = true
				FROM items i, members m, batches b
				WHERE a.batch_id = $1 AND b.id = a.batch_id AND b.closed_at IS NULL AND a.state = 'submitted'
				AND a.kind = 'work' AND NOT a.reopened
				  AND i.id = a.item_id AND i.source_id = $4
				  AND m.project_id = b.project_id AND m.account_id = a.account_id AND m.pseudonym = $3
				  AND m.removed_at IS NULL
				RETURNING a.id
			), resolved AS (
				UPDATE correction_requests c SET resolved_at = now(), resolved_by = $2, reopened = true
				FROM opened
				WHERE c.assignment_id = opened.id AND c.resolved_at IS NULL
			)
			INSERT INTO correction_requests (assignment_id, message, created_by, resolved_at, resolved_by, reopened)
			SELECT id, $5, $2, now(), $2, true FROM opened`, b.ID, actorID, pseudonym, sourceID, reason)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("The item “%s” of %s cannot be reopened: it is not submitted, is reopened already, the batch is closed, or the annotator was removed from the project.", sourceID, pseudonym)
		}
		return recordAudit(ctx, tx, actorID, "correction.reopen_item", batchSubject(p.Key, b.Name),
			map[string]any{"item": sourceID, "annotator": pseudonym, "reopened": true, "reason": reason})
	})
}
