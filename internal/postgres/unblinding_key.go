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
	return db.snapshot(ctx, p, func(s Snapshot) error {
		columns, err := s.metaColumns(ctx)
		if err != nil {
			return err
		}
		b, err := s.newBlinder(ctx)
		if err != nil {
			return err
		}
		return dataset.WriteKey(w, columns, func(yield func(dataset.KeyRow, error) bool) { s.yieldKeyRows(ctx, b, yield) })
	})
}

func (s Snapshot) yieldKeyRows(ctx context.Context, b *blinder, yield func(dataset.KeyRow, error) bool) {
	rows, err := s.tx.Query(ctx, `SELECT source_id, record_id, meta FROM items WHERE project_id = $1 ORDER BY id`, s.project.ID)
	if err != nil {
		yield(dataset.KeyRow{}, err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var row dataset.KeyRow
		var meta []byte
		err := rows.Scan(&row.SourceItem, &row.SourceRecord, &meta)
		if err == nil {
			err = json.Unmarshal(meta, &row.Meta)
		}
		row.Item, row.Record = b.item(row.SourceItem), b.record(row.SourceRecord)
		if !yield(row, err) || err != nil {
			return
		}
	}
	if err := rows.Err(); err != nil {
		yield(dataset.KeyRow{}, fmt.Errorf("read the items: %w", err))
	}
}
