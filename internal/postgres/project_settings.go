package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// RenameProject changes the title of a project. Its key stays.
func (db *DB) RenameProject(ctx context.Context, actorID account.ID, p project.Project, title string) error {
	return db.ChangeProject(ctx, actorID, p, project.Change{Title: &title})
}

// SetInstructions changes the instructions of a project. Annotators must read changed
// instructions again before their next item.
func (db *DB) SetInstructions(ctx context.Context, actorID account.ID, p project.Project, text string) error {
	return db.ChangeProject(ctx, actorID, p, project.Change{Instructions: &text})
}

// ChangeProject changes what c has.
func (db *DB) ChangeProject(ctx context.Context, actorID account.ID, p project.Project, c project.Change) error {
	c, err := c.Check()
	if err != nil {
		return err
	}
	return db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		if c.Title != nil {
			if err := renameProject(ctx, tx, actorID, p, *c.Title); err != nil {
				return err
			}
		}
		if c.Instructions != nil {
			if err := setInstructions(ctx, tx, actorID, p, *c.Instructions); err != nil {
				return err
			}
		}
		if c.TieRule != nil && *c.TieRule != p.TieRule {
			if err := setTieRule(ctx, tx, actorID, p, *c.TieRule); err != nil {
				return err
			}
		}
		if c.CitationPattern != nil && *c.CitationPattern != p.CitationPattern {
			return setCitationPattern(ctx, tx, actorID, p, *c.CitationPattern)
		}
		return nil
	})
}

func setTieRule(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, rule stats.TieRule) error {
	if _, err := tx.Exec(ctx, `UPDATE projects SET tie_rule = $2 WHERE id = $1`, p.ID, rule); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.set_tie_rule", projectSubject(p.Key),
		map[string]any{"from": p.TieRule, "rule": rule})
}

func setCitationPattern(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project,
	pattern project.CitationPattern) error {
	if _, err := tx.Exec(ctx, `UPDATE projects SET citation_pattern = $2 WHERE id = $1`, p.ID, pattern); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.set_citation_pattern", projectSubject(p.Key),
		map[string]any{"pattern": pattern})
}

func renameProject(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, title string) error {
	if _, err := tx.Exec(ctx, `UPDATE projects SET title = $2 WHERE id = $1`, p.ID, title); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.rename", projectSubject(p.Key), map[string]any{"from": p.Title,
		"title": title})
}

func setInstructions(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, text string) error {
	p.Instructions = text
	if hasOpen, err := hasOpenBatch(ctx, tx, p.ID); err != nil {
		return err
	} else if hasOpen && text == "" && p.NeedsInstructions() {
		return project.FormProblems{{Field: "instructions",
			Err: fault.Conflict.Errorf("This project has an open batch, and its protocol needs instructions. Enter them, or close the batch first.")}}
	}
	var version int
	if err := tx.QueryRow(ctx, `UPDATE projects SET instructions = $2 WHERE id = $1
		RETURNING instructions_version`, p.ID, text).Scan(&version); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.set_instructions", projectSubject(p.Key),
		map[string]any{"version": version})
}

// SetTextFormats changes how the texts of parts are shown. A part that is left out has the
// format of the protocol.
func (db *DB) SetTextFormats(ctx context.Context, actorID account.ID, p project.Project,
	formats map[string]protocol.TextFormat) error {
	if err := p.CheckTextFormats(formats); err != nil {
		return err
	}
	if formats == nil {
		formats = map[string]protocol.TextFormat{}
	}
	return db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE projects SET text_formats = $2 WHERE id = $1
			AND text_formats <> $2`, p.ID, formats)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		detail := map[string]any{}
		if len(formats) > 0 {
			detail["formats"] = describeFormats(formats)
		}
		return recordAudit(ctx, tx, actorID, "project.set_text_formats", projectSubject(p.Key), detail)
	})
}

func describeFormats(formats map[string]protocol.TextFormat) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(formats)) {
		list = append(list, key+" as "+string(formats[key]))
	}
	return strings.Join(list, ", ")
}

// ArchiveProject makes a project read-only and takes it out of the lists. Its batches must be
// closed before.
func (db *DB) ArchiveProject(ctx context.Context, actorID account.ID, p project.Project, reason string) error {
	reason, err := project.CheckOptionalReason(reason)
	if err != nil {
		return err
	}
	return db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		if hasOpen, err := hasOpenBatch(ctx, tx, p.ID); err != nil {
			return err
		} else if hasOpen {
			return fault.Conflict.Errorf("This project has an open batch. Close its batches, then archive it.")
		}
		tag, err := tx.Exec(ctx, `UPDATE projects SET archived_at = now(), archived_by = nullif($2, 0) WHERE id = $1
			AND archived_at IS NULL`, p.ID, actorID)
		if err == nil && tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("This project is archived already.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.archive", projectSubject(p.Key), map[string]any{"reason": reason})
	})
}

// UnarchiveProject makes an archived project a current one again.
func (db *DB) UnarchiveProject(ctx context.Context, actorID account.ID, p project.Project) error {
	return db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE projects SET archived_at = NULL, archived_by = NULL WHERE id = $1
			AND archived_at IS NOT NULL`, p.ID)
		if err == nil && tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("This project is not archived.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.unarchive", projectSubject(p.Key), nil)
	})
}

// updateProject runs change for a lead of the project, one at a time: opening a batch locks
// the project, too.
func (db *DB) updateProject(ctx context.Context, actorID account.ID, p project.Project,
	change func(pgx.Tx) error) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if err := lockProject(ctx, tx, p.ID); err != nil {
			return err
		}
		if err := checkVersion(ctx, tx, VersionedProject, p.ID); err != nil {
			return err
		}
		return change(tx)
	})
}

func hasOpenBatch(ctx context.Context, tx pgx.Tx, projectID project.ID) (hasOpen bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM batches WHERE project_id = $1
		AND closed_at IS NULL)`, projectID).Scan(&hasOpen)
	return hasOpen, err
}

// CountOpenBatches returns how many batches of a project are open.
func (db *DB) CountOpenBatches(ctx context.Context, projectID project.ID) (count int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM batches WHERE project_id = $1
		AND closed_at IS NULL`, projectID).Scan(&count)
	return count, err
}
