package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

const goodItems = `{"id":"q1","query":"What is a fjord?","answer":"A long inlet between cliffs.","model":"small","condition":"b"}
{"id":"q2","query":"Who wrote it?","answer":"Write to ada@example.org or call +49 30 901820.","model":"large"}
{"id":"q3","query":"When?","answer":"In spring."}
`

// The walk of a lead, from signing in to a batch that is closed.
func TestALeadBringsAProjectToLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(w.person("lead@example.org", account.Lead))

	b.get("/projects").is(200).says("You lead no project yet")
	b.get("/projects/new").is(200).says("Empathetic responses", "rag-generation v1")
	form := b.get("/projects/new?protocol=empathy@1").is(200)
	if warning := form.First("#warning").Raw(); !strings.Contains(warning, "distress") {
		t.Errorf("the warning begins as %q", warning)
	}
	if form.First("fieldset.preview").Attr("disabled") != "" || len(form.All(".preview [name='emotion']")) != 5 {
		t.Error("the form is not there to look at")
	}
	b.post("/projects", url.Values{"protocol": {"rag-generation@1"}, "key": {"first"}, "title": {"First look"}, "support_url": {"https://example.org/help"}}).leads("/projects/first")
	home := b.get("/projects/first").is(200).says("There are no items yet", "labelwright import --project first")
	if home.First(".next a").Attr("href") != "/projects/first/import" {
		t.Error("the next step is not to import")
	}

	b.get("/projects/first/calibration").is(200).says("There are no items yet")
	b.importItems("/projects/first", goodItems)
	b.get("/projects/first").is(200).says("3 items. Nobody labels yet", "First look")
	b.get("/projects").is(200).says("First look", "rag-generation v1.0")

	link := b.post("/projects/first/people", url.Values{"email": {"ann@example.org"}, "name": {"Ann"}, "as": {"annotator"}}).is(200).says("within 72 hours").First(".command").Text()
	path := strings.TrimPrefix(link, b.url)
	w.anybody().get(path).is(200).says("Welcome, Ann")
	w.anybody().post(path, url.Values{"password": {"a very quiet evening"}}).leads("/")
	w.person("ben@example.org", account.Annotator)
	b.post("/projects/first/people", url.Values{"email": {"ben@example.org"}, "as": {"annotator"}}).is(200).says("can be chosen for batches")

	b.openTheBatch()
	board := b.get("/projects/first/batches/round%20one").is(200).says("3 items, 2 annotators", "free", "Ann", "Name of ben", "Seed 7")
	if got := board.First(".ways").Text(); got != "Board Pace, coverage and slips" {
		t.Errorf("the board leads to %q", got)
	}
	if way := b.get("/projects/first/batches/round%20one/progress").is(200).All(".crumbs a"); way[len(way)-1].Attr("href") != "/projects/first/batches/round%20one" {
		t.Error("no way leads back to the board")
	}
	if got := b.get("/projects/first/items").is(200).First("thead").Text(); got != "Item In batch Length words" {
		t.Errorf("items without records have the columns %q", got)
	}
	if got := board.First(".figures").Text(); got != "done 0 in somebody's hands 0 free 6" {
		t.Errorf("the board says %q", got)
	}
	b.get("/projects/first/batches/round%20one/close").is(200).says("6 labels of this batch have not been sent", "cannot be opened again")
	b.post("/projects/first/batches/round%20one/close", nil).leads("/projects/first/batches/round%20one")
	b.get("/projects/first/batches/round%20one").is(200).says("Closed on")
	b.post("/projects/first/batches/round%20one/close", nil).is(409)
	b.get("/projects/first/export").is(200).says("nothing to export")
}

// importItems looks at a file before it stores it.
func (b browser) importItems(project, items string) {
	b.Helper()
	preview := b.upload(project+"/import", "some items.jsonl", items).leads("")
	before := b.state()
	page := b.get(preview).is(200).says("3 items in some items.jsonl", "1 e-mail address in 1 item", "1 phone number in 1 item",
		"which annotators never see: condition, model", "What is a fjord?")
	if n := len(page.All(".specimen")); n != 3 {
		b.Errorf("%d items are shown, want 3", n)
	}
	if strings.Contains(page.First(".specimen").Text(), "small") {
		b.Error("metadata stands in an item")
	}
	if b.state() != before {
		b.Error("looking at a file changed something")
	}
	b.post(preview, nil).leads(project)
	b.get(preview).is(404)
	again := b.upload(project+"/import", "again.jsonl", items).leads("")
	if n := len(b.get(again).is(200).says("imported before").All("form[action='" + again + "']")); n != 0 {
		b.Error("what cannot be stored is offered to be")
	}
	b.post(again, nil).is(409).says("imported before")
	taken := b.upload(project+"/import", "taken.jsonl", strings.Replace(items, "In spring", "In autumn", 1)).leads("")
	b.get(taken).is(200).says("q1 (row 1), q2 (row 2), q3 (row 3)", "cannot be stored")
	b.post(taken, nil).is(409).says("q1 (row 1), q2 (row 2), q3 (row 3)", "cannot be stored")
	if n := query[int](b.world, `SELECT count(*) FROM items`); n != 3 {
		b.Errorf("%d items are stored, want 3", n)
	}
}

// openTheBatch sees what a batch means before it opens it.
func (b browser) openTheBatch() {
	b.Helper()
	b.get("/projects/first/batches/new").is(200).says("Ann", "Name of ben", "all that are in no batch yet: 3")
	form := url.Values{"name": {"round one"}, "annotators": {"ann@example.org"}, "more": {"ben@example.org\nnobody@example.org"},
		"overlap": {"2"}, "items": {"0"}, "break_every": {"30"}, "break_minutes": {"5"}, "seed": {"7"}, "act": {"look"}}
	wrong := b.post("/projects/first/batches", form).is(422)
	if got := wrong.First("#more-problem").Text(); got != "Nobody here has the address “nobody@example.org”. Add them first." {
		b.Errorf("the problem is %q", got)
	}
	form.Set("more", "ben@example.org")
	before := b.state()
	looked := b.post("/projects/first/batches", form).leads("/projects/first/batches/new")
	if strings.Contains(looked, "example") {
		b.Errorf("an address of somebody stands in %s", looked)
	}
	plan := b.get(looked).is(200).says("What “round one” would mean", "Labels in all 6", "about 3.0 items")
	b.get(looked).is(200).says("What “round one” would mean")
	if got := b.get("/projects/first/batches/new").is(200).First("#name").Attr("value"); got != "round one" {
		b.Errorf("what was typed comes back as %q", got)
	}
	if b.state() != before {
		b.Error("looking at a plan changed something")
	}
	seen := url.Values{"act": {"open"}}
	for _, field := range plan.All("#plan input") {
		seen.Add(field.Attr("name"), field.Attr("value"))
	}
	b.post("/projects/first/batches", seen).leads("/projects/first/batches/round%20one")
	if page := b.get(looked).is(200); len(page.All("#plan")) != 0 {
		b.Error("a batch that is open can be opened again")
	}
	seen.Set("items", "1")
	b.post("/projects/first/batches", seen).is(422).says("There is a batch of that name", "no items left")
}

func TestAFaultyFileIsToldWhereAndStoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	w.project(lead, "p", 0)
	b := w.as(lead)
	before := w.state()
	csv := "id,query,answer\na,What?,\nb,Who?,Me,too\na,When?,Now\n"
	page := b.upload("/projects/p/import", "faulty <b>.csv", csv).is(422).says("Nothing was stored. 3 things have to change")
	rows := page.All("tbody tr")
	if len(rows) != 3 || !strings.HasPrefix(rows[0].Text(), "2 answer This is empty") || !strings.HasPrefix(rows[1].Text(), "3 This row has 4 cells") {
		t.Errorf("told: %q", page.First("tbody").Text())
	}
	many := "id,query,answer\n" + strings.Repeat("x,,\n", 400)
	if n := len(b.upload("/projects/p/import", "many.csv", many).is(422).All("tbody tr")); n != 201 {
		t.Errorf("%d lines, want 200 and one that counts the rest", n)
	}
	tests := []struct {
		name, file, content string
		status              int
		says                string
	}{
		{"a workbook that says CSV", "a.csv", "PK\x03\x04zip", 422, "save the sheet as CSV"},
		{"JSON that says CSV", "a.csv", `{"query":"a"}`, 422, "this is JSON"},
		{"another kind of file", "a.txt", "a", 422, "ends in .csv or .jsonl"},
		{"an empty file", "a.csv", "", 422, "The file is empty"},
		{"a file that is too large", "a.csv", "id,query,answer\n" + strings.Repeat("x", 51<<20), 413, "larger than 50 MiB"},
	}
	for _, tt := range tests {
		b.upload("/projects/p/import", tt.file, tt.content).is(tt.status).says(tt.says)
	}
	b.post("/projects/p/import", nil).is(415).says("No file came along")
	if w.state() != before {
		t.Error("something was stored")
	}
}

func TestABodyBeyondEveryLimitIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	w.project(lead, "p", 0)
	b := w.as(lead)
	b.post("/projects", url.Values{"title": {strings.Repeat("x", formLimit)}}).is(413)
	b.post("/protocols/new", url.Values{"source": {strings.Repeat("x", sourceLimit)}}).is(413)
}

func TestALastAdminStaysOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.person("admin@example.org", account.Admin)
	ann := w.person("ann@example.org", account.Annotator)
	b, hers := w.as(admin), w.as(ann)
	b.post("/admin/people/"+id(admin), url.Values{"role": {"lead"}}).is(409).says("last admin")
	b.post("/admin/people/"+id(ann), url.Values{"role": {"lead"}}).leads("/admin/people/" + id(ann))
	hers.get("/projects").leads("/sign-in")
	w.as(ann).get("/projects").is(200)
	b.post("/admin/people/"+id(ann), url.Values{"role": {"lead"}, "disabled": {"1"}}).leads("")
	w.anybody().post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}}).is(422)
	b.post("/admin/people/"+id(ann)+"/invitation", nil).is(409).says("disabled")
	b.get("/admin/audit?action=account.change").is(200).says("account.change", "role lead")
	b.get("/admin/audit?action=drop").is(404)
}

func TestAProtocolIsSeenBeforeItCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	b := w.as(lead)
	source := b.get("/protocols/rag-grounding/1").is(200).says("Rules", "“Fabricated source” is 1").First("pre code").Raw()
	source = strings.Replace(source, "protocol: rag-grounding", "protocol: mine", 1)
	before := w.state()

	faulty := strings.Replace(source, "plan:", "plans:", 1)
	page := b.post("/protocols/new", url.Values{"source": {faulty}, "act": {"publish"}}).is(422).says("Nothing was published")
	if line := page.First(".source .faulty"); !strings.Contains(page.First(".source").Text(), "plans:") || line.First(".problem").Text() == "" {
		t.Errorf("the fault stands at %q", line.Text())
	}
	if got := strings.TrimPrefix(page.First("textarea").Raw(), "\n"); got != faulty {
		t.Error("the text did not come back as it was")
	}
	looked := b.post("/protocols/new", url.Values{"source": {source}, "act": {"look"}}).leads("/protocols/new")
	seen := b.get(looked).is(200).says("It becomes version 1 of “mine”")
	if got := strings.TrimPrefix(b.get("/protocols/new").is(200).First("textarea").Raw(), "\n"); got != source {
		t.Error("the text to change is not the one that was looked at")
	}
	if len(seen.All(".preview [name='source_cited']")) != 2 {
		t.Error("the form is not shown")
	}
	b.get(b.upload("/protocols/new", "mine.yaml", source).leads("/protocols/new")).is(200).says("It becomes version 1")
	if w.state() != before {
		t.Error("looking published something")
	}
	carried := seen.First("input[name='source']").Attr("value")
	b.post("/protocols/new", url.Values{"source": {carried}, "act": {"publish"}}).leads("/protocols/mine/1")
	b.get("/protocols/mine/1").is(200)
	b.get("/protocols").is(200).says("mine v1.0")
	if got := query[string](w, `SELECT definition FROM protocol_revisions r JOIN protocol_versions v ON v.id = protocol_version_id WHERE key = 'mine'`); got != source {
		t.Error("what was published is not what was handed in")
	}
	changed := strings.Replace(source, "Is there", "Was there", 1)
	changed = strings.Replace(changed, "calibration: 10", "calibration: 11", 1)
	b.post("/protocols/new", url.Values{"source": {changed}, "act": {"publish"}}).is(409).says("never changes")
}

func TestItemsAreFoundAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	w.project(lead, "p", 120)
	b := w.as(lead)
	page, seen := b.get("/projects/p/items").is(200), 0
	for {
		seen += len(page.All("tbody tr"))
		next := page.All("a[rel='next']")
		if len(next) == 0 {
			break
		}
		page = b.get(next[0].Attr("href")).is(200)
	}
	if seen != 120 {
		t.Errorf("%d items on all pages, want 120", seen)
	}
	if n := len(b.get("/projects/p/items?search=P-11").is(200).All("tbody tr")); n != 11 {
		t.Errorf("%d items found, want 11", n)
	}
	b.get("/projects/p/items?search=nothing").is(200).says("No item's id holds “nothing”")
	first := b.get("/projects/p/items?search=p-120").First("tbody a").Attr("href")
	b.get(first).is(200).says("Question 120?", "What annotators do not see")
}
