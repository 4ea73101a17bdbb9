package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead gives an item to an annotator of its open batch, and makes items without labels known answers.
func TestItemPage_GiveAndUseForCalibration(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	p := env.newProject(lead, "study", 2)
	desk := env.signInAs(lead)
	id := query[int64](env, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
	path := "/projects/study/items/" + formatID(id)
	desk.get(path).checkContains("Use for calibration or as gold")
	desk.post("/projects/study/items", url.Values{"item": {formatID(id)}, "action": {"calibrate"}}).checkRedirect(
		"/projects/study/references/" + formatID(id))

	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email},
		Overlap: 1, Seed: 3})
	if body := desk.get(path).checkContains("Give to…").body; strings.Contains(body, "Use for calibration") {
		t.Error("an item with labels to come can be made a calibration item")
	}
	desk.post("/projects/study/items", url.Values{"item": {formatID(id)}, "action": {"calibrate"}}).checkStatus(
		http.StatusConflict).checkContains("is in a batch as work")
	pseudonym := query[string](env, `SELECT m.pseudonym FROM members m WHERE m.account_id IN ($1, $2) AND NOT EXISTS (
		SELECT FROM slots s WHERE s.item_id = $3 AND s.account_id = m.account_id)`, ann.ID, ben.ID, id)
	if body := desk.get(path).body; !strings.Contains(body, `<option value="`+pseudonym) {
		t.Errorf("%s cannot be chosen", pseudonym)
	}
	desk.post(path+"/give", url.Values{"give_to": {pseudonym}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Enter a reason")
	desk.post(path+"/give", url.Values{"give_to": {pseudonym}, "reason": {"a second view"}}).checkRedirect(path)
	desk.get(path).checkContains("a second view", "Items given to one annotator: 1")
	desk.post(path+"/give", url.Values{"give_to": {pseudonym}, "reason": {"again"}}).checkStatus(http.StatusConflict)
}

// The page of an item shows what a round answered, with its name.
func TestItemPage_Round_AnswersWithName(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "study", 2)
	b := env.newBatch(lead, p, "one", 1, ann.Email)
	env.labelAll(ann, b, 1)
	if err := env.db.CloseBatch(env.Context(), lead.ID, p, b.Name, project.BatchClosing{Reason: "Done."}); err != nil {
		t.Fatal(err)
	}
	b = env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "second look", Annotators: []string{ann.Email},
		Overlap: 1, Round: project.RoundOfLabeled})
	path := "/projects/study/items/" + formatID(query[int64](env, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	desk := env.signInAs(lead)
	if text := desk.get(path).checkStatus(http.StatusOK).Text(); strings.Contains(text, "Answers in the round") {
		t.Error("a round without answers is shown")
	}
	env.labelAll(ann, b, 0)
	desk.get(path).checkContains("Answers in the round “second look”", "Show what moved in “second look”")
}
