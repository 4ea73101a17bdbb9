package postgres

import (
	"context"
	"encoding/json"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemSummary is one item in a list of them.
type ItemSummary struct {
	ID            project.ItemID
	SourceID      string
	RecordID      string
	WordCount     int
	IsCalibration bool
	Batches       []string // the names of those it is in
}

// ItemSummaries returns up to limit items of a project whose own id holds search,
// in the order they were imported, after the one of that id.
func (db *DB) ItemSummaries(ctx context.Context, projectID project.ID, search string, after project.ItemID, limit int) ([]ItemSummary, error) {
	return collectAll[ItemSummary](db.pool.Query(ctx, `
		SELECT i.id, i.source_id, i.record_id, i.words, i.calibration,
		       ARRAY (SELECT b.name FROM batch_items bi JOIN batches b ON b.id = bi.batch_id
		              WHERE bi.item_id = i.id ORDER BY b.id) AS batches
		FROM items i
		WHERE i.project_id = $1 AND i.id > $3 AND ($2 = '' OR position(lower($2) IN lower(i.source_id)) > 0)
		ORDER BY i.id
		LIMIT $4`, projectID, search, after, limit))
}

// Item returns one item of a project with its metadata, for its leads.
func (db *DB) Item(ctx context.Context, projectID project.ID, id project.ItemID) (project.Item, error) {
	row, err := collectOne[struct {
		ID       project.ItemID
		SourceID string
		RecordID string
		Content  project.Content
		Facts    protocol.Facts
		Meta     map[string]json.RawMessage
	}](db.pool.Query(ctx, `
		SELECT id, source_id, record_id, content, facts, meta
		FROM items
		WHERE project_id = $1 AND id = $2`, projectID, id))
	return project.Item{ID: row.ID, SourceID: row.SourceID, RecordID: row.RecordID, Content: row.Content, Facts: row.Facts, Meta: row.Meta}, err
}

// CountAvailable returns how many items of a project are in no batch yet, and how many
// others have reference answers to calibrate by.
func (db *DB) CountAvailable(ctx context.Context, projectID project.ID) (unassigned, references int, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE NOT i.calibration AND NOT EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id)),
		       count(*) FILTER (WHERE i.calibration AND EXISTS (SELECT FROM reference_answers r WHERE r.item_id = i.id))
		FROM items i
		WHERE i.project_id = $1`, projectID).Scan(&unassigned, &references)
	return unassigned, references, err
}
