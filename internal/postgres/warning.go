package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Warning is a project's content warning as one annotator meets it.
type Warning struct {
	Title      string
	SupportURL string
	Text       string // to acknowledge before anything of the project is shown; empty: done today, or none
}

// unread is the content warning of project p where account $1 has not read it
// today, else empty.
const unread = `CASE WHEN p.warning = '' OR EXISTS (
	    SELECT FROM warnings_read w
	    WHERE w.project_id = p.id AND w.account_id = $1 AND w.version = p.warning_version AND w.day = current_date)
	THEN '' ELSE p.warning END`

// Warning returns the content warning of the project of a batch that an
// annotator has.
func (db *DB) Warning(ctx context.Context, accountID, batchID int64) (Warning, error) {
	return one[Warning](db.pool.Query(ctx, `
		SELECT p.title, p.support_url, `+unread+` AS text
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE ba.account_id = $1 AND ba.batch_id = $2`, accountID, batchID))
}

// Unwarned reports whether an annotator has yet to read the content warning
// that stands before an item of theirs.
func (db *DB) Unwarned(ctx context.Context, accountID int64, token string) (unwarned bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT `+unread+` <> ''
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.account_id = $1 AND a.token = $2`, accountID, token).Scan(&unwarned)
	return unwarned, notFound(err)
}

// ReadWarning records that an annotator has read the content warning of an
// item's project today.
func (db *DB) ReadWarning(ctx context.Context, accountID int64, token string) error {
	return db.readWarning(ctx, accountID, `
		SELECT b.project_id FROM assignments a JOIN batches b ON b.id = a.batch_id
		WHERE a.account_id = $1 AND a.token = $2`, token)
}

// ReadWarningOf does the same for a batch.
func (db *DB) ReadWarningOf(ctx context.Context, accountID, batchID int64) error {
	return db.readWarning(ctx, accountID, `
		SELECT b.project_id FROM batch_annotators ba JOIN batches b ON b.id = ba.batch_id
		WHERE ba.account_id = $1 AND b.id = $2`, batchID)
}

// readWarning records it for the project that a query of $1, the account, and
// $2 finds.
func (db *DB) readWarning(ctx context.Context, accountID int64, project string, by any) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO warnings_read (project_id, account_id, version)
		SELECT p.id, $1, p.warning_version
		FROM projects p
		WHERE p.id = (`+project+`)
		ON CONFLICT (project_id, account_id, version, day) DO UPDATE SET at = warnings_read.at`, accountID, by)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}
