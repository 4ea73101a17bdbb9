package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
)

// A database is the database of a command: reached, and put away again afterwards.
type database struct {
	url           string
	privateServer *local.Server // the private one that this command started, if it did
}

// findDatabase finds the database: the one named, the private one that a running
// server has up, or a private one started for as long as the command takes.
func (c *cli) findDatabase(ctx context.Context) (database, error) {
	if c.DatabaseURL != "" {
		return database{url: c.DatabaseURL}, c.checkURL()
	}
	if url, running := local.FindRunning(c.dataDir()); running {
		return database{url: url}, nil
	}
	return c.startPrivate(ctx)
}

// startPrivate starts the private PostgreSQL.
func (c *cli) startPrivate(ctx context.Context) (database, error) {
	server, err := local.Start(ctx, local.Options{Dir: c.dataDir(), BinDir: c.PostgresBin, Account: c.SudoUser, Log: slog.Default()})
	if err != nil {
		return database{}, err
	}
	return database{url: server.URL(local.Database), privateServer: server}, nil
}

// close stops what base started.
func (b database) close() error {
	if b.privateServer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return b.privateServer.Stop(ctx)
}

// exited is closed when the private server ends by itself; nil without one.
func (b database) exited() <-chan struct{} {
	if b.privateServer == nil {
		return nil
	}
	return b.privateServer.Exited()
}

// withExistingDB runs work on a database that is there: a mistyped folder is an error, not
// a new and empty database.
func (c *cli) withExistingDB(ctx context.Context, work func(*postgres.DB) error) error {
	if c.DatabaseURL == "" && !local.HasCluster(c.dataDir()) {
		return fmt.Errorf("there is no database in %s yet; `labelwright serve` makes one, and --data-dir or DATABASE_URL names another", c.dataDir())
	}
	return c.withDB(ctx, work)
}

// withDB runs work on the migrated database, which is made where there is
// none, and puts everything away again.
func (c *cli) withDB(ctx context.Context, work func(*postgres.DB) error) (err error) {
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := postgres.MigrateUp(ctx, b.url); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, b.url)
	if err != nil {
		return err
	}
	defer db.Close()
	return work(db)
}

// operator stands for whoever has a shell on the machine: they may do anything.
var operator = account.Account{Role: account.Admin}

// pluralize returns "1 item" or "3 items".
func pluralize(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
