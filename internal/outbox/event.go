package outbox

import (
	"context"

	"github.com/labelwright/labelwright/internal/webhook"
)

// SendEvent sends a message to a webhook once.
func (o *Outbox) SendEvent(ctx context.Context, url string, signing webhook.Signing,
	m webhook.Message) webhook.Attempt {
	attempt := o.Webhooks.Send(ctx, url, signing, m)
	if !attempt.Succeeded() {
		o.Log.InfoContext(ctx, "event not delivered", "delivery", m.DeliveryID, "retry", m.RetryNo,
			"status", attempt.StatusCode, "problem", attempt.Problem)
	}
	return attempt
}
