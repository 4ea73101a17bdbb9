package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// Settings apply to every page of the user, in every browser, and to no other user.
func TestSettings_Save_ApplyToEveryPage(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ann := env.newUser("ann@example.org", account.Annotator)
	here, phone := env.signInAs(ann), env.signInAs(ann)
	other := env.signInAs(env.newUser("ben@example.org", account.Annotator))
	const attributes = `data-theme="dark" data-text-size="large" data-reduces-motion `
	form := url.Values{"theme": {"dark"}, "text_size": {"large"}, "reduces_motion": {"1"}, "shortcuts_enabled": {"1"},
		"key_note": {"X"}, "key_guide": {"g"}}
	here.post("/account/settings", form).checkRedirect("/account")
	for _, path := range []string{"/account", "/work", "/no-such-page"} {
		if b := phone.get(path).body; !strings.Contains(b, attributes) ||
			!strings.Contains(b, `name="color-scheme" content="dark"`) {
			t.Errorf("%s has not the theme of the user", path)
		}
		if strings.Contains(other.get(path).body, "data-theme") {
			t.Errorf("%s of another user has a theme", path)
		}
	}
	stored := query[string](env, `SELECT keys::text || auto_advances FROM identity.account_settings
		WHERE account_id = $1`, ann.ID)
	if stored != `{"note": "x"}false` {
		t.Errorf("stored: %s", stored)
	}
	here.post("/account/settings", url.Values{"reset_keys": {"1"}}).checkRedirect("/account")
	stored = query[string](env, `SELECT keys::text || theme FROM identity.account_settings
		WHERE account_id = $1`, ann.ID)
	if stored != `{}dark` {
		t.Errorf("after a reset of the keys: %s", stored)
	}
}

func TestSettings_Save_Invalid_ShownAtField(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	b := env.signInAs(env.newUser("ann@example.org", account.Annotator))
	a := b.post("/account/settings", url.Values{"theme": {"auto"}, "text_size": {"huge"}, "key_note": {"g"},
		"key_edge_cases": {"5"}})
	a.checkStatus(http.StatusUnprocessableEntity)
	for _, id := range []string{"text_size-problem", "key_guide-problem", "key_edge_cases-problem"} {
		if !strings.Contains(a.body, `id="`+id+`"`) {
			t.Errorf("no %s", id)
		}
	}
	if n := query[int](env, `SELECT count(*) FROM identity.account_settings`); n != 0 {
		t.Error("invalid settings were stored")
	}
}
