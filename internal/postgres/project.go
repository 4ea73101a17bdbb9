package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// CreateProject makes a project, with whoever made it as its lead.
func (db *DB) CreateProject(ctx context.Context, actor account.Account, spec project.ProjectSpec) (project.Project, error) {
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
			INSERT INTO projects (key, title, protocol_version_id, warning, support_url)
			VALUES ($1, $2, $3, $4, $5)
			RETURNING id`, spec.Key, spec.Title, p.VersionID, spec.ContentWarning, spec.SupportURL).Scan(&id)
		if violates(err, "projects_key_key") {
			return fault.Conflict.Errorf("There is a project “%s” already. Choose another key.", spec.Key)
		}
		if err != nil {
			return err
		}
		if actor.ID != 0 {
			if err := addMember(ctx, tx, id, actor.ID, account.Lead); err != nil {
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

// parseProtocolName takes KEY or KEY@VERSION apart; without a version it is 0.
func parseProtocolName(name string) (key string, version int, err error) {
	key, text, hasVersion := strings.Cut(strings.TrimSpace(name), "@")
	if !hasVersion {
		return key, 0, nil
	}
	version, err = strconv.Atoi(text)
	if err != nil || version < 1 {
		return "", 0, fault.Invalid.Errorf("“%s” does not name a protocol's version. Write KEY or KEY@VERSION, such as empathy@2.", name)
	}
	return key, version, nil
}

// addMember makes somebody a member under a new pseudonym. Who is one already
// stays as they are, but for an annotator who becomes a lead.
func addMember(ctx context.Context, q querier, projectID project.ID, accountID account.ID, role account.Role) error {
	_, err := q.Exec(ctx, `
		INSERT INTO members (project_id, account_id, role, pseudonym)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (project_id, account_id) DO UPDATE SET role = 'lead'
		WHERE excluded.role = 'lead' AND members.role <> 'lead'`, projectID, accountID, role, newPseudonym())
	return err
}

// newPseudonym returns a name that says nothing about anybody.
func newPseudonym() string { return "a-" + strings.ToLower(rand.Text()[:8]) }

const selectProject = `
	SELECT p.id, p.key, p.title, p.protocol_version_id, p.warning, p.warning_version, p.support_url,
	       (SELECT max(revision) FROM protocol_revisions r WHERE r.protocol_version_id = p.protocol_version_id) AS revision,
	       (SELECT count(*) FROM items i WHERE i.project_id = p.id) AS items,
	       (SELECT count(*) FROM batches b WHERE b.project_id = p.id) AS batches
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

// leadsProject is true of the projects that account $1 may lead: an admin all, a lead
// their own.
const leadsProject = `($2 OR EXISTS (SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = $1 AND m.role = 'lead'))`

// Project returns a project that who may lead; to others it does not exist.
func (db *DB) Project(ctx context.Context, actor account.Account, key string) (project.Project, error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leadsProject+` AND p.key = $3`,
		actor.ID, actor.Role.IsAdmin(), key))
	if errors.Is(err, fault.NotFound) {
		return project.Project{}, fault.NotFound.Errorf("There is no project “%s” among those you lead.", key)
	}
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}

// Projects returns the projects that who may lead, newest first.
func (db *DB) Projects(ctx context.Context, actor account.Account) ([]project.Project, error) {
	rows, err := collectAll[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leadsProject+` ORDER BY p.id DESC`,
		actor.ID, actor.Role.IsAdmin()))
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

// A Member is somebody in a project.
type Member struct {
	AccountID account.ID
	Name      string
	Email     string
	Role      account.Role // in the project
	Pseudonym string
	Joined    bool // has chosen a password
	Disabled  bool
}

// Members returns the people of a project, leads first.
func (db *DB) Members(ctx context.Context, projectID project.ID) ([]Member, error) {
	return collectAll[Member](db.pool.Query(ctx, `
		SELECT m.account_id, p.name, p.email, m.role, m.pseudonym, p.password IS NOT NULL AS joined, a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.people p ON p.account_id = m.account_id
		WHERE m.project_id = $1
		ORDER BY m.role DESC, lower(p.name)`, projectID))
}

// AddLead makes somebody a lead of a project.
func (db *DB) AddLead(ctx context.Context, actorID account.ID, p project.Project, accountID account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := addMember(ctx, tx, p.ID, accountID, account.Lead); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.lead", projectSubject(p.Key), map[string]any{"account": accountID})
	})
}
