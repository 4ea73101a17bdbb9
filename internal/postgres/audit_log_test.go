package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
)

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

func TestAuditLog_ExportsAndSignIns(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("trail", 1)
	env.exportFiles(p, ExportOptions{Shape: dataset.Wide, Format: dataset.CSV, Blinded: true})
	entries, err := env.AuditLog(t.Context(), "project.export", 0, 10)
	if err != nil || len(entries) != 1 || entries[0].ActorName != "Name of admin@example.org" || entries[0].Subject != "project trail" || entries[0].Detail["sealed"] != true {
		t.Errorf("%+v, %v", entries, err)
	}
	hash, err := account.HashPassword(t.Context(), "a quiet morning tram")
	if err != nil {
		t.Fatal(err)
	}
	if err := env.SetPassword(t.Context(), 0, env.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	for _, credentials := range [][2]string{{"admin@example.org", "a quiet morning tram"}, {"admin@example.org", "a loud one"}, {"canary@example.org", "a quiet morning tram"}} {
		_, _ = env.SignIn(t.Context(), credentials[0], credentials[1], "")
	}
	if signIns, err := env.AuditLog(t.Context(), "account.sign_in", 0, 10); err != nil || len(signIns) != 1 || signIns[0].ActorName != "Name of admin@example.org" {
		t.Errorf("%+v, %v", signIns, err)
	}
	failed, err := env.AuditLog(t.Context(), "account.sign_in_failed", 0, 10)
	if err != nil || len(failed) != 2 || failed[0].Subject != "" || failed[1].Subject != accountSubject(env.admin.ID) {
		t.Errorf("%+v, %v", failed, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM audit WHERE audit::text LIKE '%canary%' OR audit::text LIKE '%loud%'`); n != 0 {
		t.Error("the trail keeps what was typed")
	}
}

// Who tries passwords by the thousand fills no trail: it tells of an account,
// and of all addresses that are nobody's together, once in a quarter of an hour.
func TestAuditLog_Guesses_Throttled(t *testing.T) {
	env := newTestEnv(t)
	for n := range 20 {
		for _, email := range []string{"admin@example.org", fmt.Sprintf("nobody%d@example.org", n)} {
			_, _ = env.SignIn(t.Context(), email, "a loud one", "")
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM audit WHERE action = 'account.sign_in_failed'`); n != 2 {
		t.Errorf("the trail has %d entries, want 2", n)
	}
}
