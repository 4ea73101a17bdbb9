package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// The methods themselves decide who may manage users, for pages and for commands that act as a
// user.
func TestAccounts_ByRole_OnlyAdminsManage(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	lead, annotator, former := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org",
		account.Annotator), env.newUser("former@example.org", account.Admin)
	if err := env.UpdateAccount(ctx, env.admin.ID, former.ID, account.Admin, true); err != nil {
		t.Fatal(err)
	}
	subject := env.newUser("subject@example.org", account.Lead)
	changes := map[string]func(actorID account.ID) error{
		"list": func(actorID account.ID) error { _, err := env.Accounts(ctx, actorID); return err },
		"update": func(actorID account.ID) error {
			return env.UpdateAccount(ctx, actorID, subject.ID, account.Lead, false)
		},
		"invite": func(actorID account.ID) error { _, err := env.Invite(ctx, actorID, subject.ID); return err },
		"tokens": func(actorID account.ID) error { _, err := env.APITokens(ctx, actorID, subject.ID); return err },
		"inbox":  func(actorID account.ID) error { _, err := env.Inbox(ctx, actorID, subject); return err },
		"create": func(actorID account.ID) error {
			_, err := env.CreateAccount(ctx, actorID, account.NewAccount{Email: account.NewToken() + "@example.org",
				Name: "New", Role: account.Annotator}, "")
			return err
		},
		"create several": func(actorID account.ID) error {
			_, err := env.CreateAccounts(ctx, actorID, []account.NewAccount{{Email: account.NewToken() + "@example.org",
				Name: "New", Role: account.Annotator}})
			return err
		},
	}
	for name, change := range changes {
		for _, actorID := range []account.ID{lead.ID, annotator.ID, former.ID, 999} {
			if err := change(actorID); fault.KindOf(err) != fault.Forbidden {
				t.Errorf("%s by account %d: %v", name, actorID, err)
			}
		}
		for _, actorID := range []account.ID{env.admin.ID, 0} {
			if err := change(actorID); err != nil {
				t.Errorf("%s by account %d: %v", name, actorID, err)
			}
		}
	}
	for actor, want := range map[account.ID]fault.Kind{annotator.ID: fault.Forbidden, former.ID: fault.Forbidden,
		lead.ID: ""} {
		if err := env.Publish(ctx, actor, readCopy(t, "0")); (err != nil) != (want != "") || err != nil &&
			fault.KindOf(err) != want {
			t.Errorf("publish by account %d: %v", actor, err)
		}
	}
	if _, err := env.APITokens(ctx, subject.ID, subject.ID); err != nil {
		t.Error(err)
	}
	if _, err := env.Invite(ctx, env.admin.ID, former.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("invitation of a disabled account: %v", err)
	}
}

// The last admin keeps the role. Where there is none, other accounts can still be changed.
func TestUpdateAccount_LastAdmin_Refused(t *testing.T) {
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	for _, change := range []struct {
		role     account.Role
		disabled bool
	}{{account.Lead, false}, {account.Admin, true}} {
		if err := env.UpdateAccount(t.Context(), 0, env.admin.ID, change.role, change.disabled); fault.KindOf(
			err) != fault.Conflict {
			t.Errorf("%+v: %v", change, err)
		}
	}
	env.execSQL(`UPDATE accounts SET role = 'lead' WHERE id = $1`, env.admin.ID)
	if err := env.UpdateAccount(t.Context(), 0, ann.ID, account.Lead, false); err != nil {
		t.Error(err)
	}
	if err := env.UpdateAccount(t.Context(), 0, ann.ID, account.Admin, false); err != nil {
		t.Error(err)
	}
}
