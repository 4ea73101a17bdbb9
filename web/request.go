package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// projectFromPath returns the project of the address. To others than those who lead it, it
// does not exist.
func (s *Server) projectFromPath(r *http.Request) (project.Project, error) {
	return s.db.Project(r.Context(), *currentAccount(r), pathParam(r, "key"))
}

// pathParam returns a part of the address as it was meant. What cannot be stored
// names nothing, and comes back empty.
func pathParam(r *http.Request, key string) string {
	value := chi.URLParam(r, key)
	if r.URL.RawPath != "" { // then the router matched the escaped form
		if unescaped, err := url.PathUnescape(value); err == nil {
			value = unescaped
		}
	}
	if !isStorable(value) {
		return ""
	}
	return value
}

// pathID returns the id in the path, or 0, which no row has.
func pathID[T ~int64](r *http.Request) T { return parseID[T](pathParam(r, "id")) }

// formatID returns an id as text, for a path or a form.
func formatID[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }

func parseID[T ~int64](text string) T {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return T(id)
}

// queryParam returns what a page was asked for after the question mark.
func queryParam(r *http.Request, key string) string {
	value := r.URL.Query().Get(key)
	if !isStorable(value) {
		return ""
	}
	return value
}

// queryID returns the id in a query parameter, or 0.
func queryID[T ~int64](r *http.Request, key string) T { return parseID[T](queryParam(r, key)) }

// readFields returns the fields of a form whose texts can be stored.
func readFields(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, classifyFormError(err)
	}
	for _, values := range r.PostForm {
		if !isStorable(values...) {
			return nil, errUnstorableText
		}
	}
	return r.PostForm, nil
}

// toFormErrors returns what a form is told of err: each problem at its field, and
// any other fault at the field given.
func toFormErrors(err error, field string) (formErrors page.FormErrors) {
	problems, ok := errors.AsType[project.FormProblems](err)
	if !ok {
		return page.FormErrors{{FieldID: field, Message: fault.Message(err)}}
	}
	for _, p := range problems {
		formErrors = append(formErrors, ui.FieldError{FieldID: p.Field, Message: fault.Message(p.Err)})
	}
	return formErrors
}

// formErrorStatus returns the status under which a form comes back for err; 0 where
// the fault is not the form's.
func formErrorStatus(err error) int {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound:
		return http.StatusUnprocessableEntity
	case fault.Conflict:
		return http.StatusConflict
	}
	return 0
}

// newInvitationLink is what whoever invited somebody passes on.
func (s *Server) newInvitationLink(name, token string) page.InvitationLink {
	return page.InvitationLink{Name: name, Link: s.config.BaseURL.JoinPath("invitations", token).String()}
}
