package web

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

const validItems = `{"id":"q1","query":"What is a fjord?","answer":"A long inlet between cliffs.","model":"small","condition":"b"}
{"id":"q2","query":"Who wrote it?","answer":"Write to ada@example.org or call +49 30 901820.","model":"large"}
{"id":"q3","query":"When?","answer":"In spring."}
`

// A lead signs in, creates a project, and opens and closes a batch.
func TestLead_NewProject_RunsBatch(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("lead@example.org", account.Lead))

	b.get("/projects").checkStatus(200).checkContains("You have no projects yet")
	b.get("/projects/new").checkStatus(200).checkContains("Empathetic responses", "rag-generation v1")
	form := b.get("/projects/new?protocol=empathy@1").checkStatus(200)
	if warning := form.FindFirst("#content_warning").RawText(); !strings.Contains(warning, "distress") {
		t.Errorf("the warning starts as %q", warning)
	}
	if form.FindFirst("fieldset.form-preview").Attr("disabled") != "" ||
		len(form.FindAll(".form-preview [name='emotion']")) != 5 {
		t.Error("the form preview is missing")
	}
	b.post("/projects", url.Values{"protocol": {"rag-generation@1"}, "key": {"first"}, "title": {"First look"},
		"instructions": {"Cite as [1]."}, "support_url": {"https://example.org/help"}}).checkRedirect(
		"/projects/first/import")
	b.get("/projects/first/import?after=created").checkContains("Project created.")
	home := b.get("/projects/first").checkStatus(200).checkContains("This project has no items yet",
		"First look")
	if home.FindFirst(".next-step a").Attr("href") != "/projects/first/import" {
		t.Error("the next step is not the import")
	}

	b.get("/projects/first/references").checkStatus(200).checkContains("This project has no items yet")
	b.importItems("/projects/first", validItems)
	home = b.get("/projects/first").checkStatus(200).checkContains("3 items imported. Add the annotators", "First look")
	if home.FindFirst(".next-step a").Attr("href") != "/projects/first/members/invite" {
		t.Error("the next step is not to add annotators")
	}
	if n := len(b.get("/projects/first/batches/new").checkContains("Add more annotators").FindAll(
		"[name='other_emails']")); n != 0 {
		t.Error("a lead is asked for annotators who are not members")
	}
	b.get("/projects").checkStatus(200).checkContains("First look", "rag-generation v1.1")

	link := b.post("/projects/first/members", url.Values{"email": {"ann@example.org"}, "name": {"Ann"},
		"role": {"annotator"}}).checkStatus(200).checkContains("within 72 hours").FindFirst(".command").Text()
	path := strings.TrimPrefix(link, b.baseURL)
	env.newBrowser().get(path).checkStatus(200).checkContains("Welcome", "ann@example.org")
	env.newBrowser().post(path, url.Values{"password": {"a very quiet evening"}}).checkRedirect("/")
	env.newUser("ben@example.org", account.Annotator)
	b.post("/projects/first/members", url.Values{"email": {"ben@example.org"}, "name": {"Ben"},
		"role": {"annotator"}}).checkStatus(200).checkContains("You can choose them for batches")

	b.get("/projects/first").checkContains("3 items imported. Open a batch")
	b.openBatchFromPreview()
	board := b.get("/projects/first/batches/round%20one").checkStatus(200).checkContains("3 items, 2 annotators",
		"waiting", "ann@example.org", "ben@example.org", "Seed 7")
	if got := board.FindFirst("[aria-label='Batch']").Text(); got != "Board Pace and corrections Announcements Sheets" {
		t.Errorf("the board links to %q", got)
	}
	if views := b.get("/projects/first/batches/round%20one/progress").checkStatus(200).FindAll(
		".views a"); views[0].Attr("href") != "/projects/first/batches/round%20one" {
		t.Error("there is no link back to the board")
	}
	b.get("/projects/first/batches").checkStatus(200).checkContains("round one", "0 of 6")
	if got := b.get("/projects/first/items").checkStatus(200).FindFirst(
		"thead").Text(); got != "Item Metadata Batch State Labels" {
		t.Errorf("items without records have the columns %q", got)
	}
	if got := board.FindFirst(".stat-row").Text(); got != "wanted 6 submitted 0 waiting 6" {
		t.Errorf("the board shows %q", got)
	}
	b.get("/projects/first/batches/round%20one/close").checkStatus(200).checkContains("6 labels are missing",
		"another one can collect them")
	b.post("/projects/first/batches/round%20one/close", url.Values{"reason": {"done"}}).checkRedirect(
		"/projects/first/batches/round%20one")
	b.get("/projects/first/batches/round%20one").checkStatus(200).checkContains("Closed on")
	b.post("/projects/first/batches/round%20one/close", url.Values{"reason": {"done"}}).checkStatus(409)
	b.get("/projects/first/export").checkStatus(200).checkContains("No labels yet")
}

// importItems previews a file and stores its items.
func (b browser) importItems(project, items string) {
	b.Helper()
	preview := b.upload(project+"/import", "some items.jsonl", items).checkRedirect("")
	before := b.hashState()
	page := b.get(preview).checkStatus(200).checkContains("3 items in some items.jsonl", "1 email address in 1 item",
		"1 phone number in 1 item",
		"Metadata, hidden from annotators: condition, model", "What is a fjord?")
	if n := len(page.FindAll(".sample-item")); n != 3 {
		b.Errorf("%d items are shown, want 3", n)
	}
	if strings.Contains(page.FindFirst(".sample-item").Text(), "small") {
		b.Error("an item shows metadata")
	}
	if b.hashState() != before {
		b.Error("the preview changed data")
	}
	b.post(preview, nil).checkRedirect(project)
	b.get(preview).checkStatus(404)
	again := b.upload(project+"/import", "again.jsonl", items).checkRedirect("")
	if n := len(b.get(again).checkStatus(200).checkContains("already been imported").FindAll("form[action='" + again +
		"']")); n != 0 {
		b.Error("an import with a conflict can be stored")
	}
	b.post(again, nil).checkStatus(409).checkContains("already been imported")
	taken := b.upload(project+"/import", "taken.jsonl", strings.Replace(items, "In spring", "In autumn",
		1)).checkRedirect("")
	b.get(taken).checkStatus(200).checkContains("q1 (row 1), q2 (row 2), q3 (row 3)",
		"already has items with these ids")
	b.post(taken, nil).checkStatus(409).checkContains("q1 (row 1), q2 (row 2), q3 (row 3)",
		"already has items with these ids")
	if n := query[int](b.testEnv, `SELECT count(*) FROM items`); n != 3 {
		b.Errorf("%d items are stored, want 3", n)
	}
}

func (b browser) openBatchFromPreview() {
	b.Helper()
	b.get("/projects/first/batches/new").checkStatus(200).checkContains("ann@example.org", "ben@example.org",
		"all items that are not in a batch yet (3)")
	form := url.Values{"name": {"round one"}, "annotators": {"ann@example.org"},
		"other_emails": {"ben@example.org\nunknown@example.org"},
		"overlap":      {"2"}, "break_every": {"30"}, "break_minutes": {"5"}, "seed": {"7"}, "action": {"preview"}}
	refused := b.post("/projects/first/batches", form).checkStatus(422)
	if got := refused.FindFirst("#other_emails-problem").Text(); got != "“unknown@example.org” is not a member of this project. Add the address on the Members page first." {
		b.Errorf("the problem is %q", got)
	}
	form.Set("other_emails", "ben@example.org")
	before := b.hashState()
	previewPath := b.post("/projects/first/batches", form).checkRedirect("/projects/first/batches/new")
	if strings.Contains(previewPath, "example") {
		b.Errorf("%s contains an email address", previewPath)
	}
	plan := b.get(previewPath).checkStatus(200).checkContains("Preview of “round one”", "Labels 6",
		"shared by each pair 3 items")
	b.get(previewPath).checkStatus(200).checkContains("Preview of “round one”")
	if got := b.get("/projects/first/batches/new").checkStatus(200).FindFirst("#name").Attr(
		"value"); got != "round one" {
		b.Errorf("the form is restored as %q", got)
	}
	if b.hashState() != before {
		b.Error("the preview changed data")
	}
	openForm := maps.Clone(form)
	openForm.Set("action", "open")
	for _, field := range plan.FindAll("#batch-preview input") {
		openForm.Add(field.Attr("name"), field.Attr("value"))
	}
	noReason := b.post("/projects/first/batches", openForm).checkStatus(422)
	if got := noReason.FindFirst("#fewer_calibration-problem").Text(); !strings.Contains(got,
		"asks for 10 calibration items, and this batch has 0") {
		b.Errorf("the problem is %q", got)
	}
	openForm.Set("fewer_calibration", "They know the task.")
	changed := maps.Clone(openForm)
	changed.Set("overlap", "1")
	b.post("/projects/first/batches", changed).checkStatus(409).checkContains("the plan changed since the preview",
		"Labels 3")
	if b.hashState() != before {
		b.Error("a batch that was not previewed opened")
	}
	b.post("/projects/first/batches", openForm).checkRedirect("/projects/first/batches/round%20one")
	if page := b.get(previewPath).checkStatus(200); len(page.FindAll("#batch-preview")) != 0 {
		b.Error("an open batch can be opened again")
	}
	openForm.Set("sample", "1")
	b.post("/projects/first/batches", openForm).checkStatus(422).checkContains("already has a batch “round one”",
		"no unassigned items")
}

func TestImport_InvalidFile_StoresNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	before := env.hashState()
	csv := "id,query,answer\na,,So.\nb,Who?,Me,too\na,When?,Now\n"
	page := b.upload("/projects/p/import", "faulty <b>.csv", csv).checkStatus(422).checkContains(
		"Nothing was imported. Fix 3 errors")
	rows := page.FindAll(".error-table tbody tr")
	if len(rows) != 3 || !strings.HasPrefix(rows[0].Text(), "2 query This is empty") ||
		!strings.HasPrefix(rows[1].Text(), "3 This row has 4 cells") {
		t.Errorf("the errors are %q", page.FindFirst("tbody").Text())
	}
	many := "id,query,answer\n" + strings.Repeat("x,,\n", 400)
	if n := len(b.upload("/projects/p/import", "many.csv", many).checkStatus(422).FindAll(
		".error-table tbody tr")); n != 201 {
		t.Errorf("%d rows, want 200 and one with the number of the rest", n)
	}
	tests := []struct {
		name, file, content string
		status              int
		text                string
	}{
		{"workbook named .csv", "a.csv", "PK\x03\x04zip", 422, "save the sheet as CSV"},
		{"JSON named .csv", "a.csv", `{"query":"a"}`, 422, "JSON"},
		{"other file type", "a.txt", "a", 422, "must end in .csv, .tsv, .jsonl, .ndjson, .json or .parquet"},
		{"empty file", "a.csv", "", 422, "The file is empty"},
		{"file too large", "a.csv", "id,query,answer\n" + strings.Repeat("x", 51<<20), 413, "larger than 50 MiB"},
	}
	for _, tt := range tests {
		b.upload("/projects/p/import", tt.file, tt.content).checkStatus(tt.status).checkContains(tt.text)
	}
	b.post("/projects/p/import", nil).checkStatus(422).checkContains("The form contains no file")
	env.execSQL(`DELETE FROM uploads`) // they can be read in another way, for a day
	if env.hashState() != before {
		t.Error("data were stored")
	}
}

func TestForm_TooLarge_IsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	b.post("/projects", url.Values{"title": {strings.Repeat("x", formLimit)}}).checkStatus(413)
	b.post("/protocols/new", url.Values{"source": {strings.Repeat("x", sourceLimit)}}).checkStatus(413)
}

func TestLastAdmin_Demoted_Refused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.newUser("admin@example.org", account.Admin)
	ann := env.newUser("ann@example.org", account.Annotator)
	b, annBrowser := env.signInAs(admin), env.signInAs(ann)
	b.post("/admin/users/"+formatAccountID(admin), url.Values{"role": {"lead"}}).checkStatus(409).checkContains(
		"last admin")
	b.post("/admin/users/"+formatAccountID(ann), url.Values{"role": {"lead"}}).checkRedirect("/admin/users/" +
		formatAccountID(ann))
	annBrowser.get("/projects").checkRedirect("/sign-in")
	env.signInAs(ann).get("/projects").checkStatus(200)
	b.post("/admin/users/"+formatAccountID(ann), url.Values{"role": {"lead"}, "email": {admin.Email}}).checkStatus(
		409).checkContains("exists already")
	b.post("/admin/users/"+formatAccountID(ann), url.Values{"role": {"lead"},
		"email": {"new@example.org"}}).checkRedirect("")
	b.get("/admin/users/" + formatAccountID(ann)).checkStatus(200).checkContains("new@example.org")
	b.post("/admin/users/"+formatAccountID(ann), url.Values{"role": {"lead"}, "disabled": {"1"}}).checkRedirect("")
	env.newBrowser().post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}}).checkStatus(422)
	b.post("/admin/users/"+formatAccountID(ann)+"/invitation", nil).checkStatus(409).checkContains("disabled")
	b.get("/admin/audit-log?action=account.update").checkStatus(200).checkContains("New role: lead.", "It is disabled.")
	b.get("/admin/audit-log?action=drop").checkStatus(404)
}

func TestProtocol_Publish_NeedsPreview(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	b := env.signInAs(lead)
	source := b.get("/protocols/rag-grounding/1").checkStatus(200).checkContains("Rules",
		"“Fabricated source” is 1").FindFirst("pre code").RawText()
	source = firstRevision(strings.Replace(source, "protocol: rag-grounding", "protocol: mine", 1))
	before := env.hashState()

	invalid := strings.Replace(source, "plan:", "plans:", 1)
	page := b.post("/protocols/new", url.Values{"source": {invalid}, "action": {"publish"}}).checkStatus(
		422).checkContains("Protocol not published")
	if line := page.FindFirst(".source-listing .has-error"); !strings.Contains(page.FindFirst(".source-listing").Text(),
		"plans:") || line.FindFirst(".error-list").Text() == "" {
		t.Errorf("the error is at %q", line.Text())
	}
	if got := strings.TrimPrefix(page.FindFirst("textarea").RawText(), "\n"); got != invalid {
		t.Error("the source was changed")
	}
	previewPath := b.post("/protocols/new", url.Values{"source": {source}, "action": {"preview"}}).checkRedirect(
		"/protocols/new")
	preview := b.get(previewPath).checkStatus(200).checkContains("creates version 1 of “mine”")
	if got := strings.TrimPrefix(b.get("/protocols/new").checkStatus(200).FindFirst("textarea").RawText(),
		"\n"); got != source {
		t.Error("the source is not the previewed one")
	}
	if len(preview.FindAll(".form-preview [name='source_cited']")) != 2 {
		t.Error("the form is not shown")
	}
	b.get(b.upload("/protocols/new", "mine.yaml", source).checkRedirect("/protocols/new")).checkStatus(
		200).checkContains("creates version 1")
	if env.hashState() != before {
		t.Error("the preview published a protocol")
	}
	hiddenSource := preview.FindFirst("input[name='source']").Attr("value")
	b.post("/protocols/new", url.Values{"source": {hiddenSource}, "action": {"publish"}}).checkRedirect(
		"/protocols/mine/1")
	b.get("/protocols/mine/1").checkStatus(200)
	b.get("/protocols").checkStatus(200).checkContains("mine v1.0")
	if got := query[string](env, `SELECT definition FROM protocol_revisions r
		JOIN protocol_versions v ON v.id = protocol_version_id WHERE key = 'mine'`); got != source {
		t.Error("the published definition differs from the source")
	}
	changed := strings.Replace(source, "Is there", "Was there", 1)
	changed = strings.Replace(changed, "calibration: 10", "calibration: 11", 1)
	b.post("/protocols/new", url.Values{"source": {changed}, "action": {"publish"}}).checkStatus(409).checkContains(
		"is already published and cannot change")
}

func TestItems_Search_Paginates(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 120)
	b := env.signInAs(lead)
	page, seen := b.get("/projects/p/items").checkStatus(200), 0
	for {
		seen += len(page.FindAll("tbody tr"))
		next := page.FindAll("a[rel='next']")
		if len(next) == 0 {
			break
		}
		page = b.get(next[0].Attr("href")).checkStatus(200)
	}
	if seen != 120 {
		t.Errorf("%d items on all pages, want 120", seen)
	}
	if n := len(b.get("/projects/p/items?search=P-11").checkStatus(200).FindAll("tbody tr")); n != 11 {
		t.Errorf("%d items found, want 11", n)
	}
	b.get("/projects/p/items?search=nothing").checkStatus(200).checkContains("No items match")
	first := b.get("/projects/p/items?search=p-120").FindFirst("tbody a").Attr("href")
	b.get(first).checkStatus(200).checkContains("Question 120?", "Metadata, hidden from annotators")
}
