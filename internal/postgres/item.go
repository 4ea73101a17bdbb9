package postgres

import (
	"context"
	"encoding/json"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemSummary is one item of a list.
type ItemSummary struct {
	ID            project.ItemID
	SourceID      string
	RecordID      string
	WordCount     int
	IsCalibration bool
	Batches       []string // names of the batches with the item
}

// ItemSummaries returns up to limit items after an id, in the order of import. With a
// search, it returns only items whose source id contains it, regardless of case.
func (db *DB) ItemSummaries(ctx context.Context, projectID project.ID, search string, after project.ItemID,
	limit int) ([]ItemSummary, error) {
	return collectAll[ItemSummary](db.pool.Query(ctx, `
		SELECT i.id, i.source_id, i.record_id, i.word_count, i.is_calibration,
		       ARRAY (SELECT b.name FROM batch_items bi JOIN batches b ON b.id = bi.batch_id
		              WHERE bi.item_id = i.id ORDER BY b.id) AS batches
		FROM items i
		WHERE i.project_id = $1 AND i.id > $3 AND ($2 = '' OR position(lower($2) IN lower(i.source_id)) > 0)
		ORDER BY i.id
		LIMIT $4`, projectID, search, after, limit))
}

type itemRow struct {
	ID       project.ItemID
	SourceID string
	RecordID string
	Content  project.Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage
}

// Item returns an item of a project with its metadata, which only leads may see.
func (db *DB) Item(ctx context.Context, projectID project.ID, id project.ItemID) (project.Item, error) {
	row, err := collectOne[itemRow](db.pool.Query(ctx, `
		SELECT id, source_id, record_id, content, facts, meta
		FROM items
		WHERE project_id = $1 AND id = $2`, projectID, id))
	return row.toItem(), err
}

// Items returns up to limit items after an id, in the order of import. They have no
// metadata, so that annotators may see them.
func (db *DB) Items(ctx context.Context, projectID project.ID, after int64, limit int) ([]project.Item, error) {
	rows, err := collectAll[itemRow](db.pool.Query(ctx, `
		SELECT id, source_id, record_id, content, facts, NULL AS meta
		FROM items
		WHERE project_id = $1 AND id > $2
		ORDER BY id
		LIMIT $3`, projectID, after, limit))
	items := make([]project.Item, len(rows))
	for i, row := range rows {
		items[i] = row.toItem()
	}
	return items, err
}

// FullItems returns up to limit items after an id with their metadata, for leads, in the order of
// import.
func (db *DB) FullItems(ctx context.Context, actorID account.ID, p project.Project, after project.ItemID,
	limit int) ([]project.Item, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	rows, err := collectAll[itemRow](db.pool.Query(ctx, `
		SELECT id, source_id, record_id, content, facts, meta
		FROM items
		WHERE project_id = $1 AND id > $2
		ORDER BY id
		LIMIT $3`, p.ID, after, limit))
	items := make([]project.Item, len(rows))
	for i, row := range rows {
		items[i] = row.toItem()
	}
	return items, err
}

func (r itemRow) toItem() project.Item {
	return project.Item{ID: r.ID, SourceID: r.SourceID, RecordID: r.RecordID, Content: r.Content, Facts: r.Facts,
		Meta: r.Meta}
}
