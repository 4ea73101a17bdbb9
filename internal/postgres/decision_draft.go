package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A DecisionDraft is what a lead has typed about an item and not settled yet.
type DecisionDraft struct {
	labeling.Decision
	Version int64  // as its page counts; 0: none
	From    int64  // the version that it was made from
	Tab     string // which page keeps it
	Stands  int    // which decision stood on the item; 0: none
}

// formKey is what the form of account a for item i is known by, without a
// session and without a guess.
const formKey = `encode(sha256(convert_to(a.form_key || ' ' || i.id, 'UTF8')), 'hex')`

// draftOf reads the draft of an account for an item, and the key of its form.
func (db *DB) draftOf(ctx context.Context, by, itemID int64) (d DecisionDraft, key string, err error) {
	row, err := one[struct {
		Key      string
		Version  int64
		Decision labeling.Decision
	}](db.pool.Query(ctx, `
		SELECT `+formKey+` AS key, coalesce(d.version, 0) AS version, coalesce(d.decision, '{}') AS decision
		FROM items i
		JOIN accounts a ON a.id = $1
		LEFT JOIN decision_drafts d ON d.item_id = i.id AND d.account_id = a.id
		WHERE i.id = $2`, by, itemID))
	return DecisionDraft{Decision: row.Decision, Version: row.Version}, row.Key, err
}

// ErrSettled says that an item was settled by the lead whose draft comes late.
var ErrSettled = fault.Conflict.Says("You have settled this item in another tab. What you sent there stands.")

// settledSince is true where account $2 has settled item $1 since decision $3.
const settledSince = `EXISTS (SELECT FROM adjudications g WHERE g.item_id = $1 AND g.account_id = $2 AND g.n > $3)`

var saveDecision = `
	INSERT INTO decision_drafts (item_id, account_id, version, kept_by, decision)
	SELECT $1, $2, $4, $5, $6 WHERE NOT ` + settledSince + `
	ON CONFLICT (item_id, account_id) DO UPDATE
	SET ` + replaceDraft("decision_drafts", "decision", "$7") + `
	RETURNING version, kept_by`

// SaveDecision keeps what a lead has typed about an item that they may settle.
// It returns a NewerDraft where another page has kept something different since.
func (db *DB) SaveDecision(ctx context.Context, by int64, p project.Project, itemID int64, d DecisionDraft) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := lockCase(ctx, tx, by, p, itemID); err != nil {
			return err
		}
		if d.Version == 0 {
			return heldDecision(ctx, tx, by, itemID, d)
		}
		held, err := many[heldDraft](tx.Query(ctx, saveDecision, itemID, by, d.Stands, d.Version, d.Tab, d.Decision, d.From))
		if err != nil {
			return err
		}
		if len(held) == 0 {
			return ErrSettled
		}
		return held[0].check(d.Tab, d.From)
	})
}

// lockCase has leads take turns at an item, and reports why by may not settle it.
func lockCase(ctx context.Context, tx pgx.Tx, by int64, p project.Project, itemID int64) (lockedDispute, error) {
	disputes, err := lockDisputes(ctx, tx, by, p, []int64{itemID})
	if err != nil {
		return lockedDispute{}, err
	}
	item, there := disputes[itemID]
	if !there {
		return lockedDispute{}, fault.NotFound
	}
	return item, item.Takes()
}

// heldDecision tells a page that only asks how the draft stands.
func heldDecision(ctx context.Context, tx pgx.Tx, by, itemID int64, d DecisionDraft) error {
	row, err := one[struct {
		Settled bool
		heldDraft
	}](tx.Query(ctx, `
		SELECT `+settledSince+` AS settled, coalesce(max(version), 0) AS version, coalesce(max(kept_by), '') AS kept_by
		FROM decision_drafts
		WHERE item_id = $1 AND account_id = $2`, itemID, by, d.Stands))
	if err != nil {
		return err
	}
	if row.Settled {
		return ErrSettled
	}
	return row.check(d.Tab, d.From)
}

// KeepDecision keeps what a lead of p sent for an item of it and what could not
// be taken, and returns its version.
func (db *DB) KeepDecision(ctx context.Context, by int64, p project.Project, itemID int64, d labeling.Decision) (version int64, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO decision_drafts (item_id, account_id, version, decision)
		SELECT id, $2, 1, $3 FROM items WHERE id = $1 AND project_id = $4
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = decision_drafts.version + 1, kept_by = '', decision = excluded.decision, saved_at = now()
		RETURNING version`, itemID, by, d, p.ID).Scan(&version)
	return version, notFound(err)
}

// KeepUnsignedDecision keeps what was sent for an item by a lead whose session
// was over, known by the key of the form. Without a session it replaces nothing
// but the very draft that the form was made from.
func (db *DB) KeepUnsignedDecision(ctx context.Context, project string, itemID int64, key string, version int64, d labeling.Decision) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO decision_drafts (item_id, account_id, version, decision)
		SELECT i.id, a.id, 1, $5
		FROM items i
		JOIN projects p ON p.id = i.project_id
		JOIN accounts a ON a.role IN ('lead', 'admin') AND NOT a.disabled
		WHERE p.key = $1 AND i.id = $2 AND `+formKey+` = $3
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = decision_drafts.version + 1, kept_by = '', decision = excluded.decision, saved_at = now()
		WHERE decision_drafts.version = $4`, project, itemID, key, version, d)
	return err
}

// forgetDecision drops the draft of a decision that is made.
func forgetDecision(ctx context.Context, tx pgx.Tx, by, itemID int64) error {
	if _, err := tx.Exec(ctx, `DELETE FROM decision_drafts WHERE item_id = $1 AND account_id = $2`, itemID, by); err != nil {
		return fmt.Errorf("drop the draft of a decision: %w", err)
	}
	return nil
}
