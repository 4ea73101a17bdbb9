package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// WithVersion returns p in another protocol version that it has or had.
func (db *DB) WithVersion(ctx context.Context, p project.Project, id protocol.VersionID) (project.Project, error) {
	if p.ProtocolVersionID == id {
		return p, nil
	}
	return db.projectInVersion(ctx, p.ID, id)
}

// InItemVersion returns p in the protocol version of the last batch that has an item as work; as it is if there is
// none.
func (db *DB) InItemVersion(ctx context.Context, p project.Project, itemID project.ItemID) (project.Project, error) {
	id := p.ProtocolVersionID
	err := db.pool.QueryRow(ctx, `
		SELECT b.protocol_version_id FROM item_states s JOIN batches b ON b.id = s.batch_id
		WHERE s.item_id = $1 AND s.project_id = $2`, itemID, p.ID).Scan(&id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return p, err
	}
	return db.WithVersion(ctx, p, id)
}

// requireCurrentVersion refuses what only the current protocol version of a project has.
func requireCurrentVersion(p project.Project) error {
	if p.IsEarlier() {
		return fault.Conflict.Errorf("“%s” has what was labeled under version %d. Open batches in “%s”, which has version %d.",
			p.Key, p.Protocol.Version, p.CurrentKey(), p.CurrentVersion)
	}
	return nil
}

// ProjectVersions returns the protocol versions that a project has or had, latest first, and what the latest published
// version would change.
func (db *DB) ProjectVersions(ctx context.Context, p project.Project) (v project.Versions, err error) {
	v.Used, err = collectAll[project.UsedVersion](db.pool.Query(ctx, `
		SELECT v.version, u.taken_at, coalesce(sum(ba.label_count) FILTER (WHERE b.round_of IS NULL), 0)::integer AS labels,
		       count(DISTINCT b.id) FILTER (WHERE b.closed_at IS NULL) AS open_batches
		FROM project_versions u
		JOIN protocol_versions v ON v.id = u.protocol_version_id
		LEFT JOIN batches b ON b.project_id = u.project_id AND b.protocol_version_id = u.protocol_version_id
		LEFT JOIN batch_annotators ba ON ba.batch_id = b.id
		WHERE u.project_id = $1
		GROUP BY v.version, u.taken_at
		ORDER BY v.version DESC`, p.ID))
	if err != nil {
		return v, err
	}
	current, latest, err := db.latestVersion(ctx, p)
	if err != nil || latest.VersionID == current.ProtocolVersionID {
		return v, err
	}
	next := project.NextVersion{Version: latest.Protocol.Version,
		HasSameItems: protocol.HasSameItems(current.Protocol, latest.Protocol)}
	for _, f := range latest.Protocol.Fields {
		if !protocol.SharesField(f, current.Protocol) {
			next.NewFields = append(next.NewFields, f.Key)
		}
	}
	next.Differences, next.Texts = protocol.Diff(current.Protocol, latest.Protocol)
	next.Texts = slices.DeleteFunc(next.Texts, func(t protocol.TextChange) bool { // of what was added or removed
		return t.Before == "" || t.After == ""
	})
	err = db.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE s.state = 'disagreement'),
		       (SELECT count(*) FROM items i WHERE i.project_id = $1 AND `+isReference+`)
		FROM item_states s
		WHERE s.project_id = $1`, p.ID).Scan(&next.Undecided, &next.References)
	v.Next = &next
	return v, err
}

// latestVersion returns a project in its current version, and the latest published version of its protocol.
func (db *DB) latestVersion(ctx context.Context, p project.Project) (current project.Project, latest PublishedProtocol,
	err error) {
	if current, err = db.projectInVersion(ctx, p.ID, 0); err == nil {
		latest, err = db.ProtocolByName(ctx, p.Protocol.Key)
	}
	return current, latest, err
}

// TakeVersion has a project use the latest published version of its protocol, which must be the one that is named. New
// batches have it. Labels stay with their version, and an item whose labels are all of an earlier one counts as labeled
// under that. Open batches end under their version, or are closed at once.
func (db *DB) TakeVersion(ctx context.Context, actorID account.ID, p project.Project, t project.VersionTaking) error {
	current, latest, err := db.latestVersion(ctx, p)
	switch {
	case err != nil:
		return err
	case t.Version <= current.Protocol.Version:
		return fault.Conflict.Errorf("The project already has version %d of its protocol.", current.Protocol.Version)
	case t.Version != latest.Protocol.Version:
		return fault.Conflict.Errorf("The latest version of the protocol is %d. Look at what it changes, and take that.",
			latest.Protocol.Version)
	case !protocol.HasSameItems(current.Protocol, latest.Protocol):
		return fault.Conflict.Errorf("Version %d reads other parts or facts of items. Create a project with it, and import the items there.",
			t.Version)
	}
	var open []string
	err = db.updateProject(ctx, actorID, current, func(tx pgx.Tx) (err error) {
		if _, err = tx.Exec(ctx, `UPDATE projects SET protocol_version_id = $2 WHERE id = $1`, p.ID,
			latest.VersionID); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `SELECT mark_earlier_items($1)`, p.ID); err != nil {
			return err
		}
		if open, err = collectColumn[string](tx.Query(ctx, `
			SELECT name FROM batches WHERE project_id = $1 AND closed_at IS NULL ORDER BY id`, p.ID)); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.take_version", projectSubject(current.Key), map[string]any{
			"from": current.Protocol.Version, "version": t.Version, "close_batches": t.CloseBatches})
	})
	if err != nil || !t.CloseBatches {
		return err
	}
	for _, name := range open {
		reason := fmt.Sprintf("The project takes version %d of its protocol.", t.Version)
		if err := db.CloseBatch(ctx, actorID, current, name, project.BatchClosing{Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}
