package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// An annotator asks, the lead answers, and the annotator reads the answer before
// continuing. All of it works without a script.
func TestQuestion_WithoutScript_AnsweredOnItem(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "pilot", 3, 0)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "b", Annotators: []string{ann.Email}, Overlap: 1})
	annotator, leader := env.signInAs(ann), env.signInAs(lead)
	item := annotator.openItem()

	annotator.post(item+"/question", url.Values{"emotion": {"4"}}).checkRedirect(item + "/question")
	annotator.get(item + "/question").checkStatus(200).checkContains("Question about this item")
	annotator.post(item+"/question", url.Values{"lead_question": {" "}}).checkStatus(422).checkContains(
		"1 to 1,000 characters")
	annotator.post(item+"/question", url.Values{"lead_question": {"Is this <b>4</b>?"}}).checkRedirect(item)
	screen := annotator.get(item).checkStatus(200).checkContains("Is this <b>4</b>?", "Not answered yet")
	if len(screen.FindAll("[name='emotion'][value='4'][checked]")) != 1 {
		t.Error("the answers are lost")
	}

	list := leader.get("/projects/pilot/questions").checkStatus(200).checkContains("Is this <b>4</b>?", "Name of ann")
	path, anchor, _ := strings.Cut(list.FindFirst("tbody th a").Attr("href"), "#")
	form := leader.get(path).checkStatus(200)
	id := form.FindFirst("#" + anchor + " [name='question_id']").Attr("value")
	leader.post(path+"/questions", url.Values{"question_id": {id}, "answer": {""}}).checkStatus(422).checkContains(
		"1 to 2,000 characters")
	leader.post(path+"/questions", url.Values{"question_id": {id}, "answer": {"See the guide."}}).checkRedirect(
		"/projects/pilot/questions")
	leader.get("/projects/pilot/questions?after=answered").checkStatus(200).checkContains("Answer sent.",
		"No questions are waiting.", "Answered")
	leader.post("/projects/pilot/batches/b/announcements", url.Values{"message": {"Lunch\nat noon"}}).checkRedirect(
		"/projects/pilot/batches/b/announcements")

	annotator.get(item).checkStatus(200).checkContains("See the guide.", "Message from your lead")
	annotator.post("/work", url.Values{}).checkRedirect("/work")
	messages := annotator.get("/work").checkStatus(200).checkContains("See the guide.", "Lunch")
	read := url.Values{}
	for _, field := range messages.FindAll("main [type='hidden']") {
		read.Add(field.Attr("name"), field.Attr("value"))
	}
	leader.get("/projects/pilot/batches/b/announcements").checkStatus(200).checkContains("Read by 0 of 1 annotator",
		"Not read yet")
	annotator.post("/work/messages", read).checkRedirect("/work")
	annotator.get("/work?start=1").checkRedirect(item)
	annotator.get("/work").checkStatus(200).checkContains("Your questions", "See the guide.")
	leader.get("/projects/pilot/batches/b/announcements").checkStatus(200).checkContains("Read by 1 of 1 annotator")
}

// With a script, q asks in a dialog, and the item stays as it is.
func TestQuestion_Dialog_KeepsItem(t *testing.T) {
	t.Parallel()
	env, b, _ := openLabelingTab(t, 2)
	path := `location.pathname + document.querySelector('[name=emotion][value="4"]').checked`
	b.Press("4")
	before := path
	b.Press("q")
	b.WaitFor(`document.activeElement.id`, "lead_question")
	b.Press("Is q a 5", kb.Escape)
	b.WaitFor(`document.getElementById('question-dialog').open`, false)
	b.Press("q", "?", kb.Tab, kb.Enter)
	b.WaitFor(`document.getElementById('own-questions').innerText.includes('Is q a 5?')`, true)
	b.WaitFor(`document.getElementById('question-dialog').open`, false)
	b.WaitFor(before+` === location.pathname + true`, true)
	if got := query[string](env, `SELECT message FROM questions`); got != "Is q a 5?" {
		t.Errorf("stored %q", got)
	}
}
