package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// inviteMember adds an address to a project and returns the path of the invitation.
func (b browser) inviteMember(projectKey, email string, role account.Role) string {
	b.Helper()
	page := b.post("/projects/"+projectKey+"/members", url.Values{"email": {email}, "name": {"New user"},
		"role": {string(role)}}).checkStatus(http.StatusOK)
	return strings.TrimPrefix(page.FindFirst(".command").Text(), b.baseURL)
}

// checkInvitation checks whether a link sets the password of an address.
func (env testEnv) checkInvitation(what, path, email string, works bool) {
	env.Helper()
	const chosen = "a password that the lead chose"
	a := env.newBrowser().post(path, url.Values{"password": {chosen}})
	signIn := env.newBrowser().post("/sign-in", url.Values{"email": {email}, "password": {chosen}})
	if got := signIn.status == http.StatusSeeOther; got != works || (a.status == http.StatusSeeOther) != works {
		env.Errorf("%s: the link answers %d, and the password signs in: %v, want %v", what, a.status, got, works)
	}
}

// A lead keeps the link that they got for a new address. It sets no password once the
// account can read texts of another project, or if an admin made the account.
func TestInvitation_LinkOfLead_TakesOverNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, other := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	env.newProject(lead, "mine", 1)
	env.newProject(other, "theirs", 1)
	leadBrowser, otherBrowser, adminBrowser := env.signInAs(lead), env.signInAs(other),
		env.signInAs(env.newUser("admin@example.org", account.Admin))

	own := leadBrowser.inviteMember("mine", "own@example.org", account.Annotator)
	old := leadBrowser.inviteMember("mine", "shared@example.org", account.Annotator)
	late := otherBrowser.inviteMember("theirs", "shared@example.org", account.Annotator)
	adminBrowser.post("/admin/users", url.Values{"email": {"made@example.org"}, "name": {"Made"},
		"role": {"annotator"}})
	made := leadBrowser.inviteMember("mine", "made@example.org", account.Annotator)
	adminBrowser.post("/admin/users", url.Values{"email": {"chief@example.org"}, "name": {"Chief"}, "role": {"lead"}})
	chief := leadBrowser.inviteMember("mine", "chief@example.org", account.Annotator)
	removed := leadBrowser.inviteMember("mine", "removed@example.org", account.Annotator)
	leadBrowser.post(leadBrowser.memberPath("mine", "removed@example.org")+"/remove",
		nil).checkRedirect("/projects/mine/members")

	env.checkInvitation("own new member", own, "own@example.org", true)
	env.checkInvitation("own new member, link used twice", own, "unknown@example.org", false)
	env.checkInvitation("old link after another lead added the address", old, "shared@example.org", false)
	env.checkInvitation("link of the other lead", late, "shared@example.org", false)
	env.checkInvitation("account made by an admin", made, "made@example.org", false)
	env.checkInvitation("account of a lead", chief, "chief@example.org", false)
	env.checkInvitation("removed member", removed, "removed@example.org", false)
	id := query[account.ID](env, `SELECT account_id FROM identity.users WHERE email = 'shared@example.org'`)
	link := adminBrowser.post("/admin/users/"+formatID(id)+"/invitation", nil).checkStatus(http.StatusOK).FindFirst(
		".command").Text()
	env.checkInvitation("link of an admin", strings.TrimPrefix(link, env.baseURL), "shared@example.org", true)
}

// A link to reset a password ends when the user changes the password.
func TestInvitation_PasswordChanged_EndsResetLink(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	adminBrowser, annBrowser := env.signInAs(env.newUser("admin@example.org", account.Admin)), env.signInAs(ann)
	link := adminBrowser.post("/admin/users/"+formatAccountID(ann)+"/invitation",
		nil).checkStatus(http.StatusOK).FindFirst(".command").Text()
	path := strings.TrimPrefix(link, env.baseURL)
	env.newBrowser().get(path).checkStatus(http.StatusOK).checkContains("Name of ann")
	annBrowser.post("/account/password", url.Values{"current_password": {password},
		"password": {"a much longer evening tram"}}).checkRedirect("")
	env.checkInvitation("reset link", path, ann.Email, false)
	env.newBrowser().get(path).checkStatus(http.StatusNotFound)
}

// A lead adds addresses of every kind of account, and opens the links. Every page is the
// same but for the address.
func TestMembers_Add_RevealsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	disabled := env.newUser("x-disabled@example.org", account.Annotator)
	env.newUser("x-annotator@example.org", account.Annotator)
	env.newUser("x-peer@example.org", account.Lead)
	admin := env.newUser("x-admin@example.org", account.Admin)
	if err := env.db.UpdateAccount(env.Context(), admin.ID, disabled.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	b := env.signInAs(lead)
	for _, role := range []account.Role{account.Annotator, account.Lead} {
		seen := map[string]string{}
		for _, name := range []string{"x-new-" + string(role), "x-annotator", "x-peer", "x-admin", "x-disabled"} {
			email := name + "@example.org"
			key := name + "-" + string(role)
			env.newProject(lead, key, 1)
			normalize := func(a testResponse) string {
				text := regexp.MustCompile(`\ba-[a-z0-9]{8}\b`).ReplaceAllString(a.Text(), "PSEUDONYM")
				text = regexp.MustCompile(`\d+:\d+ UTC`).ReplaceAllString(text, "TIME")
				if links := a.FindAll(".command"); len(links) > 0 {
					text = strings.ReplaceAll(text, links[0].Text(), "LINK")
				}
				return strings.ReplaceAll(strings.ReplaceAll(text, email, "ADDRESS"), key, "PROJECT")
			}
			added := b.post("/projects/"+key+"/members", url.Values{"email": {email}, "name": {"Typed name"},
				"role": {string(role)}})
			link := ""
			if links := added.FindAll(".command"); len(links) > 0 {
				link = strings.TrimPrefix(links[0].Text(), b.baseURL)
			}
			pages := []testResponse{added, b.get("/projects/" + key + "/members"), b.get("/projects/" + key +
				"/batches/new"), b.newBrowser().get(link),
				b.post("/projects/"+key+"/batches", url.Values{"name": {"one"}, "other_emails": {email},
					"overlap": {"1"}, "fewer_calibration": {"A test."}, "seed": {"1"}, "action": {"open"}}),
				b.get("/projects/" + key + "/batches/one"),
				b.get("/projects/" + key + "/batches/one/progress")}
			for _, page := range pages {
				if strings.Contains(page.Text(), "Name of "+name) {
					t.Errorf("%s shows the name of %s:\n%s", page.path, email, page.Text())
				}
				path := strings.ReplaceAll(strings.ReplaceAll(page.path, link, "LINK"), key, "PROJECT")
				text := http.StatusText(page.status) + "\n" + normalize(page)
				if seen[path] == "" {
					seen[path] = text
				}
				if text != seen[path] {
					t.Errorf("%s as %s for %s differs:\n%s\n%s", path, role, email, text, seen[path])
				}
			}
		}
	}
}

// A lead removes a member with an open session: their rights end at once, their labels
// stay, and others label what was open.
func TestMembers_Remove_EndsRightsKeepsLabels(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	p := env.newProject(lead, "mine", 3)
	b := env.newBatch(lead, p, "first", 1, ann.Email, ben.Email)
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	env.labelItems(ann, b, 1)
	open, err := env.db.OpenNext(t.Context(), ann.ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	annBrowser.get("/work/" + open).checkStatus(http.StatusOK)
	annBrowser.post("/work/"+open+"/draft", url.Values{"helpful": {"1"}}).checkStatus(http.StatusNoContent)

	path := leadBrowser.memberPath("mine", ann.Email) + "/remove"
	if chosen := leadBrowser.get("/projects/mine/members").FindOne("input[name='role'][checked]"); chosen.Attr(
		"value") != "annotator" {
		t.Errorf("a new member is %q by default", chosen.Attr("value"))
	}
	if link := leadBrowser.get("/projects/mine/members").checkStatus(http.StatusOK).FindFirst("a[href='" + path +
		"']").Text(); link == "" {
		t.Error("the members page does not link to the removal")
	}
	before := env.hashState()
	leadBrowser.get(path).checkStatus(http.StatusOK).checkContains("Remove “Name of ann”?",
		"loses access to this project at once", "1 submitted label stays", "1 open item returns to the pool")
	if env.hashState() != before {
		t.Error("the confirmation changed data")
	}
	leadBrowser.get(leadBrowser.post(path, nil).checkRedirect("/projects/mine/members")).checkStatus(
		http.StatusOK).checkContains("Member removed. Their labels are kept.")
	leadBrowser.post(path, nil).checkStatus(http.StatusNotFound)

	for _, a := range []testResponse{annBrowser.get("/work/" + open), annBrowser.post("/work/"+open,
		url.Values{"helpful": {"1"}}), annBrowser.post("/work/"+open+"/draft", url.Values{"helpful": {"0"}})} {
		if a.status != http.StatusForbidden || !strings.Contains(a.body, "no longer an annotator of this batch") {
			t.Errorf("%s: %d: %s", a.path, a.status, a.Text())
		}
	}
	annBrowser.get("/work/guide?project=mine").checkStatus(http.StatusNotFound)
	if strings.Contains(annBrowser.get("/work").checkStatus(http.StatusOK).Text(), "Project mine") {
		t.Error("the work page shows the project")
	}
	env.labelItems(ben, b, 2)
	leadBrowser.get("/projects/mine/batches/first").checkStatus(http.StatusOK).checkContains(
		"wanted 3 submitted 3 waiting 0", "removed")
	if n := query[int](env, `SELECT count(*) FROM current_annotations`); n != 3 {
		t.Errorf("%d labels, want 3", n)
	}
	leadBrowser.inviteMember("mine", ann.Email, account.Annotator)
	if got := leadBrowser.memberPath("mine", ann.Email) + "/remove"; got != path {
		t.Errorf("the pseudonym changed: %s, before %s", got, path)
	}
}

// A lead who removes themself comes to the list of projects.
func TestMembers_RemoveSelf_LeavesProject(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "mine", 1)
	b := env.signInAs(lead)
	path := b.memberPath("mine", lead.Email) + "/remove"
	b.get(path).checkStatus(http.StatusOK).checkContains("You lose access", "This is the only lead")
	b.post(path, nil).checkRedirect("/projects")
	b.get("/projects/mine").checkStatus(http.StatusNotFound)
}

func TestMembers_NewLink_ReplacesOld(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, admin := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin)
	env.newProject(lead, "mine", 0)
	b := env.signInAs(lead)
	b.post("/projects/mine/members", url.Values{"invite_account_id": {formatAccountID(lead)}}).checkStatus(
		http.StatusConflict)
	b.post("/projects/mine/members", url.Values{"invite_account_id": {formatAccountID(admin)}}).checkStatus(
		http.StatusNotFound)
	b.post("/projects/mine/members", url.Values{"invite_account_id": {"999"}}).checkStatus(http.StatusNotFound)
	first := b.inviteMember("mine", "new@example.org", account.Annotator)
	invite := b.get("/projects/mine/members").FindFirst("td input[name='invite_account_id']").Attr("value")
	second := strings.TrimPrefix(b.post("/projects/mine/members",
		url.Values{"invite_account_id": {invite}}).checkStatus(http.StatusOK).FindFirst(".command").Text(), b.baseURL)
	env.newBrowser().get(first).checkStatus(http.StatusNotFound)
	env.newBrowser().get(second).checkStatus(http.StatusOK)
	if body := b.get("/projects/mine/members").body; strings.Contains(body, "/invitations/") {
		t.Error("the link is shown again")
	}
}

func (env testEnv) memberPath(projectKey, email string) string {
	env.Helper()
	return "/projects/" + projectKey + "/members/" + query[string](env, `
		SELECT m.pseudonym FROM members m
		JOIN projects p ON p.id = m.project_id
		JOIN identity.users u ON u.account_id = m.account_id
		WHERE p.key = $1 AND u.email = $2`, projectKey, email)
}
