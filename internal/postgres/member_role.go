package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// SetMemberRole makes a member, named by address or pseudonym, a lead or an annotator of the
// project. A project keeps at least one lead. As in AddMember, the answer has nothing about
// the account: one without the role lead leads nothing until an admin gives it that role.
func (db *DB) SetMemberRole(ctx context.Context, actorID account.ID, p project.Project, name string,
	role account.Role) (member Member, err error) {
	if role != account.Annotator && role != account.Lead {
		return Member{}, fault.Invalid.Errorf("Choose a role: annotator or lead.")
	}
	err = db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		member, err = collectOne[Member](tx.Query(ctx, selectMember+`AND `+hasName, p.ID, name))
		if fault.KindOf(err) == fault.NotFound {
			return errNoMember(name)
		}
		if err == nil {
			err = checkVersion(ctx, tx, VersionedMember, p.ID, member.AccountID)
		}
		if err != nil || member.Role == role {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE members SET role = $3 WHERE project_id = $1
			AND account_id = $2`, p.ID, member.AccountID, role); err != nil {
			return err
		}
		if err := requireAnyLead(ctx, tx, p.ID); err != nil {
			return err
		}
		if err := deleteUnusableInvitations(ctx, tx, member.AccountID); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.set_member_role", projectSubject(p.Key),
			map[string]any{"account": member.AccountID, "role": role})
	})
	member.Role = role
	return member, err
}

func requireAnyLead(ctx context.Context, tx pgx.Tx, projectID project.ID) error {
	var hasLead bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM members WHERE project_id = $1 AND role = 'lead'
		AND removed_at IS NULL)`, projectID).Scan(&hasLead)
	if err == nil && !hasLead {
		return fault.Conflict.Errorf("This is the only lead. Make another member a lead first.")
	}
	return err
}
