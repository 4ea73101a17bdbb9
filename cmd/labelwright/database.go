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

// A base is the database of a command: reached, and put away again afterwards.
type base struct {
	url    string
	server *local.Server // the private one that this command started, if it did
}

// base finds the database: the one named, the private one that a running
// server has up, or a private one started for as long as the command takes.
func (c *cli) base(ctx context.Context) (base, error) {
	if c.DatabaseURL != "" {
		return base{url: c.DatabaseURL}, c.checkURL()
	}
	if url, running := local.Join(c.dataDir()); running {
		return base{url: url}, nil
	}
	return c.private(ctx)
}

// private starts the private PostgreSQL.
func (c *cli) private(ctx context.Context) (base, error) {
	server, err := local.Start(ctx, local.Options{Dir: c.dataDir(), BinDir: c.PostgresBin, Account: c.SudoUser, Log: slog.Default()})
	if err != nil {
		return base{}, err
	}
	return base{url: server.URL(local.Database), server: server}, nil
}

// close stops what base started.
func (b base) close() error {
	if b.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return b.server.Stop(ctx)
}

// gone is closed when the private server ends by itself; nil without one.
func (b base) gone() <-chan struct{} {
	if b.server == nil {
		return nil
	}
	return b.server.Exited()
}

// with runs work on a database that is there: a mistyped folder is an error, not
// a new and empty database.
func (c *cli) with(ctx context.Context, work func(*postgres.DB) error) error {
	if c.DatabaseURL == "" && !local.Holds(c.dataDir()) {
		return fmt.Errorf("there is no database in %s yet; `labelwright serve` makes one, and --data-dir or DATABASE_URL names another", c.dataDir())
	}
	return c.withNew(ctx, work)
}

// withNew runs work on the migrated database, which is made where there is
// none, and puts everything away again.
func (c *cli) withNew(ctx context.Context, work func(*postgres.DB) error) (err error) {
	b, err := c.base(ctx)
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

// plural returns "1 item" or "3 items".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
