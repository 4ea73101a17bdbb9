package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/labelwright/labelwright/internal/account"
)

// startRequiring starts another server on the database, where roles need a second factor.
func (env testEnv) startRequiring(roles ...account.Role) testEnv {
	env.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := &url.URL{Scheme: "http", Host: server.Listener.Addr().String()}
	handler := newServer(env.db, Config{BaseURL: address,
		Log: slog.New(slog.NewTextHandler(errorLogWriter{env.T}, nil)), SecondFactor: roles})
	server.Config.Handler = handler
	server.Start()
	env.Cleanup(func() { handler.Drain(); server.Close() })
	env.baseURL, env.server = address.String(), handler
	return env
}

// codeAt returns the code that an authenticator app shows some steps from now.
func codeAt(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// setUpSecondFactor sets up an authenticator app with the code of the step before this one.
func (b browser) setUpSecondFactor() (secret string, recovery []string) {
	b.Helper()
	secret = b.get(secondFactorPath).checkStatus(http.StatusOK).FindFirst("main code").Text()
	a := b.post(secondFactorPath, url.Values{"code": {codeAt(b.T, secret, -1)}}).checkStatus(http.StatusOK)
	for _, code := range a.FindAll("main li code") {
		recovery = append(recovery, code.Text())
	}
	return secret, recovery
}

// enterPassword begins a sign-in that waits for a code.
func (env testEnv) enterPassword(a account.Account) browser {
	env.Helper()
	b := env.newBrowser()
	b.post("/sign-in", url.Values{"email": {a.Email}, "password": {password}, "next": {"/account"}}).checkRedirect(
		secondStepPath)
	b.get("/account").checkRedirect("/sign-in")
	return b
}

func (b browser) enterCode(code string) testResponse {
	b.Helper()
	return b.post(secondStepPath, url.Values{"code": {code}})
}

// Each code signs in once, of the app or for recovery; others do not, and after ten wrong ones none does.
func TestSecondFactor_SignIn_CodesWorkOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	first := env.signInAs(ann)
	first.get(secondFactorPath)
	first.post(secondFactorPath, url.Values{"code": {"123"}}).checkStatus(http.StatusUnprocessableEntity)
	secret, recovery := first.setUpSecondFactor()
	_, others := env.signInAs(ben).setUpSecondFactor()
	if len(recovery) != 10 || query[int](env, `SELECT count(DISTINCT h) FROM identity.second_factors,
		unnest(recovery_codes) h`) != 20 {
		t.Fatalf("recovery codes: %q", recovery)
	}
	used := codeAt(t, secret, 0)
	for _, c := range []struct{ name, code, location string }{
		{"of the set-up", codeAt(t, secret, -1), ""},
		{"none", "", ""},
		{"of now", used, "/account"},
		{"replay", used, ""},
		{"too early", codeAt(t, secret, 5), ""},
		{"recovery code", recovery[3], "/account"},
		{"used recovery code", recovery[3], ""},
		{"recovery code of another", others[3], ""},
		{"typed with spaces, in capitals", " " + strings.ToUpper(strings.ReplaceAll(recovery[9], "-", " ")), "/account"},
	} {
		b := env.enterPassword(ann)
		a := b.enterCode(c.code)
		if c.location != "" {
			a.checkRedirect(c.location)
			b.get("/account").checkStatus(http.StatusOK)
		} else if a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", c.name, a.status)
		}
		if c.location == "" {
			b.get("/account").checkRedirect("/sign-in")
		}
	}
	if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = 'account.sign_in'
		AND detail->>'recovery_code' = 'true'`); n != 2 {
		t.Errorf("%d sign-ins with a recovery code are in the audit log, want 2", n)
	}
	b := env.enterPassword(ann)
	for range 4 { // six were wrong above
		b.enterCode("000").checkStatus(http.StatusUnprocessableEntity)
	}
	b.enterCode(recovery[0]).checkStatus(http.StatusTooManyRequests)
	env.execSQL(`DELETE FROM sign_in_attempts`)
	b.enterCode(recovery[0]).checkRedirect("/account")
}

// A link for a new password does not sign in without the code.
func TestSecondFactor_PasswordLink_AsksForCode(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	_, recovery := env.signInAs(ann).setUpSecondFactor()
	token, err := env.db.Invite(t.Context(), 0, ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	b := env.newBrowser()
	b.post("/invitations/"+token, url.Values{"password": {"a louder evening train"}}).checkRedirect(secondStepPath)
	b.get("/account").checkRedirect("/sign-in")
	b.enterCode(recovery[0]).checkRedirect("/")
}

// A role that needs a second factor can do nothing before it is set up.
func TestSecondFactor_RequiredByRole_SetUpFirst(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t).startRequiring(account.Admin, account.Lead)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.signInAs(ann).get("/account").checkStatus(http.StatusOK)
	b := env.signInAs(lead)
	token := url.Values{"name": {"Nightly"}, "scopes": {"read"}, "days": {"30"}}
	checked := 0
	for _, rt := range env.server.routes() {
		isOpen := rt.authorize(nil) == nil || strings.HasPrefix(rt.path, secondFactorPath)
		if isOpen || rt.authorize(&lead) != nil {
			continue
		}
		checked++
		if rt.method == http.MethodGet {
			b.get(rt.path).checkRedirect(secondFactorPath)
		} else {
			b.post(rt.path, token).checkStatus(http.StatusForbidden).checkContains("Your role needs a second factor")
		}
	}
	if checked < 100 {
		t.Errorf("only %d routes were checked", checked)
	}
	b.setUpSecondFactor()
	b.get("/projects").checkStatus(http.StatusOK)
	b.post("/account/tokens", token).checkStatus(http.StatusOK)
}

// A user removes the second factor with a code, an admin resets that of another user, who is then signed out.
func TestSecondFactor_RemoveAndReset(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin, ann := env.newUser("admin@example.org", account.Admin), env.newUser("ann@example.org", account.Annotator)
	a, b := env.signInAs(admin), env.signInAs(ann)
	has := func() bool {
		return query[bool](env, `SELECT EXISTS (SELECT FROM identity.second_factors WHERE account_id = $1)`, ann.ID)
	}
	secret, _ := b.setUpSecondFactor()
	b.post(secondFactorPath+"/remove", url.Values{"code": {"000"}}).checkStatus(http.StatusUnprocessableEntity)
	if !has() {
		t.Fatal("removed without a code")
	}
	b.post(secondFactorPath+"/remove", url.Values{"code": {codeAt(t, secret, 0)}}).checkRedirect("/account")
	if has() {
		t.Fatal("not removed")
	}
	b.setUpSecondFactor()
	path := "/admin/users/" + formatAccountID(ann)
	a.get(path).checkContains("Reset second factor")
	a.post(path+"/second-factor", nil).checkRedirect(path)
	b.get("/account").checkRedirect("/sign-in")
	if has() {
		t.Error("not reset")
	}
	env.signInAs(ann).get("/account").checkStatus(http.StatusOK)
	a.setUpSecondFactor()
	a.post("/admin/users/"+formatAccountID(admin)+"/second-factor", nil).checkStatus(http.StatusConflict)
	for action, want := range map[string]int{"set": 3, "remove": 2} {
		if n := query[int](env, `SELECT count(*) FROM audit_log WHERE action = $1`,
			"account."+action+"_second_factor"); n != want {
			t.Errorf("audit log: %d times %s, want %d", n, action, want)
		}
	}
}

func TestName_Change(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("ann@example.org", account.Annotator))
	b.post("/account/name", url.Values{"name": {" "}}).checkStatus(http.StatusUnprocessableEntity)
	b.post("/account/name", url.Values{"name": {" Ann Lee "}}).checkRedirect("/account")
	if name := b.get("/account").FindFirst("#name").Attr("value"); name != "Ann Lee" {
		t.Errorf("the name is %q", name)
	}
}
