package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

const adjudicationPath = "/projects/sad-days/adjudication"

// newDecisionForm returns the form of the page with these answers.
func (a testResponse) newDecisionForm(values map[string]string) url.Values {
	a.Helper()
	form := url.Values{"note": {"A telling note."}}
	for _, hidden := range a.FindAll("#answer-form input[type='hidden']") {
		form.Set(hidden.Attr("name"), hidden.Attr("value"))
	}
	for key, value := range values {
		form.Set(key, value)
	}
	return form
}

// allThrees answers every question with 3.
func allThrees() map[string]string {
	return map[string]string{"emotion": "3", "validation": "3", "helpfulness": "3", "safety": "3", "overall": "3"}
}

// as one of the two said it.
func (a testResponse) firstAnswers() map[string]string {
	a.Helper()
	values := map[string]string{"helpfulness": "3", "safety": "3"}
	for _, key := range []string{"emotion", "validation", "overall"} {
		values[key] = a.FindFirst("#annotations-" + key + " b").Text()
	}
	return values
}

func TestAdjudicate_AllItems_Stores(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 12)
	b := s.signInAs(s.lead)
	b.get(adjudicationPath).checkStatus(200).checkContains("No disagreements to adjudicate")
	s.labelAll()
	queue := b.get(adjudicationPath).checkStatus(200).checkContains("0 of 3", "largest disagreement first",
		"Emotion recognition", "(tie)")
	if n := len(queue.FindAll("tbody tr")); n != 3 {
		t.Fatalf("%d items are listed, want the 3 with disagreements", n)
	}
	names := query[[]string](s.testEnv, `SELECT array_agg(pseudonym) FROM members`)
	for _, name := range names {
		if strings.Contains(queue.FindFirst("tbody").Text(), name) {
			t.Errorf("the queue names the annotator %s", name)
		}
	}
	path := queue.FindFirst("a.button.primary").Attr("href")
	for n := range 3 {
		page := b.get(path).checkStatus(200).checkContains(fmt.Sprintf("%d of 3 adjudicated", n), "A telling note.",
			"Response.")
		if len(page.FindAll(".question .field-annotations span")) < 5 {
			t.Error("the answers are not shown next to their questions")
		}
		for _, name := range append(names, "Name of ann") {
			if strings.Contains(page.body, name) {
				t.Errorf("the screen names the annotator %s", name)
			}
		}
		if checked := page.FindAll("#answer-form input[checked]"); len(checked) > 0 {
			t.Errorf("%d answers are filled in before any decision", len(checked))
		}
		path = b.post(path, page.newDecisionForm(page.firstAnswers())).checkRedirect("")
	}
	if path != adjudicationPath+"?after=adjudicated" {
		t.Errorf("the last decision redirects to %s", path)
	}
	done := b.get(path).checkStatus(200).checkContains("All disagreements are adjudicated", "3 of 3")
	done = b.get(done.FindFirst(".next-step a").Attr("href")).checkStatus(200).checkContains("by Name of lead")
	b.get(done.FindFirst("tbody a").Attr("href")).checkStatus(200).checkContains("Submit decision", "by Name of lead")
	r := b.waitForReport("/projects/sad-days/consensus?method=adjudicated")
	if n := len(r.FindAll("main tbody th a")); n != 3 {
		t.Errorf("the report shows %d adjudicated items, want 3", n)
	}
}

func TestAdjudicate_Invalid_KeepsForm(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	b := s.signInAs(s.lead)
	path := b.get(adjudicationPath).checkStatus(200).FindFirst("a.button.primary").Attr("href")
	page := b.get(path)
	form := page.newDecisionForm(allThrees())
	form.Del("safety")
	form.Set("decision.reason", "Half said.")
	refused := b.post(path, form).checkStatus(http.StatusUnprocessableEntity)
	if refused.FindFirst("#problem-safety li").Text() != "Choose an answer." ||
		refused.FindFirst("#decision-reason").Text() != "Half said." {
		t.Errorf("rejected with %s", refused.Text())
	}
	all := allThrees()
	all["emotion"], all["note"] = "5", "so"
	refused = b.post(path, page.newDecisionForm(all)).checkStatus(http.StatusUnprocessableEntity)
	refused.FindFirst("#problem-decision-reason li")
	refused.FindFirst("#problem-decision-cause li")
	all["decision.reason"], all["decision.cause"] = "It names the second feeling.", "annotator_mistake"
	b.post(path, page.newDecisionForm(all)).checkRedirect("")
	reopened := b.get(path).checkStatus(200).checkContains("It names the second feeling.", "Annotator mistake",
		"Required, because this item was adjudicated before")
	if reopened.FindFirst("#field-emotion input[checked]").Attr("value") != "5" {
		t.Error("the decision is not filled in")
	}
	conflict := b.post(path, page.newDecisionForm(all)).checkStatus(http.StatusConflict).checkContains(
		"Another decision was saved after you opened this item")
	if conflict.FindFirst("#decision-reason").Text() != "It names the second feeling." {
		t.Error("the entered text is lost")
	}
	all["decision.reason"] = "On a second look."
	b.post(path, conflict.newDecisionForm(all)).checkRedirect("")
	b.get(adjudicationPath+"?show=decided").checkStatus(200).checkContains("decided 2 times",
		"Causes: annotator mistake 1")
}

func TestAdjudicate_Majority_Prefills(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	b := s.signInAs(s.lead)
	page := b.get(b.get(adjudicationPath).checkStatus(200).FindFirst("a.button.primary").Attr("href")).checkStatus(200)
	prefilled := b.get(strings.TrimSuffix(page.FindFirst("#use-majority").Attr("href"), "#answer-form")).checkStatus(
		200).checkContains("majority")
	var keys []string
	for _, input := range prefilled.FindAll("#answer-form input[checked]") {
		keys = append(keys, input.Attr("name"))
	}
	if fmt.Sprint(keys) != "[helpfulness safety]" {
		t.Errorf("filled in %v, want the fields with agreement", keys)
	}
}

func TestAdjudicate_TiesOnly_Advances(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 12)
	s.labelAll()
	b := s.signInAs(s.lead)
	path := b.get(adjudicationPath + "?show=tied&batch=pilot").checkStatus(200).FindFirst(
		"a.button.primary").Attr("href")
	page := b.get(path).checkStatus(200)
	if next := b.post(page.FindFirst("#answer-form").Attr("action"),
		page.newDecisionForm(page.firstAnswers())).checkRedirect(""); !strings.HasSuffix(next,
		"?batch=pilot&show=tied") {
		t.Errorf("the next item is at %s", next)
	}
	b.get(adjudicationPath + "?batch=nope").checkStatus(http.StatusNotFound)
}

// A lead who labels in a batch sees no answers of others before it is closed.
func TestLabelingLead_OpenBatch_Blinded(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "mixed", 4)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, lead.Email},
		Overlap: 2})
	annBrowser := env.signInAs(ann)
	for path := annBrowser.openItem(); path != ""; path = annBrowser.openItem() {
		annBrowser.post(path, url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"0"},
			"incomplete": {"0"}, "unsafe_content": {"0"}}).checkRedirect("")
	}
	b := env.signInAs(lead)
	item := formatID(query[int64](env, `SELECT min(id) FROM items`))
	b.get("/projects/mixed/adjudication/" + item).checkStatus(http.StatusForbidden).checkContains(
		"other annotators' answers are hidden from you")
	blinded := b.get("/projects/mixed/items/" + item).checkStatus(200).checkContains("You label this item yourself")
	if strings.Contains(blinded.Text(), "Name of ann") || len(blinded.FindAll(".comparison-table")) > 0 {
		t.Errorf("the item page shows the work of another annotator: %s", blinded.Text())
	}
	b.post("/projects/mixed/adjudication/"+item, url.Values{"helpful": {"1"}}).checkStatus(http.StatusForbidden)
	b.get("/projects/mixed/adjudication").checkStatus(200).checkContains("Items that you label yourself are left out")
	env.startJobs()
	exportForm := url.Values{"shape": {"wide"}, "format": {"jsonl"}}
	b.post("/projects/mixed/export", exportForm).checkStatus(http.StatusForbidden).checkContains(
		"other annotators' answers are hidden from you")
	annotatorPath := "/projects/mixed/annotators/" + query[string](env, `SELECT pseudonym FROM members
		WHERE account_id = `+formatAccountID(ann))
	b.get(annotatorPath).checkStatus(http.StatusForbidden).checkContains(
		"other annotators' answers are hidden from you")
	for _, path := range []string{"/projects/mixed/disagreements", "/projects/mixed/consensus"} {
		if n := len(b.waitForReport(path).FindAll("main tbody th a")); n != 0 {
			t.Errorf("%s shows %d items", path, n)
		}
	}
	if err := env.db.CloseBatch(t.Context(), lead.ID, p, "one",
		project.BatchClosing{Reason: "all labels are in"}); err != nil {
		t.Fatal(err)
	}
	b.get("/projects/mixed/items/" + item).checkStatus(200).checkContains("Adjudicate item")
	b.waitForReport(annotatorPath).checkContains("Labels: 4.")
	b.post("/projects/mixed/export", exportForm).checkStatus(http.StatusOK)
}
