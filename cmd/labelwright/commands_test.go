package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A commandTest is where commands are typed: a database of its own and a folder.
type commandTest struct {
	*testing.T
	databaseURL string
	dir         string
}

func newCommandTest(t *testing.T) commandTest {
	t.Helper()
	t.Parallel()
	return commandTest{t, pgtest.New(t), t.TempDir()}
}

// mustRun carries out a command line that has to succeed, and returns its words.
func (d commandTest) mustRun(args ...string) string {
	d.Helper()
	code, out, err := runCommand(d.T, "", append([]string{"--database-url", d.databaseURL, "--log", "warn"}, args...)...)
	if code != exitOK || err != "" {
		d.Fatalf("%s: exit %d: %s", strings.Join(args, " "), code, err)
	}
	return out
}

// mustFail carries out a command line that cannot be done, and returns why.
func (d commandTest) mustFail(args ...string) string {
	d.Helper()
	code, out, err := runCommand(d.T, "", append([]string{"--database-url", d.databaseURL, "--log", "warn"}, args...)...)
	if code != exitFailed || err == "" {
		d.Fatalf("%s: exit %d, %q, %q", strings.Join(args, " "), code, out, err)
	}
	return err
}

// writeFile writes a file to the desk.
func (d commandTest) writeFile(name, content string) string {
	d.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.Fatal(err)
	}
	return path
}

func (d commandTest) assertContains(text string, parts ...string) {
	d.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			d.Errorf("%q does not say %q", text, part)
		}
	}
}

func (d commandTest) openDB() *postgres.DB {
	d.Helper()
	db, err := postgres.Open(d.Context(), d.databaseURL)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(db.Close)
	return db
}

const repliesCSV = "id,user_statement,response,system\n" +
	"r1,I lost my keys.,That is annoying. Did you check the freezer?,alpha\n" +
	"r2,\"Nobody came,\nagain.\",\"=SUM(1,2)\",beta\n" +
	"r3,صباح ثقيل,أسمعك,alpha\n"

func TestCommands_FirstProject_Works(t *testing.T) {
	d := newCommandTest(t)
	d.assertContains(d.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead"), "lena@example.org", "http://127.0.0.1:8080/invitations/", "72 hours", "put that address in the place of http://127.0.0.1:8080")
	d.assertContains(d.mustRun("user", "add", "--email", "lou@example.org", "--name", "Lou", "--role", "lead", "--base-url", "https://labels.example.org/"), "\n  https://labels.example.org/invitations/")
	for _, email := range []string{"anna@example.org", "ben@example.org"} {
		d.mustRun("user", "add", "--email", email, "--name", email, "--role", "annotator")
	}
	d.assertContains(d.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead", "lena@example.org"), "pilot", "labelwright import", "support at https://findahelpline.com/")
	items := d.writeFile("replies.csv", repliesCSV)
	d.assertContains(d.mustRun("import", "--project", "pilot", items), "3 items imported")
	d.assertContains(d.mustRun("import", "--project", "pilot", items), "already", "Nothing was added")
	more := d.writeFile("more.csv", "id,user_statement,response\nr4,a,b\nr2,c,d\n")
	d.assertContains(d.mustFail("import", "--project", "pilot", more), "more.csv:3:id: The project has an item with the id “r2” already.", "Nothing was stored")
	open := []string{"batch", "open", "--project", "pilot", "--name", "first", "--annotators", "anna@example.org,ben@example.org", "--overlap", "2", "--duplicates", "0", "--calibration", "0"}
	d.mustRun("project", "session", "--project", "pilot", "--support", "")
	d.assertContains(d.mustFail(append(open, "--plan")...), "content warning but no support link")
	d.assertContains(d.mustFail(open...), "content warning but no support link", "labelwright project settings --project pilot --support-url URL")
	d.mustRun("project", "session", "--project", "pilot", "--support", "https://support.example/")
	d.assertContains(d.mustRun(append(open, "--plan")...), "3 items", "6 labels", "Nothing was opened")
	d.assertContains(d.mustRun(open...), "first is open", "3 items", "2 annotators", "seed")
	d.assertContains(d.mustFail("project", "session", "--project", "pilot", "--support", ""), "A batch is open")
	d.assertContains(d.mustFail(open...), "no items left")
	d.submitLabel("anna@example.org")
	d.assertContains(d.mustRun("batch", "list", "--project", "pilot"), "1 of 6 labels", "anna@example.org")
	d.checkExport()
}

// submitLabel gives one label in somebody's name.
func (d commandTest) submitLabel(email string) {
	d.Helper()
	db := d.openDB()
	a, err := db.AccountByEmail(d.Context(), email)
	if err != nil {
		d.Fatal(err)
	}
	token, err := db.OpenNext(d.Context(), a.ID, 0)
	if err != nil {
		d.Fatal(err)
	}
	answers := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}}
	if _, err := db.Submit(d.Context(), a.ID, token, labeling.Submission{Answers: answers}); err != nil {
		d.Fatal(err)
	}
}

func (d commandTest) checkExport() {
	d.Helper()
	out := filepath.Join(d.dir, "dataset")
	d.assertContains(d.mustRun("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide"), "1 annotation")
	var row map[string]any
	d.readJSON(filepath.Join(out, "annotations.jsonl"), &row)
	if row["emotion"] != 3.0 || row["rule_ok"] != 1.0 && row["rule_ok"] != true || row["meta.system"] == nil {
		d.Errorf("exported %v", row)
	}
	var m dataset.Manifest
	d.readJSON(filepath.Join(out, "manifest.json"), &m)
	if len(m.Files) != 1 || m.Files[0].Annotations != 1 || m.Files[0].RuleViolations != 0 || m.Protocol != "empathy v1.0" {
		d.Errorf("the manifest says %+v", m)
	}
	d.mustRun("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide", "--sealed")
	row = nil
	d.readJSON(filepath.Join(out, "annotations.jsonl"), &row)
	if _, hasMeta := row["meta.system"]; hasMeta {
		d.Error("a sealed export tells the condition")
	}
}

func (d commandTest) readJSON(path string, target any) {
	d.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	if err := json.Unmarshal(content, target); err != nil {
		d.Fatalf("%s: %v", path, err)
	}
}

func TestImport_BadFile_StoresNothing(t *testing.T) {
	d := newCommandTest(t)
	d.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	bad := d.writeFile("bad.csv", repliesCSV+"r3,twice,the same id,alpha\nr5,nothing said,,beta\n")
	d.assertContains(d.mustFail("import", "--project", "pilot", bad), "bad.csv:6:id:", "bad.csv:7:response:", "2 faults", "Nothing was stored")
	d.assertContains(d.mustRun("project", "list"), "pilot", " 0 ")
	d.assertContains(d.mustFail("import", "--project", "nowhere", bad), "nowhere")
	d.assertContains(d.mustFail("import", "--project", "pilot", filepath.Join(d.dir, "missing.csv")), "missing.csv")
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
    ask: Is the reply polite?
    scale:
      0: {label: No, anchor: It is rude.}
      1: {label: Yes, anchor: It is polite.}
observations:
  - {key: swears, title: It swears, about: the reply, says: Swearing is not polite.}
rules:
  - id: swearing_is_rude
    when: {swears: ticked}
    then: {polite: 0}
    says: A reply that swears is not polite.
plan: {calibration: 0, duplicates: 0, break every: 30, break minutes: 5, pace: 10..20, target: 0.4}
`

func TestProtocolPublish_New_IsUsable(t *testing.T) {
	d := newCommandTest(t)
	db := d.openDB() // as a server that runs already would hold it
	path := d.writeFile("tone.yaml", toneProtocol)
	if code, out, _ := runCommand(t, "", "protocol", "validate", path); code != exitOK || !strings.Contains(out, "tone v1.0 is sound") {
		t.Errorf("exit %d: %s", code, out)
	}
	d.assertContains(d.mustRun("protocol", "publish", path), "tone v1.0 is published")
	d.mustRun("protocol", "publish", path) // the same again changes nothing
	d.assertContains(d.mustRun("protocol", "list"), "tone@1", "empathy@1")
	if got := d.mustRun("protocol", "show", "tone"); got != toneProtocol {
		t.Errorf("shown as %q", got)
	}
	d.assertContains(d.mustFail("protocol", "publish", d.writeFile("other.yaml", strings.Replace(toneProtocol, "polite: 0}", "polite: 1}", 1))), "never changes")
	d.mustRun("project", "create", "--key", "tone", "--title", "Tone", "--protocol", "tone@1")
	d.mustRun("import", "--project", "tone", d.writeFile("tone.csv", "reply\nThank you.\n"))
	d.mustRun("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	d.mustRun("batch", "open", "--project", "tone", "--name", "b", "--annotators", "anna@example.org", "--overlap", "1", "--duplicates", "0", "--calibration", "0")
	a, err := db.AccountByEmail(t.Context(), "anna@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.OpenNext(t.Context(), a.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	broken := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"polite": 1}, Observations: []string{"swears"}}}
	if _, err := db.Submit(t.Context(), a.ID, token, broken); err == nil {
		t.Error("a broken rule of the new protocol was let through")
	}
	sound := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"polite": 0}, Observations: []string{"swears"}}}
	if _, err := db.Submit(t.Context(), a.ID, token, sound); err != nil {
		t.Fatal(err)
	}
	d.mustRun("export", "--project", "tone", "--out", d.dir, "--format", "jsonl", "--shape", "wide")
	var row map[string]any
	d.readJSON(filepath.Join(d.dir, "annotations.jsonl"), &row)
	if row["polite"] != 0.0 || row["obs.swears"] != 1.0 {
		t.Errorf("exported %v", row)
	}
}

func TestProtocolValidate_Invalid_NamesLine(t *testing.T) {
	t.Parallel()
	code, _, err := runCommand(t, strings.Replace(toneProtocol, "swears: ticked", "swear: ticked", 1), "protocol", "validate", "-")
	if code != exitFailed || !strings.HasPrefix(err, "-:20: “swear”") {
		t.Errorf("exit %d: %s", code, err)
	}
}

func TestCommands_WrongUsage_ExitTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"nonsense"}, {"import"}, {"user", "add", "--role", "owner"},
		{"user", "add", "--email", "lee@example.org", "--name", "Lee", "--role", "lead", "--base-url", "labels.example.org"},
		{"serve", "--database-url", "mysql://x", "--addr", "127.0.0.1:0"}} {
		if code, _, err := runCommand(t, "", args...); code != exitUsage || !strings.HasPrefix(err, "labelwright: ") {
			t.Errorf("%q: exit %d: %s", args, code, err)
		}
	}
	if code, out, _ := runCommand(t, "", "batch", "open", "--help"); code != exitOK || !strings.Contains(out, "--overlap") {
		t.Errorf("help: exit %d: %s", code, out)
	}
}

func TestUserAdd_PasswordStdin_Works(t *testing.T) {
	d := newCommandTest(t)
	add := []string{"--database-url", d.databaseURL, "user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin", "--password-stdin"}
	if code, _, err := runCommand(t, "short\n", add...); code != exitFailed || !strings.Contains(err, "12 characters") {
		t.Errorf("exit %d: %s", code, err)
	}
	if code, out, err := runCommand(t, "a quiet morning tram\n", add...); code != exitOK || out != "" {
		t.Fatalf("exit %d: %s", code, err)
	}
	if a, err := d.openDB().SignIn(t.Context(), "ADA@example.org", "a quiet morning tram", ""); err != nil || a.Role != account.Admin {
		t.Errorf("%+v, %v", a, err)
	}
}
