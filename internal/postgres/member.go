package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A Member is a member of a project.
type Member struct {
	AccountID account.ID
	Name      string
	Email     string
	Role      account.Role // in the project
	Pseudonym string
	Joined    bool // has set a password
	Disabled  bool
}

// Members returns the members of a project, leads first.
func (db *DB) Members(ctx context.Context, projectID project.ID) ([]Member, error) {
	return collectAll[Member](db.pool.Query(ctx, `
		SELECT m.account_id, u.name, u.email, m.role, m.pseudonym, u.password_hash IS NOT NULL AS joined, a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.users u ON u.account_id = m.account_id
		WHERE m.project_id = $1
		ORDER BY m.role DESC, lower(u.name)`, projectID))
}

// AddMember adds a user to a project as annotator or lead, by address. A user without an
// account gets a new annotator account; the name is only used for that.
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
		return recordAudit(ctx, tx, actorID, "project.add_member", projectSubject(proj.Key), map[string]any{"account": a.ID, "role": role})
	})
	return a, isNew, err
}

// checkCanJoin reports why an account cannot become a member.
func checkCanJoin(a account.Account, role account.Role, isNew bool) error {
	switch {
	case role != account.Annotator && role != account.Lead:
		return fault.Invalid.Errorf("Choose a role: annotator or lead.")
	case role == account.Lead && isNew:
		return fault.Invalid.Errorf("No account has the address “%s”. Ask an admin to create a lead account first.", a.Email)
	case role == account.Lead && !a.Role.CanLead():
		return fault.Invalid.Errorf("%s is an annotator. Ask an admin to make them a lead first.", a.Name)
	case a.Disabled:
		return fault.Invalid.Errorf("The account of “%s” is disabled. Ask an admin to enable it.", a.Email)
	}
	return nil
}

// InviteMember returns a new invitation for a member who has no password yet. A lead can
// invite only annotators who are in no other project, because the holder of the invitation
// can read the texts that they label.
func (db *DB) InviteMember(ctx context.Context, actorID account.ID, proj project.Project, accountID account.ID) (account.Account, string, error) {
	var inOneProject, hasPassword, isActiveAnnotator bool
	err := db.pool.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM members o WHERE o.account_id = m.account_id AND o.project_id <> m.project_id),
		       u.password_hash IS NOT NULL, a.role = 'annotator' AND NOT a.disabled
		FROM members m
		JOIN accounts a ON a.id = m.account_id
		JOIN identity.users u ON u.account_id = m.account_id
		WHERE m.project_id = $1 AND m.account_id = $2`, proj.ID, accountID).Scan(&inOneProject, &hasPassword, &isActiveAnnotator)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return account.Account{}, "", fault.NotFound
	case err != nil:
		return account.Account{}, "", err
	case hasPassword:
		return account.Account{}, "", fault.Conflict.Errorf("This member already has a password. If they forgot it, ask an admin for a new invitation.")
	case !inOneProject || !isActiveAnnotator:
		return account.Account{}, "", fault.Conflict.Errorf("Only an admin can invite this member again.")
	}
	token, err := db.Invite(ctx, actorID, accountID)
	if err != nil {
		return account.Account{}, "", err
	}
	a, err := db.Account(ctx, accountID)
	return a, token, err
}

// addMember adds a member with a new pseudonym. It changes an existing member only from
// annotator to lead.
func addMember(ctx context.Context, q querier, projectID project.ID, accountID account.ID, role account.Role) error {
	_, err := q.Exec(ctx, `
		INSERT INTO members (project_id, account_id, role, pseudonym)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (project_id, account_id) DO UPDATE SET role = 'lead'
		WHERE excluded.role = 'lead' AND members.role <> 'lead'`, projectID, accountID, role, newPseudonym())
	return err
}

// newPseudonym returns a random pseudonym.
func newPseudonym() string { return "a-" + strings.ToLower(rand.Text()[:8]) }
