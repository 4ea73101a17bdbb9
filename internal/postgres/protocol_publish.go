package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Publish makes p available to projects, for a lead or an admin. A new version gets its
// partitions of annotations and adjudications in the same transaction. A revision is the next
// number, changes texts only, and comes from an account in revision_publishers or from
// a command. Publishing the same text again changes nothing. Built-in protocols change
// by upgrades only.
func (db *DB) Publish(ctx context.Context, actorID account.ID, p protocol.Protocol) error {
	if protocol.IsBuiltin(p.Key) {
		return errBuiltin(p)
	}
	return db.publish(ctx, actorID, p, false)
}

var errNoPublisher = fault.Forbidden.WithText("Only leads and admins publish protocols.")

func errBuiltin(p protocol.Protocol) error {
	return fault.Forbidden.Errorf(
		"“%s” is a built-in protocol. Only an upgrade of the program changes it. Publish your definition under another key.", p.Key)
}

// publish publishes p, as a built-in protocol of this program if isBuiltin.
func (db *DB) publish(ctx context.Context, actorID account.ID, p protocol.Protocol, isBuiltin bool) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if isBuiltin { // other nodes that start do the same
			if _, err := tx.Exec(ctx, lockMigrations); err != nil {
				return err
			}
		}
		// Attaching a partition waits for running writers and blocks new ones. Fail
		// early instead of making them wait.
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '2s'`); err != nil {
			return err
		}
		// One publisher at a time leaves no gap between version ids.
		if _, err := tx.Exec(ctx, `LOCK TABLE protocol_versions IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		plan, err := planPublication(ctx, tx, actorID, p, isBuiltin)
		if err != nil || plan.AlreadyPublished {
			return err
		}
		if plan.IsNewVersion {
			return insertVersion(ctx, tx, actorID, p, isBuiltin)
		}
		return insertRevision(ctx, tx, actorID, plan.versionID, p)
	})
}

// A Publication is what publishing a definition does.
type Publication struct {
	IsNewVersion     bool
	AlreadyPublished bool                  // the same text: publishing it again changes nothing
	Changes          []protocol.TextChange // of a revision
	versionID        protocol.VersionID    // of a revision
}

// PreviewPublication returns what Publish would do, or its error.
func (db *DB) PreviewPublication(ctx context.Context, actorID account.ID, p protocol.Protocol) (Publication, error) {
	if protocol.IsBuiltin(p.Key) {
		return Publication{}, errBuiltin(p)
	}
	return planPublication(ctx, db.pool, actorID, p, false)
}

func planPublication(ctx context.Context, q querier, actorID account.ID, p protocol.Protocol,
	isBuiltin bool) (Publication, error) {
	if err := requireRole(ctx, q, actorID, account.Role.CanLead, errNoPublisher); err != nil {
		return Publication{}, err
	}
	published, err := latestRevision(ctx, q, p.Key, p.Version)
	switch {
	case errors.Is(err, fault.NotFound) && p.Revision != 0 && !isBuiltin:
		return Publication{}, fault.Conflict.Errorf(
			"%s v%d is not published yet, and its first revision is 0. Write “revision: 0”.", p.Key, p.Version)
	case errors.Is(err, fault.NotFound):
		return Publication{IsNewVersion: true}, checkVersionPublisher(ctx, q, actorID, p)
	case err != nil:
		return Publication{}, err
	case p.Revision == published.Revision && p.Source == published.Definition:
		return Publication{AlreadyPublished: true}, nil
	}
	if err := checkPublisher(ctx, q, actorID, published.VersionID, p); err != nil {
		return Publication{}, err
	}
	if p.Revision <= published.Revision || p.Revision > published.Revision+1 && !isBuiltin {
		return Publication{}, fault.Conflict.Errorf(
			"%s v%d.%d is already published and cannot change. Publish the new text as revision %d.",
			p.Key, p.Version, published.Revision, published.Revision+1)
	}
	changes, err := checkTextsOnly(published, p)
	return Publication{Changes: changes, versionID: published.VersionID}, err
}

// checkVersionPublisher returns an error if an account may not publish a version of a protocol that has others. A
// command may.
func checkVersionPublisher(ctx context.Context, q querier, actorID account.ID, p protocol.Protocol) error {
	if actorID == 0 {
		return nil
	}
	var isAllowed bool
	err := q.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM protocol_versions WHERE key = $1) OR EXISTS (
		    SELECT FROM version_publishers WHERE key = $1 AND account_id = $2)`, p.Key, actorID).Scan(&isAllowed)
	if err == nil && !isAllowed {
		return fault.Forbidden.Errorf(
			"Only an admin, its authors, or a lead of every project with %s can publish a version of it. Publish your definition under another key.", p.Key)
	}
	return err
}

// checkPublisher returns an error if an account may not publish a revision of a
// version. A command may.
func checkPublisher(ctx context.Context, q querier, actorID account.ID, version protocol.VersionID,
	p protocol.Protocol) error {
	if actorID == 0 {
		return nil
	}
	var isAllowed bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM revision_publishers WHERE protocol_version_id = $1
		AND account_id = $2)`, version, actorID).Scan(&isAllowed)
	if err == nil && !isAllowed {
		return fault.Forbidden.Errorf(
			"Only an admin, or a lead of every project with %s v%d, can publish a revision of it. Publish your definition under another key.", p.Key, p.Version)
	}
	return err
}

// checkTextsOnly returns the texts that p changes, or an error if it changes anything
// else, or nothing.
func checkTextsOnly(published publishedRevision, p protocol.Protocol) ([]protocol.TextChange, error) {
	old, err := protocol.Read(p.Key, []byte(published.Definition))
	if err != nil {
		return nil, fmt.Errorf("read the published definition of %s: %w", p.Name(), err)
	}
	fixed, changes := protocol.Diff(old, p)
	if len(fixed) > 0 {
		return nil, fault.Conflict.Errorf("%s changes more than texts: %s Publish it as version %d.", p.Name(),
			fixed[0], p.Version+1)
	}
	if len(changes) == 0 {
		return nil, fault.Conflict.Errorf("%s changes no text of revision %d, so there is nothing to publish.",
			p.Name(), published.Revision)
	}
	return changes, nil
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

func insertVersion(ctx context.Context, tx pgx.Tx, actorID account.ID, p protocol.Protocol, isBuiltin bool) error {
	var id protocol.VersionID
	err := tx.QueryRow(ctx, `INSERT INTO protocol_versions (key, version, is_builtin) VALUES ($1, $2, $3)
		RETURNING id`, p.Key, p.Version, isBuiltin).Scan(&id)
	if err != nil {
		return err
	}
	if err := insertRevision(ctx, tx, actorID, id, p); err != nil {
		return err
	}
	if err := createPartitions(ctx, tx, id, p); err != nil {
		return err
	}
	return storeFields(ctx, tx, id, p)
}

func insertRevision(ctx context.Context, tx pgx.Tx, actorID account.ID, version protocol.VersionID,
	p protocol.Protocol) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO protocol_revisions (protocol_version_id, revision, definition, published_by)
		VALUES ($1, $2, $3, nullif($4, 0))`, version, p.Revision, p.Source, actorID)
	if err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "protocol.publish", protocolSubject(p.Name()), nil)
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

// storeFields stores what the measures of disagreement need to know of the fields.
func storeFields(ctx context.Context, q querier, id protocol.VersionID, p protocol.Protocol) error {
	keys, spans, points := make([]string, len(p.Fields)), make([]int, len(p.Fields)), make([]string, len(p.Fields))
	for i, f := range p.Fields {
		values := f.Scale.Values()
		keys[i], spans[i] = f.Key, slices.Max(values)-slices.Min(values)
		points[i] = "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]") + "}"
	}
	tag, err := q.Exec(ctx, `
		INSERT INTO protocol_fields (protocol_version_id, key, span, points)
		SELECT $1, f.key, f.span, f.points::integer[] FROM unnest($2::text[], $3::integer[], $4::text[]) AS f (key,
		span, points)
		ON CONFLICT DO NOTHING`, id, keys, spans, points)
	if err == nil && tag.RowsAffected() > 0 { // labels may be older than the measures
		_, err = q.Exec(ctx, `
			INSERT INTO unmeasured_items (item_id, protocol_version_id)
			SELECT DISTINCT n.item_id, n.protocol_version_id FROM annotations n WHERE n.protocol_version_id = $1`, id)
	}
	return err
}

// restorePartitions creates the partitions that were dropped with their table when a
// migration was reverted.
func (db *DB) restorePartitions(ctx context.Context) error {
	published, err := db.Protocols(ctx)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockMigrations); err != nil {
			return err
		}
		for _, p := range published {
			if err := createPartitions(ctx, tx, p.VersionID, p.Protocol); err != nil {
				return err
			}
			if err := storeFields(ctx, tx, p.VersionID, p.Protocol); err != nil {
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
		if err := db.publish(ctx, 0, p, true); err != nil {
			return fmt.Errorf("publish %s: %w", p.Name(), err)
		}
	}
	return nil
}
