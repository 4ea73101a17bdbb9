package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// askForAddress asks for a link to a new address, and returns the path of the link; without a mail, "".
func (b browser) askForAddress(env testEnv, address string) (path string) {
	b.Helper()
	env.execSQL(`DELETE FROM identity.mails`)
	b.post("/account/address", url.Values{"new_email": {address}}).checkRedirect("/account")
	token := query[string](env, `SELECT coalesce(max(token), '') FROM identity.mails
		WHERE kind = 'address' AND email = $1`, address)
	if token == "" {
		return ""
	}
	return "/account/address/" + token
}

// A user takes a new address with the link that is mailed to it, signed in and once. Other links end, and the old
// address gets a mail.
func TestChangeAddress_Link_WorksOnceForItsUser(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	b, other := env.signInAs(ann), env.signInAs(ben)
	page := b.get("/account").checkContains("An admin can change your email address.")
	if len(page.FindAll("#new_email")) > 0 {
		t.Error("the form is offered without mail")
	}
	b.post("/account/address", url.Values{"new_email": {"new@example.org"}}).checkStatus(http.StatusConflict)
	if err := env.db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	env.execSQL(`UPDATE identity.sign_ins SET confirmed_at = confirmed_at - interval '11 minutes'`)
	form := url.Values{"new_email": {"new@example.org"}}
	b.post("/account/address", form).checkStatus(http.StatusForbidden).checkContains("Confirm your password")
	form.Set("current_password", password)
	b.post("/account/address", form).checkRedirect("/account")
	for address, status := range map[string]int{"": 422, "no address": 422, "ann@example.org": 422} {
		b.post("/account/address", url.Values{"new_email": {address}}).checkStatus(status)
	}
	if path := b.askForAddress(env, "BEN@example.org"); path != "" {
		t.Errorf("a mail to the address of another account: %s", path)
	}

	replaced := b.askForAddress(env, "first@example.org")
	expired := b.askForAddress(env, "new@example.org")
	b.get(replaced).checkStatus(http.StatusNotFound)
	env.execSQL(`UPDATE identity.invitations SET expires_at = now() - interval '1 second'`)
	b.post(expired, nil).checkStatus(http.StatusNotFound)
	path := b.askForAddress(env, "new@example.org")
	password := strings.Replace(path, "/account/address", "/invitations", 1)
	b.post(password, url.Values{"password": {"a louder evening train"}}).checkStatus(http.StatusNotFound)
	env.newBrowser().get(path).checkRedirect("/sign-in")
	other.get(path).checkStatus(http.StatusNotFound)
	other.post(path, nil).checkStatus(http.StatusNotFound)
	invitation, err := env.db.Invite(t.Context(), 0, ben.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.db.SendPasswordLink(t.Context(), ann.Email); err != nil {
		t.Fatal(err)
	}
	b.get(path).checkContains("new@example.org")
	if email := query[string](env, `SELECT email FROM identity.users WHERE account_id = $1`, ann.ID); email != ann.Email {
		t.Errorf("opening the page changed the address to %s", email)
	}
	b.post(path, nil).checkRedirect("/account")
	b.post(path, nil).checkStatus(http.StatusNotFound)
	b.get("/account").checkContains("new@example.org")
	env.newBrowser().get("/invitations/" + invitation).checkStatus(http.StatusOK)
	for what, n := range map[string]int{
		`identity.users WHERE account_id = $1 AND email = 'new@example.org'`:                              1,
		`identity.invitations WHERE account_id = $1`:                                                      0,
		`identity.mails WHERE account_id = $1 AND kind = 'address_changed' AND email = 'ann@example.org'`: 1,
		`audit_log WHERE account_id = $1 AND action = 'account.change_address'`:                           1,
	} {
		if got := query[int](env, `SELECT count(*) FROM `+what, ann.ID); got != n {
			t.Errorf("%d rows in %s, want %d", got, what, n)
		}
	}

	taken := b.askForAddress(env, "late@example.org")
	env.newUser("late@example.org", account.Annotator)
	b.post(taken, nil).checkStatus(http.StatusConflict)
	env.execSQL(`INSERT INTO identity.mails (account_id, kind, sent_at) SELECT $1, 'address', now()
		FROM generate_series(1, 5)`, ann.ID)
	b.post("/account/address", url.Values{"new_email": {"more@example.org"}}).checkStatus(http.StatusTooManyRequests)
}
