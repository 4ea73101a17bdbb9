package web

import (
	"context"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// A disputeDesk keeps what people differ on, which only changes as they label:
// whoever settles item after item need not wait for it each time. The zero desk
// is empty and ready.
type disputeDesk struct {
	mu   sync.Mutex
	kept []keptDisputes // the one asked for last first
}

type keptDisputes struct {
	key  disputeKey
	list []report.Dispute // never changed
}

// A disputeKey names disputes as they stood at an annotation.
type disputeKey struct {
	project int64
	batch   string
	last    int64
}

const disputesKept = 8

// ask returns what people differ on, the worst first.
func (d *disputeDesk) ask(ctx context.Context, db *postgres.DB, p project.Project, batch string) ([]report.Dispute, error) {
	reach, err := db.Reach(ctx, p)
	if err != nil {
		return nil, err
	}
	key := disputeKey{p.ID, batch, reach.Last}
	if list, ok := d.find(key); ok {
		return list, nil
	}
	list, err := db.Disputes(ctx, p, batch)
	if err == nil {
		d.keep(keptDisputes{key, list})
	}
	return list, err
}

func (d *disputeDesk) find(key disputeKey) ([]report.Dispute, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.kept, func(k keptDisputes) bool { return k.key == key })
	if i < 0 {
		return nil, false
	}
	one := d.kept[i]
	d.kept = slices.Insert(slices.Delete(d.kept, i, i+1), 0, one)
	return one.list, true
}

func (d *disputeDesk) keep(one keptDisputes) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = slices.DeleteFunc(d.kept, func(k keptDisputes) bool {
		return k.key.project == one.key.project && k.key.batch == one.key.batch
	})
	d.kept = slices.Insert(d.kept, 0, one)
	d.kept = d.kept[:min(len(d.kept), disputesKept)]
}
