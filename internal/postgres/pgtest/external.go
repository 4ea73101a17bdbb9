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

// runPrefix begins the name of every run on a foreign server, and so of its
// databases: those of run labelwright_test_1234 are labelwright_test_1234_1, _2, …
const runPrefix = "labelwright_test_"

// openExternal uses a server that is not ours, and leaves nothing on it.
func openExternal(ctx context.Context, dsn string, prepare Prepare) (*dbServer, error) {
	run := fmt.Sprintf("%s%d", runPrefix, rand.Int32())
	admin, err := openAdmin(ctx, dsn, run)
	if err != nil {
		return nil, fmt.Errorf("the server that TEST_DATABASE_URL names: %w", err)
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

// openAdmin connects under the name of the run. While the name is to be seen
// among the server's sessions the run is alive.
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

// dropStaleDatabases drops what runs left that are no more.
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

// withDatabase returns the connection string dsn, which may be a URL or a list of
// key=value, for another database of its server.
func withDatabase(dsn, name string) string {
	if !strings.Contains(dsn, "://") {
		return dsn + " dbname=" + name // the last one counts
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn // has been refused before
	}
	u.Path = "/" + name
	return u.String()
}
