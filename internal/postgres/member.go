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
func (db *DB) AddMember(ctx context.Context, actorID account.ID, proj project.Project, newAccount account.NewAccount) (a account.Account, isNew bool, err error) {
	role := newAccount.Role
	newAccount.Role = account.Annotator
	a, err = db.AccountByEmail(ctx, newAccount.Email)
	if isNew = errors.Is(err, fault.NotFound); isNew {
		newAccount, err = newAccount.Check()
		a = account.Account{Name: newAccount.Name, Email: newAccount.Email, Role: newAccount.Role}
	}
	if err == nil {
		err = checkCanJoin(a, role, isNew)
	}
	if err != nil {
		return a, false, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) (err error) {
		if isNew {
			a.ID, err = insertAccount(ctx, tx, actorID, newAccount, "")
		}
		if err == nil {
			err = addMember(ctx, tx, proj.ID, a.ID, role)
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.member", projectSubject(proj.Key), map[string]any{"account": a.ID, "role": role})
	})
	return a, isNew, err
}

// checkCanJoin reports why somebody cannot be made a member, if so.
func checkCanJoin(a account.Account, role account.Role, isNew bool) error {
	switch {
	case role != account.Annotator && role != account.Lead:
		return fault.Invalid.Errorf("Choose whether they label here or lead the project.")
	case role == account.Lead && isNew:
		return fault.Invalid.Errorf("Nobody here has the address “%s”. Ask an admin to make a lead's account for them first.", a.Email)
	case role == account.Lead && !a.Role.CanLead():
		return fault.Invalid.Errorf("%s is an annotator. Ask an admin to make them a lead first.", a.Name)
	case a.Disabled:
		return fault.Invalid.Errorf("The account of “%s” is disabled. Ask an admin to enable it.", a.Email)
	}
	return nil
}

// InviteMember returns a new invitation for somebody who has never signed in.
// A lead may give one only to annotators of this project and no other, for
// whoever takes it can read what they are given to label.
func (db *DB) InviteMember(ctx context.Context, actorID account.ID, proj project.Project, accountID account.ID) (account.Account, string, error) {
	var inOneProject, hasPassword, isActiveAnnotator bool
	err := db.pool.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM members o WHERE o.account_id = m.account_id AND o.project_id <> m.project_id),
		       p.password IS NOT NULL, a.role = 'annotator' AND NOT a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.people p ON p.account_id = m.account_id
		WHERE m.project_id = $1 AND m.account_id = $2`, proj.ID, accountID).Scan(&inOneProject, &hasPassword, &isActiveAnnotator)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return account.Account{}, "", fault.NotFound
	case err != nil:
		return account.Account{}, "", err
	case hasPassword:
		return account.Account{}, "", fault.Conflict.Errorf("They have an account with a password already. If they forgot it, ask an admin for a new link.")
	case !inOneProject || !isActiveAnnotator:
		return account.Account{}, "", fault.Conflict.Errorf("Only an admin can give this person a new link.")
	}
	token, err := db.Invite(ctx, actorID, accountID)
	if err != nil {
		return account.Account{}, "", err
	}
	a, err := db.Account(ctx, accountID)
	return a, token, err
}
