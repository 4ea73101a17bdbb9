package pgtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// host is a server that makes databases for tests.
type host struct {
	admin    *pgxpool.Pool
	url      func(database string) string
	prefix   string // of the databases that are ours
	template string
	strategy string // of CREATE DATABASE, or "" for the server's own
	keep     int    // finished databases that may stay: dropping costs more than making
	shut     func(context.Context) error

	made     atomic.Int64
	mu       sync.Mutex
	finished []string
	dropping sync.WaitGroup
}

func openHost(ctx context.Context, url, key string, prepare Prepare) (*host, error) {
	if url != "" {
		return openForeign(ctx, url, prepare)
	}
	return openPrivate(ctx, quickDir(), key, prepare)
}

// create makes a database out of template.
func (h *host) create(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s%d", h.prefix, h.made.Add(1))
	statement := "CREATE DATABASE " + quote(name) + " TEMPLATE " + quote(template)
	if h.strategy != "" {
		statement += " STRATEGY " + h.strategy
	}
	if _, err := h.admin.Exec(ctx, statement); err != nil {
		return "", fmt.Errorf("making a database: %w", err)
	}
	return name, nil
}

// finish takes back a database whose test has ended. Beyond the number that may
// stay the oldest is dropped, while other tests go on.
func (h *host) finish(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.finished = append(h.finished, name)
	if len(h.finished) <= h.keep {
		return
	}
	oldest := h.finished[0]
	h.finished = h.finished[1:]
	h.dropping.Go(func() { _ = h.drop(context.Background(), oldest) })
}

// drop also cuts connections that a test forgot.
func (h *host) drop(ctx context.Context, name string) error {
	_, err := h.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	return err
}

func (h *host) close(ctx context.Context) error {
	h.dropping.Wait()
	return h.shut(ctx)
}

// makeTemplate makes the database name and has prepare fill it.
func (h *host) makeTemplate(ctx context.Context, name string, prepare Prepare) error {
	if _, err := h.admin.Exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE template0"); err != nil {
		return fmt.Errorf("making the template of the test databases: %w", err)
	}
	if err := prepare(ctx, h.url(name)); err != nil {
		return fmt.Errorf("preparing the test database: %w", err)
	}
	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
