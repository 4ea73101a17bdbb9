package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/problem"
)

type invitationBody struct{ Email, Role, Link string }

// An admin creates accounts and changes them. The link of an invitation is in the first response
// only, and is stored nowhere.
func TestAPI_Accounts_CreateAndChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.newUser("admin@example.org", account.Admin)
	c := env.newToken(admin, account.Scopes)
	create := func(key string) apiResponse {
		return c.send("POST", "/accounts", `{"email":"lena@example.org","name":"Lena","role":"lead"}`,
			"Idempotency-Key", key)
	}
	invited := check[invitationBody](create("k1"), 201)
	path := strings.TrimPrefix(invited.Link, env.baseURL)
	env.newBrowser().get(path).checkStatus(200).checkContains("lena@example.org")
	again := create("k1")
	if check[invitationBody](again, 201).Link != "" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeated response: %s", again.body)
	}
	if n := query[int](env, `SELECT count(*) FROM identity.api_requests
		WHERE convert_from(response, 'UTF8') LIKE '%' || $1 || '%'`, path[len("/invitations/"):]); n != 0 {
		t.Error("the link is stored")
	}
	check[problem.Details](create("k2"), 409)

	bulk := func(emails ...string) apiResponse {
		var list []string
		for _, email := range emails {
			list = append(list, fmt.Sprintf(`{"email":%q,"name":"N","role":"annotator"}`, email))
		}
		return c.send("POST", "/invitations", `{"accounts":[`+strings.Join(list, ",")+`]}`)
	}
	if d := check[problem.Details](bulk("ann@example.org", "lena@example.org"), 422); len(d.Errors) != 1 ||
		d.Errors[0].Field != "email" {
		t.Errorf("%+v", d)
	}
	if list := check[struct{ Invitations []invitationBody }](bulk("ben@example.org", "ann@example.org"),
		201); list.Invitations[1].Email != "ann@example.org" || list.Invitations[1].Link == "" {
		t.Errorf("%+v", list)
	}

	type accountBody struct {
		ID                  int
		Email, Role, Status string
	}
	list := check[struct{ Accounts []accountBody }](c.get("/accounts"), 200).Accounts
	if len(list) != 4 || list[0].Email != "lena@example.org" || list[0].Status != "invited" {
		t.Fatalf("%+v", list)
	}
	lena := fmt.Sprint("/accounts/", list[0].ID)
	read := c.get(lena)
	for _, change := range []struct {
		body, role, status string
	}{{`{"role":"annotator"}`, "annotator", "invited"}, {`{"disabled":true}`, "annotator", "disabled"},
		{`{"disabled":false,"role":"lead"}`, "lead", "invited"}} {
		changed := c.send("PATCH", lena, change.body, "If-Match", read.header.Get("ETag"))
		if got := check[accountBody](changed, 200); got.Role != change.role || got.Status != change.status {
			t.Errorf("%s: %+v", change.body, got)
		}
		if d := check[problem.Details](c.send("PATCH", lena, change.body, "If-Match", read.header.Get("ETag")),
			412); d.Code != "precondition_failed" {
			t.Errorf("%s again: %+v", change.body, d)
		}
		read = changed
	}
	self := fmt.Sprint("/accounts/", admin.ID)
	check[problem.Details](c.send("PATCH", self, `{"role":"lead"}`), 409)
	check[problem.Details](c.send("PATCH", self, `{"role":"king"}`), 422)
	check[problem.Details](c.send("PATCH", self, `{}`), 422)
	reset := check[invitationBody](c.send("POST", lena+"/invitation", ""), 201)
	env.newBrowser().get(strings.TrimPrefix(reset.Link, env.baseURL)).checkStatus(200)
	env.newBrowser().get(path).checkStatus(404)
}

// A program adds members and changes them. A change of what it has not read is refused.
func TestAPI_Members_AddChangeEnd(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 4)
	b := env.newBatch(lead, p, "first", 1, ann.Email)
	env.labelItems(ann, b, 1)
	c := env.newToken(lead, leadScopes)
	type member struct {
		Pseudonym, Email, Role, Status, Link string
		ThankYou                             string  `json:"thank_you"`
		WorkEndedAt                          *string `json:"work_ended_at"`
	}
	added := check[member](c.send("POST", "/projects/p/members",
		`{"email":"New@example.org","name":"New","role":"annotator"}`), 201)
	if added.Status != "invited" || !strings.HasPrefix(added.Link, env.baseURL+"/invitations/") ||
		added.Pseudonym == "" {
		t.Errorf("%+v", added)
	}
	bulk := check[struct{ Invitations []invitationBody }](c.send("POST", "/projects/p/invitations",
		`{"members":[{"email":"x@example.org","name":"X","role":"annotator"},{"email":"y@example.org","name":"Y","role":"lead"}]}`), 201)
	if len(bulk.Invitations) != 2 || bulk.Invitations[1].Role != "lead" {
		t.Errorf("%+v", bulk)
	}
	again := check[struct{ Invitations []invitationBody }](c.send("POST", "/projects/p/invitations/renew", ""), 201)
	if len(again.Invitations) != 3 {
		t.Errorf("%+v", again)
	}
	env.newBrowser().get(strings.TrimPrefix(added.Link, env.baseURL)).checkStatus(404)

	members := check[struct{ Members []member }](c.get("/projects/p/members"), 200).Members
	var path string
	for _, m := range members {
		if m.Email == ann.Email {
			path = "/projects/p/members/" + m.Pseudonym
		}
	}
	read := c.get(path)
	if removal := check[object](c.get(path+"/removal"), 200); removal["labels"] != 1.0 ||
		removal["returned_items"] != 3.0 {
		t.Errorf("%v", removal)
	}
	env.labelItems(ann, b, 1)
	if progress := c.get(path); versionOf(progress) != versionOf(read) {
		t.Error("progress is a new version of the member")
	}
	changed := c.send("PATCH", path, `{"role":"lead"}`, "If-Match", read.header.Get("ETag"))
	check[member](changed, 200)
	for method, body := range map[string]string{"PATCH": `{"role":"annotator"}`, "DELETE": "",
		"POST": `{"thank_you":"No."}`} {
		target := path
		if method == "POST" {
			target += "/end"
		}
		check[problem.Details](c.send(method, target, body, "If-Match", read.header.Get("ETag")), 412)
	}
	ended := c.send("POST", path+"/end", `{"thank_you":"Thank you."}`, "If-Match", changed.header.Get("ETag"))
	if m := check[member](ended, 200); m.WorkEndedAt == nil || m.ThankYou != "Thank you." {
		t.Errorf("%+v", m)
	}
	check[object](c.send("DELETE", path, "", "If-Match", ended.header.Get("ETag")), 200)
	check[problem.Details](c.get(path), 404)
}

// A definition is previewed and published with a token, and an open batch uses its revision.
func TestAPI_Protocol_PublishAndUseRevision(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	c := env.newToken(lead, leadScopes)
	source := env.newDefinition()
	send := func(path, source string) apiResponse { return c.send("POST", path, `{"source":`+quoteJSON(source)+`}`) }
	type publication struct {
		Key              string
		Fields           int
		IsNewVersion     bool `json:"is_new_version"`
		AlreadyPublished bool `json:"already_published"`
		Changes          []object
	}
	invalid := check[problem.Details](send("/protocols/preview", strings.Replace(source, "unit:", "units:", 1)), 422)
	if len(invalid.Errors) == 0 || invalid.Errors[0].Row == 0 {
		t.Errorf("%+v", invalid)
	}
	if got := check[publication](send("/protocols/preview", source), 200); got.Key != "mine" || got.Fields != 5 ||
		!got.IsNewVersion {
		t.Errorf("%+v", got)
	}
	check[problem.Details](c.get("/protocols/mine/1"), 404)
	check[publication](send("/protocols", source), 201)
	if got := check[publication](send("/protocols", source), 201); !got.AlreadyPublished {
		t.Errorf("%+v", got)
	}
	check[problem.Details](send("/protocols", strings.Replace(source, "Is the answer good", "Is it good", 1)), 409)
	check[object](c.send("POST", "/projects", `{"key":"p","title":"P","protocol":"mine","instructions":"Cite."}`), 201)
	check[object](c.send("POST", "/projects/p/items", `{"id":"a","query":"Q?","answer":"A."}`, asLines...), 200)
	env.newBatch(lead, env.mustProject("p"), "first", 1, ann.Email)
	revised := strings.Replace(strings.Replace(source, "version: 1\n", "version: 1\nrevision: 1\n", 1),
		"Is the answer good", "Is it good", 1)
	if got := check[publication](send("/protocols", revised), 201); got.IsNewVersion || len(got.Changes) != 1 {
		t.Errorf("%+v", got)
	}
	type revision struct {
		Revision, LatestRevision int
		Changes                  []object
	}
	if r := check[revision](c.get("/projects/p/batches/first/revision"), 200); len(r.Changes) != 1 {
		t.Errorf("%+v", r)
	}
	tag := c.get("/projects/p/batches/first").header.Get("ETag")
	check[object](c.send("PUT", "/projects/p/batches/first/revision", `{"revision":1}`, "If-Match", tag), 200)
	check[problem.Details](c.send("PUT", "/projects/p/batches/first/revision", `{"revision":1}`, "If-Match", tag), 412)
	check[problem.Details](c.send("PUT", "/projects/p/batches/first/revision", `{"revision":1}`), 409)
	limited := env.newToken(lead, leadScopes, "p")
	check[problem.Details](limited.send("POST", "/protocols", `{"source":`+quoteJSON(source)+`}`), 403)
	if schema := check[object](c.get("/protocols/schema"), 200); schema["$schema"] == nil {
		t.Errorf("%v", schema)
	}
}

// The questions, corrections, skips and calibration results that wait in the inbox are decided
// with a token.
func TestAPI_Inbox_IsWorkedOff(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	c := env.newToken(lead, leadScopes)
	p := env.newEmpathyProject(lead, "p", 6, 0)
	env.newProject(lead, "other", 1)
	references := `{"id":"c1","user_statement":"S","response":"R","reference":{"emotion":3,"validation":3,"helpfulness":3,"safety":3,"overall":3},"reason":"It is."}`
	if r := check[object](c.send("POST", "/projects/p/references", references, asLines...), 200); r["items"] != 1.0 {
		t.Errorf("%v", r)
	}
	check[problem.Details](c.send("POST", "/projects/p/references", strings.Replace(references, "It is.", "", 1),
		asLines...), 422)
	list := check[struct{ References []struct{ ID int } }](c.get("/projects/p/references"), 200)
	reference := fmt.Sprint("/projects/p/references/", list.References[0].ID)
	answers := `{"answers":{"emotion":3,"validation":3,"helpfulness":3,"safety":%d,"overall":3},"reasons":{"safety":"None named."}}`
	check[object](c.send("PUT", reference, fmt.Sprintf(answers, 4)), 200)
	if d := check[problem.Details](c.send("PUT", reference, fmt.Sprintf(answers, 9)), 422); len(d.Errors) != 1 ||
		d.Errors[0].Field != "safety" {
		t.Errorf("%+v", d)
	}
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 1})
	check[problem.Details](c.send("DELETE", reference, ""), 409)
	annBrowser := env.signInAs(ann)
	annBrowser.submitCalibration(middleScores, "")

	type attempt struct {
		Annotator, Status, Reason string
		AttemptNo                 int      `json:"attempt_no"`
		MissedFields              []string `json:"missed_fields"`
	}
	calibrations := "/projects/p/batches/one/calibrations"
	got := check[struct{ Calibrations []attempt }](c.get(calibrations), 200).Calibrations
	if len(got) != 1 || got[0].AttemptNo != 1 {
		t.Fatalf("%+v", got)
	}
	if a := check[attempt](c.send("POST", calibrations+"/"+got[0].Annotator+"/override", `{"reason":"Good enough."}`),
		200); a.Status != "continued" || a.Reason != "Good enough." {
		t.Errorf("%+v", a)
	}
	check[problem.Details](c.send("POST", calibrations+"/"+got[0].Annotator+"/override", `{"reason":"Again."}`), 409)
	check[problem.Details](c.send("POST", calibrations+"/unknown/override", `{"reason":"Again."}`), 404)

	item := annBrowser.openItem()
	annBrowser.post(item+"/question", url.Values{"lead_question": {"Is it a 4?"}}).checkRedirect(item)
	annBrowser.post(item+"/skip", url.Values{"reason": {"unclear"}, "comment": {"Which one?"}}).checkRedirect("")
	item = annBrowser.openItem()
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
	if err := env.db.RequestCorrection(t.Context(), ann.ID, strings.TrimPrefix(item, "/work/"),
		"I meant 4."); err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Kind, Project, Message string
		SubjectID              int `json:"subject_id"`
	}
	subjects := map[string]int{}
	for _, e := range check[struct{ Inbox []entry }](c.get("/inbox"), 200).Inbox {
		subjects[e.Kind] = e.SubjectID
	}
	if limited := env.newToken(lead, leadScopes, "other"); len(check[struct{ Inbox []entry }](limited.get("/inbox"),
		200).Inbox) != 0 {
		t.Error("the token sees a project that it does not reach")
	}
	if skips := check[struct{ Skips []object }](c.get("/projects/p/batches/one/skips"), 200).Skips; len(skips) != 1 ||
		skips[0]["comment"] != "Which one?" {
		t.Errorf("%v", skips)
	}
	question := fmt.Sprintf("/projects/p/questions/%d/answer", subjects["question"])
	check[object](c.send("POST", question, `{"answer":"Yes."}`), 200)
	check[problem.Details](c.send("POST", question, `{"answer":"Yes."}`), 409)
	if open := check[struct{ Questions []object }](c.get("/projects/p/questions"), 200).Questions; len(open) != 0 {
		t.Errorf("%v", open)
	}
	if answered := check[struct{ Questions []object }](c.get("/projects/p/questions?answered=true"),
		200).Questions; len(answered) != 1 || answered[0]["answer"] != "Yes." {
		t.Errorf("%v", answered)
	}

	corrections := "/projects/p/batches/one/corrections"
	correction := fmt.Sprintf("%s/%d", corrections, subjects["correction"])
	if d := check[object](c.send("POST", correction+"/decline", `{"reply":"3 is right."}`),
		200); d["status"] != "declined" || d["reply"] != "3 is right." {
		t.Errorf("%v", d)
	}
	check[problem.Details](c.send("POST", correction+"/accept", ""), 409)
	check[problem.Details](c.send("POST", corrections+"/999/accept", ""), 404)
	first := check[struct{ Corrections []object }](c.get(corrections), 200).Corrections[0]
	reopened := check[object](c.send("POST", corrections,
		fmt.Sprintf(`{"annotator":%q,"item":%q,"reason":"Look again."}`, first["annotator"], first["item"])), 201)
	if reopened["by_lead"] != true || reopened["status"] != "reopened" {
		t.Errorf("%v", reopened)
	}
	if list := check[struct{ Announcements []object }](c.send("POST", "/projects/p/batches/one/announcements",
		`{"message":"Lunch at noon."}`), 201).Announcements; len(list) != 1 || list[0]["message"] != "Lunch at noon." {
		t.Errorf("%v", list)
	}
	if a := check[attempt](c.send("POST", calibrations+"/"+got[0].Annotator+"/retake", ""), 200); a.AttemptNo != 2 ||
		a.Status != "labeling" {
		t.Errorf("%+v", a)
	}

}
