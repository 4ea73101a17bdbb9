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
	if err != nil || len(all) < 3 || all[0].Action != "project.import_items" || all[0].ActorName != env.admin.Name {
		t.Fatalf("entries = %+v, %v", all, err)
	}
	older, err := env.AuditLog(t.Context(), "", all[0].ID, 1)
	if err != nil || len(older) != 1 || older[0].ID != all[1].ID {
		t.Errorf("older entries = %+v, %v", older, err)
	}
	filtered, err := env.AuditLog(t.Context(), "project.create", 0, 100)
	if err != nil || len(filtered) != 1 || filtered[0].Subject != "project one" {
		t.Errorf("filtered entries = %+v, %v", filtered, err)
	}
}

func TestAuditLog_ExportsAndSignIns(t *testing.T) {
	env := newTestEnv(t)
	env.exportFiles(env.newProject("one", 1), ExportOptions{Shape: dataset.Wide, Format: dataset.CSV, Blinded: true})
	exports, err := env.AuditLog(t.Context(), "project.export", 0, 10)
	if err != nil || len(exports) != 1 || exports[0].ActorName != env.admin.Name || exports[0].Subject != "project one" || exports[0].Detail["blinded"] != true {
		t.Errorf("exports = %+v, %v", exports, err)
	}
	hash, err := account.HashPassword(t.Context(), "", "a quiet morning tram", account.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := env.SetPassword(t.Context(), 0, env.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"admin@example.org", "a quiet morning tram"}, {"admin@example.org", "a loud one"}, {"canary@example.org", "a quiet morning tram"}} {
		_, _ = env.SignIn(t.Context(), account.Credentials{Email: c[0], Password: c[1]})
	}
	signIns, err := env.AuditLog(t.Context(), "account.sign_in", 0, 10)
	if err != nil || len(signIns) != 1 || signIns[0].ActorName != env.admin.Name {
		t.Errorf("sign-ins = %+v, %v", signIns, err)
	}
	failed, err := env.AuditLog(t.Context(), "account.sign_in_failed", 0, 10)
	if err != nil || len(failed) != 2 || failed[0].Subject != "" || failed[1].Subject != accountSubject(env.admin.ID) {
		t.Errorf("failed sign-ins = %+v, %v", failed, err)
	}
	env.checkCount(0, `audit_log WHERE audit_log::text LIKE '%canary%' OR audit_log::text LIKE '%loud%'`)
}

// Password guessing does not flood the audit log: within 15 minutes there is one entry
// for each account, and one for all unknown addresses.
func TestAuditLog_Guesses_Throttled(t *testing.T) {
	env := newTestEnv(t)
	for n := range 20 {
		for _, email := range []string{"admin@example.org", fmt.Sprintf("unknown%d@example.org", n)} {
			_, _ = env.SignIn(t.Context(), account.Credentials{Email: email, Password: "a loud one"})
		}
	}
	env.checkCount(2, `audit_log WHERE action = 'account.sign_in_failed'`)
}

var recordedAction = regexp.MustCompile(`\b(?:recordAudit\(ctx, [\w.]+, [\w.]+, |record\(ctx, |endBatch\([\w., ]+, )"([^"]+)"|INSERT INTO audit_log \([a-z, _]+\)\s+SELECT '([a-z._]+)'`)

func TestAuditActions_MatchSource(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range recordedAction.FindAllSubmatch(text, -1) {
			action := string(match[1]) + string(match[2])
			recorded[action] = true
			if !slices.Contains(AuditActions, action) {
				t.Errorf("%s records %q, which is not in AuditActions", file, action)
			}
		}
	}
	for _, action := range AuditActions {
		if !recorded[action] {
			t.Errorf("no code records %q", action)
		}
	}
}
