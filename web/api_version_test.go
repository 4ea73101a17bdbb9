package web

import (
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/problem"
)

// An object is changed only if its version is that of If-Match. Progress is no new version, and
// a replayed request is not checked again.
func TestAPI_IfMatch_StaleVersion_Refused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 3)
	b := env.newBatch(lead, p, "first", 1, ann.Email)
	c := env.newToken(lead, leadScopes)
	hook := check[struct{ ID int64 }](c.send("POST", "/projects/p/webhooks", `{"url":"https://example.org/hook"}`), 201)
	for path, change := range map[string][2]string{
		"/projects/p": {`{"title":"One"}`, `{"title":"Two","instructions":"Cite."}`},
		"/projects/p/batches/first": {`{"reason":"why","break_every":7}`, `{"reason":"why","pause":["` +
			ann.Email + `"]}`},
		"/projects/p/webhooks/" + formatID(hook.ID): {`{"events":["batch.closed"]}`,
			`{"url":"https://example.org/new"}`},
	} {
		read := c.get(path)
		first := read.header.Get("ETag")
		second := c.send("PATCH", path, change[0], "If-Match", first, "Idempotency-Key", path)
		check[object](second, 200)
		if again := c.send("PATCH", path, change[0], "If-Match", first, "Idempotency-Key", path); again.status != 200 ||
			again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: the same request again: %d %s", path, again.status, again.body)
		}
		for _, stale := range []string{first, strings.TrimPrefix(first, "W/"), `"other"`, `W/"v1-0", "v999"`,
			"nonsense"} {
			d := check[problem.Details](c.send("PATCH", path, change[1], "If-Match", stale), 412)
			if d.Code != "precondition_failed" {
				t.Errorf("%s with %s: %+v", path, stale, d)
			}
		}
		if now := c.get(path); versionOf(now) != versionOf(second) || versionOf(now) == versionOf(read) {
			t.Errorf("%s: %s, then %s, now %s", path, first, second.header.Get("ETag"), now.header.Get("ETag"))
		}
		check[object](c.send("PATCH", path, change[1], "If-Match", `"x", `+second.header.Get("ETag")), 200)
		check[object](c.send("PATCH", path, change[0], "If-Match", "*"), 200)
	}
	settings := c.get("/projects/p/settings")
	changed := strings.Replace(settings.body, `"daily_item_limit":0`, `"daily_item_limit":40`, 1)
	replaced := c.send("PUT", "/projects/p/settings", changed, "If-Match", settings.header.Get("ETag"))
	if check[object](replaced, 200)["daily_item_limit"] != 40.0 ||
		versionOf(replaced) != versionOf(c.get("/projects/p")) {
		t.Errorf("%s %s", replaced.header.Get("ETag"), replaced.body)
	}
	check[problem.Details](c.send("PUT", "/projects/p/settings", settings.body, "If-Match",
		settings.header.Get("ETag")), 412)
	check[problem.Details](c.send("POST", "/projects/p/webhooks", `{"url":"https://example.org/hook"}`, "If-Match",
		`"v1"`), 412)
	before := c.get("/projects/p/batches/first")
	check[object](c.send("PATCH", "/projects/p/batches/first", `{"reason":"why","resume":["`+ann.Email+`"]}`,
		"If-Match", before.header.Get("ETag")), 200)
	before = c.get("/projects/p/batches/first")
	env.labelAll(ann, b, 1)
	after := c.get("/projects/p/batches/first")
	if versionOf(before) != versionOf(after) || before.header.Get("ETag") == after.header.Get("ETag") {
		t.Errorf("labels: %s, then %s", before.header.Get("ETag"), after.header.Get("ETag"))
	}
	check[object](c.send("POST", "/projects/p/batches/first/close", `{"reason":"done"}`, "If-Match",
		before.header.Get("ETag")), 200)
	check[problem.Details](c.send("POST", "/projects/p/batches/first/reopen", `{"reason":"more"}`, "If-Match",
		before.header.Get("ETag")), 412)
}

func versionOf(r apiResponse) string {
	version, _, _ := strings.Cut(r.header.Get("ETag"), "-")
	return version
}

// Of several programs that change the same version at once, one succeeds.
func TestAPI_IfMatch_AtOnce_OneSucceeds(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 1)
	c := env.newToken(lead, leadScopes)
	tag := c.get("/projects/p").header.Get("ETag")
	var group sync.WaitGroup
	statuses := make(chan int, 8)
	for range cap(statuses) {
		group.Go(func() { statuses <- c.send("PATCH", "/projects/p", `{"title":"New"}`, "If-Match", tag).status })
	}
	group.Wait()
	close(statuses)
	counts := map[int]int{}
	for status := range statuses {
		counts[status]++
	}
	if counts[200] != 1 || counts[412] != cap(statuses)-1 {
		t.Errorf("%v", counts)
	}
}
