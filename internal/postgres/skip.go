package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An SkippedItem is an item that somebody set aside, and why. It does not say
// who.
type SkippedItem struct {
	ItemID   project.ItemID
	SourceID string
	Reason   labeling.SkipReason
	Comment  string
}

// SkippedItems returns what was set aside of a batch with a word on why, by item.
// What distresses needs no word, and is only ever counted.
func (db *DB) SkippedItems(ctx context.Context, batchID project.BatchID) ([]SkippedItem, error) {
	return collectAll[SkippedItem](db.pool.Query(ctx, `
		SELECT i.id AS item_id, i.source_id, s.reason, s.word
		FROM set_aside s
		JOIN assignments a ON a.id = s.assignment_id
		JOIN items i ON i.id = a.item_id
		WHERE a.batch_id = $1 AND s.reason <> 'distressing'
		ORDER BY i.id, s.word COLLATE "C"
		LIMIT 500`, batchID))
}
