package postgres

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// CreateProject creates a project. The actor becomes its lead.
func (db *DB) CreateProject(ctx context.Context, actor account.Account, spec project.Spec) (project.Project, error) {
	projects, err := db.CreateProjects(ctx, actor, []project.Spec{spec})
	if err != nil {
		return project.Project{}, err
	}
	return projects[0], nil
}

// CreateProjects creates projects that share uploads: all of them, or none. The actor becomes
// their lead.
func (db *DB) CreateProjects(ctx context.Context, actor account.Account, specs []project.Spec) ([]project.Project,
	error) {
	newProjects := make([]newProject, len(specs))
	for i, spec := range specs {
		var err error
		if newProjects[i], err = db.checkNewProject(ctx, actor, spec); err != nil {
			return nil, err
		}
	}
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		var firstID project.ID
		for _, n := range newProjects {
			id, err := insertProject(ctx, tx, actor, n)
			if err != nil {
				return err
			}
			if firstID == 0 {
				firstID = id
			}
			if len(specs) == 1 {
				return nil
			}
			if _, err := tx.Exec(ctx, `UPDATE projects SET created_with = $2 WHERE id = $1`, id, firstID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	created := make([]project.Project, len(newProjects))
	for i, n := range newProjects {
		if created[i], err = db.Project(ctx, actor, n.Key); err != nil {
			return nil, err
		}
	}
	return created, nil
}

// A newProject is a spec that was checked.
type newProject struct {
	project.Spec
	versionID protocol.VersionID
	copyID    project.ID // of the project whose settings it gets; 0: none
}

// checkNewProject completes a spec with the texts of its protocol, or of the project that it
// copies. The actor leads that project.
func (db *DB) checkNewProject(ctx context.Context, actor account.Account, spec project.Spec) (n newProject, err error) {
	if n.Spec, err = spec.Check(); err != nil {
		return n, err
	}
	if n.CopyFrom != "" {
		source, err := db.Project(ctx, actor, n.CopyFrom)
		if err != nil {
			return n, err
		}
		n.copyID, n.Spec = source.ID, n.WithSettingsOf(source)
	}
	p, err := db.ProtocolByName(ctx, n.Protocol)
	if err != nil {
		return n, err
	}
	n.versionID, n.Spec = p.VersionID, n.WithDefaults(p.Protocol)
	return n, nil
}

func insertProject(ctx context.Context, tx pgx.Tx, actor account.Account, n newProject) (id project.ID, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO projects (key, title, protocol_version_id, content_warning, support_url, instructions)
		VALUES ($1, $2, $3, $4, $5, $6)
		RETURNING id`, n.Key, n.Title, n.versionID, n.ContentWarning, n.SupportURL, n.Instructions).Scan(&id)
	if violates(err, "projects_key_unique") {
		return 0, project.FormProblems{{Field: "key",
			Err: fault.Conflict.Errorf("A project with the key “%s” already exists. Choose another key.", n.Key)}}
	}
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
		UPDATE projects n
		SET miss_policy = p.miss_policy, skip_policy = p.skip_policy, break_after_minutes = p.break_after_minutes,
		daily_item_limit = p.daily_item_limit,
		    session_limit_minutes = p.session_limit_minutes, release_after_minutes = p.release_after_minutes,
		    show_rater_effects = p.show_rater_effects,
		    share_calibration_scores = p.share_calibration_scores, allows_undo = p.allows_undo, tie_rule = p.tie_rule,
		    citation_pattern = p.citation_pattern,
		    text_formats = CASE WHEN n.protocol_version_id = p.protocol_version_id THEN p.text_formats ELSE
		    n.text_formats END
		FROM projects p
		WHERE n.id = $1 AND p.id = $2`, id, n.copyID)
	if err != nil {
		return 0, err
	}
	if leadID := cmp.Or(n.LeadID, actor.ID); leadID != 0 {
		if err := addMember(ctx, tx, actor.ID, id, leadID, account.Lead); err != nil {
			return 0, err
		}
	}
	detail := map[string]any{"title": n.Title, "protocol": n.Protocol}
	if n.CopyFrom != "" {
		detail["copied_from"] = n.CopyFrom
	}
	if err := recordAudit(ctx, tx, actor.ID, "project.create", projectSubject(n.Key), detail); err != nil ||
		n.LeadID == 0 {
		return id, err
	}
	return id, recordAudit(ctx, tx, actor.ID, "project.add_member", projectSubject(n.Key),
		map[string]any{"account": n.LeadID, "role": account.Lead})
}

// ProposeKey returns a key for a new project with that title, which no project has. Each of
// the suffixes gives another key that must be free.
func (db *DB) ProposeKey(ctx context.Context, title string, suffixes ...string) (string, error) {
	var queryErr error
	key := project.ProposeKey(title, func(key string) (isTaken bool) {
		keys := []string{key}
		for _, suffix := range suffixes {
			keys = append(keys, key+"-"+suffix)
		}
		err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projects WHERE key = ANY ($1))`, keys).Scan(&isTaken)
		if err != nil {
			queryErr = err
		}
		return isTaken && err == nil
	})
	return key, queryErr
}

const selectProject = `
	SELECT p.id, p.key, p.title, v.id AS protocol_version_id, p.content_warning, p.content_warning_version, p.instructions,
	p.instructions_version, p.support_url, p.text_formats, p.tie_rule, p.citation_pattern, p.archived_at, p.version,
	       coalesce(
	           (SELECT max(b.protocol_revision) FROM batches b WHERE b.project_id = p.id AND b.protocol_version_id = v.id),
	           (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = v.id)) AS revision,
	       (SELECT o.version FROM protocol_versions o WHERE o.id = p.protocol_version_id) AS current_version,
	       (SELECT coalesce(sum(i.item_count), 0) FROM imports i WHERE i.project_id = p.id) AS item_count,
	       (SELECT count(*) FROM batches b WHERE b.project_id = p.id) AS batch_count
	FROM projects p
	JOIN project_versions pv ON pv.project_id = p.id
	JOIN protocol_versions v ON v.id = pv.protocol_version_id `

// inCurrentVersion is true of a project in the protocol version that it has.
const inCurrentVersion = `v.id = p.protocol_version_id`

// splitVersion splits KEY@VERSION, which names a project with what it has under one version of its protocol. Without a
// version, it is the current one.
func splitVersion(key string) (projectKey string, version *int, err error) {
	projectKey, number, isVersioned := strings.Cut(key, "@")
	if !isVersioned {
		return key, nil, nil
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || strconv.FormatInt(n, 10) != number {
		return "", nil, fault.NotFound
	}
	version = new(int(n))
	return projectKey, version, nil
}

type projectRow struct {
	ID                    project.ID
	Key                   string
	Title                 string
	ProtocolVersionID     protocol.VersionID
	ContentWarning        string
	ContentWarningVersion int
	Instructions          string
	InstructionsVersion   int
	SupportURL            string
	TextFormats           map[string]protocol.TextFormat
	TieRule               stats.TieRule
	CitationPattern       project.CitationPattern
	ArchivedAt            *time.Time
	Version               int
	Revision              int
	CurrentVersion        int
	ItemCount             int
	BatchCount            int
}

// leadsProject is true of the projects p that account $1 leads. $2 is true for a
// command, which leads every project.
const leadsProject = `($2 OR EXISTS (SELECT FROM project_leads l WHERE l.project_id = p.id AND l.account_id = $1))`

// readsReport is true of the projects p whose report account $1 reads.
const readsReport = `(` + leadsProject + ` OR EXISTS (
	SELECT FROM project_viewers v WHERE v.project_id = p.id AND v.account_id = $1))`

// isCommand reports whether an actor is a command of an operator, not a user.
func isCommand(actor account.Account) bool { return actor.ID == 0 && actor.Role.IsAdmin() }

// Project returns a project that the actor leads. Any other is fault.NotFound.
func (db *DB) Project(ctx context.Context, actor account.Account, key string) (project.Project, error) {
	row, err := loadProject(ctx, db.pool, actor, key)
	if errors.Is(err, fault.NotFound) {
		return project.Project{}, fault.NotFound.Errorf("You lead no project “%s”.", key)
	}
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}

// loadProject returns a project that the actor leads, by KEY or KEY@VERSION.
func loadProject(ctx context.Context, q querier, actor account.Account, key string) (projectRow, error) {
	return loadProjectWhere(ctx, q, actor, leadsProject, key)
}

func loadProjectWhere(ctx context.Context, q querier, actor account.Account, isAllowed, key string) (projectRow,
	error) {
	key, version, err := splitVersion(key)
	if err != nil {
		return projectRow{}, err
	}
	return collectOne[projectRow](q.Query(ctx, selectProject+`WHERE `+isAllowed+` AND p.key = $3
		AND CASE WHEN $4::integer IS NULL THEN `+inCurrentVersion+` ELSE v.version = $4 END`, actor.ID,
		isCommand(actor), key, version))
}

// ReportProject returns a project whose report the actor reads: a viewer, or a lead. Any other is fault.NotFound.
func (db *DB) ReportProject(ctx context.Context, actor account.Account, key string) (project.Project, error) {
	row, err := loadProjectWhere(ctx, db.pool, actor, readsReport, key)
	if errors.Is(err, fault.NotFound) {
		return project.Project{}, fault.NotFound.Errorf("You lead no project “%s”.", key)
	}
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}

// projectByID returns a project in its current protocol version, without checking rights.
func (db *DB) projectByID(ctx context.Context, id project.ID) (project.Project, error) {
	return db.projectInVersion(ctx, id, 0)
}

// projectInVersion returns a project in a protocol version that it has or had, without checking rights. 0 is the
// current one.
func (db *DB) projectInVersion(ctx context.Context, id project.ID, versionID protocol.VersionID) (project.Project,
	error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+
		`WHERE p.id = $1 AND v.id = coalesce(nullif($2::integer, 0), p.protocol_version_id)`, id, versionID))
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}

// Projects returns the projects that the actor leads, or reads the report of, newest first, without archived ones.
func (db *DB) Projects(ctx context.Context, actor account.Account) ([]project.Project, error) {
	return db.listProjects(ctx, actor, `p.archived_at IS NULL`)
}

// ArchivedProjects returns the archived ones.
func (db *DB) ArchivedProjects(ctx context.Context, actor account.Account) ([]project.Project, error) {
	return db.listProjects(ctx, actor, `p.archived_at IS NOT NULL`)
}

func (db *DB) listProjects(ctx context.Context, actor account.Account, condition string) ([]project.Project, error) {
	rows, err := collectAll[projectRow](db.pool.Query(ctx, selectProject+`WHERE `+inCurrentVersion+` AND `+
		readsReport+` AND `+condition+` ORDER BY p.id DESC`,
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
	key := project.Project{Key: row.Key}.KeyInVersion(p.Version, row.CurrentVersion)
	return project.Project{ID: row.ID, Key: key, CurrentVersion: row.CurrentVersion, Title: row.Title,
		ProtocolVersionID: row.ProtocolVersionID, Protocol: p.WithFormats(row.TextFormats),
		TextFormats: row.TextFormats, ContentWarning: row.ContentWarning,
		ContentWarningVersion: row.ContentWarningVersion, SupportURL: row.SupportURL,
		Instructions: row.Instructions, InstructionsVersion: row.InstructionsVersion, TieRule: row.TieRule,
		CitationPattern: row.CitationPattern, ArchivedAt: row.ArchivedAt,
		Version: row.Version, Items: row.ItemCount, Batches: row.BatchCount}, err
}
