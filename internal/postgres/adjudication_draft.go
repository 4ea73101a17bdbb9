package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A AdjudicationDraft is what a lead has typed about an item and not settled yet.
type AdjudicationDraft struct {
	labeling.Decision
	Version     int64  // as its page counts; 0: none
	BaseVersion int64  // the version that it was made from
	Tab         string // which page keeps it
	DecisionNo  int    // which decision stood on the item; 0: none
}

// formKeyExpression is what the form of account a for item i is known by, without a
// session and without a guess.
const formKeyExpression = `encode(sha256(convert_to(a.form_key || ' ' || i.id, 'UTF8')), 'hex')`

// loadAdjudicationDraft reads the draft of an account for an item, and the key of its form.
func (db *DB) loadAdjudicationDraft(ctx context.Context, actorID account.ID, itemID project.ItemID) (d AdjudicationDraft, key string, err error) {
	row, err := collectOne[struct {
		Key      string
		Version  int64
		Decision labeling.Decision
	}](db.pool.Query(ctx, `
		SELECT `+formKeyExpression+` AS key, coalesce(d.version, 0) AS version, coalesce(d.decision, '{}') AS decision
		FROM items i
		JOIN accounts a ON a.id = $1
		LEFT JOIN decision_drafts d ON d.item_id = i.id AND d.account_id = a.id
		WHERE i.id = $2`, actorID, itemID))
	return AdjudicationDraft{Decision: row.Decision, Version: row.Version}, row.Key, err
}

// ErrAlreadyAdjudicated says that an item was settled by the lead whose draft comes late.
var ErrAlreadyAdjudicated = fault.Conflict.Errorf("You have settled this item in another tab. What you sent there stands.")

// adjudicatedSince is true where account $2 has settled item $1 since decision $3.
const adjudicatedSince = `EXISTS (SELECT FROM adjudications g WHERE g.item_id = $1 AND g.account_id = $2 AND g.n > $3)`

var upsertAdjudicationDraft = `
	INSERT INTO decision_drafts (item_id, account_id, version, kept_by, decision)
	SELECT $1, $2, $4, $5, $6 WHERE NOT ` + adjudicatedSince + `
	ON CONFLICT (item_id, account_id) DO UPDATE
	SET ` + replaceDraftClause("decision_drafts", "decision", "$7") + `
	RETURNING version, kept_by`

// SaveAdjudicationDraft keeps what a lead has typed about an item that they may settle.
// It returns a NewerDraftError where another page has kept something different since.
func (db *DB) SaveAdjudicationDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID, d AdjudicationDraft) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := lockAdjudicableItem(ctx, tx, actorID, p, itemID); err != nil {
			return err
		}
		if d.Version == 0 {
			return checkAdjudicationDraft(ctx, tx, actorID, itemID, d)
		}
		stored, err := collectAll[storedDraft](tx.Query(ctx, upsertAdjudicationDraft, itemID, actorID, d.DecisionNo, d.Version, d.Tab, d.Decision, d.BaseVersion))
		if err != nil {
			return err
		}
		if len(stored) == 0 {
			return ErrAlreadyAdjudicated
		}
		return stored[0].checkNewer(d.Tab, d.BaseVersion)
	})
}

// lockAdjudicableItem has leads take turns at an item, and reports why by may not settle it.
func lockAdjudicableItem(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, itemID project.ItemID) (adjudicableItem, error) {
	items, err := lockAdjudicable(ctx, tx, actorID, p, []project.ItemID{itemID})
	if err != nil {
		return adjudicableItem{}, err
	}
	item, ok := items[itemID]
	if !ok {
		return adjudicableItem{}, fault.NotFound
	}
	return item, item.CheckAllowed()
}

// checkAdjudicationDraft tells a page that only asks how the draft stands.
func checkAdjudicationDraft(ctx context.Context, tx pgx.Tx, actorID account.ID, itemID project.ItemID, d AdjudicationDraft) error {
	row, err := collectOne[struct {
		Settled bool
		storedDraft
	}](tx.Query(ctx, `
		SELECT `+adjudicatedSince+` AS settled, coalesce(max(version), 0) AS version, coalesce(max(kept_by), '') AS kept_by
		FROM decision_drafts
		WHERE item_id = $1 AND account_id = $2`, itemID, actorID, d.DecisionNo))
	if err != nil {
		return err
	}
	if row.Settled {
		return ErrAlreadyAdjudicated
	}
	return row.checkNewer(d.Tab, d.BaseVersion)
}

// SaveDecisionAsDraft keeps what a lead of p sent for an item of it and what could not
// be taken, and returns its version.
func (db *DB) SaveDecisionAsDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID, d labeling.Decision) (version int64, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO decision_drafts (item_id, account_id, version, decision)
		SELECT id, $2, 1, $3 FROM items WHERE id = $1 AND project_id = $4
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = decision_drafts.version + 1, kept_by = '', decision = excluded.decision, saved_at = now()
		RETURNING version`, itemID, actorID, d, p.ID).Scan(&version)
	return version, notFound(err)
}

// SaveSignedOutDecision keeps what was sent for an item by a lead whose session
// was over, known by the key of the form. Without a session it replaces nothing
// but the very draft that the form was made from.
func (db *DB) SaveSignedOutDecision(ctx context.Context, projectKey string, itemID project.ItemID, key string, version int64, d labeling.Decision) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO decision_drafts (item_id, account_id, version, decision)
		SELECT i.id, a.id, 1, $5
		FROM items i
		JOIN projects p ON p.id = i.project_id
		JOIN accounts a ON a.role IN ('lead', 'admin') AND NOT a.disabled
		WHERE p.key = $1 AND i.id = $2 AND `+formKeyExpression+` = $3
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = decision_drafts.version + 1, kept_by = '', decision = excluded.decision, saved_at = now()
		WHERE decision_drafts.version = $4`, projectKey, itemID, key, version, d)
	return err
}

// deleteAdjudicationDraft drops the draft of a decision that is made.
func deleteAdjudicationDraft(ctx context.Context, tx pgx.Tx, actorID account.ID, itemID project.ItemID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM decision_drafts WHERE item_id = $1 AND account_id = $2`, itemID, actorID); err != nil {
		return fmt.Errorf("drop the draft of a decision: %w", err)
	}
	return nil
}
