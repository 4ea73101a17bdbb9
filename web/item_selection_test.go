package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
)

// An action applies to the chosen items, or to all of a search on every page.
func TestItems_AllMatching_ActsOnEveryPage(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 120)
	b := env.signInAs(lead)
	page := b.get("/projects/p/items?search=p-11").checkStatus(200).checkContains("11 of 120 items")
	if len(page.FindAll("#select-matching")) != 0 {
		t.Error("a list of one page offers to select all pages")
	}
	b.get("/projects/p/items").checkStatus(200).checkContains("All 120 items of this list")
	all := url.Values{"list": {"search=p-11"}, "all": {"1"}}
	post := func(action string) string {
		t.Helper()
		all.Set("action", action)
		return b.post("/projects/p/items", all).checkRedirect("")
	}
	b.get(post(actionNewBatch)).checkStatus(200).checkContains("all 11 items that match: search “p-11”")
	archive := post(actionArchive)
	b.get(archive).checkStatus(200).checkContains("11 items that match: search “p-11”", "Archive 11 items")
	form := url.Values{"item_filter": {"search=p-11"}, "item_ids": {""}, "reason": {" "}}
	b.post("/projects/p/items/archive", form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"Enter a reason")
	form.Set("reason", "Test data")
	b.get(b.post("/projects/p/items/archive", form).checkRedirect("")).checkStatus(200).checkContains(
		"11 items archived")
	all.Set("list", "state=archived&search=p-119")
	b.get(post(actionRestore)).checkStatus(200).checkContains("1 item restored")
	if n := query[int](env, `SELECT count(*) FROM item_states WHERE archived_at IS NOT NULL`); n != 10 {
		t.Errorf("%d items are archived, want 10", n)
	}
	all.Set("list", "search=p-12")
	all.Set("action", actionTag)
	path := b.post("/projects/p/items", all).checkRedirect("/projects/p/items/tags")
	b.get(path).checkStatus(200).checkContains("You change the tags of:")
	form = url.Values{"item_ids": {"1,2,3"}, "tags": {"odd, late"}}
	b.get(b.post("/projects/p/items/tags", form).checkRedirect("/projects/p/items")).checkContains(
		"Tags of 3 items saved.", "3 of 120 items")
	form = url.Values{"item_ids": {"1,2"}, "remove": {"odd"}}
	b.post("/projects/p/items/tags", form).checkRedirect("/projects/p/items")
	b.get("/projects/p/items?tag=odd").checkContains("1 of 120 items")
	b.post("/projects/p/items/tags", url.Values{"item_ids": {"1"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Name a tag to add or to remove.")
	all.Set("list", "")
	all.Set("action", actionCalibrate)
	b.post("/projects/p/items", all).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"You chose 120 items. Choose at most 100")
	b.post("/projects/p/items", url.Values{"action": {actionArchive}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Select at least one item.")
	for _, form := range []url.Values{{"reason": {"All"}}, {"reason": {"All"}, "item_ids": {","}}} {
		b.post("/projects/p/items/archive", form).checkStatus(http.StatusUnprocessableEntity).checkContains(
			"Select at least one item.")
	}
	b.get("/projects/p/items/archive?item_filter=search%3Dabsent").checkStatus(
		http.StatusUnprocessableEntity).checkContains("No items match.")
}

func TestSkipped_ListsReasons_NotDistressing(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 3)
	lead := s.signInAs(s.lead)
	lead.get("/projects/sad-days/skips").checkStatus(200).checkContains("No skipped items")
	for _, reason := range []labeling.SkipReason{labeling.Unclear, labeling.Distressing} {
		token, err := s.db.OpenNext(t.Context(), s.annotators[0].ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Skip(t.Context(), s.annotators[0].ID, token, labeling.Skip{Reason: reason,
			Comment: "Why “so”?"}); err != nil {
			t.Fatal(err)
		}
	}
	page := lead.get("/projects/sad-days/skips").checkStatus(200).checkContains("Why “so”?",
		labeling.Unclear.LeadText())
	if n := len(page.FindAll(".item-table tbody tr")); n != 1 {
		t.Errorf("%d items are listed, want 1", n)
	}
	lead.get("/projects/sad-days/skips?reason=outside_expertise").checkStatus(200).checkContains("No items match")
}
