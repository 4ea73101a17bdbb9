package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Publish makes p available to projects. A new version gets its partitions of
// annotations and adjudications in the same transaction. Publishing the same text again
// changes nothing.
func (db *DB) Publish(ctx context.Context, actorID account.ID, p protocol.Protocol) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		// Attaching a partition waits for running writers and blocks new ones. Fail
		// early instead of making them wait.
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '2s'`); err != nil {
			return err
		}
		// One publisher at a time leaves no gap between version ids.
		if _, err := tx.Exec(ctx, `LOCK TABLE protocol_versions IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		published, err := latestRevision(ctx, tx, p.Key, p.Version)
		if errors.Is(err, fault.NotFound) {
			return publishVersion(ctx, tx, actorID, p)
		}
		if err != nil {
			return err
		}
		return publishRevision(ctx, tx, actorID, published, p)
	})
}

type publishedRevision struct {
	VersionID  protocol.VersionID
	Revision   int
	Definition string
}

// latestRevision returns the latest revision of a version. Version 0 is the latest.
func latestRevision(ctx context.Context, q querier, key string, version int) (publishedRevision, error) {
	return collectOne[publishedRevision](q.Query(ctx, `
		SELECT v.id AS version_id, r.revision, r.definition
		FROM protocol_versions v
		JOIN protocol_revisions r ON r.protocol_version_id = v.id
		WHERE v.key = $1 AND ($2 = 0 OR v.version = $2)
		ORDER BY v.version DESC, r.revision DESC
		LIMIT 1`, key, version))
}

func publishVersion(ctx context.Context, tx pgx.Tx, actorID account.ID, p protocol.Protocol) error {
	var id protocol.VersionID
	err := tx.QueryRow(ctx, `INSERT INTO protocol_versions (key, version) VALUES ($1, $2) RETURNING id`, p.Key, p.Version).Scan(&id)
	if err != nil {
		return err
	}
	if err := insertRevision(ctx, tx, actorID, id, p); err != nil {
		return err
	}
	if err := createPartitions(ctx, tx, id, p); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "protocol.publish", protocolSubject(p.Name()), nil)
}

func publishRevision(ctx context.Context, tx pgx.Tx, actorID account.ID, published publishedRevision, p protocol.Protocol) error {
	if p.Revision == published.Revision && p.Source == published.Definition {
		return nil
	}
	if p.Revision <= published.Revision {
		return fault.Conflict.Errorf("%s is already published and cannot change. Publish the new wording as revision %d.",
			p.Name(), published.Revision+1)
	}
	old, err := protocol.Read(p.Key, []byte(published.Definition))
	if err != nil {
		return fmt.Errorf("read the published definition of %s: %w", p.Name(), err)
	}
	if needsNewVersion, differences := protocol.Diff(old, p); needsNewVersion {
		return fault.Conflict.Errorf("%s changes more than wording: %s Publish it as version %d.", p.Name(), differences[0], p.Version+1)
	}
	if err := insertRevision(ctx, tx, actorID, published.VersionID, p); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "protocol.publish", protocolSubject(p.Name()), nil)
}

func insertRevision(ctx context.Context, tx pgx.Tx, actorID account.ID, version protocol.VersionID, p protocol.Protocol) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO protocol_revisions (protocol_version_id, revision, definition, published_by)
		VALUES ($1, $2, $3, nullif($4, 0))`, version, p.Revision, p.Source, actorID)
	return err
}

// createPartitions creates the partitions of a protocol version that do not exist.
func createPartitions(ctx context.Context, q querier, id protocol.VersionID, p protocol.Protocol) error {
	var names, conditions []string
	for _, c := range constraints(p) {
		names, conditions = append(names, c.Name), append(conditions, c.Expression)
	}
	if _, err := q.Exec(ctx, `SELECT create_partitions($1, $2, $3)`, id, names, conditions); err != nil {
		return fmt.Errorf("create the partitions of %s: %w", p.Name(), err)
	}
	return nil
}

// restorePartitions creates the partitions that were dropped with their table when a
// migration was reverted.
func (db *DB) restorePartitions(ctx context.Context) error {
	published, err := db.Protocols(ctx)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		for _, p := range published {
			if err := createPartitions(ctx, tx, p.VersionID, p.Protocol); err != nil {
				return err
			}
		}
		return nil
	})
}

// publishBuiltin publishes the built-in protocols, except where the database has the
// same or a later revision.
func (db *DB) publishBuiltin(ctx context.Context) error {
	for _, p := range protocol.Builtin() {
		published, err := latestRevision(ctx, db.pool, p.Key, p.Version)
		if err == nil && published.Revision >= p.Revision {
			continue
		}
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
		if err := db.Publish(ctx, 0, p); err != nil {
			return fmt.Errorf("publish %s: %w", p.Name(), err)
		}
	}
	return nil
}
