package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/oidc"
	"github.com/labelwright/labelwright/web/browsertest"
)

// startAtLocalhost starts another server on the database, at an address where browsers offer passkeys.
func (env testEnv) startAtLocalhost(c Config) testEnv {
	env.Helper()
	server := httptest.NewUnstartedServer(nil)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	c.BaseURL, c.Log = &url.URL{Scheme: "http", Host: "localhost:" + port},
		slog.New(slog.NewTextHandler(errorLogWriter{env.T}, nil))
	handler := newServer(env.db, c)
	server.Config.Handler = handler
	server.Start()
	env.Cleanup(func() { handler.Drain(); server.Close() })
	env.baseURL, env.server = c.BaseURL.String(), handler
	return env
}

// signInAt signs a in with the password, in a tab that shows the sign-in page.
func signInAt(b browsertest.Tab, a account.Account, next string) {
	b.Helper()
	form := url.Values{"email": {a.Email}, "password": {password}, "next": {next}}
	path := browsertest.Eval[string](b, fmt.Sprintf(
		`fetch('/sign-in', { method: 'POST', body: new URLSearchParams(%q) }).then(r => new URL(r.url).pathname)`,
		form.Encode()))
	b.Visit(path)
}

// A passkey signs its user in, is the second factor after a password, and satisfies the policy. One that was copied is
// refused, as is one that was removed.
func TestPasskey_AddUseRemove(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t).startAtLocalhost(Config{SecondFactor: []account.Role{account.Annotator}})
	ann, admin := env.newUser("ann@example.org", account.Annotator), env.newUser("admin@example.org", account.Admin)
	b := browsertest.Open(t, env.baseURL, "/sign-in")
	device := b.AddAuthenticator()
	signInAt(b, ann, "/account")
	at := func(path string) {
		t.Helper()
		b.WaitFor(`location.pathname + ' ' + document.readyState`, path+" complete")
	}
	signOut := func() {
		t.Helper()
		b.Visit("/sign-in") // has no stream of events
		b.ClearCookies()
		b.Visit("/sign-in")
	}
	refused := func(text string) {
		t.Helper()
		b.WaitFor(fmt.Sprintf(`document.querySelector('main').innerText.includes(%q)`, text), true)
		b.Visit("/account")
		at("/sign-in")
	}
	at(secondFactorPath) // the role needs a second factor
	b.Click("#passkey_name")
	b.InsertText("Laptop")
	b.Click("[action$=passkeys] button")
	at("/account")
	b.WaitFor(`document.querySelector('main').innerText.includes('Laptop')`, true)
	if n := device.Count(); n != 1 {
		t.Fatalf("%d passkeys on the device", n)
	}

	signOut()
	b.Click("[href^='/sign-in/passkey']")
	at("/work")
	signOut()
	signInAt(b, ann, "/account")
	at(secondStepPath)
	if browsertest.Eval[bool](b, `document.querySelector('#code') !== null`) {
		t.Error("asks for a code without an authenticator app")
	}
	b.Click("[data-passkey] button")
	at("/account")

	signOut()
	device.SetVerified(false)
	b.Visit(passkeyPath)
	refused("The browser did not finish")
	device.SetVerified(true)
	// a copy was used in the meantime
	copied := query[int64](env, `UPDATE identity.passkeys SET sign_count = sign_count + 1 RETURNING sign_count`)
	b.Visit(passkeyPath)
	refused("This passkey may have been copied")
	if now := query[int64](env, `SELECT sign_count FROM identity.passkeys`); copied < 4 || now != copied {
		t.Errorf("the count is %d after a refusal, want %d", now, copied)
	}
	b.Visit(passkeyPath + "?next=/account")
	at("/account")
	b.Click("[action$=remove] button")
	at(secondFactorPath)
	signOut()
	b.Visit(passkeyPath)
	refused("This passkey belongs to no account here")

	for action, n := range map[string]int{"account.add_passkey": 1, "account.remove_passkey": 1,
		"account.sign_in_failed": 1} {
		if got := query[int](env, `SELECT count(*) FROM audit_log WHERE action = $1 AND subject = $2`, action,
			"account "+formatAccountID(ann)); got != n {
			t.Errorf("%s: %d entries, want %d", action, got, n)
		}
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE detail->>'passkey' = 'true'`); n != 3 {
		t.Errorf("%d sign-ins with a passkey are in the audit log, want 3", n)
	}
	env.signInAs(admin).get("/admin/audit-log").checkContains("with a passkey")
}

// Where only the company signs users in, or the address has no name, there are no passkeys: stored ones do not count.
func TestPasskey_NotOffered_IsHidden(t *testing.T) {
	t.Parallel()
	env, p := newTestEnv(t), newTestProvider(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	env.execSQL(`INSERT INTO identity.passkeys (account_id, credential_id, credential, sign_count, name)
		VALUES ($1, '1', '{}', 0, 'Laptop')`, ann.ID)
	company := []*oidc.Provider{oidc.New(oidc.Config{Issuer: p.URL, ClientID: "labelwright", ClientSecret: "a secret",
		Name: "Example Inc."})}
	only := env.startAtLocalhost(Config{OIDCOnly: true, OIDC: company})
	b := only.newBrowser()
	b.returnFrom(b.beginAt(p, map[string]any{"sub": "one", "email": ann.Email})).checkRedirect("/account")
	for _, b := range []browser{env.signInAs(ann), b} {
		for _, path := range []string{"/account", secondFactorPath, "/sign-in"} {
			if strings.Contains(strings.ToLower(b.get(path).checkStatus(http.StatusOK).body), "passkey") {
				t.Errorf("%s names passkeys", path)
			}
		}
		b.get(passkeyPath).checkStatus(http.StatusNotFound)
		b.post(passkeyPath, nil).checkStatus(http.StatusNotFound)
		b.post(secondFactorPath+"/passkeys", url.Values{"passkey_name": {"x"}}).checkStatus(http.StatusNotFound)
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'account.sign_in' AND account_id = $1`,
		ann.ID); n != 2 {
		t.Errorf("%d sign-ins are in the audit log, want 2", n)
	}
	// forged answers
	both := env.startAtLocalhost(Config{})
	visitor := both.newBrowser()
	visitor.post(passkeyPath, url.Values{"credential": {"{}"}}).checkStatus(http.StatusUnprocessableEntity)
	visitor.get(passkeyPath).checkStatus(http.StatusOK)
	for _, forged := range []string{"", "{}", "null", `{"id":"MQ","rawId":"MQ","type":"public-key","response":{}}`} {
		visitor.get(passkeyPath)
		visitor.post(passkeyPath, url.Values{"credential": {forged}}).checkStatus(http.StatusUnprocessableEntity).
			checkContains("The passkey was not accepted")
	}
	both.newBrowser().post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}}).checkRedirect(
		secondStepPath)
}
