package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// Guessing ends after ten wrong passwords, for that address alone, and says the
// same whether there is such an account or not.
func TestGuessingPasswordsEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("ann@example.org", account.Annotator)
	w.person("ben@example.org", account.Annotator)
	try := func(email, word string) answer {
		return w.anybody().post("/sign-in", url.Values{"email": {email}, "password": {word}})
	}
	for _, email := range []string{"ann@example.org", "nobody@example.org"} {
		wrong := 0
		for try(email, "not it").status == http.StatusUnprocessableEntity {
			if wrong++; wrong > 30 {
				t.Fatalf("%s can be guessed at for ever", email)
			}
		}
		a := try(email, password).is(http.StatusTooManyRequests)
		if wrong > 10 || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d guesses, then %v", email, wrong, a.header)
		}
		if a.First("#email").Attr("value") != email || strings.Contains(a.body, password) {
			t.Error("the form does not come back with the address alone")
		}
	}
	one, none := try("ben@example.org", "not it"), try("nowhere@example.org", "not it")
	if strings.ReplaceAll(one.body, "ben@", "nowhere@") != none.body || one.status != none.status {
		t.Error("a wrong password tells that there is an account")
	}
	try("ben@example.org", password).leads("/")
}

// From one address nobody tries often, whoever they say they are.
func TestGuessingFromOneAddressEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("ann@example.org", account.Annotator)
	b, taken := w.anybody(), 0
	for ; taken < 200; taken++ {
		ip := "10.0.0." + id64(int64(taken))
		header := map[string]string{"Sec-Fetch-Site": "same-origin", "Content-Type": formKind, "X-Forwarded-For": ip, "X-Real-IP": ip, "Forwarded": "for=" + ip}
		if a := b.request(http.MethodPost, "/sign-in", "email=ann%40example.org&password=x", header); strings.Contains(a.Text(), "very many attempts from here") {
			a.is(http.StatusTooManyRequests)
			break
		}
	}
	if taken > 60 {
		t.Errorf("%d attempts in a minute", taken)
	}
}

// Who guesses at a password keeps its person out of no browser that they used
// before; and that browser is good for its own person alone.
func TestGuessingKeepsNobodyOutOfTheirOwnBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ben := w.person("ann@example.org", account.Annotator), w.person("ben@example.org", account.Annotator)
	try := func(b browser, email, word string) answer {
		return b.post("/sign-in", url.Values{"email": {email}, "password": {word}})
	}
	own, strange := w.as(ann), w.as(ben)
	own.post("/sign-out", nil).leads("/sign-in")
	strange.post("/sign-out", nil).leads("/sign-in")
	for range 10 {
		try(w.anybody(), ann.Email, "not it").is(http.StatusUnprocessableEntity)
	}
	try(strange, ann.Email, password).is(http.StatusTooManyRequests).says("a browser that you have used here before")
	try(own, ann.Email, password).leads("/")
	own.post("/sign-out", nil).leads("/sign-in")
	for range 10 {
		try(own, ann.Email, "not it").is(http.StatusUnprocessableEntity)
	}
	try(own, ann.Email, password).is(http.StatusTooManyRequests)
	try(own, ben.Email, password).leads("/")
}

// Guesses sent all at once are no more than one by one.
func TestGuessesSentAtOnceAreCountedToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("ann@example.org", account.Annotator)
	judged := make(chan bool)
	for range 30 {
		go func() {
			_, err := w.db.SignIn(t.Context(), "ann@example.org", "not it", "")
			judged <- fault.KindOf(err) == fault.SignedOut
		}()
	}
	n := 0
	for range 30 {
		if <-judged {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d of 30 guesses were judged, want 10", n)
	}
}

// A new password makes every browser a strange one again.
func TestANewPasswordForgetsBrowsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.person("ann@example.org", account.Annotator)
	stolen := w.as(ann)
	b := w.anybody()
	b.post("/sign-in", url.Values{"email": {ann.Email}, "password": {password}}).leads("/")
	const next = "a louder evening train"
	b.post("/account/password", url.Values{"old": {password}, "password": {next}}).leads("/account")
	if n := query[int](w, `SELECT count(*) FROM identity.browsers`); n != 1 {
		t.Errorf("%d browsers are known, want the one that the password was changed in", n)
	}
	for range 10 {
		stolen.post("/sign-in", url.Values{"email": {ann.Email}, "password": {"not it"}}).is(http.StatusUnprocessableEntity)
	}
	w.anybody().post("/sign-in", url.Values{"email": {ann.Email}, "password": {next}}).is(http.StatusTooManyRequests)
	b.post("/sign-in", url.Values{"email": {ann.Email}, "password": {next}}).leads("/")
}
