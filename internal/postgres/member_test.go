package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAddMember_NeverPromotes(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("one", 0)
	lead, existing := env.newUser("lead@example.org", account.Lead), env.newUser("known@example.org", account.Annotator)
	disabled := env.newUser("disabled@example.org", account.Annotator)
	if err := env.UpdateAccount(t.Context(), env.admin.ID, disabled.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		input account.NewAccount
		isNew bool
		want  fault.Kind
	}{
		{"new annotator", account.NewAccount{Email: "new@example.org", Name: "New", Role: account.Annotator}, true, ""},
		{"known annotator, other name", account.NewAccount{Email: "KNOWN@example.org", Name: "Another", Role: account.Annotator}, false, ""},
		{"known lead", account.NewAccount{Email: "lead@example.org", Role: account.Lead}, false, ""},
		{"new lead", account.NewAccount{Email: "newer@example.org", Name: "N", Role: account.Lead}, false, fault.Invalid},
		{"known annotator as lead", account.NewAccount{Email: "known@example.org", Role: account.Lead}, false, fault.Invalid},
		{"new admin", account.NewAccount{Email: "newest@example.org", Name: "N", Role: account.Admin}, false, fault.Invalid},
		{"disabled account", account.NewAccount{Email: "disabled@example.org", Role: account.Annotator}, false, fault.Invalid},
		{"new annotator without a name", account.NewAccount{Email: "nameless@example.org", Role: account.Annotator}, false, fault.Invalid},
	} {
		before := env.queryInt(`SELECT count(*) FROM accounts`)
		a, isNew, err := env.AddMember(t.Context(), lead.ID, p, c.input)
		if fault.KindOf(err) != c.want || err == nil && isNew != c.isNew {
			t.Errorf("%s: got %+v, %v, %v", c.name, a, isNew, err)
		}
		if isAdded := env.queryInt(`SELECT count(*) FROM accounts`) > before; isAdded != c.isNew {
			t.Errorf("%s: account added = %v, want %v", c.name, isAdded, c.isNew)
		}
	}
	if got, _ := env.Account(t.Context(), existing.ID); got.Role != account.Annotator || got.Name != existing.Name {
		t.Errorf("account changed to %+v", got)
	}
	env.checkCount(2, `accounts WHERE role <> 'annotator'`)
}

func TestInviteMember_NotOwn_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	joined := env.newMember("joined@example.org", p)
	if err := env.SetPassword(t.Context(), joined, joined, "hash"); err != nil {
		t.Fatal(err)
	}
	lead := env.newUser("lead@example.org", account.Lead)
	env.addLead(p, lead)
	for _, c := range []struct {
		name string
		id   account.ID
		want fault.Kind
	}{
		{"invited, one project", env.newMember("invited@example.org", p), ""},
		{"has a password", joined, fault.Conflict},
		{"invited, two projects", env.newMember("both@example.org", p, other), fault.Conflict},
		{"lead", lead.ID, fault.Conflict},
		{"other project", env.newMember("other@example.org", other), fault.NotFound},
		{"no account", 1 << 40, fault.NotFound},
	} {
		_, token, err := env.InviteMember(t.Context(), env.admin.ID, p, c.id)
		if fault.KindOf(err) != c.want || (token != "") != (err == nil) {
			t.Errorf("%s: got %q, %v", c.name, token, err)
		}
	}
}

// newMember creates an account that is an annotator of projects.
func (env testEnv) newMember(email string, projects ...project.Project) account.ID {
	env.t.Helper()
	id := env.newUser(email, account.Annotator).ID
	for _, p := range projects {
		if _, _, err := env.AddMember(env.t.Context(), env.admin.ID, p, account.NewAccount{Email: email, Role: account.Annotator}); err != nil {
			env.t.Fatal(err)
		}
	}
	return id
}

// addLead makes an account with the role lead a lead of a project.
func (env testEnv) addLead(p project.Project, a account.Account) {
	env.t.Helper()
	if _, _, err := env.AddMember(env.t.Context(), env.admin.ID, p, account.NewAccount{Email: a.Email, Role: account.Lead}); err != nil {
		env.t.Fatal(err)
	}
}
