package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/internal/postgres"
)

// mailFlags are the settings of optional mail.
type mailFlags struct {
	Host     string `name:"smtp-host" env:"LABELWRIGHT_SMTP_HOST" placeholder:"HOST" help:"SMTP server for mails. Without it, no mail is sent."`
	Port     int    `name:"smtp-port" env:"LABELWRIGHT_SMTP_PORT" default:"587" help:"Port of the SMTP server."`
	Username string `name:"smtp-username" env:"LABELWRIGHT_SMTP_USERNAME" placeholder:"NAME" help:"User name at the SMTP server."`
	Password string `name:"smtp-password" env:"LABELWRIGHT_SMTP_PASSWORD" placeholder:"PASSWORD" help:"Password at the SMTP server. Set the environment variable: other users of this machine can read command lines."`
	TLS      string `name:"smtp-tls" env:"LABELWRIGHT_SMTP_TLS" enum:"starttls,tls,none" default:"starttls" help:"Encryption of the SMTP connection: starttls, tls or none."`
	From     string `name:"mail-from" env:"LABELWRIGHT_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of mails, such as 'Labelwright <labels@example.org>'."`
}

// newSender returns the sender of mails, or nil without an SMTP server.
func (f mailFlags) newSender() (*mail.Sender, error) {
	if f.Host == "" {
		return nil, nil
	}
	sender, err := mail.NewSender(mail.Config{Host: f.Host, Port: f.Port, Username: f.Username, Password: f.Password,
		TLS: mail.TLSMode(f.TLS), From: f.From})
	if err != nil {
		return nil, usageError{fmt.Errorf("--mail-from or the SMTP settings are not valid: %w", err)}
	}
	return sender, nil
}

// A mailer sends queued mails.
type mailer struct {
	db     *postgres.DB
	sender *mail.Sender
	base   *url.URL
	log    *slog.Logger
}

// digestHour is the hour, in UTC, from which the daily digest is sent.
const digestHour = 7

// run sends mails until ctx ends.
func (m mailer) run(ctx context.Context) {
	for {
		err := m.db.QueueDigests(ctx, digestHour)
		for err == nil {
			err = m.sendNext(ctx)
		}
		if !postgres.IsNoMail(err) && ctx.Err() == nil {
			m.log.WarnContext(ctx, "send mail", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Second):
		}
	}
}

// sendNext sends the next mail that is due.
func (m mailer) sendNext(ctx context.Context) error {
	queued, err := m.db.NextMail(ctx)
	if err != nil {
		return err
	}
	facts := mail.Facts{Kind: queued.Kind, Base: m.base.String(), ProjectTitle: queued.ProjectTitle,
		Token: queued.Token, MayRepeat: queued.MayRepeat, Locale: locale.ByTag(queued.Language)}
	if queued.Kind == account.MailDigest {
		if facts.Waiting, err = m.digest(ctx, queued.Recipient); err != nil {
			return err
		}
		if len(facts.Waiting) == 0 {
			return m.db.DropMail(ctx, queued.ID)
		}
	}
	if queued.MayRepeat {
		m.log.WarnContext(ctx, "mail sent again, because an earlier attempt was interrupted; it may arrive twice",
			"mail", queued.ID, "kind", queued.Kind, "attempt", queued.AttemptNo)
	}
	subject, body := facts.Text()
	id := fmt.Sprintf("labelwright-mail-%d@%s", queued.ID, m.base.Hostname())
	err = m.sender.Send(ctx, mail.Message{ID: id, ToName: queued.Recipient.Name, ToEmail: queued.Recipient.Email,
		Subject: subject, Body: body})
	if err != nil {
		m.log.WarnContext(ctx, "mail not sent", "mail", queued.ID, "kind", queued.Kind, "attempt", queued.AttemptNo,
			"error", mail.Describe(err))
		return m.db.MailFailed(context.WithoutCancel(ctx), queued, err.Error(), mail.IsPermanent(err),
			mail.MayHaveArrived(err))
	}
	return m.db.MailSent(context.WithoutCancel(ctx), queued.ID)
}

// digest lists what waits for a lead, by project and kind.
func (m mailer) digest(ctx context.Context, lead account.Account) (lines []string, err error) {
	waiting, err := m.db.WaitingCounts(ctx, lead)
	for _, w := range waiting {
		lines = append(lines, waitingText(w))
	}
	slices.Sort(lines)
	return lines, err
}

// waitingText describes what waits in one place.
func waitingText(w labeling.Waiting) string {
	place := w.ProjectKey
	if w.BatchName != "" {
		place += ", batch " + w.BatchName
	}
	return place + ": " + w.Text()
}
