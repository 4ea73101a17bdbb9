package webhook

import "time"

// A HookRow is a webhook as programs read it.
type HookRow struct {
	ID              ID          `json:"id"`
	URL             string      `json:"url"`
	Events          []EventType `json:"events"`
	Status          string      `json:"status" enum:"active,disabled"`
	Pending         int         `json:"pending" doc:"Events to send."`
	CreatedAt       time.Time   `json:"created_at"`
	LastDeliveredAt *time.Time  `json:"last_delivered_at"`
	LastFailedAt    *time.Time  `json:"last_failed_at"`
}

// Status returns whether the webhook sends events: active or disabled.
func (w Webhook) Status() string {
	if w.DisabledAt != nil {
		return "disabled"
	}
	return "active"
}

// NewHookRow returns a webhook as programs read it.
func NewHookRow(w Webhook) HookRow {
	return HookRow{w.ID, w.URL, w.EventTypes, w.Status(), w.PendingCount, w.CreatedAt.UTC(), inUTC(w.LastDeliveredAt),
		inUTC(w.LastFailedAt)}
}

// A DeliveryRow is a delivery as programs read it.
type DeliveryRow struct {
	ID            DeliveryID   `json:"id"`
	EventID       string       `json:"event_id" doc:"The same for all webhooks that get the event."`
	Type          EventType    `json:"type"`
	Subject       string       `json:"subject" doc:"Events of one subject are sent in order." example:"batch 7"`
	Status        Status       `json:"status" enum:"waiting,delivered,failed"`
	CreatedAt     time.Time    `json:"created_at"`
	NextAttemptAt *time.Time   `json:"next_attempt_at"`
	AttemptCount  int          `json:"attempt_count"`
	Attempts      []AttemptRow `json:"attempts" doc:"The latest ones, newest first."`
}

// An AttemptRow is an attempt as programs read it.
type AttemptRow struct {
	StartedAt  time.Time   `json:"started_at"`
	DurationMS int         `json:"duration_ms"`
	StatusCode int         `json:"status_code" doc:"0: the receiver did not answer."`
	Problem    SendProblem `json:"problem" doc:"A code; empty if the receiver took the message." example:"timeout"`
	Answer     string      `json:"answer" doc:"Its first 200 characters."`
}

// NewDeliveryRow returns a delivery as programs read it.
func NewDeliveryRow(d Delivery) DeliveryRow {
	row := DeliveryRow{d.ID, d.EventID, d.EventType, d.Subject, d.Status(), d.CreatedAt.UTC(), inUTC(d.NextAttemptAt),
		d.AttemptCount, make([]AttemptRow, len(d.Attempts))}
	for i, a := range d.Attempts {
		row.Attempts[i] = AttemptRow{a.StartedAt.UTC(), a.DurationMS, a.StatusCode, a.Problem, a.Answer}
	}
	return row
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}
