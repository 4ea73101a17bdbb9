package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/webhook"
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
// as the last run of the server's job, which is ten seconds.
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
		var measured []project.ItemID
		var labelsBefore []int
		batch.Queue(`SELECT item_id, label_count FROM item_states WHERE item_id = ANY ($1) ORDER BY item_id
			FOR NO KEY UPDATE`, ids).Query(func(rows pgx.Rows) error {
			var id project.ItemID
			var labels int
			_, err := pgx.ForEachRow(rows, []any{&id, &labels}, func() error {
				measured, labelsBefore = append(measured, id), append(labelsBefore, labels)
				return nil
			})
			return err
		})
		for version, ids := range items {
			batch.Queue(`SELECT measure_items($1, $2)`, ids, version)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return announceCompleted(ctx, tx, measured, labelsBefore)
	})
	return n, err
}

// announceCompleted queues the events of items that have all their labels since they were measured. labelsBefore are
// the numbers of labels that they had.
func announceCompleted(ctx context.Context, tx pgx.Tx, ids []project.ItemID, labelsBefore []int) error {
	completed, err := collectAll[struct {
		ProjectID  project.ID
		ProjectKey string
		BatchName  string
		ItemID     project.ItemID
		SourceID   string
		LabelCount int
	}](tx.Query(ctx, `
		SELECT s.project_id, p.key AS project_key, b.name AS batch_name, s.item_id, i.source_id, s.label_count
		FROM unnest($1::bigint[], $2::integer[]) AS m (item_id, label_count)
		JOIN item_states s ON s.item_id = m.item_id
		JOIN projects p ON p.id = s.project_id
		JOIN items i ON i.id = s.item_id
		JOIN batches b ON b.id = s.batch_id
		WHERE m.label_count < s.labels_wanted AND s.label_count >= s.labels_wanted AND NOT s.is_calibration
		  AND EXISTS (SELECT FROM identity.webhooks w WHERE w.project_id = s.project_id)
		ORDER BY s.item_id`, ids, labelsBefore))
	if err != nil {
		return err
	}
	events := make([]event, len(completed))
	for i, c := range completed {
		events[i] = itemEvent(project.Project{ID: c.ProjectID, Key: c.ProjectKey}, webhook.ItemCompleted, c.ItemID,
			c.SourceID)
		events[i].payload["batch"], events[i].payload["labels"] = c.BatchName, c.LabelCount
	}
	return queueEvents(ctx, tx, events...)
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
