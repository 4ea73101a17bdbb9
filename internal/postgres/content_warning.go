package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A ContentWarning is a project's content warning for one annotator.
type ContentWarning struct {
	Title      string
	SupportURL string
	Text       string // to acknowledge before any text is shown; empty: none, or acknowledged today
}

// unacknowledgedWarning is the content warning of project p that account ba.account_id must
// acknowledge; empty if there is none.
const unacknowledgedWarning = `coalesce((
	SELECT w.content_warning FROM unacknowledged_warnings w
	WHERE w.project_id = p.id AND w.account_id = ba.account_id), '')`

// ContentWarning returns the content warning for an annotator of a batch.
func (db *DB) ContentWarning(ctx context.Context, accountID account.ID, batchID project.BatchID) (ContentWarning, error) {
	return collectOne[ContentWarning](db.pool.Query(ctx, `
		SELECT p.title, p.support_url, `+unacknowledgedWarning+` AS text
		FROM active_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE ba.account_id = $1 AND ba.batch_id = $2`, accountID, batchID))
}

// MustAcknowledgeWarning reports whether an annotator must acknowledge the content warning
// before an item.
func (db *DB) MustAcknowledgeWarning(ctx context.Context, accountID account.ID, token string) (mustAcknowledge bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT `+unacknowledgedWarning+` <> ''
		FROM assignments a
		JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.account_id = $1 AND a.token = $2`, accountID, token).Scan(&mustAcknowledge)
	return mustAcknowledge, notFound(err)
}

// AcknowledgeWarning records that an annotator read the content warning before an item today.
func (db *DB) AcknowledgeWarning(ctx context.Context, accountID account.ID, token string) error {
	return db.acknowledgeWarning(ctx, accountID, `
		SELECT b.project_id FROM assignments a JOIN batches b ON b.id = a.batch_id
		WHERE a.account_id = $1 AND a.token = $2 AND `+isActive, token)
}

// AcknowledgeBatchWarning does the same for a batch.
func (db *DB) AcknowledgeBatchWarning(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.acknowledgeWarning(ctx, accountID, `
		SELECT b.project_id FROM active_annotators ba JOIN batches b ON b.id = ba.batch_id
		WHERE ba.account_id = $1 AND b.id = $2`, batchID)
}

// acknowledgeWarning records it for the project that a query for account $1 and key $2 finds.
func (db *DB) acknowledgeWarning(ctx context.Context, accountID account.ID, selectProjectID string, key any) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO warning_acknowledgments (project_id, account_id, version)
		SELECT p.id, $1, p.content_warning_version
		FROM projects p
		WHERE p.id = (`+selectProjectID+`)
		ON CONFLICT (project_id, account_id, version, day) DO UPDATE SET acknowledged_at = warning_acknowledgments.acknowledged_at`, accountID, key)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}
