package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// AdjudicationScope returns the items that a file of decisions may adjudicate, and the
// adjudicators it may name.
func (db *DB) AdjudicationScope(ctx context.Context, p project.Project) (importer.AdjudicationScope, error) {
	ids, err := collectColumn[project.ItemID](db.pool.Query(ctx, `SELECT id FROM items WHERE project_id = $1`, p.ID))
	if err != nil {
		return importer.AdjudicationScope{}, err
	}
	adjudicable, err := loadAdjudicable(ctx, db.pool, 0, p, ids)
	if err != nil {
		return importer.AdjudicationScope{}, err
	}
	scope := importer.AdjudicationScope{Items: make(map[string]labeling.Adjudicable, len(adjudicable)),
		Adjudicators: map[string]importer.Adjudicator{}}
	for _, item := range adjudicable {
		scope.Items[item.SourceID] = item.Adjudicable
	}
	adjudicators, err := db.adjudicators(ctx, p)
	for _, a := range adjudicators {
		blinded := map[project.ItemID]bool{}
		for _, id := range a.BlindedItems {
			blinded[id] = true
		}
		scope.Adjudicators[a.Email] = importer.Adjudicator{ID: a.ID, BlindedItems: blinded}
	}
	return scope, err
}

type adjudicator struct {
	ID           account.ID
	Email        string // lower case
	BlindedItems []project.ItemID
}

// adjudicators returns the leads of a project.
func (db *DB) adjudicators(ctx context.Context, p project.Project) ([]adjudicator, error) {
	return collectAll[adjudicator](db.pool.Query(ctx, `
		SELECT l.account_id AS id, lower(u.email) AS email,
		       ARRAY (SELECT item_id FROM blinded_items v WHERE v.account_id = l.account_id
		       AND v.project_id = $1) AS blinded_items
		FROM project_leads l
		JOIN identity.users u ON u.account_id = l.account_id
		WHERE l.project_id = $1`, p.ID))
}

// ImportAdjudications stores all decisions of a file or none. It returns the number of
// items that had a decision before.
func (db *DB) ImportAdjudications(ctx context.Context, actorID account.ID, p project.Project, file string,
	rows []importer.AdjudicationRow) (revised int, err error) {
	ids := make([]project.ItemID, len(rows))
	for i, row := range rows {
		ids[i] = row.ItemID
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		adjudicable, err := lockAdjudicable(ctx, tx, 0, p, ids)
		if err != nil {
			return err
		}
		decisions := make([]pendingDecision, len(rows))
		for i, row := range rows {
			item := adjudicable[row.ItemID]
			d, problems := row.Check(p.Protocol, item.Adjudicable)
			if err := item.CheckAllowed(); err != nil || problems != nil {
				return fault.Conflict.Errorf("%s: item “%s” changed during the import. Nothing was imported. Try again.", file, item.SourceID)
			}
			decisions[i] = pendingDecision{row.AccountID, item, d}
			if item.DecisionNo > 0 {
				revised++
			}
		}
		if err := insertAdjudications(ctx, tx, p, decisions); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.adjudicate", projectSubject(p.Key), map[string]any{"file": file,
			"items": len(rows)})
	})
	return revised, err
}
