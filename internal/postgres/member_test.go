package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead adds addresses of every kind. The result and the list of members are the same
// for all, and no account changes.
func TestAddMember_AnyAddress_RevealsNothing(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	disabled := env.newUser("disabled@example.org", account.Annotator)
	if err := env.UpdateAccount(t.Context(), env.admin.ID, disabled.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	joined := env.newUser("joined@example.org", account.Annotator)
	if err := env.SetPassword(t.Context(), joined.ID, joined.ID, "hash"); err != nil {
		t.Fatal(err)
	}
	env.newUser("invited@example.org", account.Annotator)
	env.newUser("peer@example.org", account.Lead)
	const accounts = `SELECT string_agg(to_jsonb(a)::text || to_jsonb(u)::text, ' ' ORDER BY a.id) FROM accounts a
		JOIN identity.users u ON u.account_id = a.id WHERE u.email NOT ILIKE 'new%'`
	before := query[string](env, accounts)

	for _, role := range []account.Role{account.Annotator, account.Lead} {
		for _, email := range []string{"new@example.org", "NEWER@example.org", "invited@example.org",
			"joined@example.org", "disabled@example.org", "peer@example.org", "admin@example.org"} {
			token, err := env.AddMember(t.Context(), lead.ID, p, account.NewAccount{Email: email,
				Name: "As the lead typed it", Role: role})
			if err != nil || token == "" {
				t.Errorf("%s as %s: token %q, error %v", email, role, token, err)
			}
			user, err := env.InvitedUser(t.Context(), token)
			want := InvitedUser{Email: email, InvitedBy: InvitedBy{Inviter: "Name of " + lead.Email,
				ProjectTitle: p.Title}}
			if err != nil || user != want {
				t.Errorf("the invitation of %s shows %+v, error %v, want %+v", email, user, err, want)
			}
		}
		members, err := env.Members(t.Context(), p.ID)
		if err != nil || len(members) != 8 {
			t.Fatalf("%d members, error %v, want 8", len(members), err)
		}
		for _, m := range members {
			if m.AccountID == lead.ID {
				continue
			}
			want := Member{AccountID: m.AccountID, Name: m.Email, Email: m.Email, Role: role, Pseudonym: m.Pseudonym,
				Invited: true}
			if diff := cmp.Diff(want, m); diff != "" {
				t.Errorf("%s differs from the other members (-want +got):\n%s", m.Email, diff)
			}
		}
	}
	if diff := cmp.Diff(before, query[string](env, accounts)); diff != "" {
		t.Errorf("accounts changed (-before +after):\n%s", diff)
	}
	env.checkCount(2, `accounts a JOIN identity.users u ON u.account_id = a.id WHERE u.email ILIKE 'new%' AND a.role = 'annotator' AND a.created_by = $1`, lead.ID)
}

func TestAddMember_Invalid_AddsNothing(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	stranger := env.newUser("stranger@example.org", account.Lead)
	for _, c := range []struct {
		name    string
		actorID account.ID
		input   account.NewAccount
		want    fault.Kind
	}{
		{"admin", lead.ID, account.NewAccount{Email: "new@example.org", Name: "N", Role: account.Admin}, fault.Invalid},
		{"no name", lead.ID, account.NewAccount{Email: "new@example.org", Role: account.Annotator}, fault.Invalid},
		{"no name, known address", lead.ID, account.NewAccount{Email: "stranger@example.org", Role: account.Annotator},
			fault.Invalid},
		{"no address", lead.ID, account.NewAccount{Name: "N", Role: account.Annotator}, fault.Invalid},
		{"lead of another project", stranger.ID, account.NewAccount{Email: "new@example.org", Name: "N",
			Role: account.Annotator}, fault.NotFound},
	} {
		if token, err := env.AddMember(t.Context(), c.actorID, p, c.input); fault.KindOf(err) != c.want || token != "" {
			t.Errorf("%s: token %q, error %v", c.name, token, err)
		}
	}
	env.checkCount(3, `accounts`)
	env.checkCount(1, `members WHERE account_id = $1`, lead.ID)
}

// A lead who is a member as lead has the rights of one only with the role lead.
func TestAddMember_AnnotatorAsLead_LeadsNothing(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	annotator := env.newUser("ann@example.org", account.Annotator)
	env.addMember(lead, p, annotator.Email, account.Lead)
	if _, err := env.Project(t.Context(), annotator, p.Key); fault.KindOf(err) != fault.NotFound {
		t.Errorf("error %v, want not found", err)
	}
}

// Leads see the name of a member from the first item that the member finishes.
func TestMembers_AfterFirstLabel_AreIdentified(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	env.addItems(p, 0, 2)
	annotator := env.newUser("ann@example.org", account.Annotator)
	env.addMember(lead, p, annotator.Email, account.Annotator)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: []string{annotator.Email}, Overlap: 1})
	// an admin opened the batch
	env.execSQL(`UPDATE members SET is_identified = false WHERE account_id = $1`, annotator.ID)
	if name := env.memberName(p, annotator); name != annotator.Email {
		t.Errorf("the name is %q, want the address", name)
	}
	env.submitItem(annotator)
	if name := env.memberName(p, annotator); name != annotator.Name {
		t.Errorf("the name is %q, want %q", name, annotator.Name)
	}
}

// A lead cannot find out who has an account by choosing annotators.
func TestOpenBatch_Lead_ChoosesMembersOnly(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	env.addItems(p, 0, 2)
	existing, removed := env.newUser("known@example.org", account.Annotator), env.newUser("removed@example.org",
		account.Annotator)
	env.addMember(lead, p, removed.Email, account.Annotator)
	env.mustRemove(p, removed)
	for _, email := range []string{existing.Email, removed.Email, "unknown@example.org"} {
		spec := project.BatchSpec{Name: "one", Annotators: []string{email}, Overlap: 1}
		want := "“" + email + "” is not a member of this project. Add the address on the Members page first."
		if _, _, err := env.PreviewBatch(t.Context(), lead.ID, p, spec); err == nil || err.Error() != want {
			t.Errorf("preview: %v, want %s", err, want)
		}
		if _, err := env.OpenBatch(t.Context(), lead.ID, p, spec); err == nil || err.Error() != want {
			t.Errorf("open: %v, want %s", err, want)
		}
	}
	env.checkCount(0, `batches`)
	// an admin may choose any user
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: []string{existing.Email}, Overlap: 1})
}

func (env testEnv) newLeadProject(key string) (account.Account, project.Project) {
	env.t.Helper()
	lead := env.newUser("lead-of-"+key+"@example.org", account.Lead)
	p, err := env.CreateProject(env.t.Context(), lead, project.Spec{Key: key, Title: "Project " + key,
		Protocol: "rag-generation", Instructions: "Cite as [1]."})
	if err != nil {
		env.t.Fatal(err)
	}
	return lead, p
}

// addMember adds an address to a project and returns the token of the invitation.
func (env testEnv) addMember(actor account.Account, p project.Project, email string, role account.Role) (token string) {
	env.t.Helper()
	token, err := env.AddMember(env.t.Context(), actor.ID, p, account.NewAccount{Email: email, Name: "New user",
		Role: role})
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// addLead makes an account with the role lead a lead of a project.
func (env testEnv) addLead(p project.Project, a account.Account) {
	env.t.Helper()
	env.addMember(env.admin, p, a.Email, account.Lead)
}

// memberName returns the name by which leads know a member.
func (env testEnv) memberName(p project.Project, a account.Account) string {
	env.t.Helper()
	return query[string](env, `SELECT name FROM identity.member_names WHERE project_id = $1
		AND account_id = $2`, p.ID, a.ID)
}
