package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// A desk is where commands are typed: a database of its own and a folder.
type desk struct {
	*testing.T
	url string
	dir string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	t.Parallel()
	return desk{t, pgtest.New(t), t.TempDir()}
}

// does carries out a command line that has to succeed, and returns its words.
func (d desk) does(args ...string) string {
	d.Helper()
	code, out, err := ran(d.T, "", append([]string{"--database-url", d.url, "--log", "warn"}, args...)...)
	if code != done || err != "" {
		d.Fatalf("%s: exit %d: %s", strings.Join(args, " "), code, err)
	}
	return out
}

// fails carries out a command line that cannot be done, and returns why.
func (d desk) fails(args ...string) string {
	d.Helper()
	code, out, err := ran(d.T, "", append([]string{"--database-url", d.url, "--log", "warn"}, args...)...)
	if code != failed || err == "" {
		d.Fatalf("%s: exit %d, %q, %q", strings.Join(args, " "), code, out, err)
	}
	return err
}

// file writes a file to the desk.
func (d desk) file(name, content string) string {
	d.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.Fatal(err)
	}
	return path
}

func (d desk) says(said string, words ...string) {
	d.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			d.Errorf("%q does not say %q", said, w)
		}
	}
}

func (d desk) db() *postgres.DB {
	d.Helper()
	db, err := postgres.Open(d.Context(), d.url)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(db.Close)
	return db
}

const replies = "id,user_statement,response,system\n" +
	"r1,I lost my keys.,That is annoying. Did you check the freezer?,alpha\n" +
	"r2,\"Nobody came,\nagain.\",\"=SUM(1,2)\",beta\n" +
	"r3,صباح ثقيل,أسمعك,alpha\n"

func TestAFirstProjectByCommand(t *testing.T) {
	d := newDesk(t)
	d.says(d.does("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead"), "lena@example.org", "http://127.0.0.1:8080/invitations/", "72 hours", "put that address in the place of http://127.0.0.1:8080")
	d.says(d.does("user", "add", "--email", "lou@example.org", "--name", "Lou", "--role", "lead", "--base-url", "https://labels.example.org/"), "\n  https://labels.example.org/invitations/")
	for _, email := range []string{"anna@example.org", "ben@example.org"} {
		d.does("user", "add", "--email", email, "--name", email, "--role", "annotator")
	}
	d.says(d.does("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead", "lena@example.org"), "pilot", "labelwright import", "support at https://findahelpline.com/")
	items := d.file("replies.csv", replies)
	d.says(d.does("import", "--project", "pilot", items), "3 items imported")
	d.says(d.does("import", "--project", "pilot", items), "already", "Nothing was added")
	more := d.file("more.csv", "id,user_statement,response\nr4,a,b\nr2,c,d\n")
	d.says(d.fails("import", "--project", "pilot", more), "more.csv:3:id: The project has an item with the id “r2” already.", "Nothing was stored")
	open := []string{"batch", "open", "--project", "pilot", "--name", "first", "--annotators", "anna@example.org,ben@example.org", "--overlap", "2", "--duplicates", "0", "--calibration", "0"}
	d.does("project", "session", "--project", "pilot", "--support", "")
	d.says(d.fails(append(open, "--plan")...), "content warning and no support link")
	d.says(d.fails(open...), "content warning and no support link", "labelwright project session --project pilot --support URL")
	d.does("project", "session", "--project", "pilot", "--support", "https://support.example/")
	d.says(d.does(append(open, "--plan")...), "3 items", "6 labels", "Nothing was opened")
	d.says(d.does(open...), "first is open", "3 items", "2 annotators", "seed")
	d.says(d.fails("project", "session", "--project", "pilot", "--support", ""), "A batch is open")
	d.says(d.fails(open...), "no items left")
	d.label("anna@example.org")
	d.says(d.does("batch", "list", "--project", "pilot"), "1 of 6 labels", "anna@example.org")
	d.exported()
}

// label gives one label in somebody's name.
func (d desk) label(email string) {
	d.Helper()
	db := d.db()
	a, err := db.AccountByEmail(d.Context(), email)
	if err != nil {
		d.Fatal(err)
	}
	token, err := db.Begin(d.Context(), a.ID, 0)
	if err != nil {
		d.Fatal(err)
	}
	given := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": 3}}
	if _, err := db.Submit(d.Context(), a.ID, token, labeling.Submission{Answers: given}); err != nil {
		d.Fatal(err)
	}
}

func (d desk) exported() {
	d.Helper()
	out := filepath.Join(d.dir, "dataset")
	d.says(d.does("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide"), "1 annotation")
	var row map[string]any
	d.read(filepath.Join(out, "annotations.jsonl"), &row)
	if row["emotion"] != 3.0 || row["rule_ok"] != 1.0 && row["rule_ok"] != true || row["meta.system"] == nil {
		d.Errorf("exported %v", row)
	}
	var m sheet.Manifest
	d.read(filepath.Join(out, "manifest.json"), &m)
	if len(m.Files) != 1 || m.Files[0].Annotations != 1 || m.Files[0].Broken != 0 || m.Protocol != "empathy v1.0" {
		d.Errorf("the manifest says %+v", m)
	}
	d.does("export", "--project", "pilot", "--out", out, "--format", "jsonl", "--shape", "wide", "--sealed")
	row = nil
	d.read(filepath.Join(out, "annotations.jsonl"), &row)
	if _, opened := row["meta.system"]; opened {
		d.Error("a sealed export tells the condition")
	}
}

func (d desk) read(path string, into any) {
	d.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		d.Fatalf("%s: %v", path, err)
	}
}

func TestAFaultyFileIsRefusedWholeAndEveryFaultIsNamed(t *testing.T) {
	d := newDesk(t)
	d.does("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	bad := d.file("bad.csv", replies+"r3,twice,the same id,alpha\nr5,nothing said,,beta\n")
	d.says(d.fails("import", "--project", "pilot", bad), "bad.csv:6:id:", "bad.csv:7:response:", "2 faults", "Nothing was stored")
	d.says(d.does("project", "list"), "pilot", " 0 ")
	d.says(d.fails("import", "--project", "nowhere", bad), "nowhere")
	d.says(d.fails("import", "--project", "pilot", filepath.Join(d.dir, "missing.csv")), "missing.csv")
}

const sixth = `protocol: tone
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

func TestASixthProtocolIsThereAtOnce(t *testing.T) {
	d := newDesk(t)
	db := d.db() // as a server that runs already would hold it
	path := d.file("tone.yaml", sixth)
	if code, out, _ := ran(t, "", "protocol", "validate", path); code != done || !strings.Contains(out, "tone v1.0 is sound") {
		t.Errorf("exit %d: %s", code, out)
	}
	d.says(d.does("protocol", "publish", path), "tone v1.0 is published")
	d.does("protocol", "publish", path) // the same again changes nothing
	d.says(d.does("protocol", "list"), "tone@1", "empathy@1")
	if got := d.does("protocol", "show", "tone"); got != sixth {
		t.Errorf("shown as %q", got)
	}
	d.says(d.fails("protocol", "publish", d.file("other.yaml", strings.Replace(sixth, "polite: 0}", "polite: 1}", 1))), "never changes")
	d.does("project", "create", "--key", "tone", "--title", "Tone", "--protocol", "tone@1")
	d.does("import", "--project", "tone", d.file("tone.csv", "reply\nThank you.\n"))
	d.does("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	d.does("batch", "open", "--project", "tone", "--name", "b", "--annotators", "anna@example.org", "--overlap", "1", "--duplicates", "0", "--calibration", "0")
	a, err := db.AccountByEmail(t.Context(), "anna@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.Begin(t.Context(), a.ID, 0)
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
	d.does("export", "--project", "tone", "--out", d.dir, "--format", "jsonl", "--shape", "wide")
	var row map[string]any
	d.read(filepath.Join(d.dir, "annotations.jsonl"), &row)
	if row["polite"] != 0.0 || row["obs.swears"] != 1.0 {
		t.Errorf("exported %v", row)
	}
}

func TestAFaultyProtocolIsToldByLine(t *testing.T) {
	t.Parallel()
	code, _, err := ran(t, strings.Replace(sixth, "swears: ticked", "swear: ticked", 1), "protocol", "validate", "-")
	if code != failed || !strings.HasPrefix(err, "-:20: “swear”") {
		t.Errorf("exit %d: %s", code, err)
	}
}

func TestWrongUsageLeavesWithTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"nonsense"}, {"import"}, {"user", "add", "--role", "owner"},
		{"user", "add", "--email", "lee@example.org", "--name", "Lee", "--role", "lead", "--base-url", "labels.example.org"},
		{"serve", "--database-url", "mysql://x", "--addr", "127.0.0.1:0"}} {
		if code, _, err := ran(t, "", args...); code != misuse || !strings.HasPrefix(err, "labelwright: ") {
			t.Errorf("%q: exit %d: %s", args, code, err)
		}
	}
	if code, out, _ := ran(t, "", "batch", "open", "--help"); code != done || !strings.Contains(out, "--overlap") {
		t.Errorf("help: exit %d: %s", code, out)
	}
}

func TestAPasswordIsReadFromStandardInput(t *testing.T) {
	d := newDesk(t)
	add := []string{"--database-url", d.url, "user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin", "--password-stdin"}
	if code, _, err := ran(t, "short\n", add...); code != failed || !strings.Contains(err, "12 characters") {
		t.Errorf("exit %d: %s", code, err)
	}
	if code, out, err := ran(t, "a quiet morning tram\n", add...); code != done || out != "" {
		t.Fatalf("exit %d: %s", code, err)
	}
	if a, err := d.db().SignIn(t.Context(), "ADA@example.org", "a quiet morning tram", ""); err != nil || a.Role != account.Admin {
		t.Errorf("%+v, %v", a, err)
	}
}
