package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// findCanaries returns the columns of the database, and of its statistics, that have one of the canaries.
func (s *canaryStudy) findCanaries(t *testing.T, canaries ...string) (places []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `
		SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname IN ('public', 'identity', 'river')
		UNION ALL SELECT 'pg_stats'
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 60 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		var text bytes.Buffer
		if _, err := conn.PgConn().CopyTo(t.Context(), &text, `COPY (SELECT * FROM `+table+`) TO STDOUT`); err != nil {
			t.Fatal(err)
		}
		for _, canary := range canaries {
			if found := canaryPattern(canary).FindString(text.String()); found != "" {
				places = append(places, table+": "+found)
			}
		}
	}
	return places
}

// storeResponse stores a text as a response to a program.
func (s *canaryStudy) storeResponse(text string) {
	s.Helper()
	s.mustRun("user", "add", "--email", "tool@example.org", "--name", "Tool", "--role", "lead")
	s.mustRunQuietly("token", "create", "--account", "tool@example.org", "--name", "tool", "--scope", "read")
	s.execSQL(`INSERT INTO identity.api_requests (token_id, idempotency_key, fingerprint, response)
		SELECT max(id), 'k', '', convert_to('` + text + `', 'UTF8') FROM identity.api_tokens`)
}

// exportAll returns the files of an export with all texts and comments, and the report.
func (s *canaryStudy) exportAll(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	s.mustRun("export", "--project", "pilot", "--format", "csv", "--texts", "--comments", "--out", folder)
	text := s.mustRun("report", "--project", "pilot")
	for _, name := range []string{"annotations.csv", "items.csv", "adjudications.csv", "corrections.csv",
		"sessions.csv"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		text += string(content)
	}
	return text
}

// canaryPattern matches a text, also in a column of bytes.
func canaryPattern(canary string) *regexp.Regexp {
	var hex strings.Builder
	for _, b := range []byte(canary) {
		hex.WriteString(strings.ToLower(string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15])))
	}
	return regexp.MustCompile(`(?i)\S*` + regexp.QuoteMeta(canary) + `\S*|` + hex.String())
}

// What belongs to a user, and what they wrote, is in no table and no file after the user was erased. Labels, seals
// and the audit log stay as they were.
func TestUserErase_Canaries_AreNowhere(t *testing.T) {
	s := newCanaryStudy(t)
	s.work()
	const anna, lena = "canary-mail-anna@example.org", "canary-mail-lena@example.org"
	s.execSQL(`INSERT INTO identity.sign_ins (account_id, browser, client_address)
		SELECT account_id, 'canary-anna-browser', '198.51.100.7' FROM identity.users WHERE email = 'canary-mail-anna@example.org'`)
	s.mustRunQuietly("token", "create", "--account", lena, "--name", "canary-lena-token", "--scope", "read")
	s.mustRun("--as", lena, "batch", "reopen", "--project", "pilot", "--batch", "first", "--reason",
		"canary-lena-reason")
	s.mustRun("--as", lena, "announce", "--project", "pilot", "--batch", "first", "canary-lena-message")
	s.mustRun("--as", lena, "batch", "close", "--project", "pilot", "--batch", "first", "--reason",
		"canary-lena-reason")
	s.execSQL(`INSERT INTO item_notes (item_id, note, written_by) SELECT i.id, 'canary-lena-note', u.account_id
		FROM items i, identity.users u WHERE i.source_id = 'r1' AND u.email = 'canary-mail-lena@example.org'`)
	s.storeResponse("canary-lena-response")
	s.execSQL(`ANALYZE`)
	notes := regexp.MustCompile(`canary-comment of canary-mail-anna@example\.org|canary-lena-\w+`)
	before := notes.ReplaceAllString(s.exportAll(t), "[erased]")
	canaries := []string{"canary-mail-anna", "canary-mail-lena", "canary-comment of canary-mail-anna",
		"canary-anna-browser", "198.51.100.7", "canary-lena-token", "canary-lena-reason", "canary-lena-message",
		"canary-lena-note", "canary-lena-response"}
	for _, canary := range canaries {
		if s.findCanaries(t, canary) == nil {
			t.Fatalf("the study has no %q", canary)
		}
	}
	s.checkContains(s.mustRun("user", "export", anna), anna, "canary-comment of "+anna, "canary-anna-browser",
		"198.51.100.7", `item: "r1"`, "pseudonym")
	s.checkContains(s.mustRun("user", "export", lena), "canary-lena-token", "canary-lena-message", "canary-lena-reason",
		"canary-lena-note")
	s.checkContains(s.mustFail("user", "erase", anna), "--confirm")
	s.mustRun("user", "erase", anna, "--with-notes", "--confirm")
	s.mustRun("user", "erase", lena, "--with-notes", "--confirm")
	if places := s.findCanaries(t, canaries...); places != nil {
		t.Errorf("found %q", places)
	}
	s.checkContains(s.mustRun("audit", "verify"), "intact")
	if after := s.exportAll(t); after != before {
		t.Errorf("files and report are\n%s\nwant\n%s", after, before)
	}
	s.checkContains(s.mustRun("user", "list"), "Erased user", "disabled")
	s.checkContains(s.mustFail("user", "enable", "erased-1@erased.invalid"), "was erased")
	if lines := strings.Split(s.mustRun("audit", "list"), "\n"); !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Contains(l, "erased the personal data of Erased user 1 and what they wrote")
	}) {
		t.Errorf("audit log: %q", lines)
	}
}

// The texts and the metadata of an item, and what was written about it, are in no table and no file after the item
// was erased. The other items, all labels and seals stay as they were.
func TestItemErase_Canaries_AreNowhere(t *testing.T) {
	s := newCanaryStudy(t)
	s.work()
	s.mustRunQuietly("judge", "--project", "pilot", "--name", "bot", s.writeFile("judge.jsonl",
		`{"item": "r1", "emotion": 2, "validation": 2, "helpfulness": 2, "safety": 2, "overall": 2, "rationale": "canary-rationale"}`))
	s.mustRun("item", "archive", "--project", "pilot", "--all-matching", "--search", "onlyr1", "--reason",
		"canary-reason")
	s.mustRun("item", "tag", "--project", "pilot", "--add", "canary-tag", "r1")
	s.execSQL(`INSERT INTO item_notes (item_id, note) SELECT id, 'canary-item-note' FROM items WHERE source_id = 'r1'`)
	s.mustRun("project", "archive", "--project", "pilot", "--reason", "Done.")
	s.storeResponse("canary-response")
	s.execSQL(`ANALYZE`)
	canaries := []string{"Canary text of r1", "canary-tag", "canary-item-note",
		"onlyr1", "canary-contact-r1", "canary-rationale", "canary-reason", "canary-response"}
	for _, canary := range canaries {
		if s.findCanaries(t, canary) == nil {
			t.Fatalf("the study has no %q", canary)
		}
	}
	s.execSQL(`CREATE TABLE labels_before AS SELECT id, answers, submitted_at FROM annotations`)
	s.mustRun("item", "erase", "--project", "pilot", "--reason", "A request.", "--confirm", "r1")
	if places := s.findCanaries(t, canaries...); places != nil {
		t.Errorf("found %q", places)
	}
	s.checkContains(s.mustRun("audit", "verify"), "intact")
	files := s.exportAll(t)
	for _, canary := range canaries {
		if found := canaryPattern(canary).FindString(files); found != "" {
			t.Errorf("the export has %q", found)
		}
	}
	s.checkContains(files, "[erased]", "Canary text of r2", "onlyr2")
	if s.isTrue(`SELECT EXISTS (SELECT FROM (SELECT id, answers, submitted_at FROM annotations EXCEPT TABLE labels_before) c)`) {
		t.Error("labels changed")
	}
	s.checkContains(s.mustRun("item", "list", "--project", "pilot", "--state", "archived"), "[erased]")
}

// No text of an erased project is in any table or file, also after a restore of an earlier backup. Its labels, seals
// and the numbers of its report stay, without the comparison by metadata, and erasing it again changes nothing.
func TestProjectErase_Canaries_AreNowhere(t *testing.T) {
	s := newCanaryStudy(t)
	s.mustRun("project", "settings", "--project", "pilot", "--instructions", s.writeFile("rules.md",
		"canary-instructions"), "--dataset-description", "canary-description")
	s.work()
	s.mustRunQuietly("judge", "--project", "pilot", "--name", "bot", s.writeFile("judge.jsonl",
		`{"item": "r1", "emotion": 2, "validation": 2, "helpfulness": 2, "safety": 2, "overall": 2, "rationale": "canary-rationale"}`))
	s.mustRun("member", "end", "--project", "pilot", "canary-mail-ben@example.org", "--thank-you", "canary-thanks")
	erase := []string{"project", "erase", "--project", "pilot", "--reason", "The study ended.", "--confirm"}
	s.checkContains(s.mustFail(erase...), "Archive the project")
	s.mustRun("project", "archive", "--project", "pilot", "--reason", "canary-reason")
	s.storeResponse("canary-response")
	s.execSQL(`ANALYZE`)
	canaries := []string{"Canary text of", "onlyr1", "canary-contact-r1", "canary-condition", "canary-comment",
		"canary-instructions", "canary-description", "canary-rationale", "canary-thanks", "canary-reason",
		"replies.csv", "canary-response"}
	for _, canary := range canaries {
		if s.findCanaries(t, canary) == nil {
			t.Fatalf("the study has no %q", canary)
		}
	}
	byMetadata := regexp.MustCompile(`(?m)^  (contact|canary-contact).*\n`)
	report := byMetadata.ReplaceAllString(s.mustRun("report", "--project", "pilot"), "")
	early := filepath.Join(t.TempDir(), "early.backup")
	s.mustRun("backup", early)
	s.execSQL(`CREATE TABLE labels_before AS SELECT id, answers, submitted_at FROM annotations`)
	s.checkContains(s.mustFail(erase[:len(erase)-1]...), "--confirm")
	s.checkContains(s.mustRun(erase...), "those of 3 items")
	s.checkContains(s.mustRun(erase...), "erased already")
	checkErased := func() {
		t.Helper()
		if places := s.findCanaries(t, canaries...); places != nil {
			t.Errorf("found %q", places)
		}
		s.checkContains(s.mustRun("audit", "verify"), "intact")
		if s.isTrue(`SELECT count(*) <> 1 OR (SELECT count(*) <> 1 FROM audit_log WHERE action = 'project.erase') FROM erasures`) {
			t.Error("not one erasure was made and recorded")
		}
		if after := s.mustRun("report", "--project", "pilot"); after != report {
			t.Errorf("the report is\n%s\nwant\n%s", after, report)
		}
	}
	checkErased()
	if s.isTrue(`SELECT EXISTS (SELECT FROM (SELECT id, answers, submitted_at FROM annotations EXCEPT TABLE labels_before) c)`) {
		t.Error("labels changed")
	}
	s.mustRun("project", "settings", "--project", "pilot")
	s.checkContains(s.exportAll(t), "[erased]")
	s.execSQL(`DROP TABLE labels_before`)
	later := t.TempDir()
	s.mustRun("backup", filepath.Join(later, "later.backup"))
	s.databaseURL = pgtest.NewEmpty(t)
	s.checkContains(s.mustRun("restore", early), "erasures that the backup records (0)", "--erasures FILE")
	s.databaseURL = pgtest.NewEmpty(t)
	s.mustRun("restore", "--erasures", filepath.Join(later, erasuresName), early)
	checkErased()
	s.databaseURL = pgtest.NewEmpty(t)
	s.mustRun("restore", filepath.Join(later, "later.backup"))
	checkErased()
}

// A backup from before an erasure brings nothing back with the ledger. A damaged ledger restores nothing.
func TestRestore_ErasedSince_IsErasedAgain(t *testing.T) {
	s := newCanaryStudy(t)
	s.work()
	s.mustRun("user", "erase", "canary-mail-ben@example.org", "--with-notes", "--confirm")
	file := filepath.Join(s.dir, "old.backup")
	s.mustRun("backup", file)
	s.mustRun("user", "erase", "canary-mail-anna@example.org", "--with-notes", "--confirm")
	s.mustRun("item", "erase", "--project", "pilot", "--reason", "A request.", "--confirm", "r1")
	later := t.TempDir()
	s.mustRun("backup", filepath.Join(later, "new.backup"))
	ledger := filepath.Join(later, erasuresName)
	content, err := os.ReadFile(ledger)
	if err != nil || strings.Count(string(content), "\n") != 3 || strings.Contains(string(content), "anna") {
		t.Fatalf("ledger %q, %v", content, err)
	}
	canaries := []string{"canary-mail-anna", "canary-comment of canary-mail-anna", "Canary text of r1", "onlyr1",
		"canary-contact-r1"}
	original := s.databaseURL
	s.databaseURL = pgtest.NewEmpty(t)
	damaged := s.writeFile("damaged", string(content[:len(content)-9]))
	s.checkContains(s.mustFail("restore", "--erasures", damaged, file), "Line 3", "Nothing was restored")
	s.mustRun("restore", file) // the ledger next to it is the old one
	for _, canary := range canaries {
		if s.findCanaries(t, canary) == nil {
			t.Fatalf("the backup has no %q", canary)
		}
	}
	s.databaseURL = pgtest.NewEmpty(t)
	s.mustRun("restore", "--erasures", ledger, file)
	if places := s.findCanaries(t, canaries...); places != nil {
		t.Errorf("found %q", places)
	}
	s.checkContains(s.mustRun("audit", "verify"), "intact")
	if s.isTrue(`SELECT count(*) <> 3 OR (SELECT count(*) <> 3 FROM audit_log WHERE action LIKE '%.erase%') FROM erasures`) {
		t.Error("not every erasure was made once and recorded")
	}
	s.databaseURL = original
	if s.isTrue(`SELECT count(*) <> 3 FROM erasures`) {
		t.Error("the original changed")
	}
}
