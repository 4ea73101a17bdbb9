package web

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// apiBodies are the bodies of writes. Values in braces are objects of the project.
var apiBodies = map[string]string{
	"create-project":       `{"key":"created","title":"Created","protocol":"rag-generation"}`,
	"change-project":       `{"title":"Renamed"}`,
	"replace-settings":     `{"miss_policy":"wait","share_calibration_scores":false,"allows_undo":true,"skip_policy":"drop","break_after_minutes":0,"daily_item_limit":40,"session_limit_minutes":0,"release_after_minutes":60,"content_warning":"","support_url":""}`,
	"archive-project":      `{"reason":"Done."}`,
	"unarchive-project":    "",
	"import-items":         `{"id":"imported","query":"Q?","answer":"A."}`,
	"add-member":           `{"email":"added@example.org","name":"Added","role":"annotator"}`,
	"change-member":        `{"role":"lead"}`,
	"remove-member":        "",
	"preview-batch":        `{"name":"next","annotators":["{email}"],"overlap":1,"calibration":0,"fewer_calibration":"A test.","duplicates":0}`,
	"open-batch":           `{"name":"next","annotators":["{email}"],"overlap":1,"calibration":0,"fewer_calibration":"A test.","duplicates":0}`,
	"change-batch":         `{"reason":"Why.","break_every":7}`,
	"preview-change":       `{"reason":"Why.","break_every":7}`,
	"close-batch":          `{"reason":"Done."}`,
	"reopen-batch":         `{"reason":"More."}`,
	"archive-batch":        `{"reason":"Done."}`,
	"submit-judgments":     `{"item":"{source}","{field}":1}`,
	"adjudicate":           `{"answers":{"{field}":1},"last_annotation_id":0,"decision_no":0}`,
	"draw-spot-checks":     `{"items":1}`,
	"export-dataset":       `{}`,
	"create-account":       `{"email":"new@example.org","name":"New","role":"lead"}`,
	"create-accounts":      `{"accounts":[{"email":"new@example.org","name":"New","role":"lead"}]}`,
	"change-account":       `{"role":"lead"}`,
	"invite-account":       "",
	"preview-protocol":     `{"source":{definition}}`,
	"publish-protocol":     `{"source":{definition}}`,
	"replace-description":  `{"license":"mit","description":"Made for a test.","languages":["en"]}`,
	"replace-text-formats": `{"formats":{"answer":"text"}}`,
	"erase-account":        `{"with_notes":true}`,
	"erase-project":        `{"key":"{project}","reason":"Asked for."}`,
	"erase-items":          `{"items":[{free item}],"reason":"Asked for."}`,
	"archive-items":        `{"items":[{free item}],"reason":"Broken."}`,
	"restore-items":        `{"items":[{item}]}`,
	"calibrate-items":      `{"items":[{item}]}`,
	"tag-items":            `{"items":[{item}],"add":["odd"]}`,
	"note-items":           `{"items":[{item}],"note":"Odd."}`,
	"import-references":    `{"id":"r","query":"Q?","answer":"A.","reference":{"proper_action":1,"response_on_topic":1,"helpful":1,"incomplete":0,"unsafe_content":0},"reason":"It is."}`,
	"set-reference":        `{"answers":{"proper_action":1,"response_on_topic":1,"helpful":0,"incomplete":0,"unsafe_content":0},"reasons":{"note":"It is."}}`,
	"remove-reference":     "",
	"add-members":          `{"members":[{"email":"added@example.org","name":"Added","role":"annotator"}]}`,
	"invite-members":       "",
	"end-work":             `{"thank_you":"Thanks."}`,
	"use-revision":         `{"revision":1}`,
	"take-version":         `{"version":2}`,
	"override-calibration": `{"reason":"It is fine."}`,
	"retake-calibration":   "",
	"reopen-item":          `{"annotator":"{pseudonym}","item":"{source}","reason":"Look again."}`,
	"accept-correction":    "",
	"decline-correction":   `{"reply":"It is right."}`,
	"answer-question":      `{"answer":"Because."}`,
	"announce":             `{"message":"Hello."}`,
	"import-adjudications": `{"item":"{source}","answers":{"{field}":1}}`,
	"create-sheet":         "",
	"submit-sheet":         "id\n",
	"cancel-export":        "",
	"delete-export":        "",
	"create-webhook":       `{"url":"https://example.org/hook"}`,
	"open-next-item":       `{}`,
	"save-draft":           `{"answers":{"{field}":1}}`,
	"submit-label":         `{"answers":{"{field}":1}}`,
	"skip-item":            `{"reason":"outside_expertise"}`,
	"ask-lead":             `{"message":"Why?"}`,
	"report-mistake":       `{"message":"Wrong."}`,
	"undo-submit":          `{"batch":1}`,
	"start-break":          `{"batch":1}`,
	"end-break":            "",
	"change-webhook":       `{"events":["batch.closed"]}`,
}

// An apiOperation is an operation of the OpenAPI document.
type apiOperation struct{ id, method, path, scope string }

// countObjects returns how many objects of a project the path names. Any name of a judge will do.
func (op apiOperation) countObjects() int {
	return strings.Count(strings.NewReplacer("{project}", "", "{judge}", "").Replace(op.path), "{")
}

// operations returns the operations of the document, in the order of the page.
func (c apiClient) operations() (operations []apiOperation) {
	c.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Description string
		}
	}
	if err := json.Unmarshal([]byte(c.get("/openapi.json").body), &document); err != nil {
		c.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			op := document.Paths[path][method]
			_, scope, _ := strings.Cut(op.Description, "Scope: `")
			operations = append(operations, apiOperation{op.OperationID, strings.ToUpper(method), path,
				strings.TrimSuffix(scope, "`.")})
		}
	}
	return operations
}

// call sends the request of an operation about objects of a scope: own, foreign, mixed or
// absent. A mixed request is about an object of theirs in mine.
func (f apiFixture) call(op apiOperation, scope, token string) apiResponse {
	f.Helper()
	r := f.newRequest(op, scope)
	path := op.path
	for name, value := range r.path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	start := time.Now()
	response := apiClient{f.testEnv, f.tokens[token]}.send(op.method, path, r.body, "Content-Type", r.contentType)
	if answerCanary.MatchString(response.body) && f.checkReveal(query[account.ID](f.testEnv, `SELECT account_id
		FROM identity.api_tokens WHERE token_hash = $1`, account.HashToken(f.tokens[token])), start, op.id,
		response.body) {
		f.answersShown++
	}
	return response
}

// An apiRequest is the input of an operation: the values in its path, and its body.
type apiRequest struct {
	path              map[string]string
	body, contentType string
}

func (f apiFixture) newRequest(op apiOperation, scope string) apiRequest {
	f.Helper()
	key := map[string]string{"own": "mine", "foreign": "theirs", "mixed": "mine", "absent": "none"}[scope]
	objects := f.objects[cmpOr(key, "none", "mine")]
	if scope == "mixed" {
		objects = f.objects["theirs"]
	}
	batch := objects
	if scope == "mixed" && op.countObjects() > 1 { // only what is in the batch is of theirs
		batch = f.objects["mine"]
	}
	batchName, item := batch["{batch name}"], objects["{item}"]
	if strings.Contains(op.path, "/calibrations") {
		batchName = batch["{calibrated}"]
	}
	if strings.Contains(op.path, "/references") {
		item = objects["{reference}"]
	}
	path := map[string]string{"project": key, "item": item, "export": objects["{export}"], "batch": batchName,
		"account": objects["{account}"], "member": objects["{pseudonym}"],
		"webhook": strings.TrimPrefix(objects["/webhooks/{id}"], "/webhooks/"), "delivery": objects["{delivery}"],
		"correction": objects["{request}"], "question": objects["{question}"], "judge": "judge", "key": "empathy",
		"token":   strings.TrimPrefix(objects["/work/{token}"], "/work/"),
		"version": "1"}
	body := strings.NewReplacer("{email}", objects["{email}"], "{source}", cmpOr(key, "none", "mine")+"-1", "{field}",
		"helpful", "{item}", objects["{item}"], "{free item}", objects["{free item}"],
		"{pseudonym}", objects["{pseudonym}"], "{definition}", quoteJSON(f.newDefinition())).Replace(apiBodies[op.id])
	r := apiRequest{path: path, body: body, contentType: "application/json"}
	switch op.id {
	case "import-items", "submit-judgments", "import-references", "import-adjudications":
		r.contentType = "application/x-ndjson"
	case "submit-sheet":
		r.contentType = "text/csv"
	}
	return r
}

func quoteJSON(text string) string {
	quoted, _ := json.Marshal(text) // a text has no errors
	return string(quoted)
}

// cmpOr returns other if value is unwanted.
func cmpOr(value, unwanted, other string) string {
	if value == unwanted {
		return other
	}
	return value
}
