package postgres

import (
	"context"
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
	blinded, err := blindedItems(ctx, q, actorID, projectID)
	if err == nil && contains(blinded, itemID) {
		return labeling.ErrBlinded
	}
	return err
}
