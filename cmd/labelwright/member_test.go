package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/web/api"
)

func TestMember_AddListRemove_Works(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead",
		"lena@example.org")
	project := []string{"--project", "pilot"}
	member := func(command string, args ...string) []string {
		return append(append([]string{"member", command}, project...), args...)
	}

	env.checkContains(env.mustRun(member("add", "--email", "ann@example.org", "--name", "Ann", "--base-url",
		"https://labels.example.org")...),
		"ann@example.org is now a member of pilot, as annotator.", "within 72 hours",
		"https://labels.example.org/invitations/")
	env.checkContains(env.mustRun(member("add", "--email", "ann@example.org", "--role", "lead")...), "as lead.",
		"has the role annotator, so the member leads nothing yet")
	if code, _, err := runCommand(t, "", append([]string{"--database-url", env.databaseURL}, member("add", "--email",
		"new@example.org")...)...); code != exitUsage ||
		!strings.Contains(err, "The name is missing: new@example.org has no account yet") {
		t.Errorf("exit %d: %s", code, err)
	}
	env.checkContains(env.mustFail("member", "add", "--project", "none", "--email", "ann@example.org"), "“none”")
	env.mustRun(member("add", "--email", "ben@example.org", "--name", "Ben")...)
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators",
		"ann@example.org,ben@example.org", "--overlap", "1", "--duplicates", "0", "--calibration", "0",
		"--fewer-calibration", "A test.")
	env.submitLabel("ben@example.org")

	env.checkContains(env.mustRun(member("list")...), "NAME", "Ann", "ann@example.org", "not a lead yet", "Ben",
		"invited", "Lena")
	var before struct{ Members []api.Member }
	if err := json.Unmarshal([]byte(env.mustRun(member("list", "--format", "json")...)), &before); err != nil ||
		len(before.Members) != 3 {
		t.Fatalf("%+v, error %v", before, err)
	}
	plan := env.mustRun(member("remove", "ben@example.org", "--plan")...)
	env.checkContains(plan, "Submitted labels that stay: 1. Open items that return to the pool: ",
		"No member was removed")
	env.checkContains(env.mustRun(member("remove", "BEN@example.org")...), "Removed Ben (a-", "from pilot",
		"Submitted labels that stay: 1. Open items that return to the pool: ")
	env.checkContains(env.mustFail(member("remove", "ben@example.org")...),
		"This project has no member “ben@example.org”.")
	if list := env.mustRun(member("list")...); strings.Contains(list, "Ben") {
		t.Errorf("the removed member is listed: %s", list)
	}
	env.checkContains(env.mustRun("batch", "show", "--project", "pilot", "--batch", "first"), "1 of 3 labels", "Ben")
	env.mustRun(member("add", "--email", "ben@example.org")...)
	var after struct{ Members []api.Member }
	if err := json.Unmarshal([]byte(env.mustRun(member("list", "--format", "json")...)), &after); err != nil {
		t.Fatal(err)
	}
	if len(after.Members) != 3 || after.Members[1] != before.Members[1] {
		t.Errorf("members after they are added again: %+v, before %+v", after, before)
	}
	for _, args := range [][]string{{"member"}, {"member", "remove", "ann@example.org"}, member("remove"),
		member("add", "--email", "x@example.org", "--role", "admin"), member("list", "--format", "xml")} {
		if code, _, err := runCommand(t, "", args...); code != exitUsage {
			t.Errorf("%q: exit %d: %s", args, code, err)
		}
	}
}

func TestAdd_CSV_AllOrNone(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--title", "Größe", "--protocol", "empathy")
	list := env.writeFile("people.csv", "email,name,role\nada@example.org,Ada,\nben@example.org,Ben,lead\n")
	env.checkContains(env.mustRun("user", "add", "--csv", list),
		"ada@example.org  annotator  http://127.0.0.1:8080/invitations/", "ben@example.org  lead")
	env.checkContains(env.mustFail("user", "add", "--csv", list), "exists already", "No user was added")
	env.checkContains(env.mustFail("member", "add", "--project", "grosse", "--csv", env.writeFile("people.csv",
		"email\neve@example.org\nx\n")), "people.csv:3:email: “x” is not an email address.")
	env.checkContains(env.mustRun("member", "add", "--project", "grosse", "--csv", env.writeFile("people.csv",
		"ada@example.org\nCleo <cleo@example.org>, lead\n")), "Added 2 members to grosse.", "cleo@example.org  lead")
	env.checkContains(env.mustRun("member", "end", "--project", "grosse", "ada@example.org", "--thank-you", "Thanks."),
		"Ended the work of Ada")
	env.checkContains(env.mustRun("audit", "list", "--project", "grosse"),
		"A command thanked Ada and ended their work in grosse.", "A command added Cleo to grosse as lead.",
		"A command created the project grosse")
	env.checkContains(env.mustRun("audit", "list", "--action", "project.create", "--format", "json"),
		`"sentence": "A command created the project grosse with the protocol empathy. (system user `)
	env.checkContains(env.mustRun("project", "settings", "--project", "grosse", "--title", "Small", "--instructions",
		env.writeFile("rules.md", "Be kind.\n")), "Small", "version 2, 8 characters")
	env.checkContains(env.mustRun("project", "create", "--title", "Second", "--copy-from", "grosse"),
		"Created project second with protocol empathy")
	env.checkContains(env.mustRun("project", "archive", "--project", "grosse", "--reason", "Done"),
		"Archived the project grosse.")
	env.checkContains(env.mustRun("project", "list", "--archived"), "grosse")
	env.mustRun("project", "archive", "--project", "grosse", "--undo")
}
