package postgres

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
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
