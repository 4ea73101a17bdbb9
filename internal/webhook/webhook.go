// Package webhook sends events of projects to programs: signed as Standard Webhooks
// describes, over connections that cannot reach private networks.
package webhook

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// An EventType is what happened.
type EventType string

// The event types. Test is sent on request only.
const (
	BatchOpened     EventType = "batch.opened"
	BatchChanged    EventType = "batch.changed"
	BatchClosed     EventType = "batch.closed"
	BatchReopened   EventType = "batch.reopened"
	ItemCompleted   EventType = "item.completed"
	ItemAdjudicated EventType = "item.adjudicated"
	VerdictChanged  EventType = "verdict.changed"
	ExportReady     EventType = "export.ready"
	Test            EventType = "webhook.test"
)

// EventTypes lists the event types that a webhook can subscribe to.
var EventTypes = []EventType{BatchOpened, BatchChanged, BatchClosed, BatchReopened, ItemCompleted, ItemAdjudicated,
	VerdictChanged, ExportReady}

// MaxPerProject limits the webhooks of a project.
const MaxPerProject = 10

type (
	// An ID identifies a Webhook.
	ID int64
	// A DeliveryID identifies a Delivery.
	DeliveryID int64
)

// A Webhook is an address that receives events of a project.
type Webhook struct {
	ID                      ID
	URL                     string
	EventTypes              []EventType
	CreatedAt               time.Time
	DisabledAt              *time.Time // since then nothing is sent
	Problem                 string     // why it was disabled; empty: by a lead
	PreviousSecretExpiresAt *time.Time // until then messages have two signatures
	PendingCount            int        // events to send
	Version                 int        // counts changes by leads
	LastDeliveredAt         *time.Time
	LastFailedAt            *time.Time // of attempts
}

// Signing is what the messages of a webhook are signed with.
type Signing struct {
	Secret         string
	PreviousSecret string // still valid after a rotation; may be empty
}

// A Delivery is an event that is, or was, sent to a webhook.
type Delivery struct {
	ID            DeliveryID
	EventID       string
	EventType     EventType
	Subject       string // events of one subject are sent in order
	CreatedAt     time.Time
	AttemptCount  int
	DeliveredAt   *time.Time
	FailedAt      *time.Time // given up
	NextAttemptAt *time.Time // of the next one to send of its subject; nil: none, or an earlier event waits
	Attempts      []Attempt  `db:"-"` // latest first
}

// A Status is the state of a Delivery.
type Status string

// The states of a delivery.
const (
	Waiting   Status = "waiting"
	Delivered Status = "delivered"
	Failed    Status = "failed" // given up
)

// Status returns the state of the delivery.
func (d Delivery) Status() Status {
	switch {
	case d.DeliveredAt != nil:
		return Delivered
	case d.FailedAt != nil:
		return Failed
	}
	return Waiting
}

// An Attempt is one request to a webhook.
type Attempt struct {
	StartedAt  time.Time
	DurationMS int
	StatusCode int // 0: no answer
	Problem    SendProblem
	Answer     string // its first characters
}

// Succeeded reports whether the receiver took the message.
func (a Attempt) Succeeded() bool { return a.Problem == "" }

// A New is the input for creating or changing a webhook.
type New struct {
	URL        string
	EventTypes []EventType // none: all
}

// MaxURLLength is the longest address of a webhook.
const MaxURLLength = 1000

// WithDefaults returns n with the fields of w where it has none.
func (n New) WithDefaults(w New) New {
	n.URL = cmp.Or(n.URL, w.URL)
	if len(n.EventTypes) == 0 {
		n.EventTypes = w.EventTypes
	}
	return n
}

// Check returns n in its stored form, or what is wrong with it. Whether the address can be
// reached is seen when a message is sent.
func (n New) Check() (New, error) {
	n.URL = strings.TrimSpace(n.URL)
	u, err := url.Parse(n.URL)
	switch {
	case len(n.URL) > MaxURLLength || plaintext.CheckLine(n.URL) != nil || err != nil || u.Hostname() == "" ||
		u.Scheme != "https" && u.Scheme != "http":
		return n, fault.Invalid.Errorf(
			"“%s” is not an address of a webhook. Use one such as https://example.org/hooks/labels.", n.URL)
	case u.User != nil:
		return n, fault.Invalid.WithText(
			"Leave the user name and password out of the address. Verify the signature instead.")
	case u.Fragment != "":
		return n, fault.Invalid.WithText("Leave the part after # out of the address. It is not sent.")
	}
	if len(n.EventTypes) == 0 {
		n.EventTypes = EventTypes
	}
	for _, t := range n.EventTypes {
		if !slices.Contains(EventTypes, t) {
			return n, fault.Invalid.Errorf("“%s” is not an event. The events are %s.", t, TypeNames())
		}
	}
	n.EventTypes = slices.Compact(slices.Sorted(slices.Values(n.EventTypes)))
	return n, nil
}

// Text returns when an event of the type is sent.
func (t EventType) Text() string {
	return map[EventType]string{
		BatchOpened:     "a batch was opened",
		BatchChanged:    "a lead changed or archived a batch",
		BatchClosed:     "a batch was closed",
		BatchReopened:   "a batch was reopened",
		ItemCompleted:   "an item has all its labels",
		ItemAdjudicated: "a lead decided an item",
		VerdictChanged:  "the verdict on a field of a batch changed",
		ExportReady:     "an export was completed",
		Test:            "a lead tested the webhook",
	}[t]
}

// TypeNames lists the event types as text.
func TypeNames() string {
	names := make([]string, len(EventTypes))
	for i, t := range EventTypes {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

// Host returns the scheme and host of the address, for the audit log: paths and queries may
// hold secrets.
func (n New) Host() string {
	u, err := url.Parse(n.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// A Message is a delivery with what is needed to send it.
type Message struct {
	DeliveryID DeliveryID
	EventID    string
	EventType  EventType
	CreatedAt  time.Time
	RetryNo    int // failed attempts since it was queued
	Payload    json.RawMessage
}

// ID returns the id by which receivers recognize a message that arrives again.
func (m Message) ID() string { return "msg_" + strings.ReplaceAll(m.EventID, "-", "") }

// Body returns the body. It is the same in each attempt.
func (m Message) Body() ([]byte, error) {
	return json.Marshal(struct {
		Type      EventType       `json:"type"`
		Timestamp string          `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{m.EventType, m.CreatedAt.UTC().Format(time.RFC3339Nano), m.Payload})
}

// retries are the pauses after failed attempts, as Standard Webhooks recommends. After the
// last one, an event is given up.
var retries = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// NextAttempt returns the pause before the next attempt, and whether there is one, after a
// number of earlier failed attempts.
func NextAttempt(retryNo int) (pause time.Duration, isLast bool) {
	if retryNo >= len(retries) {
		return 0, true
	}
	return retries[retryNo], false
}

// RotationPeriod is how long the previous secret is used next to the new one.
const RotationPeriod = 24 * time.Hour
