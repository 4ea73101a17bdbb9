package pgtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// dbServer creates databases for tests on one server.
type dbServer struct {
	admin       *pgxpool.Pool
	url         func(database string) string
	prefix      string // of the databases of this run
	template    string
	strategy    string // of CREATE DATABASE; "" is the server's default
	maxFinished int    // limit of finished databases, which are dropped late because dropping is slow
	shutdown    func(context.Context) error

	createdCount atomic.Int64
	mu           sync.Mutex
	finished     []string
	drops        sync.WaitGroup
}

func openServer(ctx context.Context, url, key string, prepare Prepare) (*dbServer, error) {
	if url != "" {
		return openExternal(ctx, url, prepare)
	}
	return openPrivate(ctx, fastTempDir(), key, prepare)
}

// createDatabase creates a database from template.
func (s *dbServer) createDatabase(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s%d", s.prefix, s.createdCount.Add(1))
	statement := "CREATE DATABASE " + quoteIdent(name) + " TEMPLATE " + quoteIdent(template)
	if s.strategy != "" {
		statement += " STRATEGY " + s.strategy
	}
	if _, err := s.admin.Exec(ctx, statement); err != nil {
		return "", fmt.Errorf("creating a database: %w", err)
	}
	return name, nil
}

// releaseDatabase records that the test of a database has ended. Beyond maxFinished it
// drops the oldest finished database in the background.
func (s *dbServer) releaseDatabase(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = append(s.finished, name)
	if len(s.finished) <= s.maxFinished {
		return
	}
	oldest := s.finished[0]
	s.finished = s.finished[1:]
	s.drops.Go(func() { _ = s.dropDatabase(context.Background(), oldest) })
}

// dropDatabase also closes connections that a test left open.
func (s *dbServer) dropDatabase(ctx context.Context, name string) error {
	_, err := s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+quoteIdent(name)+" WITH (FORCE)")
	return err
}

func (s *dbServer) close(ctx context.Context) error {
	s.drops.Wait()
	return s.shutdown(ctx)
}

// makeTemplate creates the database name and prepares it.
func (s *dbServer) makeTemplate(ctx context.Context, name string, prepare Prepare) error {
	if _, err := s.admin.Exec(ctx, "CREATE DATABASE "+quoteIdent(name)+" TEMPLATE template0"); err != nil {
		return fmt.Errorf("creating the template of the test databases: %w", err)
	}
	if err := prepare(ctx, s.url(name)); err != nil {
		return fmt.Errorf("preparing the test database: %w", err)
	}
	return nil
}

func quoteIdent(name string) string { return pgx.Identifier{name}.Sanitize() }
