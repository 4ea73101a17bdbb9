package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
)

// A database is the database of a command.
type database struct {
	url           string        // for the server and commands
	migrateURL    string        // for migrations, with the rights of the owner
	privateServer *local.Server // nil unless this command started it
}

// findDatabase returns the database of --database-url, else the private PostgreSQL: a
// running one, or one started for this command.
func (c *cli) findDatabase(ctx context.Context) (database, error) {
	if c.DatabaseURL != "" {
		return database{url: c.DatabaseURL, migrateURL: cmp.Or(c.DatabaseMigrateURL, c.DatabaseURL)}, c.checkURL()
	}
	if address, running := local.FindRunning(c.dataDir()); running {
		return newPrivateDatabase(address), nil
	}
	return c.startPrivate(ctx)
}

func (c *cli) startPrivate(ctx context.Context) (database, error) {
	server, err := local.Start(ctx, local.Options{Dir: c.dataDir(), BinDir: c.PostgresBin, Account: c.SudoUser, Log: slog.Default()})
	if err != nil {
		return database{}, err
	}
	b := newPrivateDatabase(server.Address())
	b.privateServer = server
	return b, nil
}

func newPrivateDatabase(a local.Address) database {
	return database{url: a.URL(postgres.AppRole, local.Database), migrateURL: a.URL(local.Role, local.Database)}
}

// close stops the private server, if this command started it.
func (b database) close() error {
	if b.privateServer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return b.privateServer.Stop(ctx)
}

// exited is closed when the private server stops unexpectedly; nil without one.
func (b database) exited() <-chan struct{} {
	if b.privateServer == nil {
		return nil
	}
	return b.privateServer.Exited()
}

// withExistingDB is withDB for commands that need data: a mistyped data folder is an
// error, not a new and empty database.
func (c *cli) withExistingDB(ctx context.Context, work func(*postgres.DB) error) error {
	if c.DatabaseURL == "" && !local.HasCluster(c.dataDir()) {
		return fmt.Errorf("there is no database in %s. Create one with `labelwright serve`, or name another with --data-dir or DATABASE_URL", c.dataDir())
	}
	return c.withDB(ctx, work)
}

// withDB runs work on the database, with its schema up to date.
func (c *cli) withDB(ctx context.Context, work func(*postgres.DB) error) (err error) {
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := postgres.MigrateUp(ctx, b.migrateURL); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, b.url)
	if err != nil {
		return err
	}
	defer db.Close()
	return work(db)
}

// operator is the account of commands: a shell on the machine gives all rights.
var operator = account.Account{Role: account.Admin}
