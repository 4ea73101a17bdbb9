package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
)

type userCommand struct {
	Add userAdd `cmd:"" help:"Add somebody. Without a password it prints an invitation link."`
}

type userAdd struct {
	Email         string `required:"" help:"Their e-mail address."`
	Name          string `required:"" help:"Their name."`
	Role          string `required:"" enum:"admin,lead,annotator" help:"admin, lead or annotator."`
	PasswordStdin bool   `help:"Read the password from standard input."`
	BaseURL       string `env:"LABELWRIGHT_BASE_URL" placeholder:"URL" help:"Where people reach the server, for the link. Default: http://127.0.0.1:8080."`
}

// Run adds an account.
func (u userAdd) Run(c *cli, s streams, ctx runContext) error {
	user, err := account.NewAccount{Email: u.Email, Name: u.Name, Role: account.Role(u.Role)}.Check()
	if err != nil {
		return err
	}
	base, hint, err := u.resolveBaseURL()
	if err != nil {
		return err
	}
	hash, err := u.readPasswordHash(s, ctx)
	if err != nil {
		return err
	}
	return c.withDB(ctx, func(db *postgres.DB) error {
		id, err := db.CreateAccount(ctx, 0, user, hash)
		if err != nil || hash != "" {
			return err
		}
		token, err := db.Invite(ctx, 0, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Send %s this link. It works once, within 72 hours:\n\n  %s/invitations/%s\n%s", user.Email, base, token, hint)
		return nil
	})
}

// resolveBaseURL returns where people reach the server, and, where nobody said so, what
// to do if that is wrong: the link cannot be made a second time.
func (u userAdd) resolveBaseURL() (base *url.URL, hint string, err error) {
	if u.BaseURL != "" {
		base, err = parseBaseURL(u.BaseURL)
		return base, "", err
	}
	base = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	return base, fmt.Sprintf("\nWhere people reach the server by another address, put that address in the place of %s.\n", base), nil
}

// readPasswordHash returns the hash of the password on standard input, or "" where
// none is given.
func (u userAdd) readPasswordHash(s streams, ctx runContext) (string, error) {
	if !u.PasswordStdin {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(s.in, 4096))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if err := account.CheckPassword(password); err != nil {
		return "", err
	}
	return account.HashPassword(ctx, password)
}
