package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/telemetry"
)

type database struct {
	url           string        // for the server and commands
	migrateURL    string        // for migrations, which need a role that owns the schema, and no pooler
	privateServer *local.Server // nil unless this command started it
}

// findDatabase returns the database of --database-url, else the private PostgreSQL: a
// running one, or one started for this command.
func (c *cli) findDatabase(ctx context.Context) (database, error) {
	if c.DatabaseURL == "" {
		if address, running := local.FindRunning(c.dataDir()); running {
			return newPrivateDatabase(address), nil
		}
	}
	return c.findOwnDatabase(ctx)
}

// findOwnDatabase is findDatabase for a server: a private PostgreSQL that another process
// runs would stop with it, so that is an error.
func (c *cli) findOwnDatabase(ctx context.Context) (database, error) {
	if c.DatabaseURL != "" {
		return database{url: c.DatabaseURL, migrateURL: cmp.Or(c.MigrateURL, c.DatabaseURL)}, c.checkURLs()
	}
	b, err := c.startPrivate(ctx)
	if errors.Is(err, local.ErrLocked) {
		return b, fmt.Errorf("the data folder %s is in use by another Labelwright. Stop that one, or choose another folder with --data-dir", c.dataDir())
	}
	return b, err
}

func (c *cli) startPrivate(ctx context.Context) (database, error) {
	server, err := local.Start(ctx, local.Options{Dir: c.dataDir(), BinDir: c.PostgresBin, Account: c.SudoUser,
		Log: slog.Default()})
	if err != nil {
		return database{}, err
	}
	b := newPrivateDatabase(server.Address())
	b.privateServer = server
	return b, nil
}

// newPrivateDatabase returns the database at the address of a private PostgreSQL. The
// server and commands connect as the application's role.
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

// hasDatabase reports whether a database is named or in the data folder.
func (c *cli) hasDatabase() bool { return c.DatabaseURL != "" || local.HasCluster(c.dataDir()) }

// withExistingDB is withDB for commands that need data: a mistyped data folder and an empty
// database are errors.
func (c *cli) withExistingDB(ctx context.Context, work func(*postgres.DB) error) error {
	if err := c.requireDatabase(); err != nil {
		return err
	}
	return c.useDB(ctx, work, func(context.Context, database) error { return nil })
}

// requireDatabase returns an error unless a database is named or in the data folder.
func (c *cli) requireDatabase() error {
	if err := c.refuseServer(); err != nil || c.hasDatabase() {
		return err
	}
	return fmt.Errorf("there is no database in %s. Create one with `labelwright serve`, or name another with --data-dir or DATABASE_URL", c.dataDir())
}

// withDB runs work on the database. It creates the schema in an empty database. It never
// changes an older one, because a server of that version may be running.
func (c *cli) withDB(ctx context.Context, work func(*postgres.DB) error) (err error) {
	return c.useDB(ctx, work, func(ctx context.Context, b database) error {
		s, err := postgres.MigrationStatus(ctx, b.migrateURL)
		if err != nil || s.Version != 0 {
			return err
		}
		return postgres.MigrateUp(ctx, b.migrateURL)
	})
}

// refuseServer returns an error if the command, which needs a database, names a server.
func (c *cli) refuseServer() error {
	if c.Server != "" {
		return usageError{errors.New("this command works on a database, not on a server: leave out --server")}
	}
	return nil
}

// useDB runs work on the database, after prepare and if the schema fits this program.
func (c *cli) useDB(ctx context.Context, work func(*postgres.DB) error, prepare func(context.Context, database) error) (
	err error) {
	if err := c.refuseServer(); err != nil {
		return err
	}
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := prepare(ctx, b); err != nil {
		return err
	}
	db, err := openDB(ctx, b.url)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := c.findActor(ctx, db); err != nil {
		return err
	}
	return work(db)
}

// openDB opens a database whose schema fits this program.
func openDB(ctx context.Context, url string) (*postgres.DB, error) {
	return openRecordedDB(ctx, url, nil)
}

// openRecordedDB is openDB for a server that records its queries.
func openRecordedDB(ctx context.Context, url string, r *telemetry.Recorder) (*postgres.DB, error) {
	db, err := postgres.OpenRecorded(ctx, url, r)
	if err != nil {
		return nil, err
	}
	schema, err := db.Schema(ctx)
	if err == nil {
		err = schema.Check()
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
