package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead replaces an annotator who holds an open item, raises the overlap, and closes, reopens and
// archives the batch. The annotator sees a notice.
func TestChangeBatch_ByPage(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, ben, cleo := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org",
		account.Annotator), env.newUser("cleo@example.org", account.Annotator)
	p := env.newProject(lead, "study", 6)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email},
		Overlap: 1, Seed: 3})
	env.addMembers(p, account.Annotator, cleo.Email)
	if _, err := env.db.OpenNext(env.Context(), ann.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	desk := env.signInAs(lead)
	const path = "/projects/study/batches/one"
	desk.get(path).checkStatus(200).checkContains("Change batch")
	desk.get(path+"/change").checkStatus(200).checkContains("Name of ann", "Name of cleo cleo@example.org",
		"Labels per item")
	form := url.Values{"action:" + pseudonym: {"remove"}, "add": {cleo.Email}, "break_every": {"30"},
		"break_minutes": {"5"}, "labels": {"2"}, "deadline": {"2030-01-31"}}
	desk.post(path+"/change", form).checkStatus(422).checkContains("Enter a reason of 1 to 1,000 characters")
	form.Set("reason", "Ann left")
	desk.post(path+"/change", form).checkRedirect(path)
	const effect = "Batch changed: 1 annotator added, 1 annotator removed, 4 items reassigned, 6 labels added to items of the batch."
	desk.get(path + "?after=change").checkStatus(200).checkContains(effect)
	desk.get(path + "?after=change").checkContains("Batch changed.")
	if n := query[int](env, `SELECT count(*) FROM slots WHERE batch_id = $1
		AND account_id IN ($2, $3)`, b.ID, ben.ID, cleo.ID); n != 12 {
		t.Errorf("Ben and Cleo have %d labels, want 12", n)
	}
	env.signInAs(ann).get("/work").checkStatus(200).checkContains("A lead removed you from a batch",
		"3 items go to others")
	desk.post(path+"/close", url.Values{"reason": {"enough"}}).checkRedirect(path)
	if available, _, err := env.db.CountAvailable(env.Context(), p.ID); err != nil || available != 6 {
		t.Errorf("%d items are available, %v", available, err)
	}
	desk.get(path + "/change").checkStatus(200).checkContains("Reopen batch")
	desk.post(path+"/reopen", url.Values{"reason": {"too early"}}).checkRedirect(path)
	if available, _, err := env.db.CountAvailable(env.Context(), p.ID); err != nil || available != 0 {
		t.Errorf("%d items are available, %v", available, err)
	}
	desk.post(path+"/archive", url.Values{"reason": {"done"}}).checkStatus(409)
	desk.post(path+"/close", url.Values{"reason": {"enough"}}).checkRedirect(path)
	desk.post(path+"/archive", url.Values{"reason": {"done"}}).checkRedirect(path)
}

// The board of a closed batch leads to a batch that collects the missing labels, or to its archive; so does the inbox.
func TestClosedBatch_MissingLabels_Collected(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "study", 2)
	env.newBatch(lead, p, "one", 1, ann.Email)
	desk := env.signInAs(lead)
	const path = "/projects/study/batches/one"
	desk.post(path+"/close", url.Values{"reason": {"enough"}}).checkRedirect(path)
	for _, page := range []string{"/inbox", "/projects/study"} {
		desk.get(page).checkContains("2 items lack labels. Their batch is closed. Another one can collect them")
	}
	link := desk.get(path).checkContains("2 items lack labels.").FindFirst("#board-totals a[href*=overlap]")
	form := desk.get(link.Attr("href")).checkStatus(200).checkContains("2 items that match: batch “one”")
	if overlap := form.FindFirst("input[name=overlap]").Attr("value"); overlap != "1" {
		t.Errorf("overlap %q", overlap)
	}
	desk.post(path+"/archive", url.Values{"reason": {"done"}}).checkRedirect(path)
	if text := desk.get(path).Text() + desk.get("/inbox").Text(); strings.Contains(text, "lack labels") {
		t.Error("an archived batch waits for labels")
	}
}
