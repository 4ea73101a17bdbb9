package main

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/mail"
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
