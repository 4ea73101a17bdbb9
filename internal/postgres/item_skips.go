package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// addSkips restricts a list to items skipped for a reason about the item. Personal reasons are
// only counted.
func (q *itemQuery) addSkips() {
	if !q.filter.SkippedOnly {
		return
	}
	const skipped = "s.item_id IN (SELECT k.item_id FROM skips k WHERE k.project_id = s.project_id AND NOT k.is_personal"
	if q.filter.SkipReason == "" {
		q.conditions = append(q.conditions, skipped+")")
		return
	}
	q.where(skipped+" AND k.reason = ?)", q.filter.SkipReason)
}

// An ItemSkip is one skip of an item, without the annotator.
type ItemSkip struct {
	ItemID    project.ItemID
	Reason    labeling.SkipReason
	Comment   string
	SkippedAt time.Time
}

// ItemSkips returns the skips of items by item, without those for personal reasons and of items
// whose labels the account must not see yet: a comment may tell an answer, and an own skip a
// hidden duplicate.
func (db *DB) ItemSkips(ctx context.Context, actorID account.ID, p project.Project,
	ids []project.ItemID) (map[project.ItemID][]ItemSkip, error) {
	rows, err := collectAll[ItemSkip](db.pool.Query(ctx, `
		SELECT k.item_id, k.reason, k.comment, k.created_at AS skipped_at
		FROM skips k
		WHERE k.project_id = $1 AND k.item_id = ANY ($2) AND NOT k.is_personal
		  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $3 AND v.project_id = $1
		  AND v.item_id = k.item_id)
		ORDER BY k.item_id, k.created_at, k.assignment_id`, p.ID, ids, actorID))
	skips := make(map[project.ItemID][]ItemSkip, len(rows))
	for _, row := range rows {
		skips[row.ItemID] = append(skips[row.ItemID], row)
	}
	return reveal(ctx, db, actorID, skips, err)
}
