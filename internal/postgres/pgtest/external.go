package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// runPrefix starts the name of every run on an external server and of its databases:
// run labelwright_test_1234 has labelwright_test_1234_1, labelwright_test_1234_2, …
const runPrefix = "labelwright_test_"

// openExternal uses an existing server and drops its databases at the end.
func openExternal(ctx context.Context, dsn string, prepare Prepare) (*dbServer, error) {
	run := fmt.Sprintf("%s%d", runPrefix, rand.Int32())
	admin, err := openAdmin(ctx, dsn, run)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server in TEST_DATABASE_URL: %w", err)
	}
	s := &dbServer{
		admin:    admin,
		url:      func(name string) string { return withDatabase(dsn, name) },
		prefix:   run + "_",
		template: run + "_template",
	}
	s.shutdown = func(ctx context.Context) error {
		defer admin.Close()
		return s.dropWhere(ctx, "starts_with(datname, $1)", s.prefix)
	}
	if err := s.dropStaleDatabases(ctx); err != nil {
		return nil, errors.Join(err, s.shutdown(ctx))
	}
	if err := s.makeTemplate(ctx, s.template, prepare); err != nil {
		return nil, errors.Join(err, s.shutdown(ctx))
	}
	return s, nil
}

// openAdmin connects with the name of the run as application name. The run is alive
// while a connection with that name exists.
func openAdmin(ctx context.Context, dsn, run string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["application_name"] = run
	config.MinConns = 1
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// dropStaleDatabases drops the databases of runs that ended without cleaning up.
func (s *dbServer) dropStaleDatabases(ctx context.Context) error {
	const isStale = `starts_with(datname, $1) AND NOT EXISTS (
		SELECT FROM pg_stat_activity a WHERE starts_with(d.datname, a.application_name || '_'))`
	return s.dropWhere(ctx, isStale, runPrefix)
}

func (s *dbServer) dropWhere(ctx context.Context, condition, prefix string) error {
	rows, err := s.admin.Query(ctx, "SELECT datname FROM pg_database d WHERE "+condition, prefix)
	if err != nil {
		return fmt.Errorf("listing test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("listing test databases: %w", err)
	}
	for _, name := range names {
		err = errors.Join(err, s.dropDatabase(ctx, name))
	}
	return err
}

// withDatabase returns the connection string for another database of the same server.
// dsn is a URL or a list of key=value pairs.
func withDatabase(dsn, name string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " dbname=" + name // the last one counts
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn // pgx has already parsed it
	}
	u.Path = "/" + name
	return u.String()
}
