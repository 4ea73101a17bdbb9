package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A RequiredReading is the document that an annotator must acknowledge next, before any
// text of a batch is shown.
type RequiredReading struct {
	ProjectTitle string
	SupportURL   string
	Document     project.RequiredDocument // empty: everything is acknowledged
	Version      int
	DocumentNo   int               // among the documents of the batch, from 1
	Documents    int               // of the batch
	Text         string            // of the content warning or the instructions
	Protocol     protocol.Protocol `db:"-"` // of the guide
	LastReadAt   *time.Time        // an earlier version, or on another day
}

// hasPendingReading is true of an annotator ba of batch b in project p who must read a document
// before the items.
const hasPendingReading = `EXISTS (SELECT FROM pending_documents(p.id, ba.account_id,
	p.content_warning, p.content_warning_version, p.instructions, p.instructions_version, b.protocol_revision))`

// RequiredReading returns what an annotator of a batch must read next.
func (db *DB) RequiredReading(ctx context.Context, accountID account.ID, batchID project.BatchID) (RequiredReading,
	error) {
	row, err := collectOne[struct {
		RequiredReading
		ProtocolVersionID protocol.VersionID
		ProtocolRevision  int
	}](db.pool.Query(ctx, `
		SELECT p.title AS project_title, p.support_url, coalesce(r.document, '') AS document, coalesce(r.version,
		0) AS version,
		       (SELECT count(*) FROM required_reading q WHERE q.batch_id = b.id
		       AND q.document_no <= r.document_no) AS document_no,
		       (SELECT count(*) FROM required_reading q WHERE q.batch_id = b.id) AS documents,
		       CASE r.document WHEN 'content_warning' THEN p.content_warning WHEN 'instructions' THEN p.instructions
		       ELSE '' END AS text,
		       (SELECT max(k.acknowledged_at) FROM reading_acknowledgments k
		        WHERE k.project_id = p.id AND k.account_id = ba.account_id AND k.document = r.document) AS last_read_at,
		       b.protocol_version_id, b.protocol_revision
		FROM active_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		LEFT JOIN LATERAL (
			SELECT document_no, document, version FROM pending_reading r
			WHERE r.batch_id = ba.batch_id AND r.account_id = ba.account_id
			ORDER BY document_no
			LIMIT 1) r ON true
		WHERE ba.account_id = $1 AND ba.batch_id = $2`, accountID, batchID))
	if err == nil && row.Document != "" {
		row.Protocol, err = db.protocolRevision(ctx, db.pool, row.ProtocolVersionID, row.ProtocolRevision)
	}
	return row.RequiredReading, err
}

// MustRead reports whether an annotator must read a document before an item.
func (db *DB) MustRead(ctx context.Context, accountID account.ID, token string) (mustRead bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT `+hasPendingReading+`
		FROM assignments a
		JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.account_id = $1 AND a.token = $2`, accountID, token).Scan(&mustRead)
	return mustRead, notFound(err)
}

// AcknowledgeReading records that an annotator of a batch read a version of a document today.
// A version that is no longer required is fault.Conflict: the text changed in the meantime.
func (db *DB) AcknowledgeReading(ctx context.Context, accountID account.ID, batchID project.BatchID,
	document project.RequiredDocument, version int) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM active_annotators ba
		JOIN required_reading r ON r.batch_id = ba.batch_id
		WHERE ba.account_id = $1 AND ba.batch_id = $2 AND r.document = $3 AND r.version = $4
		ON CONFLICT (project_id, account_id, document, version, day) DO UPDATE
		SET acknowledged_at = reading_acknowledgments.acknowledged_at`,
		accountID, batchID, document, version)
	if err != nil || tag.RowsAffected() > 0 {
		return err
	}
	if _, err := db.RequiredReading(ctx, accountID, batchID); err != nil {
		return err // not an annotator of the batch
	}
	return fault.Conflict.Errorf("This text was changed while you read it. Open your work again to read the new version.")
}
