package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestInviteMembers_List_AllOrNone(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newUser("known@example.org", account.Annotator)
	env.newProject(lead, "mine", 0)
	b := env.signInAs(lead)
	const path = "/projects/mine/members/invite"
	b.get(path).checkStatus(http.StatusOK)
	members := func() int {
		return query[int](env, `SELECT count(*) FROM members m JOIN projects p ON p.id = m.project_id
			WHERE p.key = 'mine'`)
	}
	b.post(path, url.Values{"role": {"annotator"}, "list": {"ann@example.org\ninvalid\n"}}).checkStatus(
		http.StatusUnprocessableEntity).
		checkContains("No one was added", "Line 2, email: “invalid” is not an email address.")
	if members() != 1 {
		t.Fatal("a part of a list was stored")
	}
	page := b.post(path, url.Values{"role": {"annotator"},
		"list": {"ann@example.org\nKnown Person <known@example.org>\nben@example.org, Ben, lead"}}).checkStatus(
		http.StatusOK).
		checkContains("3 members added", "ann@example.org", "known@example.org", "lead")
	links := page.FindAll(".command")
	if len(links) != 3 || members() != 4 {
		t.Fatalf("%d links, %d members", len(links), members())
	}
	env.newBrowser().get(strings.TrimPrefix(links[0].Text(), env.baseURL)).checkStatus(http.StatusOK).checkContains(
		"ann@example.org")
	b.get("/projects/mine/members").checkContains("ann@example.org", "known@example.org", "ben@example.org")
}

func TestInviteUsers_KnownAddress_AddsNone(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("known@example.org", account.Annotator)
	b := env.signInAs(env.newUser("admin@example.org", account.Admin))
	const path = "/admin/users/invite"
	b.post(path, url.Values{"role": {"lead"}, "list": {"ann@example.org\nKnown@example.org"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("known@example.org” exists already")
	b.post(path, url.Values{"role": {"lead"},
		"list": {"email,name,role\nann@example.org,Ann,\nroot@example.org,Root,admin"}}).checkStatus(
		http.StatusOK).checkContains("2 users added")
	if roles := query[string](env, `SELECT string_agg(a.role, ' ' ORDER BY u.email) FROM accounts a
		JOIN identity.users u ON u.account_id = a.id
		WHERE u.email IN ('ann@example.org', 'root@example.org')`); roles != "lead admin" {
		t.Errorf("roles = %s", roles)
	}
}

func TestMember_EndWork_ThanksAndReturnsItems(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, p, _ := env.newSingleAnnotatorBatch("done", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	item := annBrowser.openItem()
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get("/work").checkContains("Your hours", "1 item and 0:0")
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE project_id = $1
		AND account_id = $2`, p.ID, ann.ID)
	path := "/projects/done/members/" + pseudonym
	leadBrowser.get(path).checkStatus(http.StatusOK).checkContains("Name of ann", "one", "has an open item", "Guide",
		"End work")
	leadBrowser.post(path+"/end-work", url.Values{"thank_you": {strings.Repeat("x", 1001)}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("longer than 1,000")
	leadBrowser.post(path+"/end-work", url.Values{"thank_you": {"Great work, Ann."}}).checkRedirect(path)
	leadBrowser.get(path).checkContains("Work ended on", "ended on")
	annBrowser.get("/work").checkStatus(http.StatusOK).checkContains("Your work in Project done ended on",
		"Great work, Ann.")
	if n := query[int](env, `SELECT count(*) FROM slots WHERE account_id IS NULL`); n != 5 {
		t.Errorf("%d items are free, want 5", n)
	}
	if n := query[int](env, `SELECT count(*) FROM assignments WHERE state = 'open'`); n != 0 {
		t.Errorf("%d items are open", n)
	}
	leadBrowser.post(path+"/role", url.Values{"role": {"lead"}}).checkRedirect(path)
	leadBrowser.get(path).checkContains("Make annotator")
}

// A lead pauses and resumes a member on their page, each with a reason.
func TestMember_Pause_StopsAndResumes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, p, _ := env.newSingleAnnotatorBatch("rest", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	item := annBrowser.openItem()
	path := "/projects/rest/members/" + query[string](env, `SELECT pseudonym FROM members WHERE project_id = $1
		AND account_id = $2`, p.ID, ann.ID)
	change := func(action, reason string) testResponse {
		return leadBrowser.post(path+"/pause", url.Values{"batch": {"one"}, "action": {action}, "reason": {reason}})
	}
	change("pause", "").checkStatus(http.StatusUnprocessableEntity).checkContains("reason")
	change("stop", "why").checkStatus(http.StatusUnprocessableEntity)
	leadBrowser.get(change("pause", "away until Monday").checkRedirect("")).checkContains(
		"Paused. The member keeps the open item", "paused on", "Resume work")
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
	if n := query[int](env, `SELECT count(*) FROM assignments WHERE state = 'open'`); n != 0 {
		t.Errorf("%d items are open for a paused annotator", n)
	}
	leadBrowser.get(change("resume", "back").checkRedirect("")).checkContains("Resumed.", "Pause work")
	if annBrowser.openItem() == "" {
		t.Error("the annotator cannot continue")
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'batch.change'
		AND detail ->> 'reason' IN ('away until Monday', 'back')`); n != 2 {
		t.Errorf("%d entries in the audit log, want 2", n)
	}
}

// New links for all who have not signed in replace the earlier ones of the lead.
func TestMembers_InviteAll_NewLinks(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newEmpathyProject(lead, "links", 1, 0)
	b := env.signInAs(lead)
	first := b.post("/projects/links/members/invite", url.Values{"role": {"annotator"},
		"list": {"ann@example.org\nben@example.org"}}).checkStatus(http.StatusOK)
	members := b.get("/projects/links/members").checkStatus(http.StatusOK).checkContains(
		"Create new links for all 2 invited")
	if len(members.FindAll("[name='invite_all']")) != 1 {
		t.Fatal("no button for all")
	}
	again := b.post("/projects/links/members", url.Values{"invite_all": {"1"}}).checkStatus(
		http.StatusOK).checkContains("New links", "ann@example.org", "ben@example.org")
	for i, page := range []testResponse{first, again} {
		_, token, _ := strings.Cut(page.body, "/invitations/")
		token = token[:strings.IndexAny(token, `"<`)]
		env.checkInvitation("the link", "/invitations/"+token, "ann@example.org", i == 1)
	}
	env.execSQL(`UPDATE identity.users SET password_hash = 'x'`)
	env.execSQL(`UPDATE members SET is_identified = true WHERE project_id = $1`, p.ID)
	b.post("/projects/links/members", url.Values{"invite_all": {"1"}}).checkStatus(http.StatusConflict).checkContains(
		"All members have signed in")
}
