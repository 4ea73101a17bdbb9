package outbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/internal/postgres"
)

// SendMail sends a mail, and stores the outcome.
func (o *Outbox) SendMail(ctx context.Context, queued postgres.Mail) (err error) {
	facts := mail.Facts{Kind: queued.Kind, Base: o.Base.String(), ProjectTitle: queued.ProjectTitle,
		Inviter: queued.Inviter,
		Token:   queued.Token, MayRepeat: queued.MayRepeat, Locale: locale.ByTag(queued.Language)}
	if queued.Kind == account.MailDigest {
		if facts.Waiting, err = o.digest(ctx, cmp.Or(facts.Locale, locale.English), queued.Recipient); err != nil {
			return err
		}
		if len(facts.Waiting) == 0 {
			return o.DB.DropMail(ctx, queued.ID)
		}
	}
	if queued.MayRepeat {
		o.Log.WarnContext(ctx, "mail sent again, because an earlier attempt was interrupted; it may arrive twice",
			"mail", queued.ID, "kind", queued.Kind, "attempt", queued.AttemptNo)
	}
	subject, body := facts.Text()
	id := fmt.Sprintf("labelwright-mail-%d@%s", queued.ID, o.Base.Hostname())
	err = o.Mail.Send(ctx, mail.Message{ID: id, ToName: queued.Recipient.Name, ToEmail: queued.Recipient.Email,
		Subject: subject, Body: body})
	if err != nil {
		o.Log.WarnContext(ctx, "mail not sent", "mail", queued.ID, "kind", queued.Kind, "attempt", queued.AttemptNo,
			"error", mail.Describe(err))
		return o.DB.MailFailed(ctx, queued, err.Error(), mail.IsPermanent(err), mail.MayHaveArrived(err))
	}
	return o.DB.MailSent(ctx, queued.ID)
}

// digest lists what waits for a lead, by project and kind.
func (o *Outbox) digest(ctx context.Context, l *locale.Locale, lead account.Account) (lines []string, err error) {
	waiting, err := o.DB.WaitingCounts(ctx, lead)
	for _, w := range waiting {
		lines = append(lines, waitingText(l, w))
	}
	slices.Sort(lines)
	return lines, err
}

// waitingText describes what waits in one place.
func waitingText(l *locale.Locale, w labeling.Waiting) string {
	place := w.ProjectKey
	if w.BatchName != "" {
		place = l.T("%s, batch %s", place, w.BatchName)
	}
	return place + ": " + w.Text(l)
}
