package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// The queue is these tables and no job library: River's free version documents no order among
// jobs of one subject, so it could only wake up a queue like this one. The servers ask for work
// as they do for mails.

// The limits of a claim. All its messages are sent before it ends: only the last attempt of a
// claim can fail, and none takes longer than ten seconds.
const (
	claimLease    = 3 * time.Minute
	claimMessages = 10
)

// A receiver that fails this often in a row gets fewer requests: none for a pause that doubles
// with each failure.
const (
	toleratedFailures = 4
	maxReceiverPause  = time.Minute
)

// ClaimWebhook claims the events of a subject that waited longest, or returns fault.NotFound.
// busy are the webhooks that this server sends enough to already.
func (db *DB) ClaimWebhook(ctx context.Context, busy []webhook.ID) (c webhook.Claim, err error) {
	row, err := collectOne[struct {
		WebhookID      webhook.ID
		Subject        string
		ClaimNo        int64
		URL            string
		Secret         string
		PreviousSecret string
	}](db.pool.Query(ctx, `
		UPDATE identity.webhook_subjects s
		SET is_claimed = true, claim_no = claim_no + 1, next_attempt_at = now() + $1::interval
		FROM (
			SELECT w.id, w.url, w.secret, CASE WHEN w.previous_secret_expires_at > now() THEN w.previous_secret END AS
			previous_secret, first.subject
			FROM (SELECT * FROM identity.webhooks WHERE disabled_at IS NULL AND resume_at <= now() AND id <> ALL ($2)
			ORDER BY random()) w
			CROSS JOIN LATERAL (
				SELECT subject FROM identity.webhook_subjects
				WHERE webhook_id = w.id AND next_attempt_at <= now() AND pending_count > 0
				ORDER BY next_attempt_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) first
			LIMIT 1) due
		WHERE s.webhook_id = due.id AND s.subject = due.subject
		RETURNING s.webhook_id, s.subject, s.claim_no, due.url, due.secret, coalesce(due.previous_secret,
		'') AS previous_secret`, claimLease, busy))
	if err != nil {
		return c, err
	}
	c = webhook.Claim{WebhookID: row.WebhookID, Subject: row.Subject, ClaimNo: row.ClaimNo, URL: row.URL,
		Signing: webhook.Signing{Secret: row.Secret, PreviousSecret: row.PreviousSecret}}
	c.Messages, err = collectAll[webhook.Message](db.pool.Query(ctx, `
		SELECT id AS delivery_id, event_id::text AS event_id, event_type, created_at, retry_no, payload
		FROM identity.webhook_deliveries
		WHERE webhook_id = $1 AND subject = $2 AND delivered_at IS NULL AND failed_at IS NULL
		ORDER BY id LIMIT $3`, c.WebhookID, c.Subject, claimMessages))
	return c, err
}

// RecordAttempt records an attempt to send a message of a claim. It reports whether the claim
// still holds and the next message may be sent.
func (db *DB) RecordAttempt(ctx context.Context, c webhook.Claim, m webhook.Message,
	a webhook.Attempt) (mayContinue bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if mayContinue, err = holdClaim(ctx, tx, c, a.Succeeded()); err != nil || !mayContinue {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`
			WITH delivery AS (UPDATE identity.webhook_deliveries SET attempt_count = attempt_count + 1 WHERE id = $1
			RETURNING attempt_count)
			INSERT INTO identity.webhook_attempts (delivery_id, attempt_no, started_at, duration_ms, status_code,
			problem, answer)
			SELECT $1, attempt_count, $2, $3, $4, $5, $6
			FROM delivery`, m.DeliveryID, a.StartedAt, a.DurationMS, a.StatusCode, a.Problem, a.Answer)
		if a.Succeeded() {
			queueDelivered(batch, c, m)
		} else {
			queueFailed(batch, c, m, a)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil && a.Succeeded() {
		err = db.markReached(ctx, c.WebhookID)
	}
	return mayContinue && a.Succeeded(), err
}

// markReached records that a receiver takes messages, but not for each one: all of a webhook
// would wait for this row.
func (db *DB) markReached(ctx context.Context, id webhook.ID) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE identity.webhooks SET failure_count = 0, resume_at = least(resume_at, now()), last_delivered_at = now()
		WHERE id = $1 AND (failure_count > 0 OR last_delivered_at IS NULL
		OR last_delivered_at < now() - interval '10 seconds')`, id)
	return err
}

// holdClaim locks the subject of a claim, after its webhook as leads' changes do; a failure
// changes both. It reports whether the claim still holds.
func holdClaim(ctx context.Context, tx pgx.Tx, c webhook.Claim, succeeded bool) (holds bool, err error) {
	batch := &pgx.Batch{}
	lock := `FOR NO KEY UPDATE`
	if succeeded {
		lock = `FOR KEY SHARE`
	}
	batch.Queue(`SELECT FROM identity.webhooks WHERE id = $1 `+lock, c.WebhookID)
	batch.Queue(`SELECT FROM identity.webhook_subjects WHERE webhook_id = $1 AND subject = $2
		AND claim_no = $3 FOR NO KEY UPDATE`, c.WebhookID, c.Subject, c.ClaimNo).
		Exec(func(tag pgconn.CommandTag) error {
			holds = tag.RowsAffected() == 1
			return nil
		})
	return holds, tx.SendBatch(ctx, batch).Close()
}

func queueDelivered(batch *pgx.Batch, c webhook.Claim, m webhook.Message) {
	batch.Queue(`UPDATE identity.webhook_deliveries SET delivered_at = now() WHERE id = $1`, m.DeliveryID)
	queueEnded(batch, c)
}

// queueEnded takes a message off its subject.
func queueEnded(batch *pgx.Batch, c webhook.Claim) {
	batch.Queue(`UPDATE identity.webhook_subjects SET pending_count = pending_count - 1 WHERE webhook_id = $1
		AND subject = $2`, c.WebhookID, c.Subject)
	batch.Queue(`DELETE FROM identity.webhook_subjects WHERE webhook_id = $1 AND subject = $2
		AND pending_count = 0`, c.WebhookID, c.Subject)
}

// queueFailed ends a claim: the message waits for its next attempt, and the later ones of its
// subject for it. After the last attempt it is given up.
func queueFailed(batch *pgx.Batch, c webhook.Claim, m webhook.Message, a webhook.Attempt) {
	pause, isLast := webhook.NextAttempt(m.RetryNo)
	if isLast {
		batch.Queue(`UPDATE identity.webhook_deliveries SET failed_at = now(), retry_no = retry_no + 1
			WHERE id = $1`, m.DeliveryID)
		queueEnded(batch, c)
	} else {
		batch.Queue(`UPDATE identity.webhook_deliveries SET retry_no = retry_no + 1 WHERE id = $1`, m.DeliveryID)
	}
	batch.Queue(`UPDATE identity.webhook_subjects SET is_claimed = false, next_attempt_at = now() + $3::interval
		WHERE webhook_id = $1 AND subject = $2`, c.WebhookID, c.Subject, pause)
	batch.Queue(`
		UPDATE identity.webhooks
		SET failure_count = failure_count + 1, last_failed_at = now(),
		    resume_at = CASE WHEN failure_count < $2 THEN resume_at ELSE now() + least(interval '1 second' * 2 ^
		    least(failure_count - $2, 10), $3::interval) END,
		    disabled_at = CASE WHEN $4 THEN coalesce(disabled_at, now()) ELSE disabled_at END,
		    problem = CASE WHEN $4 THEN $5 ELSE problem END
		WHERE id = $1`, c.WebhookID, toleratedFailures, maxReceiverPause, a.Problem == webhook.ProblemGone,
		string(a.Problem))
}

// ReleaseClaim ends a claim whose messages are sent, or that this server cannot send now. The
// rest of them can be claimed again.
func (db *DB) ReleaseClaim(ctx context.Context, c webhook.Claim) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE identity.webhook_subjects SET is_claimed = false, next_attempt_at = now()
		WHERE webhook_id = $1 AND subject = $2 AND claim_no = $3 AND is_claimed`, c.WebhookID, c.Subject, c.ClaimNo)
	return err
}

// queueExportReady adds the event that an export was completed. id is 0 for one that is not
// stored.
func queueExportReady(ctx context.Context, q querier, p project.Project, options ExportOptions, fileCount int,
	id ExportID) error {
	_, err := q.Exec(ctx, `
		SELECT queue_webhook_event($1, 'export.ready', 'project ' || $1::bigint,
		    jsonb_build_object('project', $2::text, 'layout', $3::text, 'format', $4::text, 'files', $5::integer)
		    || CASE WHEN $6::bigint = 0 THEN '{}' ELSE jsonb_build_object('export', $6::bigint) END)`,
		p.ID, p.Key, options.Layout, options.Format, fileCount, id)
	return err
}
