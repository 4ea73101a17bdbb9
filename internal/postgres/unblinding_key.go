package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
)

// WriteUnblindingKey writes, as CSV, the item and record of each id in blinded exports of a
// project, with the metadata. It records the attempt in the audit log first. It
// returns labeling.ErrBlinded to an account that must not see some answers yet.
func (db *DB) WriteUnblindingKey(ctx context.Context, actorID account.ID, p project.Project, w io.Writer) error {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return err
	}
	if err := recordAudit(ctx, db.pool, actorID, "project.export_key", projectSubject(p.Key), nil); err != nil {
		return err
	}
	var b *blinder
	var columns []dataset.MetaColumn
	var lastID project.ItemID
	err := db.snapshot(ctx, p, func(s Snapshot) (err error) {
		if b, err = s.newBlinder(ctx); err != nil {
			return err
		}
		if columns, err = s.metaColumns(ctx); err != nil {
			return err
		}
		return s.tx.QueryRow(ctx, `SELECT coalesce(max(id), 0) FROM items WHERE project_id = $1`, p.ID).Scan(&lastID)
	})
	if err != nil {
		return err
	}
	return dataset.WriteKey(w, columns, func(yield func(dataset.KeyRow, error) bool) {
		db.yieldKeyRows(ctx, p, b,
			lastID, yield)
	})
}

// keyPageSize is the number of items that are read at once, so that a slow reader holds no
// connection.
const keyPageSize = 1000

// yieldKeyRows passes the items up to lastID on. Neither their ids nor their metadata change.
func (db *DB) yieldKeyRows(ctx context.Context, p project.Project, b *blinder, lastID project.ItemID,
	yield func(dataset.KeyRow, error) bool) {
	type itemRow struct {
		ID                 project.ItemID
		SourceID, RecordID string
		Meta               map[string]json.RawMessage
	}
	for afterID := project.ItemID(0); ; {
		items, err := collectAll[itemRow](db.pool.Query(ctx, `
			SELECT id, source_id, record_id, meta FROM items
			WHERE project_id = $1 AND id > $2 AND id <= $3
			ORDER BY id
			LIMIT $4`, p.ID, afterID, lastID, keyPageSize))
		if err != nil {
			yield(dataset.KeyRow{}, fmt.Errorf("read the items: %w", err))
			return
		}
		for _, i := range items {
			row := dataset.KeyRow{Item: b.item(i.SourceID), Record: b.record(i.RecordID), SourceItem: i.SourceID,
				SourceRecord: i.RecordID, Meta: i.Meta}
			if !yield(row, nil) {
				return
			}
			afterID = i.ID
		}
		if len(items) < keyPageSize {
			return
		}
	}
}
