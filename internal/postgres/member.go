package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A Member is a member of a project as its leads see them.
type Member struct {
	AccountID     account.ID
	Name          string // the address until the member is identified; see member_names
	Email         string
	Role          account.Role // in the project
	Pseudonym     string
	Invited       bool // not identified, or without a password
	Disabled      bool // false until the member is identified
	LacksLeadRole bool // a lead of the project whose account has not the role lead; false until identified
}

// selectMember reads the current members of project $1.
const selectMember = `SELECT ` + memberColumns + fromMembers

const memberColumns = `
	       m.account_id, n.name, u.email, m.role, m.pseudonym, NOT m.is_identified OR u.password_hash IS NULL AS invited,
	       m.is_identified AND a.disabled AS disabled,
	       m.is_identified AND m.role = 'lead' AND a.role IN ('viewer', 'annotator') AS lacks_lead_role `

const fromMembers = `
	FROM members m
	JOIN accounts a ON a.id = m.account_id
	JOIN identity.users u ON u.account_id = m.account_id
	JOIN identity.member_names n ON n.project_id = m.project_id AND n.account_id = m.account_id
	WHERE m.project_id = $1 AND m.removed_at IS NULL `

// hasName is true of the member with the address or pseudonym $2.
const hasName = `(m.pseudonym = $2 OR lower(u.email) = lower($2))`

// Members returns the members of a project, leads first.
func (db *DB) Members(ctx context.Context, projectID project.ID) ([]Member, error) {
	return collectAll[Member](db.pool.Query(ctx, selectMember+`ORDER BY m.role DESC, lower(n.name)`, projectID))
}

// A MemberDetail is a member with what no list shows.
type MemberDetail struct {
	Member
	WorkEndedAt *time.Time // a lead ended the work, and the member is in no open batch since
	ThankYou    string
	Version     int // increases with each change
}

// Member returns a member of a project by address or pseudonym, or fault.NotFound.
func (db *DB) Member(ctx context.Context, p project.Project, name string) (MemberDetail, error) {
	m, err := collectOne[MemberDetail](db.pool.Query(ctx, `SELECT
		`+memberColumns+`, m.work_ended_at, m.thank_you, m.version `+fromMembers+`AND `+hasName, p.ID,
		name))
	if errors.Is(err, fault.NotFound) {
		return m, errNoMember(name)
	}
	return m, err
}

func errNoMember(name string) error {
	return fault.NotFound.Errorf("This project has no member “%s”.", name)
}

// AddMember adds a user to a project as annotator, viewer or lead, by address, and returns the token of
// an invitation to send. A user without an account gets a new account with the name, which is a viewer's or an
// annotator's; an existing account stays as it is. The result is the same for both, so that a lead
// learns nothing about the account: the invitation of a user with a password does not work,
// and a lead of the project has the rights of one only if the account has the role lead.
func (db *DB) AddMember(ctx context.Context, actorID account.ID, p project.Project, newAccount account.NewAccount) (
	token string, err error) {
	role := newAccount.Role
	if !slices.Contains(account.MemberRoles, role) {
		return "", errNoMemberRole
	}
	newAccount.Role = newMemberRole(role)
	if newAccount, err = newAccount.Check(); err != nil {
		return "", err
	}
	add := func(tx pgx.Tx) error {
		token, err = addInvitedMember(ctx, tx, actorID, p, newAccount, role)
		return err
	}
	if err = db.inTx(ctx, add); errors.Is(err, fault.Conflict) { // the account was created at the same time
		err = db.inTx(ctx, add)
	}
	return token, err
}

var errNoMemberRole = fault.Invalid.Errorf("Choose a role: annotator, viewer or lead.")

// newMemberRole returns the role of the account that a lead creates for a member with a role.
func newMemberRole(role account.Role) account.Role {
	if role == account.Viewer {
		return account.Viewer
	}
	return account.Annotator
}

func addInvitedMember(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project,
	newAccount account.NewAccount, role account.Role) (token string, err error) {
	if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
		return "", err
	}
	var accountID account.ID
	err = tx.QueryRow(ctx, `SELECT account_id FROM identity.users
		WHERE lower(email) = lower($1)`, newAccount.Email).Scan(&accountID)
	if errors.Is(err, pgx.ErrNoRows) {
		accountID, err = insertAccount(ctx, tx, actorID, newAccount, "")
	}
	if err != nil {
		return "", err
	}
	if err := addMember(ctx, tx, actorID, p.ID, accountID, role); err != nil {
		return "", err
	}
	if err := recordAudit(ctx, tx, actorID, "project.add_member", projectSubject(p.Key),
		map[string]any{"account": accountID, "role": role}); err != nil {
		return "", err
	}
	return inviteMember(ctx, tx, actorID, accountID)
}

// requireLead returns fault.NotFound if the actor does not lead the project. A command leads
// every project.
func requireLead(ctx context.Context, q querier, actorID account.ID, projectID project.ID) error {
	var isLead bool
	err := q.QueryRow(ctx, `SELECT $1::bigint = 0 OR EXISTS (SELECT FROM project_leads WHERE account_id = $1
		AND project_id = $2)`, actorID, projectID).Scan(&isLead)
	if err == nil && !isLead {
		return fault.NotFound
	}
	return err
}

// inviteMember replaces the actor's own invitations of a member.
func inviteMember(ctx context.Context, tx pgx.Tx, actorID, accountID account.ID) (token string, err error) {
	_, err = tx.Exec(ctx, `
		DELETE FROM identity.invitations
		WHERE account_id = $1 AND for_project AND created_by IS NOT DISTINCT FROM nullif($2, 0)`, accountID, actorID)
	if err != nil {
		return "", err
	}
	return insertInvitation(ctx, tx, invitation{accountID: accountID, createdBy: actorID, forProject: true})
}

// InviteMember returns the address of a member and a new invitation. As in AddMember, the
// result has nothing about the account.
func (db *DB) InviteMember(ctx context.Context, actorID account.ID, p project.Project, accountID account.ID) (email,
	token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		m, err := collectOne[Member](tx.Query(ctx, selectMember+`AND m.account_id = $2`, p.ID, accountID))
		if err != nil {
			return err
		}
		if !m.Invited {
			return fault.Conflict.Errorf("This member has signed in before. If they forgot their password, ask an admin for a link.")
		}
		email = m.Email
		token, err = inviteMember(ctx, tx, actorID, accountID)
		return err
	})
	return email, token, err
}

// InviteMembers creates new invitations for all members who have not signed in. As in
// InviteMember, the result has nothing about the accounts.
func (db *DB) InviteMembers(ctx context.Context, actorID account.ID, p project.Project) (invitations []Invitation,
	err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		members, err := collectAll[Member](tx.Query(ctx, selectMember+
			`AND (NOT m.is_identified OR u.password_hash IS NULL) ORDER BY lower(u.email)`, p.ID))
		if err == nil && len(members) == 0 {
			return fault.Conflict.Errorf("All members have signed in. No link is needed.")
		}
		for _, m := range members {
			token, err := inviteMember(ctx, tx, actorID, m.AccountID)
			if err != nil {
				return err
			}
			invitations = append(invitations, Invitation{Email: m.Email, Name: m.Name, Role: m.Role, Token: token})
		}
		return err
	})
	return invitations, err
}

// addMember adds a member with a new pseudonym, or a removed one again with their old
// pseudonym. It changes the role of a current member only to lead, and refuses a viewer as an annotator. Invitations
// that others made for the account may stop working.
func addMember(ctx context.Context, q querier, actorID account.ID, projectID project.ID, accountID account.ID,
	role account.Role) error {
	_, err := q.Exec(ctx, `
		INSERT INTO members (project_id, account_id, role, pseudonym, is_identified)
		VALUES ($1, $2, $3, $4, $5::bigint IN (0, $2) OR EXISTS (SELECT FROM accounts WHERE id = $5 AND role = 'admin'))
		ON CONFLICT (project_id, account_id) DO UPDATE
		SET role = CASE WHEN excluded.role = 'lead'
		OR members.removed_at IS NOT NULL THEN excluded.role ELSE members.role END,
		    removed_at = NULL, is_identified = members.is_identified OR excluded.is_identified
		WHERE excluded.role = 'lead' AND members.role <> 'lead' OR members.removed_at IS NOT NULL
		   OR excluded.is_identified AND NOT members.is_identified`, projectID, accountID, role,
		newPseudonym(), actorID)
	if err != nil {
		return err
	}
	var isViewer bool
	if err := q.QueryRow(ctx, `SELECT role = 'viewer' FROM members
		WHERE project_id = $1 AND account_id = $2`, projectID, accountID).Scan(&isViewer); err != nil {
		return err
	}
	if isViewer && role == account.Annotator {
		return fault.Conflict.Errorf("A viewer of the project cannot label in it. Make the member an annotator first.")
	}
	return deleteUnusableInvitations(ctx, q, accountID)
}

// newPseudonym returns a random pseudonym.
func newPseudonym() string { return "a-" + strings.ToLower(rand.Text()[:8]) }
