package main

import (
	"encoding/json"
	"testing"

	"github.com/labelwright/labelwright/web/api"
)

func TestItem_ListArchiveRestore_Works(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead",
		"lena@example.org")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	item := func(command string, args ...string) []string {
		return append([]string{"item", command, "--project", "pilot"}, args...)
	}
	list := func(args ...string) (page api.ItemList) {
		t.Helper()
		if err := json.Unmarshal([]byte(env.mustRun(item("list", append(args, "--format", "json")...)...)),
			&page); err != nil {
			t.Fatal(err)
		}
		return page
	}
	all := list()
	if len(all.Items) != 3 || all.Items[0].Title == "" || all.Items[0].State != "unassigned" {
		t.Fatalf("items = %+v", all)
	}
	first := list("--limit", "2")
	if rest := list("--cursor", first.NextCursor); len(first.Items) != 2 || len(rest.Items) != 1 ||
		rest.Items[0].SourceID != all.Items[2].SourceID {
		t.Errorf("pages %+v and %+v", first, rest)
	}
	env.checkContains(env.mustRun(item("list", "--limit", "1")...), "ITEM", all.Items[0].SourceID, "not in a batch",
		"More items: --cursor ")
	env.checkContains(env.mustRun(item("list", "--search", "xylophone")...), "No items match.")

	env.checkContains(env.mustRun(item("archive", all.Items[0].SourceID, "--reason", "Broken.")...),
		"Archived 1 item of pilot.")
	if archived := list("--state", "archived"); len(archived.Items) != 1 || archived.Items[0].SourceID != all.Items[0].SourceID {
		t.Errorf("archived = %+v", archived)
	}
	env.checkContains(env.mustRun(item("restore", all.Items[0].SourceID)...), "Restored 1 item of pilot.")
	env.checkContains(env.mustFail(item("archive", "unknown", "--reason", "Broken.")...), "has no item “unknown”")
	env.checkContains(env.mustRun(item("archive", "--all-matching", "--search", all.Items[1].SourceID, "--reason",
		"Broken.")...), "Archived 1 item of pilot.")
	env.checkContains(env.mustRun(item("restore", "--all-matching", "--state", "archived")...),
		"Restored 1 item of pilot.")
	env.checkContains(env.mustRun("batch", "open", "--project", "pilot", "--batch", "chosen", "--annotators",
		"lena@example.org", "--overlap", "1", "--items-search", all.Items[1].SourceID, "--calibration", "0",
		"--fewer-calibration", "A test.", "--duplicates", "0"), "Opened batch chosen: 1 item,")
	if page := list("--skipped"); len(page.Items) != 0 {
		t.Errorf("skipped = %+v", page)
	}
	if page := list("--consensus", "majority", "--field", "emotion"); len(page.Items) != 0 {
		t.Errorf("majority = %+v", page)
	}
	env.checkContains(env.mustFail(item("calibrate", all.Items[0].SourceID)...), "adjudicate it first")
	env.checkContains(env.mustFail(item("list", "--limit", "501")...), "limit: expected number <= 500")
	for _, args := range [][]string{item("list", "--state", "lost"), item("archive"),
		item("archive", "--reason", "x"), item("restore", "--all-matching", "q1")} {
		if code, _, err := runCommand(t, "", args...); code != exitUsage {
			t.Errorf("%q: exit %d: %s", args, code, err)
		}
	}
}
