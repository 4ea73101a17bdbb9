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
	Add userAdd `cmd:"" help:"Add a user, and print an invitation link."`
}

type userAdd struct {
	Email          string `required:"" help:"Email address."`
	Name           string `required:"" help:"Name."`
	Role           string `required:"" enum:"admin,lead,annotator" help:"Role: admin, lead or annotator."`
	PasswordStdin  bool   `help:"Read the password from standard input, instead of an invitation."`
	invitationSite `embed:""`
}

// An invitationSite is the flag for the address in invitation links.
type invitationSite struct {
	BaseURL string `env:"LABELWRIGHT_BASE_URL" placeholder:"URL" help:"Address of the site, for the invitation link. Default: http://127.0.0.1:8080."`
}

// Run adds an account.
func (u userAdd) Run(c *cli, s streams, ctx runContext) error {
	user, err := account.NewAccount{Email: u.Email, Name: u.Name, Role: account.Role(u.Role)}.Check()
	if err != nil {
		return usageError{err}
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
		fmt.Fprintf(s.out, "Send this link to %s. It works once, within 72 hours:\n\n  %s/invitations/%s\n%s", user.Email, base, token, hint)
		return nil
	})
}

// resolveBaseURL returns the address of the site. For the default it adds a hint, because
// the link cannot be printed again.
func (i invitationSite) resolveBaseURL() (base *url.URL, hint string, err error) {
	if i.BaseURL != "" {
		base, err = parseBaseURL(i.BaseURL)
		return base, "", err
	}
	base = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	return base, fmt.Sprintf("\nIf the site has another address, replace %s with it.\n", base), nil
}

// readPasswordHash hashes the password on standard input; "" without --password-stdin.
func (u userAdd) readPasswordHash(s streams, ctx runContext) (string, error) {
	if !u.PasswordStdin {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(s.in, 4096))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	return account.HashPassword(ctx, "", password, account.Owner{Name: u.Name, Email: u.Email})
}
