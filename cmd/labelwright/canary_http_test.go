package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web"
)

// A canaryRequest is a request with canaries in its address, headers or body.
type canaryRequest struct {
	method, path, kind, body string
	status                   int
}

const canaryForm = "application/x-www-form-urlencoded"

// pageRequests are requests of a lead, some of which are refused.
var pageRequests = []canaryRequest{
	{"GET", "/projects/pilot/items?search=Canary+text+of+r1&condition=condition%3Dcanary-condition", "", "", 200},
	{"GET", "/projects/pilot/items?record=canary-contact%40example.org&annotator=canary-name&answer=emotion%3Dcanary-text", "", "", 404},
	{"GET", "/projects/pilot/items?search=canary-text%00", "", "", 400},
	{"GET", "/projects/pilot/items/1", "", "", 200},
	{"GET", "/projects/pilot/audit-log?actor=canary-mail-lena%40example.org", "", "", 200},
	{"GET", "/projects/pilot/report?by=canary-condition", "", "", 422},
	{"GET", "/canary-text?canary-comment", "", "", 404},
	{"CANARY-TEXT", "/sign-in", "", "", 405},
	{"GET", "/invitations/canary-secret", "", "", 404},
	{"POST", "/projects/pilot/batches/first/announcements", canaryForm, "message=canary-comment", 409},
	{"POST", "/projects/pilot/members/invite", canaryForm,
		"list=canary-name+%3Ccanary-mail-new%40example.org%3E&role=annotator", 200},
	{"POST", "/projects/pilot/settings", canaryForm, "title=canary-name&unknown=canary-comment", 200},
	{"POST", "/sign-in", canaryForm, "email=canary-mail-lena%40example.org&password=canary-secret", 422},
}

// apiRequests are requests with the token of a lead. The database rejects the key of the project.
var apiRequests = []canaryRequest{
	{"GET", "/projects/pilot/items?search=Canary+text+of+r1&condition=condition%3Dcanary-condition", "", "", 200},
	{"GET", "/projects/pilot/items?search=canary-text%00", "", "", 400},
	{"GET", "/projects/canary-name", "", "", 404},
	{"POST", "/projects", "application/json", `{"key":"pilot","title":"Canary name","protocol":"empathy"}`, 409},
	{"POST", "/projects/pilot/items", "application/x-ndjson",
		`{"id":"r1","user_statement":"Canary text","response":"Another canary-text"}`, 409},
	{"POST", "/projects/pilot/items", "application/x-ndjson", `{"id":"canary-text","unknown":"canary-text"}`, 422},
	{"POST", "/projects/pilot/members", "application/json",
		`{"email":"canary-mail-other@example.org","name":"Canary name","role":"annotator"}`, 201},
	{"POST", "/projects/pilot/members", "application/json", `{"email":"canary-mail","canary-name":"Canary name"}`, 422},
	{"POST", "/projects/pilot/questions/1/answer", "application/json", `{"answer":"canary-comment"}`, 409},
	{"POST", "/projects/pilot/judges/canary-name/judgments", "application/x-ndjson",
		`{"item":"r2","emotion":"canary-text"}`, 422},
	{"POST", "/protocols/preview", "application/json", `{"source":"protocol: canary-text"}`, 422},
}

// browse sends requests to a server with the recorder and the logger of the study.
func (s *canaryStudy) browse() {
	s.Helper()
	const password = "canary-secret phrase"
	lead, err := s.db.AccountByEmail(s.Context(), "canary-mail-lena@example.org")
	var hash, token string
	if err == nil {
		hash, err = account.HashPassword(s.Context(), "", password, account.Owner{})
	}
	if err == nil {
		err = s.db.SetPassword(s.Context(), 0, lead.ID, hash)
	}
	if err == nil {
		token, err = s.db.CreateAPIToken(s.Context(), lead.ID, lead.ID, account.NewAPIToken{Name: "canary-name",
			Scopes: []account.Scope{account.ScopeRead, account.ScopeManage, account.ScopeJudge}, Days: 1})
	}
	if err != nil {
		s.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	base := &url.URL{Scheme: "http", Host: server.Listener.Addr().String()}
	handler := web.New(s.db, web.Config{BaseURL: base, Log: s.logger, Recorder: s.recorder})
	server.Config.Handler = handler
	server.Start()
	defer handler.Drain()
	defer server.Close()

	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := url.Values{"email": {lead.Email}, "password": {password}}.Encode()
	s.sendCanaries(browser, server.URL, canaryRequest{"POST", "/sign-in", canaryForm, form, 200}, "")
	for _, r := range pageRequests {
		s.sendCanaries(browser, server.URL, r, "")
	}
	for _, r := range apiRequests {
		s.sendCanaries(server.Client(), server.URL+"/api/v1", r, "Bearer "+token)
	}
	s.sendCanaries(server.Client(), server.URL+"/api/v1", canaryRequest{"GET", "/token", "", "", 401},
		"Bearer canary-secret")
}

func (s *canaryStudy) sendCanaries(client *http.Client, base string, c canaryRequest, authorization string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), c.method, base+c.path, strings.NewReader(c.body))
	if err != nil {
		s.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": c.kind, "Authorization": authorization,
		"Sec-Fetch-Site": "same-origin", "User-Agent": "canary-name", "Referer": base + "/?canary-text",
		"X-Request-Id": "canary-secret", "X-Forwarded-For": "198.51.100.7", "Tracestate": "canary=canary-text",
		"Baggage": "name=canary-name"} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	var response *http.Response
	var body []byte
	waitUntil(s.T, func() bool { // a report is computed in the background
		if response, err = client.Do(r); err != nil {
			s.Fatal(err)
		}
		defer response.Body.Close()
		body, err = io.ReadAll(response.Body)
		return response.StatusCode == c.status || response.Header.Get("Refresh") == ""
	})
	if err != nil || response.StatusCode != c.status {
		s.Errorf("%s %s: %d, want %d: %v %.300s", c.method, c.path, response.StatusCode, c.status, err, body)
	}
}
