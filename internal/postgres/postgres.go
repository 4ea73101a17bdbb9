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
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/labelwright/labelwright/internal/fault"
)

// A DB is the application's database.
type DB struct {
	pool      *pgxpool.Pool
	hasPooler bool     // connections go through a pooler, such as PgBouncer
	protocols sync.Map // revisionKey to protocol.Protocol; revisions never change
}

// Open connects to the database at url. It acts as AppRole if the login may, and cancels
// statements that run longer than a request may take.
func Open(ctx context.Context, url string) (*DB, error) { return open(ctx, url, nil) }

// maxConnections limits the pool unless the URL sets pool_max_conns.
const maxConnections = 16

func open(ctx context.Context, url string, tracer pgx.QueryTracer) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, CheckURL(url)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	config.ConnConfig.Tracer = tracer
	config.MaxConnLifetimeJitter = time.Minute
	setConnectionDefaults(config.ConnConfig)
	db := &DB{}
	if db.hasPooler, err = hasPooler(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	if db.hasPooler {
		configureForPooler(config.ConnConfig, url)
		config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
			readTimesInUTC(conn)
			return nil
		}
	} else {
		config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			readTimesInUTC(conn)
			return actAsAppRole(ctx, conn)
		}
		for _, s := range connectionSettings {
			config.ConnConfig.RuntimeParams[s.name] = s.value
		}
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if err := db.pool.Ping(ctx); err != nil {
		db.pool.Close()
		return nil, explainConnection(&config.ConnConfig.Config, err)
	}
	if db.hasPooler {
		if _, err := db.pool.Exec(ctx, storeSettings); err != nil {
			db.pool.Close()
			return nil, fmt.Errorf("store the settings of the role: %w", err)
		}
	}
	return db, nil
}

// readTimesInUTC has times in UTC, not in the zone of this machine.
func readTimesInUTC(conn *pgx.Conn) {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
}

// Close waits for running queries and disconnects.
func (db *DB) Close() { db.pool.Close() }

// CheckReady reports whether the database answers, has a whole schema, stores commits durably and has space: a sort
// that does not fit into memory writes a file of 200 kB next to the data, and writes nothing else.
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
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL work_mem = '64kB'`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT FROM generate_series(1, 200) n ORDER BY repeat('x', 1000) || n OFFSET 200`)
		return err
	})
	if err != nil {
		return fmt.Errorf("write next to the data: %w", err)
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
	return db.inTxWith(ctx, pgx.TxOptions{}, fn)
}

// inTxWith runs fn in a transaction with options.
func (db *DB) inTxWith(ctx context.Context, options pgx.TxOptions, fn func(pgx.Tx) error) error {
	if db.hasPooler {
		options.BeginQuery = beginWithSettings(options)
	}
	return explainArchived(pgx.BeginTxFunc(ctx, db.pool, options, fn))
}

// collectOne returns the only row of a query as a T, or fault.NotFound.
func collectOne[T any](rows pgx.Rows, _ error) (T, error) {
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	return t, notFound(err)
}

func collectAll[T any](rows pgx.Rows, _ error) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// collectColumn returns the only column of a query.
func collectColumn[T any](rows pgx.Rows, _ error) ([]T, error) {
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// collectValue returns the only column of the only row of a query.
func collectValue[T any](rows pgx.Rows, _ error) (T, error) {
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	return value, notFound(err)
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
