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

// pathID returns the id of an address, or 0, which is nobody's.
func pathID(r *http.Request) int64 {
	id, err := strconv.ParseInt(pathParam(r, "id"), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// queryParam returns what a page was asked for after the question mark.
func queryParam(r *http.Request, key string) string {
	value := r.URL.Query().Get(key)
	if !isStorable(value) {
		return ""
	}
	return value
}

// queryID returns where a page of a list begins; 0: at its start.
func queryID(r *http.Request, key string) int64 {
	id, err := strconv.ParseInt(queryParam(r, key), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

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
