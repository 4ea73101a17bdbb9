package web

import (
	"context"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

const maxDisagreementEntries = 8

// A disagreementCache stores disagreements, which change only with new labels,
// so that adjudicating item after item does not compute them each time. The zero
// value is an empty cache.
type disagreementCache struct {
	mu      sync.Mutex
	entries []disagreementEntry // most recently used first
}

type disagreementEntry struct {
	key  disagreementKey
	list postgres.SharedDisagreements
}

// A disagreementKey identifies the disagreements up to an annotation.
type disagreementKey struct {
	projectID        project.ID
	batch            string
	lastAnnotationID int64
}

// get returns the disagreements of a project or of one batch, largest first.
func (c *disagreementCache) get(ctx context.Context, db *postgres.DB, p project.Project, batch string) (postgres.SharedDisagreements, error) {
	version, err := db.DataVersion(ctx, p)
	if err != nil {
		return postgres.SharedDisagreements{}, err
	}
	key := disagreementKey{p.ID, batch, version.LastAnnotationID}
	if list, ok := c.lookup(key); ok {
		return list, nil
	}
	list, err := db.Disagreements(ctx, p, batch)
	if err == nil {
		c.store(disagreementEntry{key, list})
	}
	return list, err
}

func (c *disagreementCache) lookup(key disagreementKey) (postgres.SharedDisagreements, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.entries, func(e disagreementEntry) bool { return e.key == key })
	if i < 0 {
		return postgres.SharedDisagreements{}, false
	}
	entry := c.entries[i]
	c.entries = slices.Insert(slices.Delete(c.entries, i, i+1), 0, entry)
	return entry.list, true
}

// store adds an entry and removes the earlier one of the same batch.
func (c *disagreementCache) store(entry disagreementEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.DeleteFunc(c.entries, func(e disagreementEntry) bool {
		return e.key.projectID == entry.key.projectID && e.key.batch == entry.key.batch
	})
	c.entries = slices.Insert(c.entries, 0, entry)
	c.entries = c.entries[:min(len(c.entries), maxDisagreementEntries)]
}
