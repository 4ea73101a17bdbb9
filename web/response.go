package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/web/ui"
)

// serve adapts h to net/http. The error it returns is rendered here only.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.renderError(w, r, err)
		}
	}
}

// render writes a page. It is rendered completely before anything is sent, so
// that a failing component does not leave half a page.
func render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var text strings.Builder
	if err := c.Render(context.WithoutCancel(r.Context()), &text); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text.String())) // the client may be gone
	return nil
}

// redirect sends the browser to a path of this site after a form. The labeling screen gets
// the path instead, so that it does not fetch that page twice.
func redirect(w http.ResponseWriter, r *http.Request, path string) error {
	if screenKey(r) != "" {
		w.Header().Set(nextPageHeader, path)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

func currentUser(r *http.Request) ui.User {
	if a := currentAccount(r); a != nil {
		badges, _ := r.Context().Value(badgesKey).(func() ui.Badges)
		return ui.User{Name: a.Name, Role: a.Role, Badges: badges}
	}
	return ui.User{}
}
