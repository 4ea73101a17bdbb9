package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/api"
)

type userList struct{ resultFlags }

// Run prints all accounts.
func (u userList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, u.resultFlags, api.ListAccounts, api.NoInput{}, func(list api.AccountList) error {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "EMAIL\tNAME\tROLE\tSTATUS")
		for _, a := range list.Accounts {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", a.Email, a.Name, a.Role, a.Status)
		}
		return table.Flush()
	})
}

// A userSelection names an account.
type userSelection struct {
	Email string `arg:"" help:"Email address."`
}

func (u userSelection) path() api.AccountPath { return api.AccountPath{Account: u.Email} }

func (u userSelection) change(c *cli, ctx runContext, change api.AccountChange) (changed api.Account, err error) {
	err = c.withClient(ctx, func(client *api.Client) error {
		changed, err = api.ChangeAccount.Call(ctx, client, api.AccountBody[api.AccountChange]{AccountPath: u.path(),
			Body: change})
		return err
	})
	return changed, err
}

type userRole struct {
	userSelection
	Role string `arg:"" enum:"admin,lead,viewer,annotator" help:"Role: admin, lead, viewer or annotator."`
	resultFlags
}

// Run gives an account another role.
func (u userRole) Run(c *cli, s streams, ctx runContext) error {
	changed, err := u.change(c, ctx, api.AccountChange{Role: new(account.Role(u.Role))})
	if err != nil {
		return err
	}
	return u.show(s, changed, "%s now has the role %s.\n", changed.Email, changed.Role)
}

type userAddress struct {
	userSelection
	New string `arg:"" help:"New email address."`
	resultFlags
}

// Run gives an account another address.
func (u userAddress) Run(c *cli, s streams, ctx runContext) error {
	changed, err := u.change(c, ctx, api.AccountChange{Email: &u.New})
	if err != nil {
		return err
	}
	return u.show(s, changed, "%s has the address %s now.\n", changed.Name, changed.Email)
}

type userDisable struct {
	userSelection
	resultFlags
}

// Run disables an account.
func (u userDisable) Run(c *cli, s streams, ctx runContext) error {
	changed, err := u.change(c, ctx, api.AccountChange{Disabled: new(true)})
	if err != nil {
		return err
	}
	return u.show(s, changed, "Disabled the account of %s. It is signed out everywhere.\n", changed.Email)
}

type userEnable struct {
	userSelection
	resultFlags
}

// Run enables an account.
func (u userEnable) Run(c *cli, s streams, ctx runContext) error {
	changed, err := u.change(c, ctx, api.AccountChange{Disabled: new(false)})
	if err != nil {
		return err
	}
	return u.show(s, changed, "Enabled the account of %s.\n", changed.Email)
}

type userReset struct {
	userSelection
	invitationSite `embed:""`
	resultFlags
}

// Run prints a link with which the user sets a new password.
func (u userReset) Run(c *cli, s streams, ctx runContext) error {
	hint, err := c.useSite(u.invitationSite)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		invitation, err := api.InviteAccount.Call(ctx, client, u.path())
		if err != nil {
			return err
		}
		return u.show(s, invitation, "Send this link to %s. It sets a new password, once, within 72 hours:\n\n  %s\n%s",
			invitation.Email, invitation.Link, hint)
	})
}

type userResetSecondFactor struct {
	userSelection
	resultFlags
}

// Run removes the second factor of an account.
func (u userResetSecondFactor) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		changed, err := api.ResetSecondFactor.Call(ctx, client, u.path())
		if err != nil {
			return err
		}
		return u.show(s, changed, "Removed the second factor of %s. The account is signed out everywhere.\n",
			changed.Email)
	})
}
