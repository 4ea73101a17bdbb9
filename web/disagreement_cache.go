package web

import (
	"context"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// A disagreementCache keeps what people differ on, which only changes as they label:
// whoever settles item after item need not wait for it each time. The zero desk
// is empty and ready.
type disagreementCache struct {
	mu      sync.Mutex
	entries []disagreementEntry // the one asked for last first
}

type disagreementEntry struct {
	key  disagreementKey
	list postgres.SharedDisagreements
}

// A disagreementKey names disputes as they stood at an annotation.
type disagreementKey struct {
	projectID        project.ID
	batch            string
	lastAnnotationID int64
}

const maxDisagreementEntries = 8

// get returns what people differ on, the worst first.
func (d *disagreementCache) get(ctx context.Context, db *postgres.DB, p project.Project, batch string) (postgres.SharedDisagreements, error) {
	version, err := db.DataVersion(ctx, p)
	if err != nil {
		return postgres.SharedDisagreements{}, err
	}
	key := disagreementKey{p.ID, batch, version.LastAnnotationID}
	if list, ok := d.lookup(key); ok {
		return list, nil
	}
	list, err := db.Disagreements(ctx, p, batch)
	if err == nil {
		d.store(disagreementEntry{key, list})
	}
	return list, err
}

func (d *disagreementCache) lookup(key disagreementKey) (postgres.SharedDisagreements, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.entries, func(k disagreementEntry) bool { return k.key == key })
	if i < 0 {
		return postgres.SharedDisagreements{}, false
	}
	entry := d.entries[i]
	d.entries = slices.Insert(slices.Delete(d.entries, i, i+1), 0, entry)
	return entry.list, true
}

func (d *disagreementCache) store(entry disagreementEntry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = slices.DeleteFunc(d.entries, func(k disagreementEntry) bool {
		return k.key.projectID == entry.key.projectID && k.key.batch == entry.key.batch
	})
	d.entries = slices.Insert(d.entries, 0, entry)
	d.entries = d.entries[:min(len(d.entries), maxDisagreementEntries)]
}
