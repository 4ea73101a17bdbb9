package web

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
	"github.com/labelwright/labelwright/web/ui"
)

const currentPasswordField = "current_password"

// confirmPassword checks the current password in the form of a signed-in user.
func (s *Server) confirmPassword(r *http.Request) error {
	err := s.db.ConfirmPassword(r.Context(), currentSignIn(r), s.credentials(r, currentAccount(r).Email,
		currentPasswordField))
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Limited {
		s.logDenial(r, deniedPassword)
	}
	return err
}

// inConfirmedProject passes the project of the path to h, as inProject does, if the user entered the password a short
// while ago. Else it asks for it, if the form needs it.
func (s *Server) inConfirmedProject(isNeeded func(form url.Values) bool, h projectHandler) handler {
	return s.inProject(func(w http.ResponseWriter, r *http.Request, p project.Project) error {
		run := func(w http.ResponseWriter, r *http.Request) error { return h(w, r, p) }
		if isNeeded(r.PostForm) {
			run = s.withConfirmedPassword(run)
		}
		return run(w, r)
	})
}

func always(url.Values) bool { return true }

func addsLead(form url.Values) bool { return account.Role(form.Get("role")) == account.Lead }

// hasNames reports whether the form of an export asks for what members wrote, which may name someone.
func hasNames(form url.Values) bool { return form.Get("comments") == "1" }

// withConfirmedPassword runs h for a user who entered the password a short while ago. Else it
// asks for the password on a page that keeps the posted form.
func (s *Server) withConfirmedPassword(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		confirmed, err := s.db.HasConfirmedPassword(r.Context(), currentSignIn(r))
		if err != nil {
			return err
		}
		if confirmed {
			return h(w, r)
		}
		fields := r.PostForm
		a := currentAccount(r)
		d := page.ConfirmPasswordData{User: currentUser(r), Path: r.URL.RequestURI(), Email: a.Email}
		if s.config.OIDCOnly || !a.HasPassword {
			d.Path, d.Companies = formPage(r), s.companies()
			return render(w, r, http.StatusForbidden, page.ConfirmPassword(d))
		}
		status := http.StatusForbidden
		if fields.Has(currentPasswordField) {
			err := s.confirmPassword(r)
			if err == nil {
				return h(w, r)
			}
			if !isPasswordProblem(err) {
				return err
			}
			d.Errors, status = []string{currentLocale(r).Message(err)}, problem.Status(fault.KindOf(err))
		}
		delete(fields, currentPasswordField)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, value := range fields[name] {
				d.Fields = append(d.Fields, ui.HiddenField{Name: name, Value: value})
			}
		}
		return render(w, r, status, page.ConfirmPassword(d))
	}
}

// formPage returns the path of the page with the form that r posts.
func formPage(r *http.Request) string {
	routes := chi.RouteContext(r.Context()).Routes
	p := r.URL.Path
	for p != "/" && !routes.Match(chi.NewRouteContext(), http.MethodGet, p) {
		p = path.Dir(p)
	}
	return p
}
