// Package outbox sends what the application tells the outside: mails and the events of webhooks. The transaction that
// causes one adds a row and a job to the database; the job calls this package.
package outbox

import (
	"log/slog"
	"net/url"

	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/webhook"
)

// An Outbox sends mails and events.
type Outbox struct {
	DB   *postgres.DB
	Base *url.URL     // of the site, for links
	Mail *mail.Sender // nil: no mail server

	Webhooks *webhook.Sender
	Log      *slog.Logger
}

// Work returns what jobs call.
func (o *Outbox) Work() postgres.Work {
	w := postgres.Work{Log: o.Log, SendEvent: o.SendEvent}
	if o.Mail != nil {
		w.SendMail = o.SendMail
	}
	return w
}
