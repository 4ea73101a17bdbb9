package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A lead sees what a version changes, takes it, and finds what was labeled under the first one under its own address.
func TestVersions_Lead_TakesTheLatest(t *testing.T) {
	t.Parallel()
	h := newTestEnv(t)
	lead, ann := h.newUser("lead@example.org", account.Lead), h.newUser("ann@example.org", account.Annotator)
	h.publishMood(1, "")
	p, err := h.db.CreateProject(t.Context(), lead, project.Spec{Key: "mood", Title: "Mood", Protocol: "mood@1"})
	if err != nil {
		t.Fatal(err)
	}
	h.importItems(lead, p, `{"id":"r1","text":"One."}`+"\n"+`{"id":"r2","text":"Two."}`)
	batch := h.newBatch(lead, p, "first", 1, ann.Email)
	b := h.signInAs(lead)
	if text := b.get("/projects/mood/batches").Text(); strings.Contains(text, "Version") {
		t.Error("batches of the only version have a version")
	}
	b.get("/projects/mood/versions").checkStatus(http.StatusOK).checkContains("the latest one")
	h.publishMood(2, `  - {key: warmth, title: Warmth, question: "How warm is it?", scale: {1: Cold, 2: Warm}}`+"\n")
	b.get("/projects/mood/versions").checkStatus(http.StatusOK).checkContains("What version 2 changes", "warmth",
		"End them under version 1")
	b.post("/projects/mood/versions", url.Values{"version": {"3"}}).checkStatus(http.StatusConflict).checkContains(
		"The latest version of the protocol is 2")
	b.post("/projects/mood/versions", url.Values{"version": {"2"}, "open_batches": {"finish"}}).checkRedirect(
		"/projects/mood/versions")
	b.get("/projects/mood/batches").checkContains("Version 1")
	b.get("/projects/mood/versions").checkStatus(http.StatusOK).FindFirst(
		`a[href="/projects/mood@1/report"]`)
	for _, path := range []string{"", "/items", "/batches", "/settings", "/export", "/members", "/disagreements"} {
		b.get("/projects/mood@1" + path).checkStatus(http.StatusOK).checkContains(
			"This is what was labeled under version 1 of the protocol.")
	}
	b.get("/projects/mood/batches/" + batch.Name).checkStatus(http.StatusOK).FindFirst(
		`a[href="/projects/mood@1/settings"]`)
	for _, key := range []string{"mood@2x", "mood@0", "mood@3", "mood@01", "mood@"} {
		b.get("/projects/" + url.PathEscape(key)).checkStatus(http.StatusNotFound)
	}
}
