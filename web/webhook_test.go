package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/webhook"
	"github.com/labelwright/labelwright/web/problem"
)

// A program does what the pages do, and no other response has the secret.
func TestAPI_Webhook_FromCreationToDeletion(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 1)
	c := env.newToken(lead, leadScopes)
	events, err := json.Marshal(webhook.EventTypes)
	if err != nil {
		t.Fatal(err)
	}
	create := func() object {
		return check[object](c.send("POST", "/projects/p/webhooks",
			fmt.Sprintf(`{"url":"https://example.org/hook","events":%s}`, events), "Idempotency-Key", "k"), 201)
	}
	created := create()
	if again := create(); again["secret"] != created["secret"] || !strings.HasPrefix(created["secret"].(string),
		"whsec_") {
		t.Errorf("%v, then %v", created, again)
	}
	path := fmt.Sprintf("/projects/p/webhooks/%.0f", created["id"])
	check[problem.Details](c.send("POST", "/projects/p/webhooks", `{"url":"ftp://example.org"}`), 422)
	check[problem.Details](c.send("PATCH", path, `{"events":["item.gone"]}`), 422)
	changed := check[object](c.send("PATCH", path, `{"events":["batch.closed"]}`), 200)
	if changed["url"] != "https://example.org/hook" || fmt.Sprint(changed["events"]) != "[batch.closed]" {
		t.Errorf("%v", changed)
	}
	for range 3 {
		check[object](c.send("POST", path+"/test", ""), 200)
	}
	type list struct {
		Deliveries []struct {
			ID     int
			Type   string
			Status string
		}
		NextCursor string `json:"next_cursor"`
	}
	first := check[list](c.get(path+"/deliveries?limit=2"), 200)
	rest := check[list](c.get(path+"/deliveries?limit=2&cursor="+first.NextCursor), 200)
	if len(first.Deliveries) != 2 || len(rest.Deliveries) != 1 || rest.NextCursor != "" ||
		rest.Deliveries[0].Type != "webhook.test" || rest.Deliveries[0].Status != "waiting" {
		t.Errorf("%+v, then %+v", first, rest)
	}
	resend := fmt.Sprintf("/projects/p/deliveries/%d/resend", rest.Deliveries[0].ID)
	check[object](c.send("POST", resend, ""), 200)
	if rotated := check[object](c.send("POST", path+"/secret", ""), 200); rotated["secret"] == created["secret"] {
		t.Error("the secret stayed")
	}
	if got := check[object](c.send("POST", path+"/disable", ""), 200); got["status"] != "disabled" {
		t.Errorf("%v", got)
	}
	check[problem.Details](c.send("POST", path+"/test", ""), 409)
	check[problem.Details](c.send("POST", resend, ""), 409)
	check[object](c.send("POST", path+"/enable", ""), 200)
	for _, read := range []string{"/projects/p/webhooks", path, path + "/deliveries", "/projects/p/audit-log"} {
		if body := c.get(read).body; strings.Contains(body, "whsec_") {
			t.Errorf("%s shows a secret: %s", read, body)
		}
	}
	check[object](c.send("DELETE", path, ""), 200)
	check[problem.Details](c.get(path), 404)
}

func TestWebhookPage_Change_KeepsWhatIsInvalid(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newProject(lead, "p", 1)
	id, _, err := env.db.CreateWebhook(t.Context(), lead.ID, p, webhook.New{URL: "https://example.org/hook"})
	if err != nil {
		t.Fatal(err)
	}
	desk, path := env.signInAs(lead), fmt.Sprintf("/projects/p/webhooks/%d", id)
	refused := desk.post(path, url.Values{"url": {"https://me:secret@example.org"}})
	if refused.status != 422 || !strings.Contains(refused.body, "Webhook not changed.") ||
		!strings.Contains(refused.body, "https://me:secret@example.org") {
		t.Errorf("%d %s", refused.status, refused.body)
	}
	desk.post(path, url.Values{"url": {"https://example.org/new"}, "events": {"batch.closed",
		"item.completed"}}).checkRedirect(path)
	w, err := env.db.Webhook(t.Context(), lead.ID, p, id)
	if err != nil || w.URL != "https://example.org/new" ||
		!slices.Equal(w.EventTypes, []webhook.EventType{webhook.BatchClosed, webhook.ItemCompleted}) {
		t.Errorf("%v %+v", err, w)
	}
}
