package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/webhook"
)

// The limits of sending events. A job that has sent events for a while lets others have their turn.
const (
	maxDeliveriesPerWebhook = 4
	maxSendTime             = 20 * time.Second
)

// A receiver that fails this often in a row gets fewer requests: none for a pause that doubles
// with each failure.
const (
	toleratedFailures = 4
	maxReceiverPause  = time.Minute
)

// SendEvent sends a message to the address of a webhook once.
type SendEvent func(ctx context.Context, url string, signing webhook.Signing, m webhook.Message) webhook.Attempt

// An eventSender runs the jobs that send events.
type eventSender struct {
	db   *DB
	send SendEvent

	mu     sync.Mutex
	atWork map[webhook.ID]int
}

func (db *DB) eventWorker(send SendEvent) *worker[eventArgs] {
	s := &eventSender{db: db, send: send, atWork: map[webhook.ID]int{}}
	return &worker[eventArgs]{work: s.work, pause: func(int) time.Duration { return time.Second }}
}

// begin reports whether a webhook may have one more request now, so that one slow receiver does not hold up the
// others.
func (s *eventSender) begin(id webhook.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.atWork[id] >= maxDeliveriesPerWebhook {
		return false
	}
	s.atWork[id]++
	return true
}

func (s *eventSender) end(id webhook.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.atWork[id]--; s.atWork[id] == 0 {
		delete(s.atWork, id)
	}
}

// work sends the events of a subject until none waits or one fails. An attempt that is interrupted because the server
// stops is not counted: the receiver gets the message again, with the same id.
func (s *eventSender) work(ctx context.Context, job *river.Job[eventArgs]) error {
	if !s.begin(job.Args.WebhookID) {
		return river.JobSnooze(time.Second + rand.N(time.Second))
	}
	defer s.end(job.Args.WebhookID)
	for started := time.Now(); time.Since(started) < maxSendTime; {
		next, err := s.db.nextMessage(ctx, job)
		if err != nil || next.isDone {
			return err
		}
		if next.pause > 0 {
			return river.JobSnooze(next.pause + rand.N(time.Second))
		}
		attempt := s.send(ctx, next.url, next.signing, next.message)
		if ctx.Err() != nil && !attempt.Succeeded() {
			return ctx.Err()
		}
		isDone, err := s.db.recordAttempt(context.WithoutCancel(ctx), job, next.message, attempt)
		if err != nil || isDone {
			return err
		}
		if pause, isLast := webhook.NextAttempt(next.message.RetryNo); !attempt.Succeeded() && !isLast {
			return river.JobSnooze(pause)
		}
	}
	return river.JobSnooze(0)
}

// A nextMessage is what a job that sends events does next.
type nextMessage struct {
	url     string
	signing webhook.Signing
	message webhook.Message
	pause   time.Duration // of the receiver; 0: none
	isDone  bool          // nothing is to be sent
}

// nextMessage reads the first event that waits. It ends the job of a webhook that is disabled: enabling it adds
// another one.
func (db *DB) nextMessage(ctx context.Context, job *river.Job[eventArgs]) (next nextMessage, err error) {
	row, err := collectOne[struct {
		URL            string
		Secret         string
		PreviousSecret string
		PauseSeconds   float64
		IsDisabled     bool
		webhook.Message
	}](db.pool.Query(ctx, `
		SELECT w.url, w.secret, coalesce(CASE WHEN w.previous_secret_expires_at > now() THEN w.previous_secret END,
		       '') AS previous_secret, greatest(extract(epoch FROM w.resume_at - now()), 0)::float8 AS pause_seconds,
		       w.disabled_at IS NOT NULL AS is_disabled,
		       d.id AS delivery_id, d.event_id::text AS event_id, d.event_type, d.created_at, d.retry_no, d.payload
		FROM identity.webhooks w
		JOIN identity.webhook_deliveries d ON d.webhook_id = w.id AND d.subject = $2 AND d.delivered_at IS NULL
			AND d.failed_at IS NULL
		WHERE w.id = $1
		ORDER BY d.id LIMIT 1`, job.Args.WebhookID, job.Args.Subject))
	if errors.Is(err, fault.NotFound) || err == nil && row.IsDisabled {
		next.isDone, err = db.endIfIdle(ctx, job)
		return next, err
	}
	return nextMessage{url: row.URL, signing: webhook.Signing{Secret: row.Secret, PreviousSecret: row.PreviousSecret},
		message: row.Message, pause: time.Duration(row.PauseSeconds * float64(time.Second))}, err
}

// endIfIdle completes a job unless there is something to send now after all.
func (db *DB) endIfIdle(ctx context.Context, job *river.Job[eventArgs]) (isDone bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		var isDue bool
		err := tx.QueryRow(ctx, `
			WITH hook AS (SELECT id FROM identity.webhooks WHERE id = $1 AND disabled_at IS NULL FOR SHARE)
			SELECT EXISTS (SELECT FROM hook JOIN identity.webhook_subjects s ON s.webhook_id = hook.id
				AND s.subject = $2 AND s.pending_count > 0)`, job.Args.WebhookID, job.Args.Subject).Scan(&isDue)
		if err != nil || isDue {
			return err
		}
		isDone = true
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	if err == nil && !isDone {
		err = river.JobSnooze(time.Second)
	}
	return isDone, err
}

// recordAttempt records an attempt to send a message. It completes the job if no event of its subject waits.
func (db *DB) recordAttempt(ctx context.Context, job *river.Job[eventArgs], m webhook.Message,
	a webhook.Attempt) (isDone bool, err error) {
	id, subject := job.Args.WebhookID, job.Args.Subject
	_, isLast := webhook.NextAttempt(m.RetryNo)
	isRecorded := false
	lock := `FOR NO KEY UPDATE` // a failure changes the row
	if a.Succeeded() {
		lock = `FOR KEY SHARE`
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`SELECT FROM identity.webhooks WHERE id = $1 `+lock, id)
		batch.Queue(`SELECT FROM identity.webhook_subjects WHERE webhook_id = $1 AND subject = $2
			FOR NO KEY UPDATE`, id, subject)
		batch.Queue(`
			WITH delivery AS (
				UPDATE identity.webhook_deliveries
				SET attempt_count = attempt_count + 1, delivered_at = CASE WHEN $7 THEN now() END,
				    failed_at = CASE WHEN $8 THEN now() END, retry_no = retry_no + CASE WHEN $7 THEN 0 ELSE 1 END
				WHERE id = $1 AND delivered_at IS NULL AND failed_at IS NULL
				RETURNING attempt_count)
			INSERT INTO identity.webhook_attempts (delivery_id, attempt_no, started_at, duration_ms, status_code,
			problem, answer)
			SELECT $1, attempt_count, $2, $3, $4, $5, $6 FROM delivery`, m.DeliveryID, a.StartedAt, a.DurationMS,
			a.StatusCode, a.Problem, a.Answer, a.Succeeded(), !a.Succeeded() && isLast).
			Exec(func(tag pgconn.CommandTag) error {
				isRecorded = tag.RowsAffected() == 1
				return nil
			})
		if !a.Succeeded() {
			queueReceiverFailure(batch, id, a)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || !isRecorded || !a.Succeeded() && !isLast {
			return err // not recorded: the webhook was deleted, or another server was faster
		}
		pending := 0
		err := tx.QueryRow(ctx, `UPDATE identity.webhook_subjects SET pending_count = pending_count - 1
			WHERE webhook_id = $1 AND subject = $2 RETURNING pending_count`, id, subject).Scan(&pending)
		if err != nil || pending > 0 {
			return err
		}
		isDone = true
		if _, err := tx.Exec(ctx, `DELETE FROM identity.webhook_subjects WHERE webhook_id = $1 AND subject = $2`, id,
			subject); err != nil {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
	if err == nil && a.Succeeded() {
		err = db.markReached(ctx, id)
	}
	return isDone, err
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

// queueReceiverFailure counts a failure of a receiver. One that fails often gets fewer requests; one that is gone is
// disabled.
func queueReceiverFailure(batch *pgx.Batch, id webhook.ID, a webhook.Attempt) {
	batch.Queue(`
		UPDATE identity.webhooks
		SET failure_count = failure_count + 1, last_failed_at = now(),
		    resume_at = CASE WHEN failure_count < $2 THEN resume_at ELSE now() + least(interval '1 second' * 2 ^
		    least(failure_count - $2, 10), $3::interval) END,
		    disabled_at = CASE WHEN $4 THEN coalesce(disabled_at, now()) ELSE disabled_at END,
		    problem = CASE WHEN $4 THEN $5 ELSE problem END
		WHERE id = $1`, id, toleratedFailures, maxReceiverPause, a.Problem == webhook.ProblemGone, string(a.Problem))
}
