package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// The limits of measuring items.
const (
	measuredTogether    = 500   // queue entries in one transaction
	measuredBeforeLists = 2_000 // queue entries that a list measures first; the rest is left to the server's job
)

// MeasureItems brings item_states up to date with labels that were submitted since, those
// that waited longest first. It reports whether more items wait. Several servers can call
// it at the same time.
func (db *DB) MeasureItems(ctx context.Context) (hasMore bool, err error) {
	n, err := db.measureNext(ctx)
	return n == measuredTogether, err
}

// measureLabeled measures items before a list of them is read. Otherwise the list is as old
// as the last run of the server's job, which is a second.
func (db *DB) measureLabeled(ctx context.Context) error {
	for measured := 0; measured < measuredBeforeLists; {
		n, err := db.measureNext(ctx)
		if err != nil || n < measuredTogether {
			return err
		}
		measured += n
	}
	return nil
}

// measureAll measures all items that wait, before an action that depends on the measures.
func (db *DB) measureAll(ctx context.Context) error {
	for {
		hasMore, err := db.MeasureItems(ctx)
		if err != nil || !hasMore {
			return err
		}
	}
}

// measureNext measures the items of the next entries of the queue, and returns the number
// of entries.
func (db *DB) measureNext(ctx context.Context) (n int, err error) {
	var isWaiting bool
	if err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT
		FROM unmeasured_items)`).Scan(&isWaiting); err != nil || !isWaiting {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		queue, err := takeUnmeasured(ctx, tx)
		if n = len(queue); err != nil || n == 0 {
			return err
		}
		batch := &pgx.Batch{}
		items := map[protocol.VersionID][]project.ItemID{}
		isQueued := map[unmeasuredItem]bool{}
		var ids []project.ItemID
		for _, entry := range queue {
			if !isQueued[entry] {
				isQueued[entry] = true
				items[entry.VersionID] = append(items[entry.VersionID], entry.ItemID)
				ids = append(ids, entry.ItemID)
			}
		}
		batch.Queue(`SELECT FROM item_states WHERE item_id = ANY ($1) ORDER BY item_id FOR NO KEY UPDATE`, ids)
		for version, ids := range items {
			batch.Queue(`SELECT measure_items($1, $2)`, ids, version)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	return n, err
}

// takeUnmeasured removes the next entries of the queue. They are an array, which is read once: a plan of an empty
// queue would read a subquery again for each entry, and so remove all.
func takeUnmeasured(ctx context.Context, tx pgx.Tx) ([]unmeasuredItem, error) {
	return collectAll[unmeasuredItem](tx.Query(ctx, `
		DELETE FROM unmeasured_items
		WHERE id = ANY (ARRAY (SELECT id FROM unmeasured_items ORDER BY id LIMIT $1 FOR UPDATE))
		RETURNING item_id, protocol_version_id AS version_id`, measuredTogether))
}

type unmeasuredItem struct {
	ItemID    project.ItemID
	VersionID protocol.VersionID
}
