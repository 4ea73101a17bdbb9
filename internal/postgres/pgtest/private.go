package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// openPrivate starts a server on a copy of a cluster that an earlier run prepared
// under the same key, preparing one where there is none. Both live in a directory
// of this account in base. The database that local makes is the template.
func openPrivate(ctx context.Context, base, key string, prepare Prepare) (*host, error) {
	n, err := openNursery(ctx, base)
	if err != nil {
		return nil, err
	}
	defer n.release()
	bin, err := local.Find(ctx, n.options(n.dir))
	if err != nil {
		return nil, missing{err}
	}
	n.bin = bin
	dir, err := n.copyOf(ctx, n.name(key), prepare)
	if err != nil {
		return nil, err
	}
	return n.start(ctx, dir)
}

// start brings up the server in dir, which goes when the host is shut.
func (n *nursery) start(ctx context.Context, dir string) (*host, error) {
	server, err := local.Start(ctx, n.options(dir))
	if err != nil {
		return nil, fmt.Errorf("starting a server for tests: %w", err)
	}
	admin, err := openAdmin(ctx, server.URL("postgres"), "pgtest")
	if err != nil {
		return nil, errors.Join(err, server.Stop(ctx), os.RemoveAll(dir))
	}
	h := &host{
		admin:    admin,
		url:      server.URL,
		prefix:   "test_",
		template: local.Database,
		keep:     200, // about 8 MB each
	}
	if server.Version() >= 15 {
		h.strategy = "FILE_COPY" // cheap where nothing is synced; older ones know no other
	}
	h.shut = func(ctx context.Context) error {
		admin.Close()
		return errors.Join(server.Stop(ctx), os.RemoveAll(dir))
	}
	return h, nil
}
