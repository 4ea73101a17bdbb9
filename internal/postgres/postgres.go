// Package postgres stores the application's data in PostgreSQL. It contains all
// SQL. A method of DB is one use case: it locks rows, calls a decision of a
// domain package, and writes the result in one transaction.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/labelwright/labelwright/internal/fault"
)

// A DB is the application's database.
type DB struct {
	pool      *pgxpool.Pool
	protocols sync.Map // revisionKey to protocol.Protocol; revisions never change
}

// Open connects to the database at url. It cancels statements that run longer than a
// request may take.
func Open(ctx context.Context, url string) (*DB, error) { return open(ctx, url, nil) }

// maxConnections limits the pool unless the URL sets pool_max_conns.
const maxConnections = 16

func open(ctx context.Context, url string, tracer pgx.QueryTracer) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parse the database URL: %w", err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	config.ConnConfig.Tracer = tracer
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = "labelwright"
	params["timezone"] = "UTC"
	params["statement_timeout"] = "60s"
	params["lock_timeout"] = "10s"
	params["idle_in_transaction_session_timeout"] = "60s"
	config.MaxConnLifetimeJitter = time.Minute
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return &DB{pool: pool}, nil
}

// Close waits for running queries and disconnects.
func (db *DB) Close() { db.pool.Close() }

// CheckReady reports whether the database answers, has a whole schema and stores commits
// durably.
func (db *DB) CheckReady(ctx context.Context) error {
	schema, err := db.Schema(ctx)
	if err != nil {
		return fmt.Errorf("query the database: %w", err)
	}
	if schema.IsDirty {
		return schema.Check()
	}
	var unsafeSettings *string
	err = db.pool.QueryRow(ctx, `
		SELECT string_agg(name || ' is ' || setting, ', ')
		FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`).Scan(&unsafeSettings)
	if err != nil {
		return fmt.Errorf("query the database: %w", err)
	}
	if unsafeSettings != nil {
		return fmt.Errorf("the database can lose committed data: %s", *unsafeSettings)
	}
	return nil
}

// A querier runs queries: the pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// inTx runs fn in a transaction.
func (db *DB) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.pool, fn)
}

// collectOne returns the only row of a query as a T, or fault.NotFound.
func collectOne[T any](rows pgx.Rows, _ error) (T, error) {
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	return t, notFound(err)
}

// collectAll returns the rows of a query as Ts.
func collectAll[T any](rows pgx.Rows, _ error) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// collectColumn returns the only column of a query.
func collectColumn[T any](rows pgx.Rows, _ error) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// violates reports whether err violates the constraint with that name.
func violates(err error, constraint string) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.ConstraintName == constraint
}

// notFound converts pgx.ErrNoRows to fault.NotFound.
func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.NotFound
	}
	return err
}
