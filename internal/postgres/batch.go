package postgres

import (
	"context"
	"errors"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

const selectBatch = `
	SELECT b.id, b.project_id, b.protocol_version_id, b.protocol_revision, b.name, b.overlap, b.assignment, b.seed, b.break_every,
	b.break_minutes,
	       (SELECT v.version FROM protocol_versions v WHERE v.id = b.protocol_version_id) AS protocol_version,
	       (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = b.protocol_version_id) AS
	       latest_revision,
	       b.calibration_count, b.duplicate_count, b.reference_at_end, b.gold_count, b.gold_minimum, b.opened_at,
	       b.closed_at, b.version,
	       b.daily_item_limit, b.session_limit_minutes, b.deadline, b.archived_at,
	       coalesce(b.round_of, '') AS round_of, n.*,
	       (SELECT count(*) FROM batch_annotators ba WHERE ba.batch_id = b.id AND ba.removed_at IS NULL) AS annotators
	FROM batches b
	CROSS JOIN LATERAL batch_counts(b.id, $1) n `

// Batches returns the batches of a project, newest first, with the counts that the reader may see.
func (db *DB) Batches(ctx context.Context, readerID account.ID, projectID project.ID) ([]project.Batch, error) {
	return collectAll[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $2 ORDER BY b.id DESC`,
		readerID, projectID))
}

// Batch returns the batch of a project with that name, with the counts that the reader may see.
func (db *DB) Batch(ctx context.Context, readerID account.ID, projectID project.ID, name string) (project.Batch,
	error) {
	b, err := collectOne[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $2 AND b.name = $3`,
		readerID, projectID, name))
	if errors.Is(err, fault.NotFound) {
		return b, fault.NotFound.Errorf("This project has no batch “%s”.", name)
	}
	return b, err
}

// OpenBatchOf returns the name of the open batch that has these items.
func (db *DB) OpenBatchOf(ctx context.Context, p project.Project, ids []project.ItemID) (name string, err error) {
	names, err := collectColumn[string](db.pool.Query(ctx, `
		SELECT DISTINCT b.name
		FROM batch_items bi
		JOIN batches b ON b.id = bi.batch_id AND b.project_id = $1 AND b.closed_at IS NULL
		WHERE bi.item_id = ANY ($2) AND NOT bi.is_calibration
		LIMIT 2`, p.ID, ids))
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", fault.Conflict.Errorf("None of these items is in an open batch.")
	case len(names) > 1:
		return "", fault.Conflict.Errorf("These items are in several open batches. Choose items of one batch.")
	}
	return names[0], nil
}

// inBatchVersion returns a project in the protocol version of a batch, or fault.NotFound if it has no batch with that
// name. The empty name means all batches.
func (db *DB) inBatchVersion(ctx context.Context, p project.Project, name string) (project.Project, error) {
	if name == "" {
		return p, nil
	}
	b, err := db.Batch(ctx, 0, p.ID, name)
	if err != nil {
		return p, err
	}
	return db.WithVersion(ctx, p, b.ProtocolVersionID)
}

// MoveToFront moves items, by source id, to the front of a queue that the annotator has
// not started, so that labels can be imported in their original order.
func (db *DB) MoveToFront(ctx context.Context, batchID project.BatchID, accountID account.ID,
	sourceIDs []string) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE slots s SET queue_no = q.queue_no
		FROM (SELECT w.item_id, row_number() OVER (ORDER BY array_position($3, i.source_id), w.queue_no) AS queue_no
		      FROM slots w
		      JOIN items i ON i.id = w.item_id
		      WHERE w.batch_id = $1 AND w.account_id = $2) q
		WHERE s.batch_id = $1 AND s.account_id = $2 AND s.item_id = q.item_id AND EXISTS (
		    SELECT FROM batch_annotators ba WHERE ba.batch_id = $1 AND ba.account_id = $2
		    AND ba.queue_cursor = 0)`, batchID, accountID, sourceIDs)
	return err
}
