package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestAuditVerify_ChangedEntry_IsNamed(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")
	out := env.mustRun("audit", "verify")
	link := regexp.MustCompile(`Last link: (\d+:[0-9a-f]{64})\n`).FindStringSubmatch(out)
	if link == nil {
		t.Fatalf("no link in %q", out)
	}
	env.mustRun("user", "add", "--email", "ben@example.org", "--name", "Ben", "--role", "lead")
	env.mustRun("audit", "verify", "--link", link[1])
	env.checkContains(env.mustRun("audit", "list", "--from", "2026-01-01", "--until", "2999-12-31"), "created")
	if out := env.mustRun("audit", "list", "--until", "2026-01-01"); out != "" {
		t.Errorf("entries until 2026: %s", out)
	}
	env.checkContains(env.mustFail("audit", "verify", "--link", strings.Replace(link[1], ":", ":00", 1)[:len(link[1])]),
		"differs from the one that had link")
	if code, _, err := runCommand(t, "", "audit", "verify", "--link", "seventeen"); code != exitUsage ||
		!strings.Contains(err, "--link") {
		t.Errorf("exit %d: %s", code, err)
	}

	conn, err := pgx.Connect(t.Context(), env.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var id string
	err = conn.QueryRow(t.Context(), `SELECT id::text FROM audit_log WHERE action = 'account.create' ORDER BY id
		LIMIT 1`).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`SET session_replication_role = replica`, `UPDATE audit_log
		SET subject = 'account 99' WHERE id = ` + id} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	env.checkContains(env.mustFail("audit", "verify"), "Entry "+id+" of the audit log was changed")
}
