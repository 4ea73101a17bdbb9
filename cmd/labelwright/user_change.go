package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
)

type userList struct {
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A userEntry is an account in the JSON output.
type userEntry struct {
	Email  string             `json:"email"`
	Name   string             `json:"name"`
	Role   account.Role       `json:"role"`
	Status account.UserStatus `json:"status"`
}

// Run prints all accounts.
func (u userList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		accounts, err := db.Accounts(ctx, actor(ctx).ID)
		if err != nil {
			return err
		}
		if u.Format == "json" {
			entries := make([]userEntry, len(accounts))
			for i, a := range accounts {
				entries[i] = userEntry{a.Email, a.Name, a.Role, a.Status()}
			}
			return printJSON(s.out, map[string]any{"users": entries})
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "EMAIL\tNAME\tROLE\tSTATUS")
		for _, a := range accounts {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.Email, a.Name, a.Role, a.Status())
		}
		return table.Flush()
	})
}

// useAccount runs work on an account.
func (c *cli) useAccount(ctx runContext, email string, work func(*postgres.DB, account.Account) error) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		a, err := db.AccountByEmail(ctx, email)
		if err != nil {
			return err
		}
		return work(db, a)
	})
}

type userRole struct {
	Email string `arg:"" help:"Email address."`
	Role  string `arg:"" enum:"admin,lead,annotator" help:"Role: admin, lead or annotator."`
	resultFlags
}

// Run gives an account another role.
func (u userRole) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.ChangeAccount(ctx, actor(ctx).ID, a.ID,
			account.UserChange{Role: new(account.Role(u.Role))}); err != nil {
			return err
		}
		return u.print(s, map[string]any{"email": a.Email, "role": u.Role}, "%s now has the role %s.\n",
			a.Email, u.Role)
	})
}

type userDisable struct {
	Email string `arg:"" help:"Email address."`
	resultFlags
}

// Run disables an account.
func (u userDisable) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.ChangeAccount(ctx, actor(ctx).ID, a.ID, account.UserChange{Disabled: new(true)}); err != nil {
			return err
		}
		return u.print(s, map[string]any{"email": a.Email, "status": "disabled"},
			"Disabled the account of %s. It is signed out everywhere.\n", a.Email)
	})
}

type userEnable struct {
	Email string `arg:"" help:"Email address."`
	resultFlags
}

// Run enables an account.
func (u userEnable) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.ChangeAccount(ctx, actor(ctx).ID, a.ID, account.UserChange{Disabled: new(false)}); err != nil {
			return err
		}
		a.Disabled = false
		return u.print(s, map[string]any{"email": a.Email, "status": a.Status()}, "Enabled the account of %s.\n",
			a.Email)
	})
}

type userReset struct {
	Email          string `arg:"" help:"Email address."`
	invitationSite `embed:""`
	resultFlags
}

// Run prints a link with which the user sets a new password.
func (u userReset) Run(c *cli, s streams, ctx runContext) error {
	base, hint, err := u.resolveBaseURL()
	if err != nil {
		return err
	}
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		token, err := db.Invite(ctx, actor(ctx).ID, a.ID)
		if err != nil {
			return err
		}
		return u.print(s, map[string]any{"email": a.Email, "role": a.Role, "link": base.String() +
			"/invitations/" + token},
			"Send this link to %s. It sets a new password, once, within 72 hours:\n\n  %s/invitations/%s\n%s", a.Email,
			base, token, hint)
	})
}
