package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
	"github.com/labelwright/labelwright/web/ui"
)

// localize returns f with the messages in the language of l.
func localize(l *locale.Locale, f *fault.Error) *fault.Error {
	local := *f
	local.Message = l.Message(f)
	local.Fields = slices.Clone(f.Fields)
	for i, p := range local.Fields {
		local.Fields[i].Message = l.FieldMessage(p)
	}
	if f.Message == problem.JoinMessages(f.Fields) {
		local.Message = problem.JoinMessages(local.Fields)
	}
	return &local
}

// renderError writes an error as JSON to a client that asks for it, else as a
// page. The text of an internal error goes to the log only.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, err error) {
	f := localize(currentLocale(r), problem.ToFault(err))
	s.logError(r, f.Kind, err)
	if f.Kind == fault.Unavailable {
		w.Header().Set("Retry-After", problem.RetryAfter)
	}
	writeError := writeErrorPage
	if prefersJSON(r) || isAPI(r) {
		writeError = writeProblem
	}
	if err := writeError(w, r, f); err != nil {
		s.log.ErrorContext(r.Context(), "error not rendered", "error", err)
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func (s *Server) logError(r *http.Request, kind fault.Kind, err error) {
	switch {
	case errors.Is(err, errRole):
		s.logDenial(r, deniedRole)
		return
	case errors.Is(err, errOtherSite):
		s.logDenial(r, deniedOtherSite)
		return
	}
	switch kind {
	case fault.Internal:
		s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "error", postgres.Redact(err))
	case fault.Unavailable:
		s.log.WarnContext(r.Context(), "service unavailable", "method", r.Method, "error", postgres.Redact(err))
	case fault.SignedOut:
		s.logDenial(r, deniedSignedOut)
	case fault.Forbidden:
		s.logDenial(r, deniedForbidden)
	case fault.NotFound:
		if currentAccount(r) != nil && strings.Contains(routePattern(r.Context()), "{") {
			s.logDenial(r, deniedOrNotExisting)
		}
	}
}

// writeErrorPage is the HTML adapter of errors.
func writeErrorPage(w http.ResponseWriter, r *http.Request, f *fault.Error) error {
	d := page.ErrorPageData{Title: currentLocale(r).Translate(problem.Title(f.Kind)), Message: f.Message,
		RequestID: requestID(r), Back: ui.Link{Path: "/", Text: currentLocale(r).T("Go to the start page")},
		User: currentUser(r)}
	if f.Kind == fault.Unavailable {
		d.KeptForm, d.RetryPath = keepForm(w, r), r.URL.RequestURI()
	}
	return render(w, r, problem.Status(f.Kind), page.ErrorPage(d))
}
