package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// An AnnotationCursor is a place in the list of a project's annotations: after one of them.
// The zero value is the start.
type AnnotationCursor struct {
	BatchID    project.BatchID `json:"b"`
	AccountID  account.ID      `json:"a"`
	SequenceNo int             `json:"s"`
	ID         int64           `json:"i"`
}

// A ListedAnnotation is one annotation of a list.
type ListedAnnotation struct {
	ID                       int64
	Batch                    string // name
	Item                     string // its own id
	Record                   string // empty: none
	AccountID                account.ID
	Annotator                string // pseudonym
	Kind                     string // "work", "duplicate" or "calibration"
	AttemptNo                int    // from 1
	IsCurrent                bool   // false if a later attempt replaced it
	ReplacesID               string // the annotation of the previous attempt; empty: none
	Revision                 int    // of the protocol, that the batch used at submission
	Answers                  map[string]int
	Observations             []string
	Unsure                   []string
	Note                     string
	SubmittedAt              time.Time
	ActiveMS                 int64
	SequenceNo               int
	ItemsSinceCompletedBreak int
	SessionMinutes           int
}

// ListAnnotations returns up to limit annotations after a cursor: of one batch or, without a
// name, of all, by batch, annotator and order of work. It returns the cursor of the last one,
// and whether there may be more. It returns labeling.ErrBlinded to an account that must not
// see some answers yet.
func (db *DB) ListAnnotations(ctx context.Context, actorID account.ID, p project.Project, batch string,
	after AnnotationCursor, limit int) (annotations []ListedAnnotation, last AnnotationCursor, hasMore bool,
	err error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, after, false, err
	}
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, after, false, err
	}
	batches, err := db.annotatedBatches(ctx, p, batch)
	if err != nil {
		return nil, after, false, err
	}
	last = after
	defer func() { err = errors.Join(err, db.recordReveal(ctx, actorID, p.ID, batch)) }()
	for _, id := range batches {
		if id < last.BatchID {
			continue
		}
		if id > last.BatchID {
			last = AnnotationCursor{BatchID: id}
		}
		rows, err := db.batchAnnotations(ctx, p, last, limit-len(annotations))
		if err != nil {
			return nil, after, false, err
		}
		for _, row := range rows {
			annotations = append(annotations, row)
			last = AnnotationCursor{id, row.AccountID, row.SequenceNo, row.ID}
		}
		if len(annotations) == limit {
			return annotations, last, true, nil
		}
	}
	return annotations, last, false, nil
}

// annotatedBatches returns the batches of a project, or the one with that name.
func (db *DB) annotatedBatches(ctx context.Context, p project.Project, name string) (ids []project.BatchID, err error) {
	if name != "" {
		b, err := db.Batch(ctx, 0, p.ID, name)
		return []project.BatchID{b.ID}, err
	}
	ids, err = collectColumn[project.BatchID](db.pool.Query(ctx, `SELECT id FROM batches WHERE project_id = $1`, p.ID))
	slices.Sort(ids)
	return ids, err
}

// batchAnnotations returns the annotations of a batch after a cursor in it.
func (db *DB) batchAnnotations(ctx context.Context, p project.Project, after AnnotationCursor,
	limit int) ([]ListedAnnotation, error) {
	return collectAll[ListedAnnotation](db.pool.Query(ctx, `
		SELECT n.id, b.name AS batch, i.source_id AS item, i.record_id AS record, n.account_id,
		m.pseudonym AS annotator, `+labelKind+` AS kind, n.attempt_no,
		       n.attempt_no = a.attempt_no AS is_current, coalesce(n.replaces_id::text, '') AS replaces_id, n.revision,
		       n.answers, n.observations, n.unsure, n.note, n.submitted_at, n.active_ms, n.sequence_no,
		       n.items_since_completed_break, n.session_minutes
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		WHERE n.protocol_version_id = $1 AND n.batch_id = $2 AND (n.account_id, n.sequence_no) >= ($3, $4)
		AND (n.account_id, n.sequence_no, n.id) > ($3, $4, $5)
		ORDER BY n.account_id, n.sequence_no, n.id
		LIMIT $6`, p.ProtocolVersionID, after.BatchID, after.AccountID, after.SequenceNo, after.ID, limit))
}

// RecordAnnotationDownload records in the audit log that an account downloads annotations.
func (db *DB) RecordAnnotationDownload(ctx context.Context, actorID account.ID, p project.Project) error {
	return recordAudit(ctx, db.pool, actorID, "project.export", projectSubject(p.Key),
		map[string]any{"format": "annotations"})
}
