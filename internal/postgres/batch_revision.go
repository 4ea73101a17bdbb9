package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// RevisionChanges returns the texts that change when a batch uses the latest revision.
func (db *DB) RevisionChanges(ctx context.Context, b project.Batch) ([]protocol.TextChange, error) {
	current, err := db.protocolRevision(ctx, db.pool, b.ProtocolVersionID, b.ProtocolRevision)
	if err != nil {
		return nil, err
	}
	latest, err := db.protocolRevision(ctx, db.pool, b.ProtocolVersionID, b.LatestRevision)
	if err != nil {
		return nil, err
	}
	_, changes := protocol.Diff(current, latest)
	return changes, nil
}

// UseRevision has the forms of an open batch show a later revision, for a lead of its
// project. Annotations submitted before keep theirs.
func (db *DB) UseRevision(ctx context.Context, actor account.Account, p project.Project, batch string,
	revision int) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		b, err := collectOne[struct {
			ID                project.BatchID
			ProtocolVersionID protocol.VersionID
			ProtocolRevision  int
			IsClosed          bool
		}](tx.Query(ctx, `
			SELECT b.id, b.protocol_version_id, b.protocol_revision, b.closed_at IS NOT NULL AS is_closed
			FROM batches b
			JOIN projects p ON p.id = b.project_id
			WHERE `+leadsProject+` AND p.id = $3 AND b.name = $4
			FOR NO KEY UPDATE OF b`, actor.ID, isCommand(actor), p.ID, batch))
		if err == nil {
			err = checkVersion(ctx, tx, VersionedBatch, b.ID)
		}
		switch {
		case err != nil:
			return err
		case b.IsClosed:
			return fault.Conflict.Errorf("The batch “%s” is closed. It keeps revision %d of the protocol.", batch,
				b.ProtocolRevision)
		case revision <= b.ProtocolRevision:
			return fault.Conflict.Errorf("The batch “%s” already uses revision %d of the protocol.", batch,
				b.ProtocolRevision)
		}
		if _, err := db.protocolRevision(ctx, tx, b.ProtocolVersionID, revision); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE batches SET protocol_revision = $2
			WHERE id = $1`, b.ID, revision); err != nil {
			return err
		}
		return recordBatchAction(ctx, tx, actor.ID, p, b.ID, batch, "batch.use_revision",
			map[string]any{"revision": revision, "previous_revision": b.ProtocolRevision})
	})
}

// batchProtocol returns the protocol as the forms of a batch of a project show it.
func (db *DB) batchProtocol(ctx context.Context, projectID project.ID, batchID project.BatchID) (protocol.Protocol,
	error) {
	row, err := collectOne[struct {
		ProtocolVersionID protocol.VersionID
		ProtocolRevision  int
		TextFormats       map[string]protocol.TextFormat
	}](db.pool.Query(ctx, `
		SELECT b.protocol_version_id, b.protocol_revision, p.text_formats
		FROM batches b
		JOIN projects p ON p.id = b.project_id
		WHERE b.id = $1 AND b.project_id = $2`, batchID, projectID))
	if err != nil {
		return protocol.Protocol{}, err
	}
	found, err := db.protocolRevision(ctx, db.pool, row.ProtocolVersionID, row.ProtocolRevision)
	return found.WithFormats(row.TextFormats), err
}
