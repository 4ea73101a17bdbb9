package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

const repliesCSV = "id,user_statement,response,system\n" +
	"r1,I lost my keys.,That is annoying. Did you check the freezer?,alpha\n" +
	"r2,\"Nobody came,\nagain.\",\"=SUM(1,2)\",beta\n" +
	"r3,صباح ثقيل,أسمعك,alpha\n"

func TestCommands_FirstProject_Works(t *testing.T) {
	env := newTestEnv(t)
	env.checkContains(env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead"),
		"lena@example.org", "http://127.0.0.1:8080/invitations/", "72 hours",
		"If the site has another address, replace http://127.0.0.1:8080 with it.")
	env.checkContains(env.mustRun("user", "add", "--email", "lou@example.org", "--name", "Lou", "--role", "lead",
		"--base-url", "https://labels.example.org/"), "\n  https://labels.example.org/invitations/")
	for _, email := range []string{"anna@example.org", "ben@example.org"} {
		env.mustRun("user", "add", "--email", email, "--name", email, "--role", "annotator")
	}
	env.checkContains(env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy",
		"--lead", "lena@example.org"), "pilot", "labelwright import", "support link https://findahelpline.com/")
	items := env.writeFile("replies.csv", repliesCSV)
	env.checkContains(env.mustRun("import", "--project", "pilot", items), "Imported 3 items into pilot")
	env.checkContains(env.mustRun("import", "--project", "pilot", items), "is already imported", "Nothing was added")
	more := env.writeFile("more.csv", "id,user_statement,response\nr4,a,b\nr2,c,d\n")
	env.checkContains(env.mustFail("import", "--project", "pilot", more),
		"more.csv:3:id: The project already has an item with the id “r2”.", "Nothing was imported")
	open := []string{"batch", "open", "--project", "pilot", "--batch", "first", "--annotators",
		"anna@example.org,ben@example.org", "--overlap", "2", "--duplicates", "0", "--calibration", "0",
		"--fewer-calibration", "A test."}
	env.mustRun("project", "settings", "--project", "pilot", "--support-url", "")
	env.checkContains(env.mustFail(append(open, "--plan")...), "content warning but no support link")
	env.checkContains(env.mustFail(open...), "content warning but no support link",
		"labelwright project settings --project pilot --support-url URL")
	env.mustRun("project", "settings", "--project", "pilot", "--support-url", "https://support.example/")
	withoutReason := slices.Clone(open[:len(open)-2])
	env.checkContains(env.mustRun(append(withoutReason, "--plan")...), "cannot be opened yet", "--fewer-calibration")
	env.checkContains(env.mustRun(append(open, "--plan")...), "3 items", "6 labels", "Nothing was opened")
	env.checkContains(env.mustRun(open...), "Opened batch first: 3 items, 2 annotators, overlap 2, seed")
	env.checkContains(env.mustFail("project", "settings", "--project", "pilot", "--support-url", ""),
		"an open batch, so annotators need a support link")
	env.checkContains(env.mustFail(open...), "There are no unassigned items")
	env.submitLabel("anna@example.org")
	env.checkContains(env.mustRun("batch", "show", "--project", "pilot", "--batch", "first"), "1 of 6 labels",
		"anna@example.org")
	env.checkExport()
}

// submitLabel submits one label of an annotator.
func (env testEnv) submitLabel(email string) {
	env.Helper()
	db := env.openDB()
	a, err := db.AccountByEmail(env.Context(), email)
	if err != nil {
		env.Fatal(err)
	}
	token, err := db.OpenNext(env.Context(), a.ID, 0)
	if err != nil {
		env.Fatal(err)
	}
	answers := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3,
		"overall": 3}}
	if _, err := db.Submit(env.Context(), a.ID, token, labeling.Submission{Answers: answers}); err != nil {
		env.Fatal(err)
	}
}

// acknowledgeReading has all annotators read what they must read before an item.
const acknowledgeReading = `
	WITH added AS (
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT DISTINCT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id
		ON CONFLICT DO NOTHING
		RETURNING 1)
	SELECT count(*) FROM added`

func (env testEnv) checkExport() {
	env.Helper()
	out := filepath.Join(env.dir, "dataset")
	env.checkContains(env.mustRun("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide"),
		"1 annotation")
	var row map[string]any
	env.readJSON(filepath.Join(out, "annotations.jsonl"), &row)
	if row["emotion"] != 3.0 || row["rule_ok"] != 1.0 && row["rule_ok"] != true || row["meta.system"] == nil {
		env.Errorf("exported %v", row)
	}
	var m dataset.Manifest
	env.readJSON(filepath.Join(out, "manifest.json"), &m)
	if len(m.Files) == 0 || m.Files[0].Name != "annotations.jsonl" || m.Files[0].Annotations != 1 ||
		m.Files[0].RuleViolations != 0 || m.Protocol != "empathy v1.1" {
		env.Errorf("manifest %+v", m)
	}
	printed := env.mustRun("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide",
		"--blinded", "--print-manifest")
	if stored := env.readFile(filepath.Join(out, "manifest.json")); strings.TrimSpace(
		printed) != strings.TrimSpace(stored) {
		env.Errorf("printed manifest %s, stored %s", printed, stored)
	}
	row = nil
	env.readJSON(filepath.Join(out, "annotations.jsonl"), &row)
	if _, hasMeta := row["meta.system"]; hasMeta {
		env.Error("a blinded export contains the condition")
	}
}

func (env testEnv) readJSON(path string, target any) {
	env.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		env.Fatal(err)
	}
	if err := json.Unmarshal(content, target); err != nil {
		env.Fatalf("%s: %v", path, err)
	}
}

func TestImport_BadFile_StoresNothing(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	bad := env.writeFile("bad.csv", repliesCSV+"r3,twice,the same id,alpha\nr5,,nothing asked,beta\n")
	env.checkContains(env.mustFail("import", "--project", "pilot", bad), "bad.csv:6:id:", "bad.csv:7:user_statement:",
		"2 errors", "Nothing was imported")
	env.checkContains(env.mustRun("project", "list"), "pilot", " 0 ")
	env.checkContains(env.mustFail("import", "--project", "nowhere", bad), "nowhere")
	env.checkContains(env.mustFail("import", "--project", "pilot", filepath.Join(env.dir, "missing.csv")),
		"missing.csv")
}

// The file for rows with errors is there only after an import that left rows out.
func TestImport_SkipInvalid_KeepsFileWithRowsOnly(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	kept := filepath.Join(env.dir, "kept.jsonl")
	run := func(file string, flags ...string) (code int, exists bool) {
		args := append([]string{"--database-url", env.databaseURL, "import", "--project", "pilot", "--skip-invalid",
			kept, file}, flags...)
		code, _, _ = runCommand(t, "", args...)
		_, err := os.Stat(kept)
		return code, err == nil
	}
	good := env.writeFile("good.csv", repliesCSV)
	for name, c := range map[string]struct {
		file   string
		flags  []string
		code   int
		exists bool
	}{
		"a wrong option": {good, []string{"--records", "rows"}, exitUsage, false},
		"a refused file": {env.writeFile("cut.csv", "id,user_statement,response\n1,\"s,r\n"), nil, exitFailed, false},
	} {
		if code, exists := run(c.file, c.flags...); code != c.code || exists != c.exists {
			t.Errorf("%s: exit %d, file is there: %v", name, code, exists)
		}
	}
	if code, exists := run(good); code != exitOK || exists {
		t.Errorf("no row has errors: exit %d, file is there: %v", code, exists)
	}
	if code, exists := run(env.writeFile("bad.csv", "id,user_statement,response\n9,s,r\n10,,r\n")); code != exitOK ||
		!exists {
		t.Errorf("a row has errors: exit %d, file is there: %v", code, exists)
	}
}

// The program that wrote a file is named, or the paths of its columns are given.
// Items that may be in a project twice are named.
func TestImport_SameTextsAndDecomposedIDs_Named(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	header := "id,user_statement,response\n"
	first := env.mustRun("import", "--project", "pilot", env.writeFile("a.csv",
		header+"\u00c51,Why?,So.\n2,How?,Thus.\n"))
	if strings.Contains(first, "Note:") {
		t.Errorf("nothing is remarkable: %s", first)
	}
	env.checkContains(env.mustRun("import", "--project", "pilot",
		env.writeFile("b.csv", header+"A\u030a1,Why?,So.\n3,How?,Thus.\n4,When?,Now.\n")), "Imported 3 items",
		"2 items have the same texts as items that were here", "1 item has letters that are written as several characters")
}

func TestImport_OtherPrograms_Read(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	spans := filepath.Join("..", "..", "internal", "importer", "testdata", "presets", "otel-genai.json")
	code, out, errs := runCommand(t, "", "--database-url", env.databaseURL, "import", "--project", "pilot", "--preset",
		"otel", spans)
	if code != 0 || !strings.Contains(out, "Imported 3 items") ||
		!strings.Contains(out, "Left out: spans without a message of a model (6).") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	const record = `{"in":[{"text":"I lost my keys."}],"out":{"text":"That is annoying."},"model":"alpha"}`
	mapping := []string{"--database-url", env.databaseURL, "import", "--project", "pilot", "--map",
		"user_statement=in[0].text,response=out.text", "--map"}
	if code, out, errs := runCommand(t, record, append(mapping, "meta.model=model", "-")...); code != 0 ||
		!strings.Contains(out, "Imported 1 item into pilot") {
		t.Errorf("from standard input: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := runCommand(t, record, append(mapping, "model", "-")...); code != exitUsage ||
		!strings.Contains(errs, "“model” is not a mapping") {
		t.Errorf("a wrong mapping: exit %d\n%s", code, errs)
	}
	env.checkContains(env.mustRun("project", "list"), "pilot", " 4 ")
}

const toneProtocol = `protocol: tone
version: 1
title: Tone
summary: Is a reply polite?
unit:
  noun: a reply
  parts:
    - {key: reply, title: The reply, judged: yes}
fields:
  - key: polite
    title: Politeness
    question: Is the reply polite?
    scale:
      0: {label: No, anchor: It is rude.}
      1: {label: Yes, anchor: It is polite.}
observations:
  - {key: swears, title: It swears, subject: the reply, guidance: Swearing is not polite.}
rules:
  - id: swearing_is_rude
    when: {swears: ticked}
    then: {polite: 0}
    message: A reply that swears is not polite.
plan: {calibration: 0, duplicates: 0, break every: 30, break minutes: 5, pace: 10..20, target: 0.4}
`

// The definition of a built-in protocol needs no database, and makes none.
func TestProtocolShow_Builtin_MakesNoDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	code, out, err := runCommand(t, "", "--data-dir", dir, "protocol", "show", "empathy@1")
	if code != exitOK || !strings.Contains(out, "protocol: empathy") {
		t.Errorf("exit %d: %s%s", code, out, err)
	}
	if code, _, err := runCommand(t, "", "--data-dir", dir, "protocol", "show", "none"); code != exitFailed ||
		!strings.Contains(err, "there is no database") {
		t.Errorf("exit %d: %s", code, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the data folder exists: %v", err)
	}
}

func TestProtocolPublish_New_IsUsable(t *testing.T) {
	env := newTestEnv(t)
	db := env.openDB() // connected before the protocol exists, like a running server
	path := env.writeFile("tone.yaml", toneProtocol)
	if code, out, _ := runCommand(t, "", "protocol", "validate", path); code != exitOK ||
		!strings.Contains(out, "tone v1.0 is valid") {
		t.Errorf("exit %d: %s", code, out)
	}
	env.checkContains(env.mustRun("protocol", "publish", path), "Published tone v1.0")
	env.mustRun("protocol", "publish", path) // publishing it again changes nothing
	env.checkContains(env.mustRun("protocol", "list"), "tone@1", "empathy@1")
	if got := env.mustRun("protocol", "show", "tone"); got != toneProtocol {
		t.Errorf("got %q", got)
	}
	env.checkContains(env.mustFail("protocol", "publish", env.writeFile("other.yaml", strings.Replace(toneProtocol,
		"polite: 0}", "polite: 1}", 1))), "cannot change")
	env.mustRun("project", "create", "--key", "tone", "--title", "Tone", "--protocol", "tone@1")
	env.mustRun("import", "--project", "tone", env.writeFile("tone.csv", "reply\nThank you.\n"))
	env.mustRun("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	env.mustRun("batch", "open", "--project", "tone", "--batch", "b", "--annotators", "anna@example.org", "--overlap",
		"1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	useRevision := []string{"batch", "use-revision", "--project", "tone", "--batch", "b"}
	env.checkContains(env.mustRun(useRevision...), "uses revision 0 of the protocol. There is no later one")
	env.mustRun("protocol", "publish", env.writeFile("revision.yaml", strings.Replace(strings.Replace(toneProtocol,
		"version: 1", "version: 1\nrevision: 1", 1), "title: Tone", "title: Tones", 1)))
	env.checkContains(env.mustRun(useRevision...), "uses revision 0", "- Tone\n+ Tones", "Nothing changed yet",
		"--accept 1")
	env.checkContains(env.mustFail(append(useRevision, "--accept", "2")...),
		"Revision 2 of this protocol is not published")
	env.checkContains(env.mustRun(append(useRevision, "--accept", "1")...), "The batch b uses revision 1")
	env.checkContains(env.mustFail(append(useRevision, "--accept", "1")...), "already uses revision 1")
	a, err := db.AccountByEmail(t.Context(), "anna@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.OpenNext(t.Context(), a.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	broken := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"polite": 1},
		Observations: []string{"swears"}}}
	if _, err := db.Submit(t.Context(), a.ID, token, broken); err == nil {
		t.Error("a label that breaks a rule of the new protocol was accepted")
	}
	valid := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"polite": 0},
		Observations: []string{"swears"}}}
	if _, err := db.Submit(t.Context(), a.ID, token, valid); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(env.dir, "dataset")
	env.mustRun("export", "--project", "tone", "--out", out, "--format", "jsonl", "--shape", "wide")
	var row map[string]any
	env.readJSON(filepath.Join(out, "annotations.jsonl"), &row)
	if row["polite"] != 0.0 || row["obs.swears"] != 1.0 {
		t.Errorf("exported %v", row)
	}
}

func TestProtocolValidate_Invalid_NamesLine(t *testing.T) {
	t.Parallel()
	code, _, err := runCommand(t, strings.Replace(toneProtocol, "swears: ticked", "swear: ticked", 1), "protocol",
		"validate", "-")
	if code != exitFailed || !strings.HasPrefix(err, "standard input:20: “swear”") {
		t.Errorf("exit %d: %s", code, err)
	}
}

func TestUserAdd_PasswordStdin_Works(t *testing.T) {
	env := newTestEnv(t)
	add := []string{"--database-url", env.databaseURL, "user", "add", "--email", "ada@example.org", "--name", "Ada",
		"--role", "admin", "--password-stdin"}
	if code, _, err := runCommand(t, "short\n", add...); code != exitUsage || !strings.Contains(err, "12 characters") {
		t.Errorf("exit %d: %s", code, err)
	}
	if code, out, err := runCommand(t, "a quiet morning tram\n", add...); code != exitOK || out != "" {
		t.Fatalf("exit %d: %s", code, err)
	}
	if a, err := env.openDB().SignIn(t.Context(), account.Credentials{Email: "ADA@example.org",
		Password: "a quiet morning tram"}); err != nil || a.Role != account.Admin {
		t.Errorf("%+v, %v", a, err)
	}
}
