package web

import (
	"context"
	"net/http"
	"sync"
	"time"
	_ "time/tzdata" // the image has no time zones

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

// currentLocale returns the language of the page.
func currentLocale(r *http.Request) *locale.Locale { return locale.From(r.Context()) }

// withBrowserLocale chooses the language by what the browser asks for.
func withBrowserLocale(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := locale.ForBrowser(r.Header.Get("Accept-Language")).In(browserZone(r))
		next.ServeHTTP(w, r.WithContext(locale.With(r.Context(), l)))
	})
}

// zones holds a *time.Location for each name that a browser sent, because loading one reads a file.
var zones sync.Map

// browserZone returns the time zone that time_zone.mjs saved in a cookie, or nil.
func browserZone(r *http.Request) *time.Location {
	cookie, err := r.Cookie("time_zone")
	if err != nil || len(cookie.Value) > 64 || cookie.Value == "" || cookie.Value == "Local" {
		return nil
	}
	if zone, isKnown := zones.Load(cookie.Value); isKnown {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(cookie.Value)
	if err != nil {
		return nil
	}
	zones.Store(cookie.Value, zone)
	return zone
}

// withChosenLocale returns ctx with the language that the user chose, if any.
func withChosenLocale(ctx context.Context) context.Context {
	if l := locale.ByTag(account.SettingsFrom(ctx).Language); l != nil {
		return locale.With(ctx, l.In(locale.From(ctx).KnownZone()))
	}
	return ctx
}
