package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAuditLog_Paged_NewestFirst(t *testing.T) {
	env := newTestEnv(t)
	env.newProject("one", 2)
	all, err := env.AuditLog(t.Context(), audit.Filter{}, 0, 100)
	if err != nil || len(all) < 3 || all[0].Action != "project.import_items" || all[0].ActorName(locale.English) != env.admin.Name {
		t.Fatalf("entries = %+v, %v", all, err)
	}
	older, err := env.AuditLog(t.Context(), audit.Filter{}, all[0].ID, 1)
	if err != nil || len(older) != 1 || older[0].ID != all[1].ID {
		t.Errorf("older entries = %+v, %v", older, err)
	}
	filtered, err := env.AuditLog(t.Context(), audit.Filter{Action: "project.create"}, 0, 100)
	if err != nil || len(filtered) != 1 || filtered[0].Subject != "project one" {
		t.Errorf("filtered entries = %+v, %v", filtered, err)
	}
}

func TestAuditLog_ExportsAndSignIns(t *testing.T) {
	env := newTestEnv(t)
	env.exportFiles(env.newProject("one", 1), ExportOptions{Shape: dataset.Wide, Format: dataset.CSV, Blinded: true})
	exports, err := env.AuditLog(t.Context(), audit.Filter{Action: "project.export"}, 0, 10)
	if err != nil || len(exports) != 1 || exports[0].ActorName(locale.English) != env.admin.Name ||
		exports[0].Subject != "project one" || exports[0].Detail["blinded"] != true {
		t.Errorf("exports = %+v, %v", exports, err)
	}
	hash, err := account.HashPassword(t.Context(), "", "a quiet morning tram", account.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := env.SetPassword(t.Context(), 0, env.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"admin@example.org", "a quiet morning tram"}, {"admin@example.org", "a loud one"},
		{"canary@example.org", "a quiet morning tram"}} {
		_, _ = env.SignIn(t.Context(), account.Credentials{Email: c[0], Password: c[1]})
	}
	signIns, err := env.AuditLog(t.Context(), audit.Filter{Action: "account.sign_in"}, 0, 10)
	if err != nil || len(signIns) != 1 || signIns[0].ActorName(locale.English) != env.admin.Name {
		t.Errorf("sign-ins = %+v, %v", signIns, err)
	}
	failed, err := env.AuditLog(t.Context(), audit.Filter{Action: "account.sign_in_failed"}, 0, 10)
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

var recordedAction = regexp.MustCompile(
	`\b(?:recordAudit\(ctx, [\w.]+, [\w.]+, |record\(ctx, |endBatch\([\w., ]+, |changeAccount\([\w., ]+, |changeWebhook\([\w., ]+, |recordBatchAction\([\w., ]+, )"([^"]+)"|INSERT INTO audit_log \([a-z, _]+\)\s+SELECT '([a-z._]+)'`)

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

func TestAuditActions_EachHasASentence(t *testing.T) {
	t.Parallel()
	for _, action := range AuditActions {
		if !audit.HasSentence(action) {
			t.Errorf("%q has no sentence in internal/audit/sentence.go", action)
		}
	}
}

func TestAuditLog_Filters_NewestFirst(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	lead := env.newUser("lead@example.org", account.Lead)
	one, err := env.CreateProject(ctx, lead, project.Spec{Key: "one", Title: "One", Protocol: "empathy"})
	if err != nil {
		t.Fatal(err)
	}
	two := env.newProject("two", 1)
	if err := env.RenameProject(ctx, lead.ID, one, "Uno"); err != nil {
		t.Fatal(err)
	}
	env.addMember(env.admin, one, "new@example.org", account.Annotator)
	read := func(f audit.Filter) (sentences []string) {
		t.Helper()
		entries, err := env.AuditLog(ctx, f, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			sentences = append(sentences, e.Sentence(locale.English))
		}
		return sentences
	}
	name := "Name of lead@example.org"
	checkEqual(t, read(audit.Filter{AccountID: lead.ID}), []string{
		name + " renamed one from “One” to “Uno”.", name + " created the project one with the protocol empathy."})
	checkEqual(t, read(audit.Filter{ProjectKey: "one"})[0],
		"Name of admin@example.org added New user to one as annotator.")
	checkEqual(t, read(audit.Filter{ProjectKey: "two", Action: "project.import_items"}),
		[]string{"Name of admin@example.org imported 1 item from items.jsonl into two."})
	checkEqual(t, len(read(audit.Filter{ProjectKey: "one", Until: time.Now().Add(-time.Hour)})), 0)
	checkEqual(t, len(read(audit.Filter{ProjectKey: "one", From: time.Now().Add(-time.Hour)})), 3)

	entries, err := env.ProjectAuditLog(ctx, lead.ID, one, audit.Filter{ProjectKey: "two"}, 0, 100)
	if err != nil || len(entries) != 3 {
		t.Fatalf("entries = %+v, %v", entries, err)
	}
	if got := entries[0].Sentence(locale.English); got != "An admin added New user to one as annotator." {
		t.Errorf("for a lead: %q", got)
	}
	_, err = env.ProjectAuditLog(ctx, lead.ID, two, audit.Filter{}, 0, 100)
	checkErrorIs(t, "another project", err, fault.NotFound)
	checkErrorIs(t, "all entries", env.ScanAuditLog(ctx, lead, project.Project{}, audit.Filter{}, nil), fault.NotFound)
	var scanned int
	if err := env.ScanAuditLog(ctx, env.admin, project.Project{}, audit.Filter{},
		func(audit.Entry) error { scanned++; return nil }); err != nil {
		t.Fatal(err)
	}
	env.checkCount(scanned, `audit_log`)
}

// Each filter finds its entries by an index, however many there are.
func TestAuditLog_Filters_UseIndexes(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	conn := env.connectAsLogin()
	mustExec(t, conn, `SET session_replication_role = replica`) // without the chain
	mustExec(t, conn, `
		INSERT INTO audit_log (created_at, account_id, action, subject)
		SELECT now() - make_interval(secs => n), CASE WHEN n % 7 > 0 THEN 1 END, 'a' || n % 20, 'project p' || n % 50
		FROM generate_series(1, 20000) n`)
	mustExec(t, conn, `ANALYZE audit_log`)
	f := audit.Filter{ProjectKey: "p1", AccountID: 1, Action: "a3", From: time.Now().Add(-2 * time.Hour),
		Until: time.Now().Add(-time.Hour)}
	for name, filter := range map[string]audit.Filter{
		"all": {}, "project": {ProjectKey: f.ProjectKey}, "person": {AccountID: f.AccountID},
		"action": {Action: f.Action}, "dates": {From: f.From, Until: f.Until},
		"project and action": {ProjectKey: f.ProjectKey, Action: f.Action},
		"project and person": {ProjectKey: f.ProjectKey, AccountID: f.AccountID},
		"person and action":  {AccountID: f.AccountID, Action: f.Action}, "everything": f,
	} {
		conditions, args := auditConditions(filter, 500)
		plan, err := collectColumn[string](env.pool.Query(t.Context(), `EXPLAIN SELECT l.id FROM audit_log l WHERE `+
			conditions+` ORDER BY l.created_at DESC, l.id DESC LIMIT 51`, args...))
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// An item is found in the log by its own id, also where an entry lists the numbers of several items.
func TestAuditLog_OfItem_HasItsEntries(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("one", 3)
	items, err := env.ItemSummaries(t.Context(), p.ID, "", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	both := project.ItemFilter{IDs: []project.ItemID{items[0].ID, items[1].ID}}
	if _, err := env.ArchiveItems(t.Context(), env.admin.ID, p, both, "off topic"); err != nil {
		t.Fatal(err)
	}
	if _, err := env.RestoreItems(t.Context(), env.admin.ID, p, project.ItemFilter{IDs: both.IDs[:1]}); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"project.restore_items", "project.archive_items"}, {"project.archive_items"},
		nil} {
		entries, err := env.ProjectAuditLog(t.Context(), env.admin.ID, p, audit.Filter{Item: items[i].SourceID}, 0, 10)
		var actions []string
		for _, e := range entries {
			actions = append(actions, e.Action)
		}
		if err != nil || !slices.Equal(actions, want) {
			t.Errorf("%s: %v, %v, want %v", items[i].SourceID, actions, err, want)
		}
	}
	if _, err := env.ProjectAuditLog(t.Context(), env.admin.ID, p, audit.Filter{Item: "none"}, 0,
		10); fault.KindOf(err) != fault.NotFound {
		t.Errorf("unknown item: %v", err)
	}
}

// An entry names only what changed.
func TestUpdateAccount_Disabled_NamesNoRole(t *testing.T) {
	env := newTestEnv(t)
	_, accounts := env.newAnnotators(2)
	isDisabled, lead := true, account.Lead
	for i, change := range []account.UserChange{{Disabled: &isDisabled, Role: &accounts[0].Role}, {Role: &lead}} {
		if err := env.ChangeAccount(t.Context(), env.admin.ID, accounts[i].ID, change); err != nil {
			t.Fatal(err)
		}
		entries, err := env.AuditLog(t.Context(), audit.Filter{Action: "account.update"}, 0, 1)
		want := []string{". It is disabled.", ". New role: lead."}[i]
		if err != nil || !strings.HasSuffix(entries[0].Sentence(locale.English), want) {
			t.Errorf("%+v, %v, want %q", entries, err, want)
		}
	}
}
