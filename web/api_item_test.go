package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/problem"
)

// Items are archived, restored and made calibration items by number or by filter: all, or none.
func TestAPI_Items_ArchiveRestoreCalibrate(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	p := env.newProject(lead, "p", 6)
	c := env.newToken(lead, leadScopes)
	ids := query[[]int64](env, `SELECT array_agg(id ORDER BY id) FROM items`)
	change := func(action, body string) apiResponse { return c.send("POST", "/projects/p/items/"+action, body) }
	numbers := func(ids ...int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
	changed := func(r apiResponse, want float64) {
		t.Helper()
		if got := check[object](r, 200)["items"]; got != want {
			t.Errorf("%v items, want %v", got, want)
		}
	}
	changed(change("archive", `{"items":`+numbers(ids[5])+`,"reason":"Broken."}`), 1)
	check[problem.Details](change("archive", `{"reason":"Broken."}`), 422)
	check[problem.Details](change("archive", `{"items":`+numbers(ids[5])+
		`,"matching":{"search":"x"},"reason":"Broken."}`), 422)
	changed(change("restore", `{"matching":{"state":"archived"}}`), 1)
	b := env.newBatch(lead, p, "first", 2, ann.Email, ben.Email)
	env.labelAll(ann, b, 1)
	env.labelAll(ben, b, 0)
	check[problem.Details](change("archive", `{"matching":{"batch":"first"},"reason":"Broken."}`), 409)

	lines := ""
	for _, id := range []string{"p-1", "p-2"} {
		lines += fmt.Sprintf(`{"item":%q,"answers":{"proper_action":1,"response_on_topic":1,"helpful":1,"incomplete":0,"unsafe_content":0},"reason":"It helps.","cause":"ambiguous_item"}`+"\n", id)
	}
	if d := check[problem.Details](c.send("POST", "/projects/p/adjudications", strings.Replace(lines, "p-2", "none", 1),
		asLines...), 422); d.Errors[0].Row != 2 {
		t.Errorf("%+v", d)
	}
	if r := check[object](c.send("POST", "/projects/p/adjudications", lines, asLines...), 200); r["items"] != 2.0 ||
		r["replaced"] != 0.0 {
		t.Errorf("%v", r)
	}
	before := env.hashState()
	if d := check[problem.Details](change("calibrate", `{"items":`+numbers(ids[0], ids[2], ids[1])+`}`),
		409); !strings.Contains(d.Detail, "“p-3”") {
		t.Errorf("%+v", d)
	}
	if env.hashState() != before {
		t.Error("some of the items became calibration items")
	}
	changed(change("calibrate", `{"matching":{"state":"adjudicated"}}`), 2)
	check[problem.Details](change("calibrate", `{"items":`+numbers(ids[0])+`}`), 409)
	if list := check[struct{ References []object }](c.get("/projects/p/references"), 200).References; len(list) != 2 ||
		list[0]["item"] != "p-1 (calibration)" {
		t.Errorf("%v", list)
	}
}

// Items are imported from the files that other programs write, as by page and command.
func TestAPI_Import_FormatsAndPresets(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	c := env.newToken(lead, leadScopes)
	env.newProject(lead, "p", 0)
	for i, f := range []struct {
		kind, query, body string
		status            int
	}{
		{"text/csv", "", "id;query;answer\na;Q?;A.\n", 200},
		{"application/json", "?map=query%3Dasked&map=answer%3Dreply.text",
			`[{"id":"b","asked":"Q?","reply":{"text":"A."}}]`, 200},
		{"application/json", "?map=query%3Dasked&map=answer%3Dmissing",
			`[{"id":"c","asked":"Q?","reply":{"text":"A."}}]`, 422},
		{"application/x-ndjson", "?preset=openai-chat",
			`{"messages":[{"role":"user","content":"Q?"},{"role":"assistant","content":"A."}]}`, 200},
		{"application/x-ndjson", "?preset=none", `{}`, 422},
		{"application/octet-stream", "", `{}`, 422},
		{"application/x-ndjson", "?map=nothing", `{}`, 422},
		{"text/plain", "", "x", 415},
	} {
		if r := c.send("POST", "/projects/p/items"+f.query, f.body, "Content-Type", f.kind); r.status != f.status {
			t.Errorf("%d: %d %s", i, r.status, r.body)
		}
	}
	if n := query[int](env, `SELECT count(*) FROM items`); n != 3 {
		t.Errorf("%d items", n)
	}
	if n := query[int](env, `SELECT count(*) FROM uploads`); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

// A sheet is made, checked and submitted for an annotator, and what leads set for exports is
// read and replaced.
func TestAPI_SheetsAndDescription(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 3)
	env.newBatch(lead, p, "first", 1, ann.Email)
	c := env.newToken(lead, leadScopes)
	members := check[struct {
		Members []struct{ Pseudonym, Role string }
	}](c.get("/projects/p/members"), 200).Members
	path := "/projects/p/batches/first/sheets/" + members[1].Pseudonym
	type file struct{ Name, Content string }
	sheet := check[struct {
		Rows                 int
		Annotations, Context file
	}](c.send("POST", path, ""), 201)
	if sheet.Rows != 3 || strings.Count(sheet.Context.Content, "An answer.") != 3 {
		t.Fatalf("%+v", sheet)
	}
	check[problem.Details](c.send("POST", path+"/submit", sheet.Annotations.Content, "Content-Type", "text/csv"), 422)
	filled := env.fillSheet(sheet.Annotations.Content)
	for i, query := range []string{"?dry_run=true", "", ""} {
		want := []float64{3, 3, 0}[i]
		if r := check[object](c.send("POST", path+"/submit"+query, filled, "Content-Type", "text/csv"),
			200); r["submitted"] != want {
			t.Errorf("submission %d: %v", i+1, r)
		}
	}

	description := c.get("/projects/p/description")
	body := `{"license":"cc-by-4.0","description":"Answers.","languages":["en"]}`
	replaced := c.send("PUT", "/projects/p/description", body, "If-Match", description.header.Get("ETag"))
	if check[object](replaced, 200)["license"] != "cc-by-4.0" {
		t.Error(replaced.body)
	}
	check[problem.Details](c.send("PUT", "/projects/p/description", body, "If-Match", description.header.Get("ETag")),
		412)
	check[problem.Details](c.send("PUT", "/projects/p/description",
		`{"license":"not a license","description":"","languages":[]}`), 422)
	if r := check[object](c.send("PUT", "/projects/p/text-formats", `{"formats":{"answer":"code"}}`),
		200); r["formats"].(object)["answer"] != "code" {
		t.Errorf("%v", r)
	}
	check[problem.Details](c.send("PUT", "/projects/p/text-formats", `{"formats":{"other":"code"}}`), 422)
	key := c.get("/projects/p/unblinding-key")
	if key.status != 200 || strings.Count(key.body, "\n") != 4 || !strings.Contains(key.body, "p-2") {
		t.Errorf("%d %s", key.status, key.body)
	}
}

// fillSheet answers every question of an annotation sheet with the ragAnswers.
func (env testEnv) fillSheet(sheet string) string {
	env.Helper()
	lines := strings.Split(strings.TrimRight(sheet, "\r\n"), "\n")
	columns := strings.Split(strings.TrimSpace(lines[0]), ",")
	for i, line := range lines[1:] {
		cells := strings.Split(strings.TrimSpace(line), ",")
		for n, column := range columns {
			if value, ok := ragAnswers[column]; ok {
				cells[n] = fmt.Sprint(value)
			}
		}
		lines[i+1] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// A stream is read from the database as the client reads it: an item that is imported after its
// first line has arrived is in it. It continues at a cursor.
func TestAPI_Stream_ReadsWithClient(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	c := env.newToken(lead, leadScopes)
	p := env.newProject(lead, "p", 1)
	text := strings.Repeat("A long answer. ", 5000)
	const count = 400 // more than what the sockets buffer
	items := make([]project.Item, count)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprint("long-", i), Facts: protocol.Facts{},
			Content: project.Content{"query": {Text: "Q?"}, "answer": {Text: text}}}
	}
	if err := env.db.Import(t.Context(), lead.ID, p, postgres.File{Name: "long.jsonl"}, items); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, env.baseURL+apiPath+"/projects/p/stream/items",
		nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	first, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(first, `"source_id":"p-1"`) {
		t.Fatalf("%v: %.200s", err, first)
	}
	check[object](c.send("POST", "/projects/p/items", `{"id":"late","query":"Q?","answer":"A."}`, asLines...), 200)
	rest, err := io.ReadAll(lines)
	if n := strings.Count(string(rest), "\n"); err != nil || n != count+1 ||
		!strings.Contains(string(rest), `"source_id":"late"`) {
		t.Errorf("%v, %d lines after the first", err, n)
	}
	var item struct{ ID int }
	if err := json.Unmarshal([]byte(first), &item); err != nil {
		t.Fatal(err)
	}
	if again := c.get(fmt.Sprintf("/projects/p/stream/items?cursor=%d", item.ID)); again.status != 200 ||
		again.body != string(rest) {
		t.Errorf("the rest again: %d, %d bytes, want %d", again.status, len(again.body), len(rest))
	}
	check[problem.Details](c.get("/projects/p/stream/items?cursor=x"), 422)
}

func TestAPI_StreamJudgments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 3)
	c := env.newToken(lead, leadScopes)
	check[object](c.send("POST", "/projects/p/judges/j/judgments", `{"item":"p-1","helpful":1}`+"\n"+
		`{"item":"p-3","helpful":0}`, asLines...), 200)
	stream := c.get("/projects/p/stream/judgments/j")
	if lines := strings.Split(stream.body, "\n"); stream.status != 200 || len(lines) != 3 ||
		!strings.Contains(lines[1], `"item":"p-3","answers":{"helpful":0}`) {
		t.Errorf("%d %s", stream.status, stream.body)
	}
	check[problem.Details](c.get("/projects/p/stream/judgments/none"), 404)
}
