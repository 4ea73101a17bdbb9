package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// A lead notes something about an item and gives it tags; the list finds items by tag. A lead who labels the item
// sees neither.
func TestItemNotes_Lead_TagsAndNotes(t *testing.T) {
	t.Parallel()
	h := newTestEnv(t)
	lead := h.newUser("lead@example.org", account.Lead)
	p := h.newProject(lead, "first", 2)
	id := query[int64](h, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
	path := "/projects/first/items/" + formatID(id)
	b := h.signInAs(lead)
	b.post(path+"/notes", url.Values{"tags": {" odd, for the guide ,"}, "note": {"Ask the team."}}).checkRedirect(
		path + "#notes")
	b.get(path).checkStatus(http.StatusOK).checkContains("Ask the team.", "Name of lead")
	if tags := b.get(path).FindFirst("input[name=tags]").Attr("value"); tags != "for the guide, odd" {
		t.Errorf("tags %q", tags)
	}
	b.post(path+"/notes", url.Values{"tags": {"odd"}}).checkRedirect(path + "#notes")
	b.get("/projects/first/items?tag=odd").checkStatus(http.StatusOK).checkContains("1 of 2 items")
	b.get("/projects/first/items?tag=for+the+guide").checkStatus(http.StatusOK).checkContains("0 of 2 items")
	b.post(path+"/notes", url.Values{"tags": {strings.Repeat("x", 51)}, "note": {"Kept."}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("A tag has 1 to 50 characters", "Kept.")
	rejected := b.post(path+"/notes", url.Values{"tags": {"fine, " + strings.Repeat("x", 51)}})
	if tags := rejected.FindFirst("input[name=tags]").Attr("value"); !strings.HasPrefix(tags, "fine, x") {
		t.Errorf("rejected tags are shown as %q", tags)
	}
	h.newBatch(lead, p, "one", 1, lead.Email)
	if body := b.get(path).checkStatus(http.StatusOK).body; strings.Contains(body, "Ask the team") ||
		strings.Contains(body, "odd") {
		t.Error("a lead who labels the item sees its notes or tags")
	}
	b.post(path+"/notes", url.Values{"tags": {"more"}}).checkStatus(http.StatusForbidden)
}
