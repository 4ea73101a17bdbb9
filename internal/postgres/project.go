package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// CreateProject creates a project. The actor becomes its lead.
func (db *DB) CreateProject(ctx context.Context, actor account.Account, spec project.Spec) (project.Project, error) {
	spec, err := spec.Check()
	if err != nil {
		return project.Project{}, err
	}
	p, err := db.ProtocolByName(ctx, spec.Protocol)
	if err != nil {
		return project.Project{}, err
	}
	spec = spec.WithDefaults(p.Protocol)
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		var id project.ID
		err := tx.QueryRow(ctx, `
			INSERT INTO projects (key, title, protocol_version_id, content_warning, support_url)
			VALUES ($1, $2, $3, $4, $5)
			RETURNING id`, spec.Key, spec.Title, p.VersionID, spec.ContentWarning, spec.SupportURL).Scan(&id)
		if violates(err, "projects_key_unique") {
			return fault.Conflict.Errorf("A project with the key “%s” already exists. Choose another key.", spec.Key)
		}
		if err != nil {
			return err
		}
		if actor.ID != 0 {
			if err := addMember(ctx, tx, actor.ID, id, actor.ID, account.Lead); err != nil {
				return err
			}
		}
		return recordAudit(ctx, tx, actor.ID, "project.create", projectSubject(spec.Key), nil)
	})
	if err != nil {
		return project.Project{}, err
	}
	return db.Project(ctx, actor, spec.Key)
}

const selectProject = `
	SELECT p.id, p.key, p.title, p.protocol_version_id, p.content_warning, p.content_warning_version, p.support_url,
	       coalesce(
	           (SELECT max(b.protocol_revision) FROM batches b WHERE b.project_id = p.id),
	           (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = p.protocol_version_id)) AS revision,
	       (SELECT coalesce(sum(i.item_count), 0) FROM imports i WHERE i.project_id = p.id) AS item_count,
	       (SELECT count(*) FROM batches b WHERE b.project_id = p.id) AS batch_count
	FROM projects p `

type projectRow struct {
	ID                    project.ID
	Key                   string
	Title                 string
	ProtocolVersionID     protocol.VersionID
	ContentWarning        string
	ContentWarningVersion int
	SupportURL            string
	Revision              int
	ItemCount             int
	BatchCount            int
}

// leadsProject is true of the projects p that account $1 leads. $2 is true for a
// command, which leads every project.
const leadsProject = `($2 OR EXISTS (SELECT FROM project_leads l WHERE l.project_id = p.id AND l.account_id = $1))`

// isCommand reports whether an actor is a command of an operator, not a user.
func isCommand(actor account.Account) bool { return actor.ID == 0 && actor.Role.IsAdmin() }

// Project returns a project that the actor leads. Any other is fault.NotFound.
func (db *DB) Project(ctx context.Context, actor account.Account, key string) (project.Project, error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leadsProject+` AND p.key = $3`,
		actor.ID, isCommand(actor), key))
	if errors.Is(err, fault.NotFound) {
		return project.Project{}, fault.NotFound.Errorf("You lead no project “%s”.", key)
	}
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}

// Projects returns the projects that the actor leads, newest first.
func (db *DB) Projects(ctx context.Context, actor account.Account) ([]project.Project, error) {
	rows, err := collectAll[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leadsProject+` ORDER BY p.id DESC`,
		actor.ID, isCommand(actor)))
	if err != nil {
		return nil, err
	}
	projects := make([]project.Project, len(rows))
	for i, row := range rows {
		if projects[i], err = db.projectFromRow(ctx, row); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

func (db *DB) projectFromRow(ctx context.Context, row projectRow) (project.Project, error) {
	p, err := db.protocolRevision(ctx, db.pool, row.ProtocolVersionID, row.Revision)
	return project.Project{ID: row.ID, Key: row.Key, Title: row.Title, ProtocolVersionID: row.ProtocolVersionID,
		Protocol: p, ContentWarning: row.ContentWarning, ContentWarningVersion: row.ContentWarningVersion, SupportURL: row.SupportURL,
		Items: row.ItemCount, Batches: row.BatchCount}, err
}
