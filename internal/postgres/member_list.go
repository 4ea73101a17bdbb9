package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// An Invitation is a link to send to a user.
type Invitation struct {
	Email string
	Name  string
	Role  account.Role
	Token string
}

// AddMembers adds users to a project as AddMember does: all of them, or none. It returns their
// invitations, in the same order.
func (db *DB) AddMembers(ctx context.Context, actorID account.ID, p project.Project, users []account.NewAccount) (
	[]Invitation, error) {
	add := func(tx pgx.Tx, user account.NewAccount) (token string, err error) {
		role := user.Role
		user.Role = newMemberRole(role)
		return addInvitedMember(ctx, tx, actorID, p, user, role)
	}
	invitations, err := db.inviteEach(ctx, users, add)
	if errors.Is(err, fault.Conflict) && !errors.Is(err, errArchived) { // an account was created at the same time
		invitations, err = db.inviteEach(ctx, users, add)
	}
	return invitations, err
}

// CreateAccounts creates accounts for an admin: all of them, or none. It returns their invitations, in the
// same order, or importer.FileErrors with the addresses that have an account.
func (db *DB) CreateAccounts(ctx context.Context, actorID account.ID, users []account.NewAccount) ([]Invitation,
	error) {
	if err := requireAdmin(ctx, db.pool, actorID); err != nil {
		return nil, err
	}
	emails := make([]string, len(users))
	for i, user := range users {
		emails[i] = strings.ToLower(user.Email)
	}
	existing, err := collectColumn[string](db.pool.Query(ctx, `SELECT lower(email) FROM identity.users
		WHERE lower(email) = ANY ($1) ORDER BY 1`, emails))
	if err != nil {
		return nil, err
	}
	var problems importer.FileErrors
	for _, email := range existing {
		problems = append(problems, importer.FileError{Column: "email", File: "list",
			Message: "An account with the address “" + email + "” exists already. Remove it from the list."})
	}
	if problems != nil {
		return nil, problems
	}
	return db.inviteEach(ctx, users, func(tx pgx.Tx, user account.NewAccount) (token string, err error) {
		id, err := insertAccount(ctx, tx, actorID, user, "")
		if err != nil {
			return "", err
		}
		return insertInvitation(ctx, tx, invitation{accountID: id, createdBy: actorID})
	})
}

// inviteEach runs add for each user in one transaction, in the order of the addresses, so that
// two lists with the same addresses cannot wait for each other.
func (db *DB) inviteEach(ctx context.Context, users []account.NewAccount,
	add func(pgx.Tx, account.NewAccount) (token string, err error)) ([]Invitation, error) {
	invitations, order := make([]Invitation, len(users)), make([]int, len(users))
	for i := range users {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(strings.ToLower(users[a].Email), strings.ToLower(users[b].Email))
	})
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		for _, i := range order {
			user, err := users[i].Check()
			if err != nil {
				return err
			}
			token, err := add(tx, user)
			if err != nil {
				return err
			}
			invitations[i] = Invitation{user.Email, user.Name, user.Role, token}
		}
		return nil
	})
	return invitations, err
}
