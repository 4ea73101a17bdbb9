package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

var errNotAdmin = fault.Forbidden.WithText("Only admins manage users, protocols and the audit log of all projects. Leave out --as, or name an admin.")

// requireAdmin returns an error if --as names someone who is not an admin.
func requireAdmin(ctx runContext) error {
	if !actor(ctx).Role.IsAdmin() {
		return errNotAdmin
	}
	return nil
}

type userList struct {
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A userEntry is an account in the JSON output.
type userEntry struct {
	Email  string       `json:"email"`
	Name   string       `json:"name"`
	Role   account.Role `json:"role"`
	Status string       `json:"status"`
}

// Run prints all accounts.
func (u userList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		if err := requireAdmin(ctx); err != nil {
			return err
		}
		accounts, err := db.Accounts(ctx)
		if err != nil {
			return err
		}
		if u.Format == "json" {
			entries := make([]userEntry, len(accounts))
			for i, a := range accounts {
				entries[i] = userEntry{a.Email, a.Name, a.Role, userStatus(a)}
			}
			return printJSON(s.out, map[string]any{"users": entries})
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "EMAIL\tNAME\tROLE\tSTATUS")
		for _, a := range accounts {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.Email, a.Name, a.Role, userStatus(a))
		}
		return table.Flush()
	})
}

func userStatus(a account.Account) string {
	switch {
	case a.Disabled:
		return "disabled"
	case !a.Joined:
		return "invited"
	}
	return "active"
}

// useAccount runs work on an account, for an admin.
func (c *cli) useAccount(ctx runContext, email string, work func(*postgres.DB, account.Account) error) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		if err := requireAdmin(ctx); err != nil {
			return err
		}
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
}

// Run gives an account another role.
func (u userRole) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.UpdateAccount(ctx, actor(ctx).ID, a.ID, account.Role(u.Role), a.Disabled); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s now has the role %s.\n", a.Email, u.Role)
		return nil
	})
}

type userDisable struct {
	Email string `arg:"" help:"Email address."`
}

// Run disables an account.
func (u userDisable) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.UpdateAccount(ctx, actor(ctx).ID, a.ID, a.Role, true); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Disabled the account of %s. It is signed out everywhere.\n", a.Email)
		return nil
	})
}

type userEnable struct {
	Email string `arg:"" help:"Email address."`
}

// Run enables an account.
func (u userEnable) Run(c *cli, s streams, ctx runContext) error {
	return c.useAccount(ctx, u.Email, func(db *postgres.DB, a account.Account) error {
		if err := db.UpdateAccount(ctx, actor(ctx).ID, a.ID, a.Role, false); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Enabled the account of %s.\n", a.Email)
		return nil
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
		if a.Disabled {
			return fault.Conflict.Errorf("This account is disabled. Enable it before you create a link.")
		}
		token, err := db.Invite(ctx, actor(ctx).ID, a.ID)
		if err != nil {
			return err
		}
		return u.print(s, map[string]any{"email": a.Email, "role": a.Role, "link": base.String() + "/invitations/" + token},
			"Send this link to %s. It sets a new password, once, within 72 hours:\n\n  %s/invitations/%s\n%s", a.Email, base, token, hint)
	})
}
