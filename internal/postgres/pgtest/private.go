package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// openPrivate starts a server on a copy of the cluster prepared under key. It prepares
// the cluster if no earlier run did. Both are in a directory of this account in base.
// The template is the database that package local creates.
func openPrivate(ctx context.Context, base, key string, prepare Prepare) (*dbServer, error) {
	cache, err := openClusterCache(ctx, base)
	if err != nil {
		return nil, err
	}
	defer cache.release()
	bin, err := local.FindBinaries(ctx, cache.options(cache.dir))
	if err != nil {
		return nil, unavailableError{err}
	}
	cache.bin = bin
	dir, err := cache.copyCluster(ctx, cache.clusterPath(key), prepare)
	if err != nil {
		return nil, err
	}
	return cache.startServer(ctx, dir)
}

// startServer starts the server in dir. Closing it removes dir.
func (c *clusterCache) startServer(ctx context.Context, dir string) (*dbServer, error) {
	server, err := local.Start(ctx, c.options(dir))
	if err != nil {
		return nil, fmt.Errorf("starting a server for tests: %w", err)
	}
	admin, err := openAdmin(ctx, server.URL("postgres"), "pgtest")
	if err != nil {
		return nil, errors.Join(err, server.Stop(ctx), os.RemoveAll(dir))
	}
	s := &dbServer{
		admin:       admin,
		url:         server.URL,
		prefix:      "test_",
		template:    local.Database,
		maxFinished: 200, // about 8 MB each
	}
	if server.Version() >= 15 {
		s.strategy = "FILE_COPY" // cheap without fsync; older versions have no other strategy
	}
	s.shutdown = func(ctx context.Context) error {
		admin.Close()
		return errors.Join(server.Stop(ctx), os.RemoveAll(dir))
	}
	return s, nil
}
