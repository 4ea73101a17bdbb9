package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An ItemRecord is what happened to an item, besides the entries of the audit log about it.
type ItemRecord struct {
	FileName    string // of the import
	ImportedAt  time.Time
	ImportedBy  string // empty: a command
	Batches     []ItemBatch
	Work        []ItemWork
	Corrections []ItemCorrection
	Exports     []ItemExport
	Receivers   []ItemReceiver // by name
}

// An ItemBatch is a batch with the item.
type ItemBatch struct {
	Name     string
	OpenedAt time.Time
	ClosedAt *time.Time
}

// ItemWork is the item in the hands of an annotator. Skips are elsewhere, without the annotator.
type ItemWork struct {
	Annotator    string // as leads know them, with the pseudonym
	Pseudonym    string
	BatchName    string
	OpenedAt     time.Time
	DraftSavedAt *time.Time
	SubmittedAt  *time.Time // nil: open
	ActiveMS     int64
	AttemptNo    int
	IsReopened   bool
}

// An ItemCorrection is a correction request about the item, or the message of a lead who reopened it.
type ItemCorrection struct {
	ID         labeling.CorrectionID
	BatchName  string
	Annotator  string // as leads know them, with the pseudonym
	Message    string
	IsByLead   bool
	CreatedAt  time.Time
	ResolvedAt *time.Time
	IsReopened bool
	Reply      string
}

// An ItemExport is a complete export that may include the item, by its batches.
type ItemExport struct {
	ID         ExportID
	CreatedAt  time.Time
	ExportedBy string
}

// An ItemReceiver is an annotator of the open batch of the item who can get it.
type ItemReceiver struct{ BatchName, Annotator, Pseudonym string }

// ItemRecord returns the record of an item. To an account that must not see its answers yet, it has only the import
// and the exports: an own label could tell a hidden duplicate.
func (db *DB) ItemRecord(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) (
	r ItemRecord, err error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return r, err
	}
	err = db.pool.QueryRow(ctx, `
		SELECT m.file_name, m.created_at, coalesce(u.name, '')
		FROM items i
		JOIN imports m ON m.id = i.import_id
		LEFT JOIN identity.users u ON u.account_id = m.created_by
		WHERE i.id = $1 AND i.project_id = $2`, itemID, p.ID).Scan(&r.FileName, &r.ImportedAt, &r.ImportedBy)
	if err != nil {
		return r, notFound(err)
	}
	r.Exports, err = collectAll[ItemExport](db.pool.Query(ctx, `
		SELECT e.id, e.created_at, u.name AS exported_by
		FROM exports e
		JOIN identity.users u ON u.account_id = e.account_id
		WHERE e.project_id = $1 AND e.sha256 IS NOT NULL AND e.created_at >= $3
		  AND (e.options ->> 'batches' IS NULL OR EXISTS (
		      SELECT FROM batch_items bi JOIN batches b ON b.id = bi.batch_id
		      WHERE bi.item_id = $2 AND e.options::jsonb -> 'batches' ? b.name))
		ORDER BY e.id DESC
		LIMIT 20`, p.ID, itemID, r.ImportedAt))
	if err == nil {
		err = requireVisible(ctx, db.pool, actorID, p.ID, itemID)
	}
	if errors.Is(err, labeling.ErrBlinded) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Batches, err = collectAll[ItemBatch](db.pool.Query(ctx, `
		SELECT b.name, b.opened_at, b.closed_at
		FROM batch_items bi
		JOIN batches b ON b.id = bi.batch_id
		WHERE bi.item_id = $1 AND b.project_id = $2
		ORDER BY b.id`, itemID, p.ID))
	if err != nil {
		return r, err
	}
	r.Work, err = collectAll[ItemWork](db.pool.Query(ctx, `
		SELECT coalesce(names.label, m.pseudonym) AS annotator, m.pseudonym, b.name AS batch_name, a.opened_at,
		       d.saved_at AS draft_saved_at, n.submitted_at, coalesce(n.active_ms, 0) AS active_ms, a.attempt_no,
		       a.reopened AS is_reopened`+fromItemAssignments+`
		LEFT JOIN drafts d ON d.assignment_id = a.id
		LEFT JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id
		AND n.attempt_no = a.attempt_no
		WHERE bi.item_id = $1 AND b.project_id = $2 AND a.kind = 'work' AND a.state IN ('open', 'submitted')
		ORDER BY a.opened_at`, itemID, p.ID))
	if err != nil {
		return r, err
	}
	r.Corrections, err = collectAll[ItemCorrection](db.pool.Query(ctx, `
		SELECT c.id, b.name AS batch_name, coalesce(names.label, m.pseudonym) AS annotator, c.message,
		       c.created_by IS NOT NULL AS is_by_lead, c.created_at, c.resolved_at, c.reopened AS is_reopened, c.reply`+
		fromItemAssignments+`
		JOIN correction_requests c ON c.assignment_id = a.id
		WHERE bi.item_id = $1 AND b.project_id = $2
		ORDER BY c.id`, itemID, p.ID))
	r.Corrections, err = revealRows(ctx, db, actorID, r.Corrections,
		func(ItemCorrection) project.ItemID { return itemID }, err)
	if err != nil {
		return r, err
	}
	r.Receivers, err = collectAll[ItemReceiver](db.pool.Query(ctx, `
		SELECT b.name AS batch_name, coalesce(names.label, m.pseudonym) AS annotator, m.pseudonym
		FROM batch_items bi
		JOIN batches b ON b.id = bi.batch_id AND b.closed_at IS NULL AND b.round_of IS NULL
		JOIN active_annotators v ON v.batch_id = b.id AND v.paused_at IS NULL
		JOIN members m ON m.project_id = b.project_id AND m.account_id = v.account_id
		LEFT JOIN identity.member_names names ON names.project_id = b.project_id AND names.account_id = v.account_id
		WHERE bi.item_id = $1 AND b.project_id = $2 AND NOT bi.is_calibration
		  AND NOT EXISTS (SELECT FROM slots s
		      WHERE s.batch_id = b.id AND s.item_id = bi.item_id AND s.account_id = v.account_id)
		  AND NOT EXISTS (SELECT FROM batch_items o
		      JOIN assignments a ON a.batch_id = o.batch_id AND a.item_id = o.item_id AND a.account_id = v.account_id
		      WHERE o.item_id = bi.item_id AND NOT o.is_calibration)
		  AND NOT EXISTS (SELECT FROM withheld_items w WHERE w.item_id = bi.item_id AND w.account_id = v.account_id)
		ORDER BY lower(coalesce(names.label, m.pseudonym))`, itemID, p.ID))
	return r, err
}

// fromItemAssignments joins the assignments a of items of batches with the names of their annotators.
const fromItemAssignments = `
		FROM batch_items bi
		JOIN batches b ON b.id = bi.batch_id
		JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
		LEFT JOIN identity.member_names names ON names.project_id = b.project_id AND names.account_id = a.account_id`
