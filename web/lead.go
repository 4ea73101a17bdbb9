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

// led returns the project of the address. To others than those who lead it, it
// does not exist.
func (s *Server) led(r *http.Request) (project.Project, error) {
	return s.db.Project(r.Context(), *who(r), param(r, "key"))
}

// param returns a part of the address as it was meant. What cannot be stored
// names nothing, and comes back empty.
func param(r *http.Request, key string) string {
	value := chi.URLParam(r, key)
	if r.URL.RawPath != "" { // then the router matched the escaped form
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
	}
	if !storable(value) {
		return ""
	}
	return value
}

// numberOf returns the id of an address, or 0, which is nobody's.
func numberOf(r *http.Request) int64 {
	id, err := strconv.ParseInt(param(r, "id"), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// asked returns what a page was asked for after the question mark.
func asked(r *http.Request, key string) string {
	value := r.URL.Query().Get(key)
	if !storable(value) {
		return ""
	}
	return value
}

// askedID returns where a page of a list begins; 0: at its start.
func askedID(r *http.Request, key string) int64 {
	id, err := strconv.ParseInt(asked(r, key), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// readFields returns the fields of a form whose texts can be stored.
func readFields(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, malformed(err)
	}
	for _, values := range r.PostForm {
		if !storable(values...) {
			return nil, errUnreadable
		}
	}
	return r.PostForm, nil
}

// wrongOf returns what a form is told of err: each problem at its field, and
// any other fault at the field given.
func wrongOf(err error, field string) (wrong page.Wrong) {
	problems, ok := errors.AsType[project.Problems](err)
	if !ok {
		return page.Wrong{{At: field, Says: fault.Message(err)}}
	}
	for _, p := range problems {
		wrong = append(wrong, ui.Complaint{At: p.Field, Says: fault.Message(p.Err)})
	}
	return wrong
}

// refusal returns the status under which a form comes back for err; 0 where
// the fault is not the form's.
func refusal(err error) int {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound:
		return http.StatusUnprocessableEntity
	case fault.Conflict:
		return http.StatusConflict
	}
	return 0
}

// invitationLink is what whoever invited somebody passes on.
func (s *Server) invitationLink(name, token string) page.InvitationLink {
	return page.InvitationLink{Name: name, Link: s.config.Base.JoinPath("invitations", token).String()}
}
