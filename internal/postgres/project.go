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
)

// CreateProject makes a project, with whoever made it as its lead.
func (db *DB) CreateProject(ctx context.Context, by account.Account, d project.Draft) (project.Project, error) {
	d, err := d.Check()
	if err != nil {
		return project.Project{}, err
	}
	p, err := db.ProtocolNamed(ctx, d.Protocol)
	if err != nil {
		return project.Project{}, err
	}
	d = d.Complete(p.Protocol)
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, `
			INSERT INTO projects (key, title, protocol_version_id, warning, support_url)
			VALUES ($1, $2, $3, $4, $5)
			RETURNING id`, d.Key, d.Title, p.VersionID, d.Warning, d.SupportURL).Scan(&id)
		if violates(err, "projects_key_key") {
			return fault.Conflict.Says("There is a project “%s” already. Choose another key.", d.Key)
		}
		if err != nil {
			return err
		}
		if by.ID != 0 {
			if err := addMember(ctx, tx, id, by.ID, account.Lead); err != nil {
				return err
			}
		}
		return audit(ctx, tx, by.ID, "project.create", projectSubject(d.Key), nil)
	})
	if err != nil {
		return project.Project{}, err
	}
	return db.Project(ctx, by, d.Key)
}

// splitVersion takes KEY or KEY@VERSION apart; without a version it is 0.
func splitVersion(name string) (key string, version int, err error) {
	key, text, given := strings.Cut(strings.TrimSpace(name), "@")
	if !given {
		return key, 0, nil
	}
	version, err = strconv.Atoi(text)
	if err != nil || version < 1 {
		return "", 0, fault.Invalid.Says("“%s” does not name a protocol's version. Write KEY or KEY@VERSION, such as empathy@2.", name)
	}
	return key, version, nil
}

// addMember makes somebody a member under a new pseudonym. Who is one already
// stays as they are, but for an annotator who becomes a lead.
func addMember(ctx context.Context, q querier, projectID, accountID int64, role account.Role) error {
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
	ID                int64
	Key               string
	Title             string
	ProtocolVersionID int32
	Warning           string
	WarningVersion    int
	SupportURL        string
	Revision          int
	Items             int
	Batches           int
}

// leads is true of the projects that account $1 may lead: an admin all, a lead
// their own.
const leads = `($2 OR EXISTS (SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = $1 AND m.role = 'lead'))`

// Project returns a project that who may lead; to others it does not exist.
func (db *DB) Project(ctx context.Context, who account.Account, key string) (project.Project, error) {
	row, err := one[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leads+` AND p.key = $3`,
		who.ID, who.Role.Administers(), key))
	if errors.Is(err, fault.NotFound) {
		return project.Project{}, fault.NotFound.Says("There is no project “%s” among those you lead.", key)
	}
	if err != nil {
		return project.Project{}, err
	}
	return db.projectOf(ctx, row)
}

// Projects returns the projects that who may lead, newest first.
func (db *DB) Projects(ctx context.Context, who account.Account) ([]project.Project, error) {
	rows, err := many[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+leads+` ORDER BY p.id DESC`,
		who.ID, who.Role.Administers()))
	if err != nil {
		return nil, err
	}
	projects := make([]project.Project, len(rows))
	for i, row := range rows {
		if projects[i], err = db.projectOf(ctx, row); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

func (db *DB) projectOf(ctx context.Context, row projectRow) (project.Project, error) {
	p, err := db.protocolAt(ctx, db.pool, row.ProtocolVersionID, row.Revision)
	return project.Project{ID: row.ID, Key: row.Key, Title: row.Title, ProtocolVersionID: row.ProtocolVersionID,
		Protocol: p, Warning: row.Warning, WarningVersion: row.WarningVersion, SupportURL: row.SupportURL,
		Items: row.Items, Batches: row.Batches}, err
}

// A Member is somebody in a project.
type Member struct {
	AccountID int64
	Name      string
	Email     string
	Role      account.Role // in the project
	Pseudonym string
	Joined    bool // has chosen a password
	Disabled  bool
}

// Members returns the people of a project, leads first.
func (db *DB) Members(ctx context.Context, projectID int64) ([]Member, error) {
	return many[Member](db.pool.Query(ctx, `
		SELECT m.account_id, p.name, p.email, m.role, m.pseudonym, p.password IS NOT NULL AS joined, a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.people p ON p.account_id = m.account_id
		WHERE m.project_id = $1
		ORDER BY m.role DESC, lower(p.name)`, projectID))
}

// AddLead makes somebody a lead of a project.
func (db *DB) AddLead(ctx context.Context, by int64, p project.Project, accountID int64) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := addMember(ctx, tx, p.ID, accountID, account.Lead); err != nil {
			return err
		}
		return audit(ctx, tx, by, "project.lead", projectSubject(p.Key), map[string]any{"account": accountID})
	})
}
