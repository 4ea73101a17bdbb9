package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A ContentWarning is a project's content warning as one annotator meets it.
type ContentWarning struct {
	Title      string
	SupportURL string
	Text       string // to acknowledge before anything of the project is shown; empty: done today, or none
}

// unacknowledgedWarning is the content warning of project p where account $1 has not read it
// today, else empty.
const unacknowledgedWarning = `CASE WHEN p.warning = '' OR EXISTS (
	    SELECT FROM warnings_read w
	    WHERE w.project_id = p.id AND w.account_id = $1 AND w.version = p.warning_version AND w.day = current_date)
	THEN '' ELSE p.warning END`

// ContentWarning returns the content warning of the project of a batch that an
// annotator has.
func (db *DB) ContentWarning(ctx context.Context, accountID account.ID, batchID project.BatchID) (ContentWarning, error) {
	return collectOne[ContentWarning](db.pool.Query(ctx, `
		SELECT p.title, p.support_url, `+unacknowledgedWarning+` AS text
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE ba.account_id = $1 AND ba.batch_id = $2`, accountID, batchID))
}

// MustAcknowledgeWarning reports whether an annotator has yet to read the content warning
// that stands before an item of theirs.
func (db *DB) MustAcknowledgeWarning(ctx context.Context, accountID account.ID, token string) (mustAcknowledge bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT `+unacknowledgedWarning+` <> ''
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.account_id = $1 AND a.token = $2`, accountID, token).Scan(&mustAcknowledge)
	return mustAcknowledge, notFound(err)
}

// AcknowledgeWarning records that an annotator has read the content warning of an
// item's project today.
func (db *DB) AcknowledgeWarning(ctx context.Context, accountID account.ID, token string) error {
	return db.acknowledgeWarning(ctx, accountID, `
		SELECT b.project_id FROM assignments a JOIN batches b ON b.id = a.batch_id
		WHERE a.account_id = $1 AND a.token = $2`, token)
}

// AcknowledgeBatchWarning does the same for a batch.
func (db *DB) AcknowledgeBatchWarning(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.acknowledgeWarning(ctx, accountID, `
		SELECT b.project_id FROM batch_annotators ba JOIN batches b ON b.id = ba.batch_id
		WHERE ba.account_id = $1 AND b.id = $2`, batchID)
}

// acknowledgeWarning records it for the project that a query of $1, the account, and
// $2 finds.
func (db *DB) acknowledgeWarning(ctx context.Context, accountID account.ID, selectProjectID string, key any) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO warnings_read (project_id, account_id, version)
		SELECT p.id, $1, p.warning_version
		FROM projects p
		WHERE p.id = (`+selectProjectID+`)
		ON CONFLICT (project_id, account_id, version, day) DO UPDATE SET at = warnings_read.at`, accountID, key)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}
