package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An AdjudicationDraft is a decision as typed, before it is saved.
type AdjudicationDraft struct {
	labeling.Decision
	Version     int64  // increases with each save; 0: none
	BaseVersion int64  // the version that the page started from
	Tab         string // the page that saves it
	DecisionNo  int    // of the last decision when the page was opened; 0: none
}

// formKeyExpression identifies the form of account a for item i without a session. It
// cannot be guessed.
const formKeyExpression = `encode(sha256(convert_to(a.form_key || ' ' || i.id, 'UTF8')), 'hex')`

// loadAdjudicationDraft returns an account's draft for an item, and the key of its form.
func (db *DB) loadAdjudicationDraft(ctx context.Context, actorID account.ID,
	itemID project.ItemID) (d AdjudicationDraft, formKey string, err error) {
	row, err := collectOne[struct {
		FormKey  string
		Version  int64
		Decision labeling.Decision
	}](db.pool.Query(ctx, `
		SELECT `+formKeyExpression+` AS form_key, coalesce(d.version, 0) AS version, coalesce(d.decision, '{}') AS decision
		FROM items i
		JOIN accounts a ON a.id = $1
		LEFT JOIN adjudication_drafts d ON d.item_id = i.id AND d.account_id = a.id
		WHERE i.id = $2`, actorID, itemID))
	return AdjudicationDraft{Decision: row.Decision, Version: row.Version}, row.FormKey, err
}

// ErrAlreadyAdjudicated reports that the lead saved a decision before this draft of it
// arrived.
var ErrAlreadyAdjudicated = fault.Conflict.Errorf(
	"You saved a decision on this item in another tab. That decision counts.")

// adjudicatedSince is true if account $2 decided item $1 after decision $3.
const adjudicatedSince = `EXISTS (SELECT FROM adjudications d WHERE d.item_id = $1 AND d.account_id = $2 AND d.decision_no > $3)`

var upsertAdjudicationDraft = `
	INSERT INTO adjudication_drafts (item_id, account_id, version, saved_by_tab, decision)
	SELECT $1, $2, $4, $5, $6 WHERE NOT ` + adjudicatedSince + `
	ON CONFLICT (item_id, account_id) DO UPDATE
	SET ` + replaceDraftClause("adjudication_drafts", "decision", "$7") + `
	RETURNING version, saved_by_tab`

// SaveAdjudicationDraft saves a draft of a lead who may adjudicate the item. It returns
// a NewerDraftError if another page saved a different draft.
func (db *DB) SaveAdjudicationDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	d AdjudicationDraft) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := lockAdjudicableItem(ctx, tx, actorID, p, itemID); err != nil {
			return err
		}
		if d.Version == 0 {
			return checkAdjudicationDraft(ctx, tx, actorID, itemID, d)
		}
		stored, err := collectAll[storedDraft](tx.Query(ctx, upsertAdjudicationDraft, itemID, actorID, d.DecisionNo,
			d.Version, d.Tab, d.Decision, d.BaseVersion))
		if err != nil {
			return err
		}
		if len(stored) == 0 {
			return ErrAlreadyAdjudicated
		}
		return stored[0].checkNewer(d.Tab, d.BaseVersion)
	})
}

// checkAdjudicationDraft reports whether a page that saves nothing is out of date.
func checkAdjudicationDraft(ctx context.Context, tx pgx.Tx, actorID account.ID, itemID project.ItemID,
	d AdjudicationDraft) error {
	row, err := collectOne[struct {
		AlreadyAdjudicated bool
		storedDraft
	}](tx.Query(ctx, `
		SELECT `+adjudicatedSince+` AS already_adjudicated, coalesce(max(version), 0) AS version, coalesce(max(saved_by_tab), '') AS saved_by_tab
		FROM adjudication_drafts
		WHERE item_id = $1 AND account_id = $2`, itemID, actorID, d.DecisionNo))
	if err != nil {
		return err
	}
	if row.AlreadyAdjudicated {
		return ErrAlreadyAdjudicated
	}
	return row.checkNewer(d.Tab, d.BaseVersion)
}

// SaveDecisionAsDraft saves a rejected decision as the lead's draft, and returns its
// version.
func (db *DB) SaveDecisionAsDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	d labeling.Decision) (version int64, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO adjudication_drafts (item_id, account_id, version, decision)
		SELECT id, $2, 1, $3 FROM items WHERE id = $1 AND project_id = $4
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = adjudication_drafts.version + 1, saved_by_tab = '', decision = excluded.decision, saved_at = now()
		RETURNING version`, itemID, actorID, d, p.ID).Scan(&version)
	return version, notFound(err)
}

// SaveSignedOutDecision saves a decision that a lead sent after the session ended. The
// form key identifies the lead. It replaces only the draft that the form was made from.
func (db *DB) SaveSignedOutDecision(ctx context.Context, projectKey string, itemID project.ItemID, formKey string,
	version int64, d labeling.Decision) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO adjudication_drafts (item_id, account_id, version, decision)
		SELECT i.id, a.id, 1, $5
		FROM items i
		JOIN projects p ON p.id = i.project_id
		JOIN project_leads l ON l.project_id = p.id
		JOIN accounts a ON a.id = l.account_id
		WHERE p.key = $1 AND i.id = $2 AND `+formKeyExpression+` = $3
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = adjudication_drafts.version + 1, saved_by_tab = '', decision = excluded.decision, saved_at = now()
		WHERE adjudication_drafts.version = $4`, withoutVersion(projectKey), itemID, formKey, version, d)
	return err
}

// deleteAdjudicationDraft deletes the draft of a decision that was saved.
func deleteAdjudicationDraft(ctx context.Context, tx pgx.Tx, actorID account.ID, itemID project.ItemID) error {
	_, err := tx.Exec(ctx, `DELETE FROM adjudication_drafts WHERE item_id = $1 AND account_id = $2`, itemID, actorID)
	return err
}
