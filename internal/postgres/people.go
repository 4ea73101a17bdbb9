package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// AddMember brings somebody into a project, as an annotator or as one of its
// leads, by their address. Who has no account gets one that may label and
// nothing else; p's name is only for them. isNew says whether that was so.
func (db *DB) AddMember(ctx context.Context, by int64, in project.Project, p account.Person) (a account.Account, isNew bool, err error) {
	as := p.Role
	p.Role = account.Annotator
	a, err = db.AccountByEmail(ctx, p.Email)
	if isNew = errors.Is(err, fault.NotFound); isNew {
		p, err = p.Check()
		a = account.Account{Name: p.Name, Email: p.Email, Role: p.Role}
	}
	if err == nil {
		err = mayJoin(a, as, isNew)
	}
	if err != nil {
		return a, false, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) (err error) {
		if isNew {
			a.ID, err = insertPerson(ctx, tx, by, p, "")
		}
		if err == nil {
			err = addMember(ctx, tx, in.ID, a.ID, as)
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, "project.member", projectSubject(in.Key), map[string]any{"account": a.ID, "role": as})
	})
	return a, isNew, err
}

// mayJoin reports why somebody cannot be made a member, if so.
func mayJoin(a account.Account, as account.Role, isNew bool) error {
	switch {
	case as != account.Annotator && as != account.Lead:
		return fault.Invalid.Says("Choose whether they label here or lead the project.")
	case as == account.Lead && isNew:
		return fault.Invalid.Says("Nobody here has the address “%s”. Ask an admin to make a lead's account for them first.", a.Email)
	case as == account.Lead && !a.Role.Leads():
		return fault.Invalid.Says("%s is an annotator. Ask an admin to make them a lead first.", a.Name)
	case a.Disabled:
		return fault.Invalid.Says("The account of “%s” is disabled. Ask an admin to enable it.", a.Email)
	}
	return nil
}

// InviteMember returns a new invitation for somebody who has never signed in.
// A lead may give one only to annotators of this project and no other, for
// whoever takes it can read what they are given to label.
func (db *DB) InviteMember(ctx context.Context, by int64, in project.Project, accountID int64) (account.Account, string, error) {
	var only, joined, plain bool
	err := db.pool.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM members o WHERE o.account_id = m.account_id AND o.project_id <> m.project_id),
		       p.password IS NOT NULL, a.role = 'annotator' AND NOT a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.people p ON p.account_id = m.account_id
		WHERE m.project_id = $1 AND m.account_id = $2`, in.ID, accountID).Scan(&only, &joined, &plain)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return account.Account{}, "", fault.NotFound
	case err != nil:
		return account.Account{}, "", err
	case joined:
		return account.Account{}, "", fault.Conflict.Says("They have an account with a password already. If they forgot it, ask an admin for a new link.")
	case !only || !plain:
		return account.Account{}, "", fault.Conflict.Says("Only an admin can give this person a new link.")
	}
	token, err := db.Invite(ctx, by, accountID)
	if err != nil {
		return account.Account{}, "", err
	}
	a, err := db.Account(ctx, accountID)
	return a, token, err
}
