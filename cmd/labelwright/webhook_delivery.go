package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/version"
	"github.com/labelwright/labelwright/internal/webhook"
)

// webhookFlags are the settings of webhooks.
type webhookFlags struct {
	AllowedNetworks []string `name:"webhook-allow" env:"LABELWRIGHT_WEBHOOK_ALLOW" placeholder:"NETWORK" help:"Private networks that webhooks may reach, separated by commas, such as 10.1.0.0/16. Default: none."`
}

// newDeliverer returns the deliverer of webhooks.
func (f webhookFlags) newDeliverer(db *postgres.DB, log *slog.Logger) (*webhookDeliverer, error) {
	allowed, err := webhook.ParseNetworks(f.AllowedNetworks)
	if err != nil {
		return nil, usageError{errors.New("--webhook-allow: " + err.Error())}
	}
	return newWebhookDeliverer(db, webhook.NewSender(version.String(), allowed), log), nil
}

// The limits of requests at the same time.
const (
	maxDeliveries           = 8
	maxDeliveriesPerWebhook = 4
	webhookPollInterval     = time.Second
)

// A webhookDeliverer sends the events of webhooks. Several servers can run one at the same time.
type webhookDeliverer struct {
	db     *postgres.DB
	sender *webhook.Sender
	log    *slog.Logger
	slots  chan struct{} // one element per delivery at work

	mu     sync.Mutex
	atWork map[webhook.ID]int
}

func newWebhookDeliverer(db *postgres.DB, sender *webhook.Sender, log *slog.Logger) *webhookDeliverer {
	return &webhookDeliverer{db: db, sender: sender, log: log, slots: make(chan struct{}, maxDeliveries),
		atWork: map[webhook.ID]int{}}
}

// start runs the deliverer. The returned function stops it, and waits for the requests at work.
func (d *webhookDeliverer) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { d.run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// run sends events until ctx ends, and waits for the requests at work.
func (d *webhookDeliverer) run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	for ctx.Err() == nil {
		d.slots <- struct{}{}
		claim, err := d.db.ClaimWebhook(ctx, d.busy())
		if err == nil {
			d.count(claim.WebhookID, 1)
			group.Go(func() {
				defer func() { d.count(claim.WebhookID, -1); <-d.slots }()
				d.deliver(ctx, claim)
			})
			continue
		}
		<-d.slots
		if !errors.Is(err, fault.NotFound) && ctx.Err() == nil {
			d.log.WarnContext(ctx, "claim events of a webhook", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(webhookPollInterval):
		}
	}
}

// busy returns the webhooks with as many requests as one may have, so that one slow receiver
// does not hold up the others.
func (d *webhookDeliverer) busy() []webhook.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := []webhook.ID{}
	for id, n := range d.atWork {
		if n >= maxDeliveriesPerWebhook {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d *webhookDeliverer) count(id webhook.ID, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.atWork[id] += n; d.atWork[id] == 0 {
		delete(d.atWork, id)
	}
}

// deliver sends the messages of a claim until one fails. An attempt that is interrupted because
// the server stops is not counted: the receiver gets the message again, with the same id.
func (d *webhookDeliverer) deliver(ctx context.Context, c webhook.Claim) {
	for _, m := range c.Messages {
		attempt := d.sender.Send(ctx, c.URL, c.Signing, m)
		if ctx.Err() != nil && !attempt.Succeeded() {
			break
		}
		mayContinue, err := d.db.RecordAttempt(context.WithoutCancel(ctx), c, m, attempt)
		if err != nil {
			d.log.WarnContext(ctx, "record a delivery", "delivery", m.DeliveryID, "error", err)
		}
		if !attempt.Succeeded() {
			d.log.InfoContext(ctx, "event not delivered", "webhook", c.WebhookID, "delivery", m.DeliveryID, "retry",
				m.RetryNo, "status", attempt.StatusCode, "problem", attempt.Problem)
		}
		if err != nil || !mayContinue || ctx.Err() != nil {
			break
		}
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := d.db.ReleaseClaim(cleanup, c); err != nil {
		d.log.WarnContext(ctx, "release events of a webhook", "webhook", c.WebhookID, "error", err)
	}
}
