package web

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/oidc"
)

// startWithProvider starts another server on the database, below a path, with a company's sign-in.
func (env testEnv) startWithProvider(issuer string, c oidc.Config) testEnv {
	env.Helper()
	c.Issuer, c.ClientID, c.ClientSecret, c.Name = issuer, "labelwright", "a secret", "Example Inc."
	return env.startWithProviders(Config{OIDC: []*oidc.Provider{oidc.New(c)}})
}

// startWithProviders starts another server on the database, below a path.
func (env testEnv) startWithProviders(c Config) testEnv {
	env.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := &url.URL{Scheme: "http", Host: server.Listener.Addr().String(), Path: "/labels"}
	c.BaseURL, c.Log = address, slog.New(slog.NewTextHandler(errorLogWriter{env.T}, nil))
	handler := newServer(env.db, c)
	server.Config.Handler = handler
	server.Start()
	env.Cleanup(func() { handler.Drain(); server.Close() })
	env.baseURL, env.server = address.String(), handler
	return env
}

// startWithOnly starts another server, where only the provider signs users in.
func (env testEnv) startWithOnly(p *testProvider) testEnv {
	env.Helper()
	return env.startWithProviders(Config{OIDCOnly: true, OIDC: []*oidc.Provider{oidc.New(oidc.Config{Issuer: p.URL,
		ClientID: "labelwright", ClientSecret: "a secret", Name: "Example Inc."})}})
}

// beginAt opens the company's sign-in, and returns the query with which the browser returns.
func (b browser) beginAt(p *testProvider, claims map[string]any) url.Values {
	b.Helper()
	return p.authorize(b.get("/sign-in/oidc?next=/account").checkRedirect(p.URL+"/authorize"), claims)
}

// returnFrom opens the callback, as a browser does that another site sends.
func (b browser) returnFrom(query url.Values) testResponse {
	b.Helper()
	return b.request(http.MethodGet, "/sign-in/oidc/callback?"+query.Encode(), "",
		map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
}

// TestCompanySignIn_Answers_CheckedAndRole signs in with answers of a provider, valid and not. The rows run in order.
func TestCompanySignIn_Answers_CheckedAndRole(t *testing.T) {
	t.Parallel()
	env, p := newTestEnv(t), newTestProvider(t)
	p.isDown.Store(true)
	byGroups := map[string]account.Role{"admins": account.Admin, "leads": account.Lead}
	plain, groups, creating := env.startWithProvider(p.URL, oidc.Config{}), env.startWithProvider(p.URL,
		oidc.Config{Groups: byGroups}), env.startWithProvider(p.URL, oidc.Config{Create: account.Annotator})
	plain.newBrowser().get("/sign-in/oidc").checkStatus(http.StatusServiceUnavailable).checkContains(
		"Example Inc. does not answer")
	p.isDown.Store(false)
	env.newUser("admin@example.org", account.Admin)
	env.newUser("ann@example.org", account.Annotator)
	env.newUser("ben@example.org", account.Lead)
	gone := env.newUser("gone@example.org", account.Annotator)
	if err := env.db.UpdateAccount(t.Context(), 0, gone.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		server testEnv
		email  string
		claims map[string]any
		query  url.Values // instead of what the provider sent
		reason string     // why nobody is signed in; empty: the user is
		role   account.Role
	}{
		{name: "no account", server: plain, email: "new@example.org", reason: "no account here for “new@example.org”"},
		{name: "wrong nonce", server: plain, email: "ann@example.org", claims: map[string]any{"nonce": "other"}},
		{name: "no nonce", server: plain, email: "ann@example.org", claims: map[string]any{"nonce": nil}},
		{name: "wrong state", server: plain, email: "ann@example.org", query: url.Values{"state": {"other"}}},
		{name: "no code", server: plain, email: "ann@example.org", query: url.Values{"code": {""}}},
		{name: "unknown code", server: plain, email: "ann@example.org", query: url.Values{"code": {"other"}}},
		{name: "wrong audience", server: plain, email: "ann@example.org", claims: map[string]any{"aud": "other"}},
		{name: "wrong issuer", server: plain, email: "ann@example.org",
			claims: map[string]any{"iss": "https://example.org"}},
		{name: "expired", server: plain, email: "ann@example.org",
			claims: map[string]any{"exp": time.Now().Add(-time.Second).Unix()}},
		{name: "forged", server: plain, email: "ann@example.org", claims: map[string]any{"forged": true}},
		{name: "unverified", server: plain, email: "ann@example.org", claims: map[string]any{"email_verified": false},
			reason: "has not verified your email address"},
		{name: "no address", server: plain, reason: "has not verified your email address"},
		{name: "disabled", server: plain, email: "gone@example.org", reason: "Your account here is disabled"},
		{name: "linked by address", server: plain, email: "ANN@example.org", role: account.Annotator},
		{name: "found by subject", server: plain, email: "ann.new@example.org",
			claims: map[string]any{"sub": "sub ANN@example.org"}, role: account.Annotator},
		{name: "address of another subject", server: plain, email: "ann@example.org",
			reason: "belongs to another user"},
		{name: "group gives a role", server: groups, email: "ANN@example.org",
			claims: map[string]any{"groups": []string{"leads", "others"}}, role: account.Lead},
		{name: "highest group", server: groups, email: "ANN@example.org",
			claims: map[string]any{"groups": []string{"admins", "leads"}}, role: account.Admin},
		{name: "group is gone", server: groups, email: "ANN@example.org", role: account.Annotator},
		{name: "no groups set, role stays", server: plain, email: "ben@example.org", role: account.Lead},
		{name: "last admin", server: groups, email: "admin@example.org", role: account.Admin},
		{name: "group without an account", server: groups, email: "new@example.org",
			claims: map[string]any{"groups": []string{"admins"}}, reason: "no account here"},
		{name: "created", server: creating, email: "new@example.org", role: account.Annotator},
	} {
		claims := map[string]any{"sub": "sub " + c.email, "email": c.email}
		maps.Copy(claims, c.claims)
		b := c.server.newBrowser()
		returned := b.beginAt(p, claims)
		maps.Copy(returned, c.query)
		answer := b.returnFrom(returned)
		if c.role == "" {
			if c.reason == "" {
				c.reason = "the answer of Example Inc. is not valid"
			}
			if answer.status != http.StatusUnprocessableEntity || !strings.Contains(answer.Text(), c.reason) {
				t.Errorf("%s: %d, %s", c.name, answer.status, answer.Text())
			}
			b.get("/account").checkRedirect("/labels/sign-in")
			continue
		}
		if answer.status != http.StatusSeeOther || answer.header.Get("Location") != "/labels/account" {
			t.Fatalf("%s: %d, %s", c.name, answer.status, answer.Text())
		}
		b.get("/account").checkStatus(http.StatusOK)
		role := roleOfSubject(env, claims["sub"])
		if role != c.role {
			t.Errorf("%s: role %s, want %s", c.name, role, c.role)
		}
		b.returnFrom(returned).checkStatus(http.StatusUnprocessableEntity) // the attempt is over
		other := b.beginAt(p, claims)
		other.Set("code", returned.Get("code"))
		b.returnFrom(other).checkStatus(http.StatusUnprocessableEntity) // the code, too
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'account.follow_groups'`); n != 3 {
		t.Errorf("%d changes of roles by groups, want 3", n)
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'account.link'`); n != 4 {
		t.Errorf("%d links, want 4", n)
	}
	// a state belongs to the browser that began
	b := plain.newBrowser()
	stolen := b.beginAt(p, map[string]any{"sub": "sub ben@example.org", "email": "ben@example.org"})
	plain.newBrowser().returnFrom(stolen).checkStatus(http.StatusUnprocessableEntity)
}

func roleOfSubject(env testEnv, subject any) account.Role {
	env.Helper()
	return account.Role(query[string](env, `SELECT a.role FROM accounts a JOIN identity.oidc_subjects s
		ON s.account_id = a.id WHERE s.subject = $1`, subject))
}

// TestCompanySignIn_Only_RefusesPasswords lets only the setup link set a password.
func TestCompanySignIn_Only_RefusesPasswords(t *testing.T) {
	t.Parallel()
	env, p := newTestEnv(t), newTestProvider(t)
	token, err := env.db.SetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ann := env.newUser("ann@example.org", account.Annotator)
	only, both := env.startWithOnly(p), env.startWithProvider(p.URL, oidc.Config{})
	only.newBrowser().post("/setup/"+token, url.Values{"name": {"Ada"}, "email": {"ada@example.org"},
		"password": {password}}).checkRedirect("/labels/")
	invitation, err := env.db.Invite(t.Context(), 0, ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"email": {ann.Email}, "password": {password}}
	for _, path := range []string{"/sign-in", "/sign-in/password", "/invitations/" + invitation} {
		only.newBrowser().post(path, form).checkStatus(http.StatusForbidden).checkContains("Sign in with Example Inc.")
		both.newBrowser().post(path, form).checkStatus(http.StatusSeeOther)
	}
	for _, c := range []struct {
		server testEnv
		fields int
	}{{only, 0}, {both, 1}} {
		page := c.server.newBrowser().get("/sign-in?next=/work").checkContains("Sign in with Example Inc.")
		if n := len(page.FindAll("#password")); n != c.fields {
			t.Errorf("%d fields for a password, want %d", n, c.fields)
		}
		const want = "/labels/sign-in/oidc?next=%2Fwork"
		if got := page.FindFirst(".narrow a.button").Attr("href"); got != want {
			t.Errorf("the button leads to %s, want %s", got, want)
		}
	}
}

// Where only the company signs users in, no page has a field for a password, and changes that need one ask for
// another sign-in there.
func TestCompanySignIn_Only_PagesHaveNoPassword(t *testing.T) {
	t.Parallel()
	env, p := newTestEnv(t), newTestProvider(t)
	admin, ann := env.newUser("admin@example.org", account.Admin), env.newUser("ann@example.org", account.Annotator)
	only := env.startWithOnly(p)
	b := only.newBrowser()
	claims := map[string]any{"sub": "one", "email": admin.Email}
	b.returnFrom(b.beginAt(p, claims)).checkRedirect("/labels/account")
	path := "/admin/users/" + formatAccountID(ann)
	for _, shown := range []string{"/account", "/account/second-factor", "/admin/users", path} {
		a := b.get(shown).checkStatus(http.StatusOK)
		if len(a.FindAll("[type=password], form[action$='/invitation'], form[action$='/password']")) > 0 {
			t.Errorf("%s has a form for a password", shown)
		}
	}
	b.post("/account/password", nil).checkStatus(http.StatusForbidden)
	b.post(path+"/invitation", nil).checkStatus(http.StatusForbidden)
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	a := b.post(path, url.Values{"role": {"lead"}}).checkStatus(http.StatusForbidden)
	again := a.FindFirst("main a[href*='/sign-in/oidc']").Attr("href")
	location := b.get(strings.TrimPrefix(again, "/labels")).checkRedirect(p.URL + "/authorize")
	if !strings.Contains(location, "prompt=login") || len(a.FindAll("[type=password]")) > 0 {
		t.Errorf("%s leads to %s", again, location)
	}
	b.returnFrom(p.authorize(location, claims)).checkRedirect("/labels" + path)
	b.post(path, url.Values{"role": {"lead"}}).checkRedirect("/labels" + path)
}

// Two providers have a button each. A user can use both, if both verified the address; an answer counts for the
// provider at which the sign-in began.
func TestCompanySignIn_TwoProviders_OneAccount(t *testing.T) {
	t.Parallel()
	env, first, second := newTestEnv(t), newTestProvider(t), newTestProvider(t)
	config := func(p *testProvider, name string) oidc.Config {
		return oidc.Config{Issuer: p.URL, ClientID: "labelwright", ClientSecret: "a secret", Name: name}
	}
	partner := config(second, "Partner")
	partner.Create, partner.GroupsClaim, partner.Domains = account.Viewer, "teams", []string{"Example.org"}
	partner.Groups = map[string]account.Role{"label leads": account.Lead}
	both := env.startWithProviders(Config{OIDCOnly: true,
		OIDC: []*oidc.Provider{oidc.New(config(first, "Example Inc.")), oidc.New(partner)}})
	ann := env.newUser("ann@example.org", account.Annotator)
	b := both.newBrowser()
	buttons := map[string]string{}
	for _, link := range b.get("/sign-in?next=/account").FindAll(".narrow a.button") {
		buttons[strings.TrimSpace(link.Text())] = strings.TrimPrefix(link.Attr("href"), "/labels")
	}
	if len(buttons) != 2 {
		t.Fatalf("buttons %v", buttons)
	}
	begin := func(b browser, p *testProvider, name string, claims map[string]any) url.Values {
		t.Helper()
		return p.authorize(b.get(buttons["Sign in with "+name]).checkRedirect(p.URL+"/authorize"), claims)
	}
	b.get("/sign-in/oidc?provider=Other").checkStatus(http.StatusNotFound)
	b.post("/sign-in", nil).checkStatus(http.StatusForbidden).checkContains("Sign in with Example Inc., Partner.")

	annAtFirst := map[string]any{"sub": "one", "email": ann.Email}
	b.returnFrom(begin(b, first, "Example Inc.", annAtFirst)).checkRedirect("/labels/account")
	b = both.newBrowser()
	// the same subject at another provider is another user, until the address links it
	newcomer := map[string]any{"sub": "one", "email": "new@example.org", "teams": []string{"label leads"}}
	b.returnFrom(begin(b, second, "Partner", newcomer)).checkRedirect("/labels/account")
	b.get("/account").checkContains("new@example.org")
	b = both.newBrowser()
	b.returnFrom(begin(b, second, "Partner", map[string]any{"sub": "two", "email": ann.Email,
		"teams": []string{}})).checkRedirect("/labels/account")
	b = both.newBrowser()
	foreign := map[string]any{"sub": "three", "email": "ann@example.com"}
	b.returnFrom(begin(b, second, "Partner", foreign)).checkStatus(http.StatusUnprocessableEntity).
		checkContains("does not sign in users with the address “ann@example.com”")
	for _, c := range []struct{ what, want string }{
		{`SELECT string_agg((account_id = $1) || ' ' || subject, ', ' ORDER BY created_at)
			FROM identity.oidc_subjects WHERE $1 > 0`, "true one, false one, true two"},
		{`SELECT role FROM accounts WHERE id > $1`, "lead"},
		{`SELECT detail ->> 'provider' || ' ' || (account_id > $1) FROM audit_log
			WHERE action = 'account.create_at_sign_in'`, "Partner true"},
	} {
		if got := query[string](env, c.what, ann.ID); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}

	// an answer of one provider to a sign-in that began at the other
	for iss, p := range map[string]*testProvider{"": first, first.URL: second} {
		b = both.newBrowser()
		location := b.get(buttons["Sign in with Partner"]).checkRedirect(second.URL + "/authorize")
		answer := p.authorize(location, map[string]any{"sub": "two", "email": ann.Email})
		answer.Set("iss", iss)
		b.returnFrom(answer).checkStatus(http.StatusUnprocessableEntity)
		b.get("/account").checkRedirect("/labels/sign-in")
	}
}

// An admin who was added without a password signs in through the company, where passwords are refused. The invitation
// link is not needed, and ends.
func TestCompanySignIn_Only_FirstAdminByAddress(t *testing.T) {
	t.Parallel()
	env, p := newTestEnv(t), newTestProvider(t)
	id, err := env.db.CreateAccount(t.Context(), 0, account.NewAccount{Email: "ada@example.org", Name: "Ada",
		Role: account.Admin}, "")
	if err != nil {
		t.Fatal(err)
	}
	link, err := env.db.Invite(t.Context(), 0, id)
	if err != nil {
		t.Fatal(err)
	}
	ada := map[string]any{"sub": "one", "email": "ada@example.org"}
	only := env.startWithOnly(p)
	b := only.newBrowser()
	b.returnFrom(b.beginAt(p, ada)).checkRedirect("/labels/account")
	b.get("/admin/users").checkStatus(http.StatusOK)
	b.get("/account/data").checkStatus(http.StatusOK).checkContains("ada@example.org")
	env.newBrowser().get("/invitations/" + link).checkStatus(http.StatusNotFound)

	// without OIDC-only, changes ask such a user for the company's sign-in, too
	mixed := env.startWithProvider(p.URL, oidc.Config{})
	b = mixed.newBrowser()
	b.returnFrom(b.beginAt(p, ada)).checkRedirect("/labels/account")
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	for _, a := range []testResponse{b.get("/account"), b.post("/account/tokens", url.Values{"name": {"n"}})} {
		if len(a.FindAll("[type=password]")) > 0 {
			t.Errorf("%s asks for a password", a.path)
		}
	}
}
