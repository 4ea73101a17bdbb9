package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// blindedItems returns the items whose answers an account must not see yet, sorted.
func blindedItems(ctx context.Context, q querier, actorID account.ID, projectID project.ID) ([]project.ItemID, error) {
	return collectColumn[project.ItemID](q.Query(ctx, `
		SELECT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2 ORDER BY item_id`, actorID, projectID))
}

// A ReportView is the part of a project's labels that an account may see in reports.
// Accounts with equal views can share a report.
type ReportView struct {
	hiddenItems     []project.ItemID // blinded, sorted
	hideSmallGroups bool
}

// ReportView returns the view of an account. Reports contain no answers to blinded items
// and, while a batch is open, no small groups for anybody but admins and commands.
func (db *DB) ReportView(ctx context.Context, actorID account.ID, projectID project.ID) (ReportView, error) {
	row, err := collectOne[struct {
		Items           []project.ItemID
		HideSmallGroups bool
	}](db.pool.Query(ctx, `
		SELECT ARRAY (SELECT DISTINCT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2 ORDER BY item_id) AS items,
		       $1::bigint <> 0 AND EXISTS (SELECT FROM batches WHERE project_id = $2 AND closed_at IS NULL)
		           AND NOT EXISTS (SELECT FROM accounts WHERE id = $1 AND role = 'admin') AS hide_small_groups`, actorID, projectID))
	return ReportView{row.Items, row.HideSmallGroups}, err
}

// Key identifies the view among those of a project.
func (v ReportView) Key() string {
	hash := sha256.New()
	for _, id := range v.hiddenItems {
		fmt.Fprintln(hash, id)
	}
	return fmt.Sprintf("%d %x %t", len(v.hiddenItems), hash.Sum(nil), v.hideSmallGroups)
}

// HiddenItems returns the number of items whose answers are hidden.
func (v ReportView) HiddenItems() int { return len(v.hiddenItems) }

// covers reports whether v shows nothing that other hides.
func (v ReportView) covers(other ReportView) bool {
	return (v.hideSmallGroups || !other.hideSmallGroups) &&
		!slices.ContainsFunc(other.hiddenItems, func(id project.ItemID) bool { return !contains(v.hiddenItems, id) })
}

// isBlinded is true of an item i in batch a.batch_id that is blinded for account $2.
const isBlinded = `EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $2 AND v.batch_id = a.batch_id AND v.item_id = i.id)`

// contains reports whether a sorted list has an item.
func contains(sorted []project.ItemID, id project.ItemID) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}

// requireUnblinded returns labeling.ErrBlinded if there is an item of the project whose
// answers the account must not see yet.
func requireUnblinded(ctx context.Context, q querier, actorID account.ID, projectID project.ID) error {
	blinded, err := blindedItems(ctx, q, actorID, projectID)
	if err == nil && len(blinded) > 0 {
		return labeling.ErrBlinded
	}
	return err
}

// requireVisible returns labeling.ErrBlinded if the account must not see the answers
// to an item yet.
func requireVisible(ctx context.Context, q querier, actorID account.ID, projectID project.ID, itemID project.ItemID) error {
	var isBlinded bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM blinded_items WHERE account_id = $1 AND project_id = $2 AND item_id = $3)`, actorID, projectID, itemID).Scan(&isBlinded)
	if err == nil && isBlinded {
		return labeling.ErrBlinded
	}
	return err
}
