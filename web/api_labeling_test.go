package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/problem"
)

const helpfulLabel = `{"answers":{"proper_action":1,"response_on_topic":1,"helpful":0,"incomplete":0,"unsafe_content":0},"note":""}`

// An annotator labels a batch with a token: with its breaks, rules, drafts, skips, questions and required
// reading, and only their own items.
func TestAPI_Labeling_RulesOfPages(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 6, project.BatchSpec{BreakEvery: 3, BreakMinutes: 5})
	s.execSQL(`UPDATE projects SET allows_undo = true`)
	c, other := s.newToken(s.ann, []account.Scope{account.ScopeLabel}), s.newToken(s.lead,
		[]account.Scope{account.ScopeLabel})
	s.execSQL(`DELETE FROM reading_acknowledgments`)
	choice := fmt.Sprintf(`{"batch":%d}`, s.batch.ID)
	token := check[api.NextItem](c.send("POST", "/work/next", choice), 200).Next
	check[problem.Details](c.get("/work/items/"+token), 409)
	check[problem.Details](c.send("POST", "/work/items/"+token+"/label", helpfulLabel), 409)
	s.skipReading()
	if draft := check[api.OpenItem](c.get("/work/items/"+token), 200).Draft; draft.Answers["helpful"] != 0 ||
		len(draft.Answers) != 5 {
		t.Errorf("the answers are not saved: %+v", draft)
	}
	for _, path := range []string{"", "/draft", "/label", "/skip", "/question", "/correction"} {
		method, body := http.MethodPost, helpfulLabel
		switch path {
		case "":
			method, body = http.MethodGet, ""
		case "/draft":
			method = http.MethodPut
		case "/skip":
			body = `{"reason":"distressing"}`
		case "/question", "/correction":
			body = `{"message":"Why?"}`
		}
		if got := other.send(method, "/work/items/"+token+path, body).status; got < 400 {
			t.Errorf("another account: %s %q: %d", method, path, got)
		}
	}
	if d := check[problem.Details](c.send("POST", "/work/items/"+token+"/label",
		strings.Replace(helpfulLabel, `"helpful":0`, `"helpful":7`, 1)), 422); len(d.Errors) == 0 ||
		d.Errors[0].Code == "" {
		t.Errorf("a label that breaks a rule: %+v", d)
	}
	check[api.NextItem](c.send("POST", "/work/items/"+token+"/question", `{"message":"Why?"}`), 200)
	if shown := check[api.OpenItem](c.get("/work/items/"+token), 200); len(shown.Questions) != 1 {
		t.Errorf("questions %+v", shown.Questions)
	}
	first := check[api.NextItem](c.send("POST", "/work/items/"+token+"/label", helpfulLabel), 200)
	again := check[api.NextItem](c.send("POST", "/work/items/"+token+"/label", strings.Replace(helpfulLabel,
		`"note":""`, `"note":"x"`, 1)), 200)
	if again.Next != first.Next || !again.AlreadySubmitted || !again.Differs {
		t.Errorf("submitted twice: %+v, %+v", first, again)
	}
	check[api.AnnotatorWork](c.send("POST", "/work/items/"+token+"/correction", `{"message":"Wrong."}`), 200)
	next := first.Next
	undone := check[api.NextItem](c.send("POST", "/work/undo", fmt.Sprintf(`{"batch":%d,"open":%q}`, s.batch.ID, next)),
		200).Next
	if shown := check[api.OpenItem](c.get("/work/items/"+undone), 200); !shown.IsUndone {
		t.Errorf("taken back: %+v", shown)
	}
	for token := undone; token != ""; {
		token = check[api.NextItem](c.send("POST", "/work/items/"+token+"/label", helpfulLabel), 200).Next
	}
	work := check[api.AnnotatorWork](c.get("/work"), 200)
	if !work.OnBreak || work.Batches[0].CompletedItems != 3 {
		t.Errorf("no break after 3 items: %+v", work)
	}
	if opened := check[api.NextItem](c.send("POST", "/work/next", `{}`), 200); opened.Next != "" {
		t.Error("an item opens during the break")
	}
	check[api.AnnotatorWork](c.send("POST", "/work/break/end", ""), 200)
	next = check[api.NextItem](c.send("POST", "/work/next", `{}`), 200).Next
	check[api.AnnotatorWork](c.send("POST", "/work/break", choice), 200)
	check[problem.Details](c.get("/work/items/"+next), 409)
	check[problem.Details](c.send("POST", "/work/items/"+next+"/skip", `{"reason":"distressing"}`), 409)
	check[api.AnnotatorWork](c.send("POST", "/work/break/end", ""), 200)
	check[problem.Details](c.send("POST", "/work/items/"+next+"/skip", `{"reason":"unclear"}`), 422)
	check[api.NextItem](c.send("POST", "/work/items/"+next+"/skip", `{"reason":"distressing"}`), 200)
	if n := s.countAnnotations(); n != 4 { // 3 items, one of them twice
		t.Errorf("%d annotations", n)
	}
	if _, err := s.db.CreateAPIToken(t.Context(), s.ann.ID, s.ann.ID, account.NewAPIToken{Name: "x", Days: 1,
		Scopes: []account.Scope{account.ScopeRead}}); err == nil {
		t.Error("an annotator creates a token that reads projects")
	}
	check[problem.Details](c.get("/projects"), 403)
}

// Nothing in what the API says of a hidden item, but its texts, differs from work items: neither values, nor
// names, nor headers.
func TestAPI_Labeling_HiddenItems_LookLikeWork(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "p", 24, 6)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		DuplicateCount: 4, GoldCount: 4, Seed: 5, BreakMinutes: 5})
	env.execSQL(`INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id ON CONFLICT DO NOTHING`)
	c, looks := env.newToken(ann, []account.Scope{account.ScopeLabel}), map[string][]string{}
	const scores = `{"answers":{"emotion":3,"validation":3,"helpfulness":3,"safety":3,"overall":3}}`
	token := check[api.NextItem](c.send("POST", "/work/next", `{}`), 200).Next
	for position := 1; token != ""; position++ {
		shown, work := c.get("/work/items/"+token), c.get("/work")
		submitted := c.send("POST", "/work/items/"+token+"/label", scores)
		next := check[api.NextItem](submitted, 200).Next
		look := strings.Join(slices.Sorted(maps.Keys(shown.header)), " ")
		for _, answer := range []apiResponse{shown, work, submitted} {
			fields := check[object](answer, 200)
			delete(fields, "parts")
			text, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			look += "\n" + string(text)
		}
		look = strings.NewReplacer(token, "TOKEN", cmpOr(next, "", "none"), "NEXT", fmt.Sprintf(
			`"completed_items":%d`, position-1), `"completed_items":N`).Replace(look)
		kind := query[string](env, `SELECT kind FROM assignments WHERE token = $1`, token)
		looks[kind] = append(looks[kind], look)
		token = next
	}
	if len(looks["duplicate"]) < 3 || len(looks["gold"]) < 3 {
		t.Fatalf("%d duplicates and %d gold items were shown", len(looks["duplicate"]), len(looks["gold"]))
	}
	for _, look := range append(looks["duplicate"], looks["gold"]...) {
		if look != looks["work"][1] {
			t.Errorf("a hidden item looks like\n%s\na work item like\n%s", look, looks["work"][1])
		}
	}
}
