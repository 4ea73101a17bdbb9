package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// An event is what webhooks get. Its payload has ids, keys, times and counts, and no texts.
type event struct {
	projectID project.ID
	kind      webhook.EventType
	subject   string // events of one subject are sent in order
	payload   map[string]any
}

func batchEvent(p project.Project, kind webhook.EventType, id project.BatchID, name string) event {
	return event{p.ID, kind, fmt.Sprintf("batch %d", id), map[string]any{"project": p.CurrentKey(), "batch": name}}
}

func itemEvent(p project.Project, kind webhook.EventType, id project.ItemID, sourceID string) event {
	return event{p.ID, kind, fmt.Sprintf("item %d", id), map[string]any{"project": p.CurrentKey(), "item": sourceID}}
}

// eventArgs are those of the job that sends the events of a subject to a webhook, in order. There is one while events
// wait.
type eventArgs struct {
	WebhookID webhook.ID `json:"webhook_id"`
	Subject   string     `json:"subject"`
}

// Kind names the kind of job.
func (eventArgs) Kind() string { return "send_events" }

// InsertOpts lets webhook.NextAttempt decide which attempt is the last.
func (eventArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: outboxQueue, MaxAttempts: 1000, UniqueOpts: uniqueWhileActive}
}

// queueEvents adds events for the webhooks that want them, with a job for each subject that had none waiting. Without
// a webhook it only reads an index.
func queueEvents(ctx context.Context, tx pgx.Tx, events ...event) error {
	if len(events) == 0 {
		return nil
	}
	var projects []project.ID
	var kinds []string
	for _, e := range events {
		projects, kinds = append(projects, e.projectID), append(kinds, string(e.kind))
	}
	// The rows of webhooks are locked before those that refer to them, as a deletion does.
	receivers, err := collectAll[struct {
		WebhookID webhook.ID
		Place     int
	}](tx.Query(ctx, `
		SELECT w.id AS webhook_id, e.place - 1 AS place
		FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS e (project_id, event_type, place)
		JOIN identity.webhooks w ON w.project_id = e.project_id AND w.disabled_at IS NULL
			AND e.event_type = ANY (w.event_types)
		ORDER BY w.id, e.place
		FOR KEY SHARE OF w`, projects, kinds))
	if err != nil || len(receivers) == 0 {
		return err
	}
	ids := make([]pgtype.UUID, len(events))
	for i := range ids {
		ids[i] = newEventID()
	}
	queued := make([]queuedEvent, len(receivers))
	for i, r := range receivers {
		queued[i] = queuedEvent{r.WebhookID, ids[r.Place], events[r.Place]}
	}
	return addDeliveries(ctx, tx, queued)
}

// newEventID returns a random UUID.
func newEventID() pgtype.UUID {
	id := pgtype.UUID{Valid: true}
	_, _ = rand.Read(id.Bytes[:]) // never fails
	id.Bytes[6] = id.Bytes[6]&0x0f | 0x40
	id.Bytes[8] = id.Bytes[8]&0x3f | 0x80
	return id
}

// A queuedEvent is an event for a webhook.
type queuedEvent struct {
	webhookID webhook.ID
	eventID   pgtype.UUID
	event
}

// addDeliveries locks the subjects before the events get their ids, so that the ids of a subject have the order of the
// commits.
func addDeliveries(ctx context.Context, tx pgx.Tx, queued []queuedEvent) error {
	var webhooks []webhook.ID
	var eventIDs []pgtype.UUID
	var kinds, subjects []string
	var payloads []json.RawMessage
	added := map[eventArgs]int{}
	for _, q := range queued {
		payload, err := json.Marshal(q.payload)
		if err != nil {
			return err
		}
		webhooks, eventIDs = append(webhooks, q.webhookID), append(eventIDs, q.eventID)
		kinds, subjects = append(kinds, string(q.kind)), append(subjects, q.subject)
		payloads = append(payloads, payload)
		added[eventArgs{q.webhookID, q.subject}]++
	}
	counts, err := collectAll[struct {
		eventArgs
		PendingCount int
	}](tx.Query(ctx, `
		INSERT INTO identity.webhook_subjects AS s (webhook_id, subject, pending_count)
		SELECT webhook_id, subject, count(*) FROM unnest($1::bigint[], $2::text[]) AS e (webhook_id, subject)
		GROUP BY webhook_id, subject ORDER BY webhook_id, subject
		ON CONFLICT (webhook_id, subject) DO UPDATE SET pending_count = s.pending_count + excluded.pending_count
		RETURNING webhook_id, subject, pending_count`, webhooks, subjects))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO identity.webhook_deliveries (webhook_id, event_id, event_type, subject, payload, created_at)
		SELECT webhook_id, event_id, event_type, subject, payload, clock_timestamp()
		FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[]) WITH ORDINALITY
			AS e (webhook_id, event_id, event_type, subject, payload, place)
		ORDER BY place`, webhooks, eventIDs, kinds, subjects, payloads)
	if err != nil {
		return err
	}
	var jobs []eventArgs
	for _, c := range counts {
		if c.PendingCount == added[c.eventArgs] {
			jobs = append(jobs, c.eventArgs)
		}
	}
	return addJobs(ctx, tx, jobs)
}

// batchEvents are the events of actions of leads on batches; others are webhook.BatchChanged.
var batchEvents = map[string]webhook.EventType{"batch.open": webhook.BatchOpened, "batch.close": webhook.BatchClosed,
	"batch.reopen": webhook.BatchReopened}

// announcedCounts are the details of actions on batches that events have.
var announcedCounts = []string{"items", "labels", "overlap", "annotators", "annotators_added", "annotators_removed",
	"paused", "resumed", "items_added", "items_reassigned", "labels_added", "items_available"}

// recordBatchAction adds an action of a lead on a batch to the audit log, and queues its event.
func recordBatchAction(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, id project.BatchID,
	name, action string, detail any) error {
	if err := recordAudit(ctx, tx, actorID, action, batchSubject(p.Key, name), detail); err != nil {
		return err
	}
	kind, isKnown := batchEvents[action]
	if !isKnown {
		kind = webhook.BatchChanged
	}
	e := batchEvent(p, kind, id, name)
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	var details map[string]json.RawMessage
	if err := json.Unmarshal(text, &details); err != nil {
		return err
	}
	for key, value := range details {
		if slices.Contains(announcedCounts, key) && json.Unmarshal(value, new(float64)) == nil {
			e.payload[key] = value
		}
	}
	return queueEvents(ctx, tx, e)
}
