package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A ReferenceDraft is the reference answers of an item as typed, before they are saved.
type ReferenceDraft struct {
	labeling.Reference
	Version     int64     // increases with each save; 0: none
	BaseVersion int64     // the version that the page started from
	Tab         string    // the page that saves it
	SavedAt     time.Time // when the reference answers were saved that the page shows; zero: never
	FormKey     string    // of the form, without a session
}

// ErrAlreadySaved reports that the lead saved the reference answers before this draft of them
// arrived.
var ErrAlreadySaved = fault.Conflict.Errorf("You saved the reference answers of this item in another tab. Those count.")

// ReferenceDraft returns an account's draft for an item, and the key of its form.
func (db *DB) ReferenceDraft(ctx context.Context, actorID account.ID, p project.Project,
	itemID project.ItemID) (ReferenceDraft, error) {
	row, err := collectOne[struct {
		FormKey   string
		Version   int64
		Reference labeling.Reference
	}](db.pool.Query(ctx, `
		SELECT `+formKeyExpression+` AS form_key, coalesce(d.version, 0) AS version, coalesce(d.reference, '{}') AS reference
		FROM items i
		JOIN accounts a ON a.id = $1
		LEFT JOIN reference_drafts d ON d.item_id = i.id AND d.account_id = a.id
		WHERE i.id = $2 AND i.project_id = $3`, actorID, itemID, p.ID))
	return ReferenceDraft{Reference: row.Reference, Version: row.Version, FormKey: row.FormKey}, err
}

// savedSince is true if account $2 saved the reference answers of item $1 after $3.
const savedSince = `EXISTS (SELECT FROM reference_answers r WHERE r.item_id = $1 AND r.created_by = $2 AND r.created_at > $3)`

var upsertReferenceDraft = `
	INSERT INTO reference_drafts (item_id, account_id, version, saved_by_tab, reference)
	SELECT i.id, $2, $4, $5, $6 FROM items i WHERE i.id = $1 AND i.project_id = $8 AND NOT ` + savedSince + `
	ON CONFLICT (item_id, account_id) DO UPDATE
	SET ` + replaceDraftClause("reference_drafts", "reference", "$7") + `
	RETURNING version, saved_by_tab`

// SaveReferenceDraft saves a draft of a lead. It returns a NewerDraftError if another page
// saved a different draft.
func (db *DB) SaveReferenceDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	d ReferenceDraft) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		var isItem bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM items WHERE id = $1
			AND project_id = $2)`, itemID, p.ID).Scan(&isItem); err != nil {
			return err
		}
		if !isItem {
			return fault.NotFound
		}
		if d.Version == 0 {
			return checkReferenceDraft(ctx, tx, actorID, itemID, d)
		}
		stored, err := collectAll[storedDraft](tx.Query(ctx, upsertReferenceDraft, itemID, actorID, d.SavedAt,
			d.Version, d.Tab, d.Reference, d.BaseVersion, p.ID))
		if err != nil {
			return err
		}
		if len(stored) == 0 {
			return ErrAlreadySaved
		}
		return stored[0].checkNewer(d.Tab, d.BaseVersion)
	})
}

// checkReferenceDraft reports whether a page that saves nothing is out of date.
func checkReferenceDraft(ctx context.Context, tx pgx.Tx, actorID account.ID, itemID project.ItemID,
	d ReferenceDraft) error {
	row, err := collectOne[struct {
		AlreadySaved bool
		storedDraft
	}](tx.Query(ctx, `
		SELECT `+savedSince+` AS already_saved, coalesce(max(version), 0) AS version, coalesce(max(saved_by_tab), '') AS saved_by_tab
		FROM reference_drafts
		WHERE item_id = $1 AND account_id = $2`, itemID, actorID, d.SavedAt))
	if err == nil && row.AlreadySaved {
		err = ErrAlreadySaved
	}
	if err != nil {
		return err
	}
	return row.checkNewer(d.Tab, d.BaseVersion)
}

// SaveReferenceAsDraft saves rejected reference answers as the lead's draft, and returns its
// version.
func (db *DB) SaveReferenceAsDraft(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	r labeling.Reference) (version int64, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO reference_drafts (item_id, account_id, version, reference)
		SELECT i.id, $2, 1, $3
		FROM items i
		JOIN project_leads l ON l.project_id = i.project_id AND l.account_id = $2
		WHERE i.id = $1 AND i.project_id = $4
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = reference_drafts.version + 1, saved_by_tab = '', reference = excluded.reference, saved_at = now()
		RETURNING version`, itemID, actorID, r, p.ID).Scan(&version)
	return version, notFound(err)
}

// SaveSignedOutReference saves reference answers that a lead sent after the session ended. The
// form key identifies the lead. They replace only the draft that the form was made from.
func (db *DB) SaveSignedOutReference(ctx context.Context, projectKey string, itemID project.ItemID, formKey string,
	version int64, r labeling.Reference) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO reference_drafts (item_id, account_id, version, reference)
		SELECT i.id, a.id, 1, $5
		FROM items i
		JOIN projects p ON p.id = i.project_id
		JOIN project_leads l ON l.project_id = p.id
		JOIN accounts a ON a.id = l.account_id
		WHERE p.key = $1 AND i.id = $2 AND `+formKeyExpression+` = $3
		ON CONFLICT (item_id, account_id) DO UPDATE
		SET version = reference_drafts.version + 1, saved_by_tab = '', reference = excluded.reference, saved_at = now()
		WHERE reference_drafts.version = $4`, withoutVersion(projectKey), itemID, formKey, version, r)
	return err
}
