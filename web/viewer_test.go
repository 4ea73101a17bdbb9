package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/require"
)

// newReportCanaries returns what no page of a viewer may contain: names, addresses and pseudonyms of members, and
// ids of items.
func (h projectFixture) newReportCanaries(key string) []string {
	h.Helper()
	return query[[]string](h.testEnv, `
		SELECT array_agg(DISTINCT text) FROM (
			SELECT unnest(ARRAY[m.pseudonym, u.name, u.email]) AS text
			FROM members m JOIN identity.users u USING (account_id) JOIN projects p ON p.id = m.project_id
			WHERE p.key = $1 AND m.role <> 'viewer'
			UNION ALL SELECT i.source_id FROM items i JOIN projects p ON p.id = i.project_id WHERE p.key = $1) texts`, key)
}

// A viewer reads the report. All links of their pages work, and no page names an annotator or an item.
func TestViewer_AllLinks_NameNobody(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	h.addJudge("hard-days", "judge-one")
	canaries := append(h.newReportCanaries("hard-days"), "judge-one")
	h.accounts["viewer"] = h.newUser("viewer@example.org", account.Viewer)
	h.addMembers(h.mustProject("hard-days"), account.Viewer, "viewer@example.org")
	h.startJobs()
	lead := h.browserFor("lead")
	for !strings.Contains(lead.get("/projects/hard-days/report").body, "report/agreement") {
		require.Time(t)
		time.Sleep(100 * time.Millisecond)
	}
	reports := map[string]int{}
	for _, kind := range []string{"lead", "viewer"} {
		h.browserFor(kind).visitAll([]string{"/projects/hard-days/report"}, map[string]int{}, func(a testResponse) {
			path, _, _ := strings.Cut(strings.TrimPrefix(a.path, "GET "), "?")
			isReport := strings.HasPrefix(path, "/projects/hard-days/report")
			if kind == "viewer" && a.status != http.StatusOK && a.status != http.StatusSeeOther {
				t.Errorf("a link of a viewer leads to %s: %d", a.path, a.status)
			}
			if !isReport && (kind == "lead" || !strings.HasPrefix(path, "/projects")) {
				return
			}
			if isReport {
				reports[kind+" "+path[len("/projects/hard-days"):]]++
			}
			body, _ := url.PathUnescape(a.body)
			for _, canary := range canaries {
				if strings.Contains(body, canary) && kind == "viewer" {
					t.Errorf("%s names %q", a.path, canary)
				} else if strings.Contains(body, canary) {
					reports["found by lead"]++
				}
			}
		})
	}
	for _, path := range []string{"viewer /report", "viewer /report/agreement", "viewer /report/comparison",
		"viewer /report/metrics", "viewer /report/full", "lead /report/annotators", "found by lead"} {
		if reports[path] == 0 {
			t.Errorf("%q was not reached: %v", path, reports)
		}
	}
}

// A viewer is no annotator of the project: neither a new batch nor a lead adds them as one. What grants access is the
// role of the account and the membership together.
func TestViewer_RoleAndMembership_BothNeeded(t *testing.T) {
	t.Parallel()
	h := newProjectFixture(t)
	viewer := h.newUser("viewer@example.org", account.Viewer)
	annotator := h.newUser("anne@example.org", account.Annotator)
	status := func(a account.Account) int {
		now, err := h.db.Account(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return h.signInAs(now).get("/projects/mine/report").status
	}
	check := func(a account.Account, want int, when string) {
		t.Helper()
		if got := status(a); got != want {
			t.Errorf("%s: status %d, want %d", when, got, want)
		}
	}
	check(viewer, http.StatusNotFound, "no member")
	h.addMembers(h.project, account.Viewer, viewer.Email, annotator.Email)
	check(viewer, http.StatusOK, "viewer")
	check(annotator, http.StatusNotFound, "an annotator whom a lead made a viewer")
	_, err := h.db.AddMember(t.Context(), h.accounts["lead"].ID, h.project, account.NewAccount{Email: viewer.Email,
		Name: "x", Role: account.Annotator})
	if err == nil || !strings.Contains(err.Error(), "cannot label") {
		t.Errorf("a viewer became an annotator: %v", err)
	}
	if _, err := h.db.SetMemberRole(t.Context(), h.accounts["lead"].ID, h.project, viewer.Email,
		account.Annotator); err != nil {
		t.Fatal(err)
	}
	check(viewer, http.StatusNotFound, "annotator of the project")
	h.addMembers(h.project, account.Viewer, "new@example.org") // without an account
	if role := query[string](h.testEnv, `SELECT role FROM accounts JOIN identity.users ON account_id = id
		WHERE email = 'new@example.org'`); role != "viewer" {
		t.Errorf("a new viewer has the role %s", role)
	}
}
