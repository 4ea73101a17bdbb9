package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestInstructions_Saved_ShownToAnnotators(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, _, b := env.newSingleAnnotatorBatch("rules", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	item := annBrowser.openItem()
	const path = "/projects/rules/instructions"
	text := "# Policy\n\nCite **all** sources. <script>alert(1)</script> [x](javascript:alert(1)) ![p](https://example.org/p.png)"
	preview := leadBrowser.post(path, url.Values{"instructions": {text}, "action": {"preview"}}).checkStatus(
		http.StatusOK).checkContains("Preview, not saved", "Cite all sources.")
	for _, unsafe := range []string{"<script>alert", "href=\"javascript", "<img"} {
		if strings.Contains(preview.body, unsafe) {
			t.Errorf("the preview contains %q", unsafe)
		}
	}
	leadBrowser.post(path, url.Values{"instructions": {text}}).checkRedirect(path)
	leadBrowser.get(path).checkContains("This is version 2.")
	page := annBrowser.get(item).checkStatus(http.StatusOK).checkContains("Instructions", "required reading 2 of 3",
		"Policy", "Cite all sources.")
	if strings.Contains(page.body, "Statement rules") {
		t.Error("the item is shown before its instructions are read")
	}
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect(item)
	form := formValues(page.FindFirst("form[action='/work/reading']"))
	form.Set("version", "1")
	annBrowser.post("/work/reading", form).checkStatus(http.StatusConflict).checkContains(
		"was changed while you read it")
	annBrowser.readRequired(item)
	annBrowser.get(item).checkStatus(http.StatusOK).checkContains("Statement rules", "Instructions of this project")
	annBrowser.get(guidePath("rules", b.ID)).checkStatus(http.StatusOK).checkContains("Instructions of this project",
		"Cite all sources.")
}

func TestProjectSettings_RenameAndArchive(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, _, _, _ := env.newSingleAnnotatorBatch("old", project.BatchSpec{})
	b := env.signInAs(lead)
	const path = "/projects/old/settings"
	b.post(path, url.Values{"title": {" "}}).checkStatus(http.StatusUnprocessableEntity).checkContains("Enter a title")
	b.post(path, url.Values{"title": {"New name"}}).checkRedirect(path)
	b.get("/projects").checkContains("New name")
	b.post("/projects/old/text-formats", url.Values{"format_response": {"text"}}).checkRedirect(path)
	b.get(path).checkContains("Close them before you archive the project.")
	if got := b.get(path).FindFirst("#format_response option[selected]").Text(); got != "Plain text" {
		t.Errorf("the response is shown as %q", got)
	}
	b.post("/projects/old/archive", nil).checkStatus(http.StatusConflict).checkContains("has an open batch")
	b.post("/projects/old/batches/one/close", url.Values{"reason": {"done"}}).checkRedirect("")
	b.post("/projects/old/archive", url.Values{"reason": {"Done."}}).checkRedirect(path)
	b.get(path).checkContains("Archived on", "Unarchive project")
	b.post(path, url.Values{"title": {"Other"}}).checkStatus(http.StatusConflict).checkContains(
		"This project is archived")
	b.post("/projects/old/members", url.Values{"email": {"x@example.org"}, "name": {"X"},
		"role": {"annotator"}}).checkStatus(http.StatusConflict)
	if strings.Contains(b.get("/projects").Text(), "New name") {
		t.Error("an archived project is in the list")
	}
	b.get("/projects?archived=1").checkContains("New name")
	b.get("/projects/old/report").checkStatus(http.StatusOK)
	b.post("/projects/old/unarchive", nil).checkRedirect(path)
	b.get("/projects").checkContains("New name")
}

func TestNewProject_NoKey_MadeFromTitle(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("lead@example.org", account.Lead))
	form := url.Values{"title": {"Größe"}, "protocol": {"empathy@1"}, "key": {""}}
	for _, want := range []string{"/projects/grosse/import", "/projects/grosse-2/import"} {
		b.post("/projects", form).checkRedirect(want)
	}
	if body := b.get("/projects/new/key?title=Gr%C3%B6%C3%9Fe").checkStatus(
		http.StatusOK).body; body != `{"key":"grosse-3"}` {
		t.Error(body)
	}
	b.post("/projects/grosse/instructions", url.Values{"instructions": {"Be kind."}}).checkRedirect("")
	copyForm := formValues(b.get("/projects/new?copy_from=grosse").checkStatus(http.StatusOK).checkContains(
		"Be kind.").FindFirst("main form"))
	copyForm.Set("title", "Second round")
	b.post("/projects", copyForm).checkRedirect("/projects/second-round/import")
	b.get("/projects/second-round/instructions").checkContains("Be kind.")
}

func TestNewRAGProjects_OneFile_FillsThree(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("lead@example.org", account.Lead))
	importPath := b.post("/projects/new/rag", url.Values{"title": {"Handbook"},
		"instructions": {"Cite as [1]."}}).checkRedirect("/projects/handbook-retrieval/import")
	page := b.get(importPath).checkStatus(http.StatusOK).checkContains("Projects created.", "Handbook: grounding",
		"Handbook: generation")
	if n := len(page.FindAll("input[name='target'][checked]")); n != 2 {
		t.Errorf("%d further projects are chosen, want 2", n)
	}
	record := `{"query":"Why?","answer":"Because.","chunks":[{"chunk_id":"a","doc_id":"d","chunk_rank":1,"text":"A."}],"context_set":["A."]}`
	preview := b.uploadWith("/projects/handbook-retrieval/import", url.Values{"target": {"handbook-grounding",
		"handbook-generation"}}, "rag.jsonl", record).checkRedirect("")
	b.get(preview).checkContains("3 items in rag.jsonl, for 3 projects", "Import 3 items")
	store := b.get(preview).FindFirst("main form.button-form").Attr("action")
	home := b.post(store, nil).checkRedirect("/projects/handbook-retrieval")
	b.get(home).checkContains("Items imported into Handbook: retrieval, Handbook: ", "Handbook: grounding",
		"Handbook: generation")
	for _, part := range []string{"retrieval", "grounding", "generation"} {
		if n := query[int](env, `SELECT count(*) FROM items i JOIN projects p ON p.id = i.project_id
			WHERE p.key = $1`, "handbook-"+part); n != 1 {
			t.Errorf("%s has %d items", part, n)
		}
	}
	if n := query[int](env, `SELECT count(DISTINCT record_id) FROM items`); n != 1 {
		t.Errorf("%d record ids, want 1", n)
	}
}

func TestAuditLog_Pages_ShowSentences(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, _, _, _ := env.newSingleAnnotatorBatch("log", project.BatchSpec{})
	env.newEmpathyProject(env.newUser("other@example.org", account.Lead), "elsewhere", 1, 0)
	b, admin := env.signInAs(lead), env.signInAs(env.newUser("admin@example.org", account.Admin))
	page := b.get("/projects/log/audit-log").checkStatus(http.StatusOK).checkContains(
		"Name of lead created the project log with the protocol empathy.",
		"opened the batch one with 6 items for 1 annotator, 1 per item")
	if strings.Contains(page.Text(), "elsewhere") || strings.Contains(page.body, "/admin/users/") {
		t.Error("a lead sees entries of others or links to accounts")
	}
	page.FindFirst("td a[href='/projects/log/batches/one']")
	b.get("/projects/log/audit-log?action=project.create&from=2020-01-01&until=2020-01-02").checkStatus(
		http.StatusOK).checkContains("No entries match")
	b.get("/projects/log/audit-log?from=yesterday").checkStatus(http.StatusUnprocessableEntity).checkContains(
		"is not a date")
	admin.get("/admin/audit-log?project=elsewhere").checkStatus(http.StatusOK).checkContains("created the project elsewhere")
	admin.get("/admin/audit-log?person=" + formatAccountID(lead)).checkContains("Name of lead signed in.")
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	export := func(c browser, path, action, format string) testResponse {
		fields := url.Values{"format": {format}, "action": {action}}
		c.post(path, fields).checkStatus(http.StatusForbidden).checkContains("Confirm your password")
		fields.Set("current_password", password)
		return c.post(path, fields).checkStatus(http.StatusOK)
	}
	csv := export(b, "/projects/log/audit-log/export", "project.create", "csv")
	if !strings.Contains(csv.body, "Name of lead created the project log with the protocol empathy.") ||
		strings.Contains(csv.body, "opened the batch") ||
		csv.header.Get("Content-Disposition") != `attachment; filename="audit-log.csv"` {
		t.Errorf("%s: %s", csv.header, csv.body)
	}
	if body := b.post("/projects/log/audit-log/export", url.Values{"format": {"jsonl"}}).body; strings.Contains(body,
		`"detail"`) {
		t.Error("a lead gets the details")
	}
	if body := export(admin, "/admin/audit-log/export", "batch.open", "jsonl").body; !strings.Contains(body,
		`"detail":{`) {
		t.Errorf("no details: %s", body)
	}
	b.get("/projects/secret/audit-log").checkStatus(http.StatusNotFound)
}

func TestProjectSettings_Erase_NeedsArchiveKeyAndAdmin(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, _, _, opened := env.newSingleAnnotatorBatch("old", project.BatchSpec{})
	p, err := env.db.Project(t.Context(), lead, "old")
	if err == nil {
		err = env.db.CloseBatch(t.Context(), lead.ID, p, opened.Name, project.BatchClosing{Reason: "Done."})
	}
	if err != nil {
		t.Fatal(err)
	}
	leadBrowser, b := env.signInAs(lead), env.signInAs(env.newUser("root@example.org", account.Admin))
	const path, erasure = "/projects/old/settings", "/projects/old/erasure"
	form := url.Values{"key": {"old"}, "reason": {"Asked for."}}
	b.post(erasure, form).checkStatus(http.StatusConflict).checkContains("Archive the project")
	if err := env.db.ArchiveProject(t.Context(), lead.ID, p, "Done."); err != nil {
		t.Fatal(err)
	}
	leadBrowser.post(erasure, form).checkStatus(http.StatusNotFound)
	if strings.Contains(leadBrowser.get(path).body, erasure) {
		t.Error("a lead sees the form")
	}
	b.post(erasure, url.Values{"key": {"oldd"}}).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"Enter the key of the project to confirm.", "Enter a reason")
	b.post(erasure, form).checkRedirect(path)
	b.get(path+"?after=erased").checkContains("All texts of the project were erased.", "were erased on")
	b.post(erasure, form).checkRedirect(path)
	b.get("/projects/old/items").checkContains("[erased]")
}
