package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

const phishing = "Sign in again at https://evil.example to keep your labels."

// firstRevision returns a definition as its revision 0.
func firstRevision(source string) string { return strings.Replace(source, "\nrevision: 1\n", "\n", 1) }

// swapLabels turns a definition into the attack on the running forms of others: Yes and
// No swapped, and a sentence that is not the project's.
func swapLabels(source, revision string) string {
	source = firstRevision(source)
	source = strings.Replace(source, "version: 1\n", "version: 1\nrevision: "+revision+"\n", 1)
	source = strings.NewReplacer(`label: "No"`, `label: "Yes"`, `label: "Yes"`, `label: "No"`).Replace(source)
	return strings.Replace(source, "question: ", "question: "+phishing+" ", 1)
}

func (b browser) publish(source string) testResponse {
	b.Helper()
	return b.post("/protocols/new", url.Values{"source": {source}, "action": {"publish"}})
}

func (env testEnv) mustPublish(a account.Account, source string) {
	env.Helper()
	p, err := protocol.Read("definition", []byte(source))
	if err == nil {
		err = env.db.Publish(env.Context(), a.ID, p)
	}
	if err != nil {
		env.Fatal(err)
	}
}

// newRetrievalForm opens a batch of one item of a protocol for an annotator, and returns
// the page of the item.
func (env testEnv) newRetrievalForm(lead, annotator account.Account, name string) (p project.Project, itemPath string) {
	env.Helper()
	p, err := env.db.CreateProject(env.Context(), lead, project.Spec{Key: "retrieval", Title: "Retrieval",
		Protocol: name, Instructions: "Cite as [1]."})
	if err != nil {
		env.Fatal(err)
	}
	env.importItems(lead, p, `{"id":"q1","query":"Q?","answer":"A.","chunk":"One.","chunk_id":"c1","doc_id":"d1","chunk_rank":1}`)
	b := env.newBatch(lead, p, "first", 1, annotator.Email)
	token, err := env.db.OpenNext(env.Context(), annotator.ID, b.ID)
	if err != nil {
		env.Fatal(err)
	}
	return p, "/work/" + token
}

func (env testEnv) importItems(lead account.Account, p project.Project, file string) {
	env.Helper()
	b := env.signInAs(lead)
	b.post(b.upload("/projects/"+p.Key+"/import", "items.jsonl", file).checkRedirect(""),
		nil).checkRedirect("/projects/" + p.Key)
}

// copyRetrieval returns the definition of rag-retrieval under the key “mine”.
func copyRetrieval(t *testing.T) string {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == "rag-retrieval" {
			return firstRevision(strings.Replace(p.Source, "protocol: rag-retrieval", "protocol: mine", 1))
		}
	}
	t.Fatal("no protocol rag-retrieval")
	return ""
}

const oldQuestion, newQuestion = "Could the query be answered from this chunk alone?",
	"Can the query be answered from this chunk alone?"

// reviseRetrieval returns revision 1 of copyRetrieval, with a new question.
func reviseRetrieval(source string) string {
	return strings.NewReplacer("version: 1\n", "version: 1\nrevision: 1\n", oldQuestion, newQuestion).Replace(source)
}

// newRevisedBatch opens a batch, publishes a revision of its protocol, and returns the
// path of the batch.
func (env testEnv) newRevisedBatch(lead account.Account) string {
	env.Helper()
	source := copyRetrieval(env.T)
	env.mustPublish(account.Account{}, source)
	p, _ := env.newRetrievalForm(lead, env.newUser("reviser@example.org", account.Annotator), "mine@1")
	env.mustPublish(account.Account{}, reviseRetrieval(source))
	return "/projects/" + p.Key + "/batches/first"
}

// A lead of any project could rewrite the running form of every project with the same
// protocol.
func TestRevision_OfAnotherLeadsForm_IsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	victim, attacker, ann := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org",
		account.Lead), env.newUser("ann@example.org", account.Annotator)
	_, item := env.newRetrievalForm(victim, ann, "rag-retrieval@1")
	env.newProject(attacker, "theirs", 1)
	form := env.signInAs(ann)
	before := form.get(item).checkStatus(http.StatusOK).body
	b := env.signInAs(attacker)
	source := b.get("/protocols/rag-retrieval/1").checkStatus(http.StatusOK).FindFirst("pre code").RawText()
	for _, revision := range []string{"1", "9999"} {
		preview := b.post("/protocols/new", url.Values{"source": {swapLabels(source, revision)},
			"action": {"preview"}}).checkRedirect("")
		if page := b.get(preview).checkStatus(http.StatusOK).checkContains("built-in protocol"); len(
			page.FindAll("button[value='publish']")) != 0 {
			t.Error("the preview offers to publish it")
		}
		b.publish(swapLabels(source, revision)).checkStatus(http.StatusForbidden).checkContains("built-in protocol")
	}
	b.publish(strings.Replace(source, "version: 1", "version: 2", 1)).checkStatus(http.StatusForbidden)
	if form.get(item).checkStatus(http.StatusOK).body != before {
		t.Error("the form of another lead changed")
	}

	mine := firstRevision(strings.Replace(source, "protocol: rag-retrieval", "protocol: mine", 1))
	env.mustPublish(victim, mine)
	if _, err := env.db.CreateProject(t.Context(), victim, project.Spec{Key: "mine", Title: "Mine", Protocol: "mine",
		Instructions: "Cite as [1]."}); err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"1", "9999"} {
		b.publish(swapLabels(mine, revision)).checkStatus(http.StatusForbidden).checkContains(
			"a lead of every project with mine v1")
	}
	owner := env.signInAs(victim)
	owner.publish(swapLabels(mine, "1")).checkStatus(http.StatusConflict).checkContains("changes more than texts")
	owner.publish(strings.Replace(mine, "version: 1\n", "version: 1\nrevision: 9999\n", 1)).checkStatus(
		http.StatusConflict).checkContains("as revision 1")
	if n := query[int](env, `SELECT count(*) FROM protocol_revisions r
		JOIN protocol_versions v ON v.id = r.protocol_version_id WHERE v.key IN ('mine', 'rag-retrieval')`); n != 2 {
		t.Errorf("%d revisions are stored, want 2", n)
	}
}

// A revision reaches the annotators of an open batch when its lead has seen and
// accepted it.
func TestRevision_Accepted_ChangesForm(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, admin, ann := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin),
		env.newUser("ann@example.org", account.Annotator)
	b := env.signInAs(lead)
	source := copyRetrieval(t)
	env.mustPublish(admin, source)
	p, item := env.newRetrievalForm(lead, ann, "mine@1")
	form, board := env.signInAs(ann), "/projects/"+p.Key+"/batches/first"
	if len(b.get(board).checkStatus(http.StatusOK).FindAll("a[href$='/revision']")) != 0 {
		t.Error("the board offers a revision that does not exist")
	}
	b.get(board + "/revision").checkRedirect(board)

	revised := reviseRetrieval(source)
	preview := b.get(b.post("/protocols/new", url.Values{"source": {revised}, "action": {"preview"}}).checkRedirect(
		"")).checkStatus(http.StatusOK)
	preview.checkContains("creates revision 1", "after a lead of its project accepts it", oldQuestion, newQuestion)
	b.publish(revised).checkRedirect("/protocols/mine/1")
	guide := "/work/guide?" + strings.SplitN(form.get(item).checkStatus(http.StatusOK).checkContains(
		oldQuestion).FindFirst("#guide a").Attr("href"), "?", 2)[1]
	form.get(guide).checkStatus(http.StatusOK).checkContains("mine v1.0")

	b.get(board).checkStatus(http.StatusOK).checkContains("Revision 1 of the protocol is available", "mine v1.0")
	before := env.hashState()
	page := b.get(board+"/revision").checkStatus(http.StatusOK).checkContains("Use revision 1",
		"Question of “Sufficient evidence”", oldQuestion, newQuestion)
	if env.hashState() != before {
		t.Error("looking at the changes accepts them")
	}
	form.get(item).checkStatus(http.StatusOK).checkContains(oldQuestion)
	b.post(board+"/revision", url.Values{"revision": {page.FindFirst("input[name='revision']").Attr(
		"value")}}).checkRedirect(board)
	form.get(item).checkStatus(http.StatusOK).checkContains(newQuestion)
	form.get(guide).checkStatus(http.StatusOK).checkContains("mine v1.1")
	b.get(board+"?after=revision").checkStatus(http.StatusOK).checkContains("The batch uses revision 1", "mine v1.1")
	b.post(board+"/revision", url.Values{"revision": {"1"}}).checkStatus(http.StatusConflict)
	env.signInAs(admin).get("/admin/audit-log?action=batch.use_revision").checkStatus(http.StatusOK).checkContains(
		"let the batch first", "use revision 1 of its protocol instead of 0")
}

// Every control of the form is read as a control, so no field can have its name.
func TestLabelingForm_Controls_AreNoAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range protocol.Controls() {
		form := readLabelingForm(&http.Request{PostForm: url.Values{name: {"1"}}})
		if len(form.Answers.Values)+len(form.problems) != 0 {
			t.Errorf("%s is read as an answer: %+v", name, form)
		}
	}
}
