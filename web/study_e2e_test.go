package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

// A studyLead is a new lead in a browser, who only follows links and fills forms.
type studyLead struct {
	browsertest.Tab
	testEnv
	clicks, loads int // a field that is filled counts as a click
}

// act clicks the link, button or option with that text, or that starts with it.
func (l *studyLead) act(text string) {
	l.Tab.Helper()
	l.clicks++
	found := browsertest.Eval[bool](l.Tab, fmt.Sprintf(`(text => {
		const shown = [...document.querySelectorAll('a, button, summary, label')].filter(e => e.getClientRects().length)
		const target = shown.find(e => e.innerText.trim() === text) ?? shown.find(e => e.innerText.trim().startsWith(text))
		target?.click()
		return !!target
	})(%q)`, text))
	if !found {
		l.Tab.Fatalf("no %q on %s:\n%s", text, browsertest.Eval[string](l.Tab, `location.pathname`),
			browsertest.Eval[string](l.Tab, `document.body.innerText`))
	}
}

// follow does the same and waits for the next page, which has that text.
func (l *studyLead) follow(text, pageText string) {
	l.Tab.Helper()
	browsertest.Eval[bool](l.Tab, `window.isLeft = true`)
	l.act(text)
	l.loads++
	l.WaitFor(`window.isLeft === undefined && document.readyState === 'complete'`, true)
	l.see(pageText)
}

func (l *studyLead) see(text string) {
	l.Tab.Helper()
	l.WaitFor(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, ' ').includes(%q)`, text), true)
}

// fill types into a field, or chooses a value of a list.
func (l *studyLead) fill(name, value string) {
	l.Tab.Helper()
	l.clicks++
	l.WaitFor(fmt.Sprintf(`document.getElementsByName(%q).length`, name), 1)
	browsertest.Eval[bool](l.Tab, fmt.Sprintf(`((field, value) => {
		field.value = value
		for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
		return true
	})(document.getElementsByName(%q)[0], %q)`, name, value))
}

// invite adds an annotator, who accepts the invitation.
func (l *studyLead) invite(emails ...string) {
	l.Tab.Helper()
	l.fill("list", strings.Join(emails, "\n"))
	l.follow("Add members", "added")
	for _, link := range browsertest.Eval[[]string](l.Tab,
		`[...document.querySelectorAll('.command')].map(e => e.textContent.trim())`) {
		address, err := url.Parse(link)
		if err != nil {
			l.Tab.Fatal(err)
		}
		l.newBrowser().post(address.Path, url.Values{"password": {"a very quiet evening"}}).checkStatus(
			http.StatusSeeOther)
	}
}

// changeBatch changes the batch from its board.
func (l *studyLead) changeBatch(reason string, change func()) {
	l.Tab.Helper()
	l.follow("Change batch…", "All changes happen at once")
	change()
	l.fill("reason", reason)
	l.follow("Change batch", "Batch changed:")
}

// remove chooses to remove an annotator on the form that changes a batch.
func (l *studyLead) remove(email string) {
	l.Tab.Helper()
	pseudonym := query[string](l.testEnv, `SELECT m.pseudonym FROM members m JOIN projects p ON p.id = m.project_id
		JOIN identity.users u ON u.account_id = m.account_id
		WHERE p.key = 'clinic-generation' AND u.email = $1`, email)
	l.fill("action:"+pseudonym, "remove")
}

// label labels up to n items as an annotator. Ann and Dora differ on each item, Ben and Eve
// from one of the two.
func (l *studyLead) label(email string, n int) {
	l.Tab.Helper()
	l.skipReading()
	a, err := l.db.AccountByEmail(l.Tab.Context(), email)
	token := ""
	if err == nil {
		token, err = l.db.OpenNext(l.Tab.Context(), a.ID, 0)
	}
	for i := 0; err == nil && token != "" && i < n; i++ {
		screen, screenErr := l.db.LabelingScreen(l.Tab.Context(), a.ID, token)
		if screenErr != nil {
			l.Tab.Fatal(screenErr)
		}
		values := map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0,
			"unsafe_content": 0}
		switch a.Email {
		case "ann@example.org":
			values["helpful"] = int(screen.ItemID % 2)
		case "dora@example.org":
			values["helpful"] = int((screen.ItemID + 1) % 2)
		}
		var result labeling.SubmitResult
		result, err = l.db.Submit(l.Tab.Context(), a.ID, token,
			labeling.Submission{Answers: protocol.Answers{Values: values}, ActiveMS: 60_000})
		token = result.NextToken
	}
	if err != nil {
		l.Tab.Fatalf("%s: %v", email, err)
	}
}

// refresh brings the figures of the board and the lists up to date.
func (l *studyLead) refresh() {
	l.Tab.Helper()
	for _, job := range []func() (bool, error){
		func() (bool, error) { return l.db.MeasureItems(l.Tab.Context()) },
		func() (bool, error) { return l.db.RefreshBatchState(l.Tab.Context()) },
	} {
		for more := true; more; {
			var err error
			if more, err = job(); err != nil {
				l.Tab.Fatal(err)
			}
		}
	}
}

// A new lead runs a whole study in the browser: three projects from one upload, an annotator who
// never comes, one who leaves halfway, one who is added late, more labels where answers differ,
// ten adjudications and the export. Each item of the batch has its labels, and none is lost.
func TestStudy_NewLead_LosesNothing(t *testing.T) {
	t.Parallel()
	records := require.SharedData(t, "items", "rag.jsonl")
	env := newTestEnv(t)
	lead := env.newUser("lena@example.org", account.Lead)
	l := &studyLead{Tab: projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}.openTabAs(t,
		"lead"), testEnv: env}
	l.Visit("/")
	l.createProjects(records)
	l.openBatch()

	l.label("ann@example.org", 100)
	l.label("ben@example.org", 8)
	l.follow("Change batch…", "All changes happen at once")
	l.follow("Add more annotators to the project", "Add members")
	l.invite("Dora Late <dora@example.org>")
	l.follow("Overview", "Batch 1")
	l.follow("Batch 1", "Own share")
	l.changeBatch("Cleo never came; Dora helps.", func() {
		l.act("dora@example.org")
		l.remove("cleo@example.org")
	})
	l.changeBatch("Ben left halfway.", func() { l.remove("ben@example.org") })
	l.label("dora@example.org", 100)
	l.label("ann@example.org", 100)
	l.changeBatch("A third label where they differ.", func() { l.fill("rule_field", "any") })
	l.label("dora@example.org", 100)
	l.label("ann@example.org", 100)
	l.refresh()
	l.follow("Overview", "Batch 1")
	l.follow("Batch 1", "for another annotator: each one of the batch already had the item.")
	l.follow("Add an annotator", "All changes happen at once")
	l.follow("Add more annotators to the project", "Add members")
	l.invite("eve@example.org")
	l.follow("Overview", "Batch 1")
	l.follow("Batch 1", "Own share")
	l.changeBatch("Eve gives the third labels.", func() { l.act("eve@example.org") })
	l.label("eve@example.org", 100)
	l.refresh()

	l.adjudicate(10)
	l.closeAndExport()
	l.checkNothingLost()
	if l.clicks > 85 || l.loads > 52 {
		t.Errorf("the lead clicked, typed or chose %d times and loaded %d pages; before 83 and 50", l.clicks, l.loads)
	}
}

func (l *studyLead) createProjects(records string) {
	l.Tab.Helper()
	l.follow("New project", "Choose a protocol")
	l.follow("Create the three RAG projects, and fill them from one file", "Three projects in one go")
	l.fill("title", "Clinic")
	l.follow("Create three projects", "Import")
	l.clicks++
	l.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{records}))
	l.follow("Preview items", "1,513 items in rag.jsonl, for 3 projects")
	l.follow("Import 1,513 items", "needs instructions before you open a batch")
	l.follow("Projects", "Clinic: generation")
	l.follow("Clinic: generation", "needs instructions before you open a batch")
	l.follow("Add instructions", "Text")
	l.fill("instructions", "Judge each answer by its chunks only. Citations look like [1].")
	l.follow("Save instructions", "saved")
	l.follow("Overview", "Add annotators")
	l.follow("Add annotators", "Add members")
	l.invite("ann@example.org", "ben@example.org", "cleo@example.org")
}

func (l *studyLead) openBatch() {
	l.Tab.Helper()
	l.follow("Overview", "Open a batch")
	l.follow("Open batch", "You see a preview before it opens")
	for _, email := range []string{"ann@example.org", "ben@example.org", "cleo@example.org"} {
		l.act(email)
	}
	l.fill("sample", "24")
	l.fill("overlap", "2")
	l.fill("fewer_calibration", "They know the task.")
	l.WaitFor(previewValue("Items"), "24")
	l.follow("Open batch", "24 items, 3 annotators, 2 labels per item")
}

// adjudicate decides n disagreements by the majority.
func (l *studyLead) adjudicate(n int) {
	l.Tab.Helper()
	l.follow("Results", "Adjudication")
	l.follow("Adjudication", "Start with the largest")
	total := query[int](l.testEnv, `SELECT count(*) FROM item_states WHERE label_count > 1 AND NOT is_calibration
		AND disagreement > 0`)
	l.follow("Start with the largest", fmt.Sprintf("0 of %d adjudicated", total))
	for i := 1; i <= n; i++ {
		l.WaitFor(`document.readyState === 'complete'`, true)
		l.Press("c")
		l.PressWith(chromedp.ModifierCtrl, kb.Enter)
		l.clicks += 2
		l.loads++
		l.see(strconv.Itoa(i) + " of " + strconv.Itoa(total) + " adjudicated")
	}
}

func (l *studyLead) closeAndExport() {
	l.Tab.Helper()
	l.Visit("/projects/clinic-generation/batches/Batch%201")
	l.follow("Close batch…", "Close batch")
	l.fill("reason", "All labels are given.")
	l.follow("Close batch", "Closed on")
	l.follow("Results", "Export")
	l.follow("Export", "Export dataset")
	l.clicks++
	status := browsertest.Eval[int](l.Tab,
		`(form => fetch(form.action + '?' + new URLSearchParams(new FormData(form))).then(r => r.status))(
		[...document.querySelectorAll('main form')].find(f => f.innerText.includes('Export dataset')))`)
	if status != http.StatusOK {
		l.Tab.Errorf("the export answers %d", status)
	}
}

// checkNothingLost compares the items and labels with what was asked for.
func (l *studyLead) checkNothingLost() {
	l.Tab.Helper()
	for what, c := range map[string]struct {
		sql  string
		want int
	}{
		"items in the three projects": {`SELECT count(*) FROM items`, 1513},
		"items in the batch":          {`SELECT count(*) FROM batch_items`, 24},
		"items with fewer labels than asked for": {`
			SELECT count(*) FROM (
				SELECT s.item_id, count(*) AS wanted, (
					SELECT count(DISTINCT n.account_id) FROM current_annotations n WHERE n.item_id = s.item_id
					AND n.kind = 'work') AS given
				FROM slots s GROUP BY s.item_id) i WHERE given < wanted OR wanted < 2`, 0},
		"items whose answers differ, without a third label": {`
			SELECT count(*) FROM item_states WHERE disagreement > 0 AND label_count < 3 AND NOT is_calibration`, 0},
		"adjudicated items": {`SELECT count(DISTINCT item_id) FROM adjudications`, 10},
		"open items":        {`SELECT count(*) FROM assignments WHERE state = 'open'`, 0},
	} {
		if got := query[int](l.testEnv, c.sql); got != c.want {
			l.Tab.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}
