package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A WorkNotice is a change of a lead to the work of an annotator, shown to them about their work.
type WorkNotice struct {
	ProjectTitle string
	Kind         string
	ItemCount    int
	DraftToken   string // of a lost item whose draft can be read; empty: none
}

// selectWorkNotices reads what changed for annotator $1 in the last week, newest first: lost
// work, and what else is true and happened since the annotator last got an item of the batch.
const selectWorkNotices = `
		SELECT p.title AS project_title, n.kind, n.item_count, coalesce((
		           SELECT a.token FROM assignments a
		           JOIN drafts d ON d.assignment_id = a.id
		           WHERE a.id = n.assignment_id AND a.state = 'released'), '') AS draft_token
		FROM work_notices n
		JOIN batches b ON b.id = n.batch_id
		JOIN projects p ON p.id = b.project_id
		JOIN batch_annotators ba ON ba.batch_id = n.batch_id AND ba.account_id = n.account_id
		WHERE n.account_id = $1 AND n.created_at > now() - interval '7 days' AND CASE n.kind
		      WHEN 'removed' THEN ba.removed_at IS NOT NULL
		      WHEN 'closed' THEN b.closed_at IS NOT NULL
		      WHEN 'open_item_reassigned' THEN b.closed_at IS NULL AND n.created_at > now() - interval '2 days'
		      WHEN 'paused' THEN b.closed_at IS NULL AND ba.removed_at IS NULL AND ba.paused_at IS NOT NULL
		      WHEN 'paused_by_gold' THEN b.closed_at IS NULL AND ba.removed_at IS NULL AND ba.paused_by_gold
		      ELSE b.closed_at IS NULL AND ba.removed_at IS NULL AND ba.paused_at IS NULL
		      AND n.created_at > coalesce(ba.last_opened_at, '-infinity') END
		  AND NOT EXISTS (SELECT FROM work_notices later WHERE later.account_id = n.account_id
		  AND later.batch_id = n.batch_id AND later.kind = n.kind
		                  AND later.id > n.id AND n.kind IN ('paused', 'paused_by_gold', 'resumed', 'closed', 'reopened',
		                  'removed'))
		ORDER BY n.id DESC
		LIMIT 10`

// A KeptDraft is what an annotator typed for an item that they lost.
type KeptDraft struct {
	ProjectTitle string
	Protocol     protocol.Protocol
	Answers      protocol.Answers
}

// KeptDraft returns the draft of a released item of that account, or fault.NotFound.
func (db *DB) KeptDraft(ctx context.Context, accountID account.ID, token string) (KeptDraft, error) {
	row, err := collectOne[struct {
		Title     string
		VersionID protocol.VersionID
		Revision  int
		Answers   protocol.Answers
	}](db.pool.Query(ctx, `
		SELECT p.title, a.protocol_version_id AS version_id, b.protocol_revision AS revision, d.answers
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		JOIN drafts d ON d.assignment_id = a.id
		WHERE a.token = $1 AND a.account_id = $2 AND a.state = $3`, token, accountID, labeling.Released))
	if err != nil {
		return KeptDraft{}, err
	}
	d := KeptDraft{ProjectTitle: row.Title, Answers: row.Answers}
	d.Protocol, err = db.protocolRevision(ctx, db.pool, row.VersionID, row.Revision)
	return d, err
}
