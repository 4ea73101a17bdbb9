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
	lead, existing := env.newUser("lead@example.org", account.Lead), env.newUser("plain@example.org", account.Annotator)
	disabled := env.newUser("gone@example.org", account.Annotator)
	if err := env.UpdateAccount(t.Context(), env.admin.ID, disabled.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		person account.NewAccount
		isNew  bool
		kind   fault.Kind
	}{
		{"somebody new labels", account.NewAccount{Email: "new@example.org", Name: "New", Role: account.Annotator}, true, ""},
		{"somebody known labels, and keeps their name", account.NewAccount{Email: "PLAIN@example.org", Name: "Another", Role: account.Annotator}, false, ""},
		{"a lead leads here too", account.NewAccount{Email: "lead@example.org", Role: account.Lead}, false, ""},
		{"somebody new cannot lead", account.NewAccount{Email: "newer@example.org", Name: "N", Role: account.Lead}, false, fault.Invalid},
		{"an annotator cannot lead", account.NewAccount{Email: "plain@example.org", Role: account.Lead}, false, fault.Invalid},
		{"nobody becomes an admin", account.NewAccount{Email: "newest@example.org", Name: "N", Role: account.Admin}, false, fault.Invalid},
		{"who is disabled does not come in", account.NewAccount{Email: "gone@example.org", Role: account.Annotator}, false, fault.Invalid},
		{"somebody new needs a name", account.NewAccount{Email: "nameless@example.org", Role: account.Annotator}, false, fault.Invalid},
	}
	for _, tt := range tests {
		before := env.queryInt(`SELECT count(*) FROM accounts`)
		a, isNew, err := env.AddMember(t.Context(), lead.ID, p, tt.person)
		if fault.KindOf(err) != tt.kind || err == nil && isNew != tt.isNew {
			t.Errorf("%s: %+v, %v, %v", tt.name, a, isNew, err)
		}
		if added := env.queryInt(`SELECT count(*) FROM accounts`) - before; added != map[bool]int{true: 1}[tt.isNew] {
			t.Errorf("%s: %d accounts more", tt.name, added)
		}
	}
	if got, _ := env.Account(t.Context(), existing.ID); got.Role != account.Annotator || got.Name != existing.Name {
		t.Errorf("the account changed: %+v", got)
	}
	if n := env.queryInt(`SELECT count(*) FROM accounts WHERE role <> 'annotator'`); n != 2 {
		t.Errorf("%d accounts lead or administer, want 2", n)
	}
}

func TestInviteMember_NotOwn_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	add := func(email string, in ...project.Project) account.Account {
		a := env.newUser(email, account.Annotator)
		for _, q := range in {
			if _, _, err := env.AddMember(t.Context(), env.admin.ID, q, account.NewAccount{Email: email, Role: account.Annotator}); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	joined := add("joined@example.org", p)
	if err := env.SetPassword(t.Context(), joined.ID, joined.ID, "hash"); err != nil {
		t.Fatal(err)
	}
	lead := env.newUser("lead@example.org", account.Lead)
	if _, _, err := env.AddMember(t.Context(), env.admin.ID, p, account.NewAccount{Email: lead.Email, Role: account.Lead}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		id   account.ID
		kind fault.Kind
	}{
		{"who waits in this project alone", add("waits@example.org", p).ID, ""},
		{"who has a password", joined.ID, fault.Conflict},
		{"who waits in two projects", add("both@example.org", p, other).ID, fault.Conflict},
		{"who leads", lead.ID, fault.Conflict},
		{"who is in another project", add("other@example.org", other).ID, fault.NotFound},
		{"nobody", 1 << 40, fault.NotFound},
	}
	for _, tt := range tests {
		_, token, err := env.InviteMember(t.Context(), env.admin.ID, p, tt.id)
		if fault.KindOf(err) != tt.kind || (token != "") != (err == nil) {
			t.Errorf("%s: %q, %v", tt.name, token, err)
		}
	}
}
