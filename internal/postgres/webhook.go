package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// CreateWebhook adds a webhook to a project. It returns the secret, which is not shown again.
func (db *DB) CreateWebhook(ctx context.Context, actorID account.ID, p project.Project, n webhook.New) (id webhook.ID,
	secret string, err error) {
	if n, err = n.Check(); err != nil {
		return 0, "", err
	}
	secret = webhook.NewSecret()
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		var count int
		err := tx.QueryRow(ctx, `
			WITH locked AS (SELECT id FROM projects WHERE id = $1 FOR NO KEY UPDATE)
			SELECT count(w.id) FROM locked LEFT JOIN identity.webhooks w ON w.project_id =
			locked.id`, p.ID).Scan(&count)
		if err != nil {
			return err
		}
		if count >= webhook.MaxPerProject {
			return fault.Conflict.Errorf("A project can have %d webhooks. Delete one that is not used.",
				webhook.MaxPerProject)
		}
		err = tx.QueryRow(ctx, `
			INSERT INTO identity.webhooks (project_id, url, event_types, secret, created_by)
			VALUES ($1, $2, $3, $4, nullif($5, 0))
			RETURNING id`, p.ID, n.URL, n.EventTypes, secret, actorID).Scan(&id)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "webhook.create", projectSubject(p.Key), map[string]any{"webhook": id,
			"host": n.Host(), "event_types": n.EventTypes})
	})
	return id, secret, err
}

const selectWebhook = `
	SELECT w.id, w.url, w.event_types, w.created_at, w.disabled_at, w.problem, w.last_delivered_at, w.last_failed_at,
	w.version,
	       CASE WHEN w.previous_secret_expires_at > now() THEN w.previous_secret_expires_at END AS
	       previous_secret_expires_at,
	       coalesce((SELECT sum(s.pending_count) FROM identity.webhook_subjects s WHERE s.webhook_id = w.id),
	       0)::integer AS pending_count
	FROM identity.webhooks w `

// Webhooks returns the webhooks of a project for one of its leads.
func (db *DB) Webhooks(ctx context.Context, actorID account.ID, p project.Project) ([]webhook.Webhook, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	return collectAll[webhook.Webhook](db.pool.Query(ctx, selectWebhook+`WHERE w.project_id = $1 ORDER BY w.id`, p.ID))
}

// Webhook returns a webhook of a project for one of its leads.
func (db *DB) Webhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID) (webhook.Webhook,
	error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return webhook.Webhook{}, err
	}
	w, err := collectOne[webhook.Webhook](db.pool.Query(ctx, selectWebhook+`WHERE w.project_id = $1 AND w.id = $2`,
		p.ID, id))
	return w, errNoWebhook(p, id, err)
}

// errNoWebhook names the webhook that a query did not find.
func errNoWebhook(p project.Project, id webhook.ID, err error) error {
	if errors.Is(err, fault.NotFound) {
		return fault.NotFound.Errorf("The project “%s” has no webhook %d.", p.Key, id)
	}
	return err
}

// changeWebhook runs a change of a webhook, whose row it locks, and records it. A change may
// set another address in its argument.
func (db *DB) changeWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID, action string,
	change func(tx pgx.Tx, w *webhook.New) error) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		w, err := collectOne[webhook.New](tx.Query(ctx, `SELECT url, event_types FROM identity.webhooks
			WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE`, p.ID, id))
		if err != nil {
			return errNoWebhook(p, id, err)
		}
		if err := checkVersion(ctx, tx, VersionedWebhook, id); err != nil {
			return err
		}
		if err := change(tx, &w); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, action, projectSubject(p.Key), map[string]any{"webhook": id,
			"host": w.Host()})
	})
}

// ChangeWebhook changes the address, the event types, or both. Empty fields of n stay as they
// are.
func (db *DB) ChangeWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID,
	n webhook.New) error {
	return db.changeWebhook(ctx, actorID, p, id, "webhook.change", func(tx pgx.Tx, w *webhook.New) (err error) {
		if *w, err = n.WithDefaults(*w).Check(); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE identity.webhooks SET url = $2, event_types = $3
			WHERE id = $1`, id, w.URL, w.EventTypes)
		return err
	})
}

// RotateWebhookSecret gives a webhook a new secret, which is not shown again. The previous one
// signs messages, too, for webhook.RotationPeriod.
func (db *DB) RotateWebhookSecret(ctx context.Context, actorID account.ID, p project.Project,
	id webhook.ID) (secret string, err error) {
	secret = webhook.NewSecret()
	err = db.changeWebhook(ctx, actorID, p, id, "webhook.rotate", func(tx pgx.Tx, _ *webhook.New) error {
		_, err := tx.Exec(ctx, `
			UPDATE identity.webhooks SET previous_secret = secret, previous_secret_expires_at = now() + $3::interval,
			secret = $2
			WHERE id = $1`, id, secret, webhook.RotationPeriod)
		return err
	})
	return secret, err
}

// DisableWebhook stops a webhook: events are neither queued nor sent.
func (db *DB) DisableWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID) error {
	return db.changeWebhook(ctx, actorID, p, id, "webhook.disable", func(tx pgx.Tx, _ *webhook.New) error {
		_, err := tx.Exec(ctx, `UPDATE identity.webhooks SET disabled_at = coalesce(disabled_at, now())
			WHERE id = $1`, id)
		return err
	})
}

// EnableWebhook starts a webhook again. Events that waited are sent.
func (db *DB) EnableWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID) error {
	return db.changeWebhook(ctx, actorID, p, id, "webhook.enable", func(tx pgx.Tx, _ *webhook.New) error {
		_, err := tx.Exec(ctx, `UPDATE identity.webhooks SET disabled_at = NULL, problem = '', failure_count = 0,
			resume_at = now() WHERE id = $1`, id)
		if err != nil {
			return err
		}
		waiting, err := collectAll[eventArgs](tx.Query(ctx, `SELECT webhook_id, subject FROM identity.webhook_subjects
			WHERE webhook_id = $1 AND pending_count > 0 ORDER BY subject`, id))
		if err != nil {
			return err
		}
		return addJobs(ctx, tx, waiting)
	})
}

// DeleteWebhook deletes a webhook with its deliveries.
func (db *DB) DeleteWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID) error {
	return db.changeWebhook(ctx, actorID, p, id, "webhook.delete", func(tx pgx.Tx, _ *webhook.New) error {
		_, err := tx.Exec(ctx, `DELETE FROM identity.webhooks WHERE id = $1`, id)
		return err
	})
}

// TestWebhook queues a test event.
func (db *DB) TestWebhook(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID) error {
	return db.changeWebhook(ctx, actorID, p, id, "webhook.test", func(tx pgx.Tx, _ *webhook.New) error {
		var isDisabled bool
		if err := tx.QueryRow(ctx, `SELECT disabled_at IS NOT NULL FROM identity.webhooks
			WHERE id = $1`, id).Scan(&isDisabled); err != nil {
			return err
		}
		if isDisabled {
			return errWebhookDisabled
		}
		test := event{p.ID, webhook.Test, "test", map[string]any{"project": p.Key}}
		return addDeliveries(ctx, tx, []queuedEvent{{id, newEventID(), test}})
	})
}

var errWebhookDisabled = fault.Conflict.WithText("The webhook is disabled, so nothing is sent. Enable it first.")

const selectDelivery = `
	SELECT d.id, d.event_id::text AS event_id, d.event_type, d.subject, d.created_at, d.attempt_count, d.delivered_at,
	d.failed_at,
	       CASE WHEN d.delivered_at IS NULL AND d.failed_at IS NULL AND w.disabled_at IS NULL AND NOT EXISTS (
	           SELECT FROM identity.webhook_deliveries e
	           WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.id < d.id AND e.delivered_at IS NULL
	           AND e.failed_at IS NULL)
	       THEN greatest(j.scheduled_at, w.resume_at) END AS next_attempt_at
	FROM identity.webhook_deliveries d
	JOIN identity.webhooks w ON w.id = d.webhook_id
	LEFT JOIN LATERAL (
		SELECT scheduled_at FROM river.river_job
		WHERE kind = 'send_events' AND args @> jsonb_build_object('webhook_id', d.webhook_id, 'subject', d.subject)
		  AND finalized_at IS NULL
		LIMIT 1) j ON true `

// WebhookDeliveries returns up to limit deliveries of a webhook, newest first, for a lead of
// its project. A before other than 0 restricts the result to those before that one.
func (db *DB) WebhookDeliveries(ctx context.Context, actorID account.ID, p project.Project, id webhook.ID,
	before webhook.DeliveryID, limit int) ([]webhook.Delivery, error) {
	if _, err := db.Webhook(ctx, actorID, p, id); err != nil {
		return nil, err
	}
	if before == 0 {
		before = 1<<63 - 1
	}
	deliveries, err := collectAll[webhook.Delivery](db.pool.Query(ctx, selectDelivery+`
		WHERE d.webhook_id = $1 AND d.id < $2 ORDER BY d.id DESC LIMIT $3`, id, before, limit))
	if err != nil {
		return nil, err
	}
	return deliveries, db.addAttempts(ctx, deliveries)
}

// keptAttempts is how many attempts of a delivery a list has.
const keptAttempts = 10

// addAttempts adds the latest attempts to deliveries.
func (db *DB) addAttempts(ctx context.Context, deliveries []webhook.Delivery) error {
	places, ids := map[webhook.DeliveryID]int{}, make([]webhook.DeliveryID, len(deliveries))
	for i, d := range deliveries {
		places[d.ID], ids[i] = i, d.ID
	}
	attempts, err := collectAll[struct {
		DeliveryID webhook.DeliveryID
		webhook.Attempt
	}](db.pool.Query(ctx, `
		SELECT a.delivery_id, a.started_at, a.duration_ms, a.status_code, a.problem, a.answer
		FROM unnest($1::bigint[]) AS listed (id)
		CROSS JOIN LATERAL (SELECT * FROM identity.webhook_attempts WHERE delivery_id = listed.id
		ORDER BY attempt_no DESC LIMIT $2) a
		ORDER BY a.delivery_id, a.attempt_no DESC`, ids, keptAttempts))
	for _, a := range attempts {
		d := &deliveries[places[a.DeliveryID]]
		d.Attempts = append(d.Attempts, a.Attempt)
	}
	return err
}

// ResendDelivery sends a delivery again, with the same id: at once if it waits for its next
// attempt, else after the events of its subject that wait before it.
func (db *DB) ResendDelivery(ctx context.Context, actorID account.ID, p project.Project,
	id webhook.DeliveryID) (webhookID webhook.ID, err error) {
	if err = db.pool.QueryRow(ctx, `SELECT webhook_id FROM identity.webhook_deliveries
		WHERE id = $1`, id).Scan(&webhookID); err != nil {
		return 0, notFound(err)
	}
	return webhookID, db.changeWebhook(ctx, actorID, p, webhookID, "webhook.resend",
		func(tx pgx.Tx, _ *webhook.New) error {
			var isDisabled bool
			err := tx.QueryRow(ctx, `UPDATE identity.webhooks SET resume_at = now() WHERE id = $1
			RETURNING disabled_at IS NOT NULL`, webhookID).Scan(&isDisabled)
			if err != nil {
				return err
			}
			if isDisabled {
				return errWebhookDisabled
			}
			return requeueDelivery(ctx, tx, webhookID, id)
		})
}

// requeueDelivery locks the subject of a delivery first, as every change of deliveries does. Its job runs at once.
func requeueDelivery(ctx context.Context, tx pgx.Tx, webhookID webhook.ID, id webhook.DeliveryID) error {
	args := eventArgs{WebhookID: webhookID}
	err := tx.QueryRow(ctx, `
		INSERT INTO identity.webhook_subjects AS s (webhook_id, subject, pending_count)
		SELECT $1, subject, 0 FROM identity.webhook_deliveries WHERE id = $2
		ON CONFLICT (webhook_id, subject) DO UPDATE SET pending_count = s.pending_count
		RETURNING subject`, webhookID, id).Scan(&args.Subject)
	if err != nil {
		return notFound(err)
	}
	_, err = tx.Exec(ctx, `
		WITH ended AS (
			UPDATE identity.webhook_deliveries SET delivered_at = NULL, failed_at = NULL, retry_no = 0
			WHERE id = $1 AND (delivered_at IS NOT NULL OR failed_at IS NOT NULL)
			RETURNING webhook_id, subject
		)
		UPDATE identity.webhook_subjects s SET pending_count = pending_count + 1
		FROM ended e WHERE s.webhook_id = e.webhook_id AND s.subject = e.subject`, id)
	if err != nil {
		return err
	}
	jobID, err := addJob(ctx, tx, args, 0)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE river.river_job SET state = 'available', scheduled_at = now()
		WHERE id = $1 AND state IN ('scheduled', 'retryable', 'available')`, jobID)
	return err
}
