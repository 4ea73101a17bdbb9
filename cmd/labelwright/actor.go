package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"syscall"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

type actorKey struct{}

// withActor returns a context for a command: its actor is known once the database is open.
func withActor(ctx context.Context) context.Context {
	return context.WithValue(ctx, actorKey{}, &account.Account{Role: account.Admin})
}

// actor returns the account that a command acts as: that of --as, else one without an id, which
// has all rights as a shell on the machine has.
func actor(ctx context.Context) account.Account {
	if a, ok := ctx.Value(actorKey{}).(*account.Account); ok {
		return *a
	}
	return account.Account{Role: account.Admin}
}

// findActor reads the account of --as.
func (c *cli) findActor(ctx context.Context, db *postgres.DB) error {
	if c.As == "" {
		return nil
	}
	a, err := db.AccountByEmail(ctx, c.As)
	if errors.Is(err, fault.NotFound) {
		return fmt.Errorf("there is no account with the address %s, which --as names. See: labelwright user list", c.As)
	}
	if err != nil {
		return err
	}
	if a.Disabled {
		return fmt.Errorf("the account %s, which --as names, is disabled", c.As)
	}
	*ctx.Value(actorKey{}).(*account.Account) = a
	return nil
}

// systemUser returns the user of the operating system who runs the command.
func systemUser(sudoUser string) string {
	name := "uid " + strconv.Itoa(syscall.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return cmp.Or(sudoUser, name)
}
