package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// After ten wrong passwords an email address is locked. The response does not
// reveal whether the account exists.
func TestSignIn_WrongPasswords_Limited(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("ann@example.org", account.Annotator)
	env.newUser("ben@example.org", account.Annotator)
	signIn := func(email, guess string) testResponse {
		return env.newBrowser().post("/sign-in", url.Values{"email": {email}, "password": {guess}})
	}
	for _, email := range []string{"ann@example.org", "unknown@example.org"} {
		wrong := 0
		for signIn(email, "not it").status == http.StatusUnprocessableEntity {
			if wrong++; wrong > 30 {
				t.Fatalf("%s is never locked", email)
			}
		}
		a := signIn(email, password).checkStatus(http.StatusTooManyRequests)
		if wrong > 10 || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d attempts, then %v", email, wrong, a.header)
		}
		if a.FindFirst("#email").Attr("value") != email || strings.Contains(a.body, password) {
			t.Error("the form is not restored with the email address only")
		}
	}
	known, unknown := signIn("ben@example.org", "not it"), signIn("nowhere@example.org", "not it")
	if strings.ReplaceAll(known.body, "ben@", "nowhere@") != unknown.body || known.status != unknown.status {
		t.Error("a wrong password reveals that the account exists")
	}
	signIn("ben@example.org", password).checkRedirect("/")
}

// One IP address has a limited number of attempts over all accounts.
func TestSignIn_OneIP_IsLimited(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("ann@example.org", account.Annotator)
	b, attempts := env.newBrowser(), 0
	for ; attempts < 200; attempts++ {
		ip := "10.0.0." + formatID(int64(attempts))
		header := map[string]string{"Sec-Fetch-Site": "same-origin", "Content-Type": formContentType,
			"X-Forwarded-For": ip, "X-Real-IP": ip, "Forwarded": "for=" + ip}
		if a := b.request(http.MethodPost, "/sign-in", "email=ann%40example.org&password=x", header); strings.Contains(
			a.Text(), "Too many attempts from this network") {
			a.checkStatus(http.StatusTooManyRequests)
			break
		}
	}
	if attempts > 60 {
		t.Errorf("%d attempts in a minute", attempts)
	}
}

// Wrong passwords from other browsers do not lock a user out of a browser they
// used before. That browser is known only for its own user.
func TestSignIn_KnownBrowser_StaysOpen(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	signIn := func(b browser, email, guess string) testResponse {
		return b.post("/sign-in", url.Values{"email": {email}, "password": {guess}})
	}
	annBrowser, benBrowser := env.signInAs(ann), env.signInAs(ben)
	annBrowser.post("/sign-out", nil).checkRedirect("/sign-in")
	benBrowser.post("/sign-out", nil).checkRedirect("/sign-in")
	for range 10 {
		signIn(env.newBrowser(), ann.Email, "not it").checkStatus(http.StatusUnprocessableEntity)
	}
	signIn(benBrowser, ann.Email, password).checkStatus(http.StatusTooManyRequests).checkContains(
		"wrong passwords for this address")
	signIn(annBrowser, ann.Email, password).checkRedirect("/")
	annBrowser.post("/sign-out", nil).checkRedirect("/sign-in")
	for range 10 {
		signIn(annBrowser, ann.Email, "not it").checkStatus(http.StatusUnprocessableEntity)
	}
	signIn(annBrowser, ann.Email, password).checkStatus(http.StatusTooManyRequests)
	signIn(annBrowser, ben.Email, password).checkRedirect("/")
}

// Concurrent attempts are limited like sequential ones.
func TestSignIn_Concurrent_Limited(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.newUser("ann@example.org", account.Annotator)
	checked := make(chan bool)
	for range 30 {
		go func() {
			_, err := env.db.SignIn(t.Context(), account.Credentials{Email: "ann@example.org", Password: "not it"})
			checked <- fault.KindOf(err) == fault.SignedOut
		}()
	}
	n := 0
	for range 30 {
		if <-checked {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d of 30 attempts were checked, want 10", n)
	}
}

// A new password removes all known browsers.
func TestPassword_Changed_ForgetsBrowsers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	otherBrowser := env.signInAs(ann)
	b := env.newBrowser()
	b.post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}}).checkRedirect("/")
	const next = "a louder evening train"
	b.post("/account/password", url.Values{"current_password": {password}, "password": {next}}).checkRedirect(
		"/account")
	if n := query[int](env, `SELECT count(*) FROM identity.known_browsers`); n != 1 {
		t.Errorf("%d browsers are known, want 1", n)
	}
	for range 10 {
		otherBrowser.post("/sign-in", url.Values{"email": {ann.Email}, "password": {"not it"}}).checkStatus(
			http.StatusUnprocessableEntity)
	}
	env.newBrowser().post("/sign-in", url.Values{"email": {ann.Email}, "password": {next}}).checkStatus(
		http.StatusTooManyRequests)
	b.post("/sign-in", url.Values{"email": {ann.Email}, "password": {next}}).checkRedirect("/")
}
