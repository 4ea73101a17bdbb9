// Package mail writes the mails of the application and sends them by SMTP. Mails never
// contain texts of items, questions or answers.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// A Config is how mails are sent.
type Config struct {
	Host     string
	Port     int
	Username string // empty: without signing in
	Password string
	TLS      TLSMode
	From     string // such as "Labelwright <labels@example.org>"
}

// A TLSMode is how the connection is encrypted.
type TLSMode string

// The modes.
const (
	StartTLS TLSMode = "starttls" // required
	Implicit TLSMode = "tls"
	NoTLS    TLSMode = "none" // for a server on the same machine
)

// A Sender sends mails.
type Sender struct {
	config Config
	from   *mail.Address
}

// sendTimeout bounds one mail.
const sendTimeout = time.Minute

// NewSender checks the configuration. It does not connect.
func NewSender(c Config) (*Sender, error) {
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, fmt.Errorf("%q is not a sender such as “Labelwright <labels@example.org>”", c.From)
	}
	s := &Sender{c, from}
	_, err = s.newClient()
	return s, err
}

func (s *Sender) newClient() (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithTimeout(sendTimeout / 2), gomail.WithoutNoop(),
		gomail.WithTLSPolicy(gomail.TLSMandatory)}
	switch s.config.TLS {
	case Implicit:
		options = append(options, gomail.WithSSL())
	case NoTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	options = append(options, gomail.WithPort(s.config.Port)) // policies have ports of their own
	if s.config.Username != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(s.config.Username), gomail.WithPassword(s.config.Password))
	}
	return gomail.NewClient(s.config.Host, options...)
}

// A Message is one mail.
type Message struct {
	ID      string // the same for every attempt, so that receivers can recognize a repetition
	ToName  string
	ToEmail string
	Subject string
	Body    string
}

// Send sends one mail on a connection of its own.
func (s *Sender) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	client, err := s.newClient()
	if err != nil {
		return err
	}
	msg := gomail.NewMsg()
	if err := errors.Join(msg.FromFormat(s.from.Name, s.from.Address), msg.AddToFormat(m.ToName,
		m.ToEmail)); err != nil {
		return err
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.ID)
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Body)
	err = client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() { // what failed after that does not matter
		return nil
	}
	return err
}

// MayHaveArrived reports whether a mail may have arrived although sending it failed: the
// connection ended before the server answered.
func MayHaveArrived(err error) bool {
	failed, ok := errors.AsType[*gomail.SendError](err)
	return ok && failed.Reason == gomail.ErrSMTPDataClose && failed.ErrorCode() == 0
}

// IsPermanent reports whether another attempt would fail, too: the server refused the mail.
func IsPermanent(err error) bool {
	refused, ok := errors.AsType[*gomail.SendError](err)
	return ok && !refused.IsTemp() && refused.ErrorCode() >= 500
}

// Describe returns why a mail was not sent, for logs: without the address of the recipient,
// which the answer of a server may repeat.
func Describe(err error) string {
	if failed, ok := errors.AsType[*gomail.SendError](err); ok {
		return fmt.Sprintf("%s, SMTP status %d", failed.Reason, failed.ErrorCode())
	}
	if connection, ok := errors.AsType[*net.OpError](err); ok {
		return connection.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "the server did not answer in time"
	}
	return fmt.Sprintf("%T", err)
}
