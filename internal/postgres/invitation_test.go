package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An invitationCase is a lead with a project and the invitation of a new member, and
// another lead with a project.
type invitationCase struct {
	testEnv
	lead, otherLead       account.Account
	project, otherProject project.Project
	email, token          string
}

func newInvitationCase(t *testing.T) invitationCase {
	c := invitationCase{testEnv: newTestEnv(t), email: "new@example.org"}
	c.lead, c.project = c.newLeadProject("one")
	c.otherLead, c.otherProject = c.newLeadProject("two")
	c.token = c.addMember(c.lead, c.project, c.email, account.Annotator)
	return c
}

func (c invitationCase) invited() account.Account {
	c.t.Helper()
	a, err := c.AccountByEmail(c.t.Context(), c.email)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c invitationCase) enableMail() {
	c.t.Helper()
	if err := c.SetMailEnabled(c.t.Context(), true); err != nil {
		c.t.Fatal(err)
	}
}

// mailedToken returns the token of the mail that waits.
func (c invitationCase) mailedToken() string {
	c.t.Helper()
	return query[string](c.testEnv, `SELECT token FROM identity.mails WHERE kind = 'invitation'`)
}

func (c invitationCase) update(id account.ID, role account.Role, disabled bool) {
	c.t.Helper()
	if err := c.UpdateAccount(c.t.Context(), c.admin.ID, id, role, disabled); err != nil {
		c.t.Fatal(err)
	}
}

// The rights of a link are those of its maker when it is used, not when it was made. A
// link that once did not work stays invalid.
func TestAcceptInvitation_RightsOfLead_JudgedWhenUsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(c *invitationCase)
		works  bool
	}{
		{"nothing changed", func(*invitationCase) {}, true},
		{"added to another project of the lead", func(c *invitationCase) {
			c.addLead(c.otherProject, c.lead)
			c.token = c.addMember(c.lead, c.otherProject, c.email, account.Annotator)
		}, true},
		{"added to another lead's project", func(c *invitationCase) {
			c.addMember(c.otherLead, c.otherProject, c.email,
				account.Annotator)
		}, false},
		{"added to another lead's project, and removed there", func(c *invitationCase) {
			c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
			c.mustRemove(c.otherProject, c.invited())
		}, false},
		{"chosen by an admin for another project", func(c *invitationCase) {
			c.addItems(c.otherProject, 0, 1)
			c.newBatch(c.otherProject, project.BatchSpec{Name: "one", Annotators: []string{c.email}, Overlap: 1})
		}, false},
		{"link of the other lead", func(c *invitationCase) {
			c.token = c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
		}, false},
		{"became a lead", func(c *invitationCase) { c.update(c.invited().ID, account.Lead, false) }, false},
		{"was a lead for a while", func(c *invitationCase) {
			c.update(c.invited().ID, account.Lead, false)
			c.update(c.invited().ID, account.Annotator, false)
		}, false},
		{"disabled", func(c *invitationCase) { c.update(c.invited().ID, account.Annotator, true) }, false},
		{"lead disabled", func(c *invitationCase) { c.update(c.lead.ID, account.Lead, true) }, false},
		{"lead became an annotator", func(c *invitationCase) { c.update(c.lead.ID, account.Annotator, false) }, false},
		{"lead removed", func(c *invitationCase) { c.mustRemove(c.project, c.lead) }, false},
		{"member removed", func(c *invitationCase) { c.mustRemove(c.project, c.invited()) }, false},
		{"has a password", func(c *invitationCase) {
			if err := c.SetPassword(c.t.Context(), 0, c.invited().ID, "hash"); err != nil {
				c.t.Fatal(err)
			}
		}, false},
		{"account made by an admin", func(c *invitationCase) {
			c.token = c.addMember(c.lead, c.project, c.newUser("made@example.org", account.Annotator).Email,
				account.Annotator)
		}, false},
		{"account made by a command", func(c *invitationCase) {
			if _, err := c.CreateAccount(c.t.Context(), 0, account.NewAccount{Email: "made@example.org", Name: "Made",
				Role: account.Annotator}, ""); err != nil {
				c.t.Fatal(err)
			}
			c.token = c.addMember(c.lead, c.project, "made@example.org", account.Annotator)
		}, false},
		{"second link of the lead", func(c *invitationCase) {
			c.addMember(c.lead, c.project, c.email,
				account.Annotator)
		}, false},
		{"link of an admin", func(c *invitationCase) {
			c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
			c.token = c.addMember(c.admin, c.project, c.email, account.Annotator)
		}, true},
		{"mailed, and another lead invites too", func(c *invitationCase) {
			c.enableMail()
			c.addMember(c.lead, c.project, c.email, account.Annotator)
			c.token = c.mailedToken()
			c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
		}, true},
		{"mailed for the other lead", func(c *invitationCase) {
			c.enableMail()
			c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
			c.token = c.mailedToken()
		}, true},
		{"link of the other lead, and another one mailed", func(c *invitationCase) {
			c.enableMail()
			c.token = c.addMember(c.otherLead, c.otherProject, c.email, account.Annotator)
		}, false},
		{"mailed, and has a password", func(c *invitationCase) {
			c.enableMail()
			c.addMember(c.lead, c.project, c.email, account.Annotator)
			c.token = c.mailedToken()
			if err := c.SetPassword(c.t.Context(), 0, c.invited().ID, "hash"); err != nil {
				c.t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newInvitationCase(t)
			tt.change(&c)
			id, err := c.AcceptInvitation(t.Context(), c.token, "chosen hash")
			if works := err == nil; works != tt.works {
				t.Errorf("the link sets a password: %v, want %v (account %d, error %v)", works, tt.works, id, err)
			}
			if kind := fault.KindOf(err); err != nil && kind != fault.Conflict && kind != fault.NotFound {
				t.Errorf("error %v", err)
			}
			if n := c.queryInt(`SELECT count(*) FROM identity.users
				WHERE password_hash = 'chosen hash'`); (n == 1) != tt.works {
				t.Errorf("%d passwords set", n)
			}
		})
	}
}

// A link that is used while another lead adds its account waits, and then does not work.
func TestAcceptInvitation_DuringAddMember_Refused(t *testing.T) {
	c := newInvitationCase(t)
	id := c.invited().ID
	err := c.runWhileLocked(func(tx pgx.Tx) error {
		return addMember(t.Context(), tx, c.otherLead.ID, c.otherProject.ID, id, account.Annotator)
	}, func() error {
		_, err := c.AcceptInvitation(t.Context(), c.token, "chosen hash")
		return err
	})
	if fault.KindOf(err) != fault.NotFound {
		t.Errorf("error %v, want not found", err)
	}
	c.checkCount(0, `identity.users WHERE password_hash = 'chosen hash'`)
}

// A pending link ends with a change of the password, and when another link is used.
func TestAcceptInvitation_PasswordChanged_Refused(t *testing.T) {
	env := newTestEnv(t)
	a := env.newUser("ann@example.org", account.Annotator)
	invite := func() string {
		token, err := env.Invite(t.Context(), env.admin.ID, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	first := invite()
	if err := env.SetPassword(t.Context(), a.ID, a.ID, "own hash"); err != nil {
		t.Fatal(err)
	}
	if _, err := env.AcceptInvitation(t.Context(), first, "chosen hash"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after a password change: error %v, want not found", err)
	}
	second := invite()
	if id, err := env.AcceptInvitation(t.Context(), second, "reset hash"); err != nil || id != a.ID {
		t.Errorf("account %d, error %v", id, err)
	}
	if _, err := env.AcceptInvitation(t.Context(), second, "chosen hash"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a used link: error %v, want not found", err)
	}
	env.checkCount(1, `identity.users WHERE password_hash = 'reset hash'`)
}

func TestInviteMember_OnlyInvitedMembers(t *testing.T) {
	c := newInvitationCase(t)
	working := c.newUser("working@example.org", account.Annotator)
	c.addMember(c.admin, c.project, working.Email, account.Annotator)
	if err := c.SetPassword(t.Context(), working.ID, working.ID, "hash"); err != nil {
		t.Fatal(err)
	}
	elsewhere := c.newUser("elsewhere@example.org", account.Annotator)
	c.addMember(c.otherLead, c.otherProject, elsewhere.Email, account.Annotator)
	for _, tt := range []struct {
		name  string
		actor account.Account
		id    account.ID
		want  fault.Kind
	}{
		{"invited", c.lead, c.invited().ID, ""},
		{"known to the lead and with a password", c.lead, working.ID, fault.Conflict},
		{"member of another project", c.lead, elsewhere.ID, fault.NotFound},
		{"no account", c.lead, 1 << 40, fault.NotFound},
		{"lead of another project", c.otherLead, c.invited().ID, fault.NotFound},
	} {
		_, token, err := c.InviteMember(t.Context(), tt.actor.ID, c.project, tt.id)
		if fault.KindOf(err) != tt.want || (token != "") != (err == nil) {
			t.Errorf("%s: token %q, error %v", tt.name, token, err)
		}
	}
}
