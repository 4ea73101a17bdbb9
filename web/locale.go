package web

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

// currentLocale returns the language of the page.
func currentLocale(r *http.Request) *locale.Locale { return locale.From(r.Context()) }

// withBrowserLocale chooses the language by what the browser asks for.
func withBrowserLocale(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := locale.ForBrowser(r.Header.Get("Accept-Language"))
		next.ServeHTTP(w, r.WithContext(locale.With(r.Context(), l)))
	})
}

// withChosenLocale returns ctx with the language that the user chose, if any.
func withChosenLocale(ctx context.Context) context.Context {
	if l := locale.ByTag(account.SettingsFrom(ctx).Language); l != nil {
		return locale.With(ctx, l)
	}
	return ctx
}
