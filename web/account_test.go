package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// The account page lists the browsers that are signed in, and signs out one of them or all.
func TestSignIns_SignOut_EndsAtOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	here, phone, laptop, other := env.signInAs(ann), env.signInAs(ann), env.signInAs(ann), env.signInAs(ben)
	isSignedIn := func(b browser) bool { return b.get("/account").status == http.StatusOK }
	rows := here.get("/account").checkStatus(http.StatusOK).FindAll("tbody tr")
	if len(rows) != 3 || strings.Count(here.get("/account").Text(), "(this browser)") != 1 {
		t.Fatalf("%d browsers are listed", len(rows))
	}
	ids := query[[]int64](env, `SELECT array_agg(id ORDER BY id) FROM identity.sign_ins`)
	endPath := func(n int) string { return "/account/sign-ins/" + formatID(ids[n]) + "/end" }
	other.post(endPath(1), nil).checkRedirect("/account")
	if !isSignedIn(phone) {
		t.Error("another user signed a browser out")
	}
	here.post(endPath(1), nil).checkRedirect("/account")
	if isSignedIn(phone) || !isSignedIn(laptop) || !isSignedIn(here) {
		t.Error("not exactly one browser is signed out")
	}
	laptop.post(endPath(2), nil).checkRedirect("/sign-in")
	if isSignedIn(laptop) {
		t.Error("a browser did not sign itself out")
	}
	phone = env.signInAs(ann)
	a := here.post("/account/sign-ins/end", nil)
	a.checkRedirect("/sign-in")
	if !strings.Contains(a.header.Get("Clear-Site-Data"), "storage") || isSignedIn(here) || isSignedIn(phone) ||
		!isSignedIn(other) {
		t.Error("signing out everywhere did not end the sign-ins of one account only")
	}
}

// Signing in again replaces the sign-in of the browser.
func TestSignIns_SameBrowser_ListedOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("ann@example.org", account.Annotator))
	b.post("/sign-in", url.Values{"email": {"ann@example.org"}, "password": {password}}).checkRedirect("/")
	if n := query[int](env, `SELECT count(*) FROM identity.sign_ins`); n != 1 {
		t.Errorf("%d sign-ins, want 1", n)
	}
}

// A sign-in ends after an hour without a request, and after 12 hours in any case.
func TestSignIns_Expire(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	for change, want := range map[string]int{
		`last_active_at = last_active_at - interval '59 minutes'`: http.StatusOK,
		`last_active_at = last_active_at - interval '61 minutes'`: http.StatusSeeOther,
		`created_at = created_at - interval '721 minutes'`:        http.StatusSeeOther,
	} {
		b := env.signInAs(ann)
		env.execSQL(`UPDATE identity.sign_ins SET ` + change)
		b.get("/account").checkStatus(want)
		env.execSQL(`DELETE FROM identity.sign_ins`)
	}
	b := env.signInAs(ann)
	for range 3 { // each request extends it
		env.execSQL(`UPDATE identity.sign_ins SET last_active_at = last_active_at - interval '40 minutes'`)
		b.get("/account").checkStatus(http.StatusOK)
	}
}

// Changing roles and making links needs the password again. The form is kept until then.
func TestConfirmPassword_RoleChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin, ann := env.newUser("admin@example.org", account.Admin), env.newUser("ann@example.org", account.Annotator)
	b := env.signInAs(admin)
	path := "/admin/users/" + formatAccountID(ann)
	role := func() string {
		return query[string](env, `SELECT role FROM accounts WHERE id = `+formatAccountID(ann))
	}
	b.post(path, url.Values{"role": {"lead"}}).checkRedirect(path)
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	form := url.Values{"role": {"admin"}, "disabled": {"1"}}
	for _, forged := range []url.Values{form, {"role": {"admin"}, "disabled": {"1"}, "current_password": {"not it"}},
		{"role": {"admin"}, "current_password": {""}}} {
		a := b.post(path, forged)
		if a.status != http.StatusForbidden && a.status != http.StatusUnprocessableEntity || role() != "lead" {
			t.Fatalf("%v: %d, the role is %s", forged, a.status, role())
		}
		if a.FindFirst("form input[name='role']").Attr("value") != "admin" || strings.Contains(a.body, "not it") {
			t.Error("the form is not kept, or shows the password")
		}
	}
	b.post("/admin/users", url.Values{"name": {"New"}, "email": {"new@example.org"}, "role": {"admin"}}).checkStatus(
		http.StatusForbidden)
	b.post(path+"/invitation", nil).checkStatus(http.StatusForbidden)
	form.Set("current_password", password)
	b.post(path, form).checkRedirect(path)
	if role() != "admin" {
		t.Errorf("the role is %s", role())
	}
	b.post(path, url.Values{"role": {"annotator"}}).checkRedirect(path)
}

// The user of a disabled account reads what everybody reads. The audit log has the reason.
func TestSignIn_DisabledAccount_ReasonInAuditLog(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	env.execSQL(`UPDATE accounts SET disabled = true WHERE id = ` + formatAccountID(ann))
	signIn := func(email, guess string) string {
		a := env.newBrowser().post("/sign-in", url.Values{"email": {email}, "password": {guess}}).checkStatus(
			http.StatusUnprocessableEntity)
		return strings.ReplaceAll(a.body, email, "")
	}
	if disabled := signIn("ann@example.org", password); disabled != signIn("unknown@example.org", password) ||
		disabled != signIn("ann@example.org", "not it") {
		t.Error("the response reveals that the account is disabled")
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'account.sign_in_failed'
		AND detail->>'reason' = 'disabled'`); n != 1 {
		t.Errorf("%d entries of a disabled account, want 1", n)
	}
}

// The rules are on the page before the user types, on every page that sets a password.
func TestPasswordRules_ShownAndChecked(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	b := env.signInAs(ann)
	a := b.get("/account").checkStatus(http.StatusOK)
	for _, rule := range account.PasswordRules {
		a.checkContains(rule)
	}
	weak := b.post("/account/password", url.Values{"current_password": {password},
		"password": {"ann@example.org"}}).checkStatus(http.StatusUnprocessableEntity)
	if weak.FindFirst("#password").Attr("aria-invalid") != "true" ||
		weak.FindFirst("#current_password").Attr("aria-invalid") == "true" {
		t.Error("the problem is not at the new password")
	}
	weak = b.post("/account/password", url.Values{"current_password": {"not it"},
		"password": {"a louder evening train"}}).checkStatus(http.StatusUnprocessableEntity)
	if weak.FindFirst("#current_password").Attr("aria-invalid") != "true" {
		t.Error("the problem is not at the current password")
	}
}

// A new password and signing out everywhere end the API tokens, too, which the page lists next to the browsers.
func TestCredentials_EndTogether(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	for _, path := range []string{"/account/sign-ins/end", "/account/password"} {
		form := url.Values{"current_password": {password}, "password": {"orange lighthouse beneath stilts"}}
		b := env.signInAs(lead)
		if _, err := env.db.CreateAPIToken(t.Context(), lead.ID, lead.ID, account.NewAPIToken{Name: "nightly export",
			Scopes: []account.Scope{account.ScopeRead}, Days: 9}); err != nil {
			t.Fatal(err)
		}
		b.get("/account").checkContains("nightly export", "also revoke your API tokens")
		b.post(path, form).checkStatus(http.StatusSeeOther)
		if n := query[int](env, `SELECT count(*) FROM identity.api_tokens WHERE revoked_at IS NULL`); n != 0 {
			t.Errorf("%s: %d tokens are still valid", path, n)
		}
	}
}

// What takes data or rights out of a project needs the password again.
func TestConfirmPassword_ProjectRights(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.newUser("admin@example.org", account.Admin)
	env.newProject(admin, "p", 1)
	b := env.signInAs(admin)
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	for _, tt := range []struct {
		path string
		form url.Values
		asks bool
	}{
		{"/webhooks", url.Values{"url": {"https://example.org/"}}, true},
		{"/export/key", url.Values{}, true},
		{"/export", url.Values{"comments": {"1"}}, true},
		{"/export", url.Values{}, false},
		{"/members", url.Values{"email": {"new@example.org"}, "role": {"lead"}}, true},
		{"/members", url.Values{"email": {"new@example.org"}, "role": {"annotator"}}, false},
		{"/members/a-unknown/role", url.Values{"role": {"lead"}}, true},
		{"/members/a-unknown/role", url.Values{"role": {"annotator"}}, false},
	} {
		page := b.post("/projects/p"+tt.path, tt.form)
		if asks := strings.Contains(page.body, `name="current_password"`); asks != tt.asks {
			t.Errorf("%s %v: asks for the password %v", tt.path, tt.form, asks)
		}
	}
}
