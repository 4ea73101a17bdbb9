package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// blindedItems returns the items whose answers an account must not see yet, sorted.
func blindedItems(ctx context.Context, q querier, actorID account.ID, projectID project.ID) ([]project.ItemID, error) {
	return collectColumn[project.ItemID](q.Query(ctx, `
		SELECT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2
		ORDER BY item_id`, actorID, projectID))
}

// A reportView is the part of a project's labels that an account may see in reports.
// Accounts with equal views can share a report.
type reportView struct {
	hiddenItems     []project.ItemID // blinded, sorted
	hideSmallGroups bool
}

// reportView returns the view of an account. Reports contain no answers to blinded items
// and, while a batch is open, no small groups for anybody but admins and commands.
func (db *DB) reportView(ctx context.Context, actorID account.ID, projectID project.ID) (reportView, error) {
	row, err := collectOne[struct {
		Items           []project.ItemID
		HideSmallGroups bool
	}](db.pool.Query(ctx, `
		SELECT ARRAY (SELECT DISTINCT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2
		ORDER BY item_id) AS items,
		       $1::bigint <> 0 AND EXISTS (SELECT FROM batches WHERE project_id = $2 AND closed_at IS NULL)
		           AND NOT EXISTS (SELECT FROM accounts WHERE id = $1
		           AND role = 'admin') AS hide_small_groups`, actorID, projectID))
	return reportView{row.Items, row.HideSmallGroups}, err
}

// key identifies the view among those of a project.
func (v reportView) key() string {
	hash := sha256.New()
	for _, id := range v.hiddenItems {
		fmt.Fprintln(hash, id)
	}
	return fmt.Sprintf("%d %x %t", len(v.hiddenItems), hash.Sum(nil), v.hideSmallGroups)
}

// isBlinded is true of an item i in batch a.batch_id that is blinded for account $2.
const isBlinded = `EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $2 AND v.batch_id = a.batch_id AND v.item_id = i.id)`

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
func requireVisible(ctx context.Context, q querier, actorID account.ID, projectID project.ID,
	itemID project.ItemID) error {
	var isBlinded bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM blinded_items WHERE account_id = $1 AND project_id = $2
		AND item_id = $3)`, actorID, projectID, itemID).Scan(&isBlinded)
	if err == nil && isBlinded {
		return labeling.ErrBlinded
	}
	return err
}
