package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// serve turns a handler into one that net/http knows: what it returns is
// answered here, and nowhere else.
func (s *Server) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.renderError(w, r, err)
		}
	}
}

// render answers with a page. It is rendered whole before anything is sent, so
// that no half a page is ever seen. Whoever has left meanwhile is no error.
func render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var text strings.Builder
	if err := c.Render(context.WithoutCancel(r.Context()), &text); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text.String())) // nobody is left to tell of an error
	return nil
}

// redirect sends a browser on after a form, to a path of ours.
func redirect(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther) //nolint:gosec // paths are our own, or went through localPath
	return nil
}

type errorPage struct {
	status int
	title  string
}

var errorPages = map[fault.Kind]errorPage{
	fault.SignedOut:     {http.StatusUnauthorized, "Please sign in"},
	fault.Forbidden:     {http.StatusForbidden, "Not allowed"},
	fault.NotFound:      {http.StatusNotFound, "Nothing here"},
	fault.Conflict:      {http.StatusConflict, "This has changed"},
	fault.Invalid:       {http.StatusUnprocessableEntity, "Please check this"},
	fault.TooLarge:      {http.StatusRequestEntityTooLarge, "Too large"},
	fault.Busy:          {http.StatusServiceUnavailable, "Busy"},
	errMethodNotAllowed: {http.StatusMethodNotAllowed, "Not by this way"},
}

// errMethodNotAllowed is what meets whoever opens the address of a form.
const errMethodNotAllowed fault.Kind = "This address does not open by itself: a page's button leads here. Begin at the start and press that button."

// renderError answers with one calm sentence. What it means to us goes to the log.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, err error) {
	err = classifyError(err)
	outcome, ok := errorPages[fault.KindOf(err)]
	if !ok {
		outcome = errorPage{http.StatusInternalServerError, "Something went wrong"}
		s.log.ErrorContext(r.Context(), "request failed", "id", requestID(r), "method", r.Method, "error", redactError(err))
	}
	if outcome.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	d := page.ErrorPageData{Title: outcome.title, Message: fault.Message(err), Back: ui.Link{Path: "/", Text: "Go to the start"}, User: currentUser(r)}
	if !ok {
		d.RequestID = requestID(r)
	}
	if err := render(w, r, outcome.status, page.ErrorPage(d)); err != nil {
		s.log.ErrorContext(r.Context(), "the page of an error", "id", requestID(r), "error", err)
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// classifyError gives a kind to the errors of others that a visitor can do something
// about.
func classifyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.TooLarge
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Busy.Errorf("This took too long. Nothing was confirmed; please try again.")
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && isTransient(pgErr.Code) {
		return fault.Busy
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return fault.Busy
	}
	return err
}

// isTransient reports whether a database error passes by itself: connections,
// resources, operator intervention, locks and serialization.
func isTransient(code string) bool {
	for _, class := range []string{"08", "53", "57", "40", "55P03"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// redactError returns an error as the log may hold it: what PostgreSQL says of
// a row's values stays out.
func redactError(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code + " " + pgErr.ConstraintName + " " + pgErr.Message
	}
	return err.Error()
}

func currentUser(r *http.Request) ui.User {
	if a := currentAccount(r); a != nil {
		return ui.User{Name: a.Name, Role: a.Role}
	}
	return ui.User{}
}
