package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestUpload_NotOwn_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.newUser("lead@example.org", account.Lead)
	first, err := env.StageUpload(t.Context(), lead.ID, p.ID, "a.csv", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := env.StageUpload(t.Context(), lead.ID, p.ID, "b.csv", []byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := env.Upload(t.Context(), lead.ID, p.ID, token)
	if err != nil || u.File.Name != "b.csv" || string(u.Content) != "second" {
		t.Errorf("got %+v, %v", u.File, err)
	}
	for what, attempt := range map[string]func() (Upload, error){
		"the file it took the place of": func() (Upload, error) { return env.Upload(t.Context(), lead.ID, p.ID, first) },
		"somebody else":                 func() (Upload, error) { return env.Upload(t.Context(), env.admin.ID, p.ID, token) },
		"another project":               func() (Upload, error) { return env.Upload(t.Context(), lead.ID, other.ID, token) },
	} {
		if _, err := attempt(); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestUpload_Expired_Deleted(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("one", 0)
	token, err := env.StageUpload(t.Context(), env.admin.ID, p.ID, "a.csv", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	setAge := func(hours int) {
		if _, err := env.pool.Exec(t.Context(), `UPDATE uploads SET at = now() - make_interval(hours => $1)`, hours); err != nil {
			t.Fatal(err)
		}
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	setAge(23)
	if _, err := env.Upload(t.Context(), env.admin.ID, p.ID, token); err != nil {
		t.Errorf("after 23 hours: %v", err)
	}
	setAge(25)
	if n := env.queryInt(`SELECT count(*) FROM uploads`); n != 0 {
		t.Errorf("%d files after 25 hours", n)
	}
}

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
	if err := env.AddLead(t.Context(), env.admin.ID, p, lead.ID); err != nil {
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

func TestItemLines_Search_ByProject(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 12), env.newProject("two", 3)
	lines, err := env.ItemSummaries(t.Context(), p.ID, "ITEM-1", 0, 50)
	if err != nil || len(lines) != 4 { // 1, 10, 11, 12
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if escaped, err := env.ItemSummaries(t.Context(), p.ID, "item_", 0, 50); err != nil || len(escaped) != 0 {
		t.Errorf("an underscore means itself: %d lines, %v", len(escaped), err)
	}
	page, err := env.ItemSummaries(t.Context(), p.ID, "", lines[1].ID, 2)
	if err != nil || len(page) != 2 || page[0].SourceID != "item-11" {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := env.Item(t.Context(), other.ID, lines[0].ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item of another project: %v", err)
	}
	if item, err := env.Item(t.Context(), p.ID, lines[0].ID); err != nil || item.SourceID != "item-1" || item.Content["query"].Text != "Question 1?" {
		t.Errorf("%+v, %v", item, err)
	}
	if unassigned, references, err := env.CountAvailable(t.Context(), p.ID); err != nil || unassigned != 12 || references != 0 {
		t.Errorf("%d free, %d references, %v", unassigned, references, err)
	}
}

func TestAuditLog_Paged_NewestFirst(t *testing.T) {
	env := newTestEnv(t)
	env.newProject("one", 2)
	all, err := env.AuditLog(t.Context(), "", 0, 100)
	if err != nil || len(all) < 3 || all[0].Action != "project.import" || all[0].ActorName != env.admin.Name {
		t.Fatalf("%+v, %v", all, err)
	}
	older, err := env.AuditLog(t.Context(), "", all[0].ID, 1)
	if err != nil || len(older) != 1 || older[0].ID != all[1].ID {
		t.Errorf("%+v, %v", older, err)
	}
	filtered, err := env.AuditLog(t.Context(), "project.create", 0, 100)
	if err != nil || len(filtered) != 1 || filtered[0].Subject != "project one" {
		t.Errorf("%+v, %v", filtered, err)
	}
}

func TestAuditLog_Actions_AreListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	auditCall := regexp.MustCompile(`\baudit\(ctx, [\w.]+, [\w.]+, "([^"]+)"|INSERT INTO audit \([a-z, ]+\)\s+SELECT '([a-z._]+)'`)
	recorded := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range auditCall.FindAllSubmatch(text, -1) {
			action := string(found[1]) + string(found[2])
			recorded[action] = true
			if !slices.Contains(AuditActions, action) {
				t.Errorf("%s records %q, which Actions does not list", file, action)
			}
		}
	}
	for _, action := range AuditActions {
		if !recorded[action] {
			t.Errorf("nothing records %q", action)
		}
	}
}
