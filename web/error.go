package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// methodNotAllowed is the kind of a request whose path takes other methods.
const methodNotAllowed fault.Kind = "method_not_allowed"

// retryAfter is the Retry-After header of an unavailable service, in seconds.
const retryAfter = "5"

// An outcome is the status and the title that an error kind has in both
// adapters.
type outcome struct {
	status int
	title  locale.Text
}

var outcomes = map[fault.Kind]outcome{
	fault.SignedOut:      {http.StatusUnauthorized, locale.Text("Signed out")},
	fault.Forbidden:      {http.StatusForbidden, locale.Text("Not allowed")},
	fault.NotFound:       {http.StatusNotFound, locale.Text("Not found")},
	fault.Conflict:       {http.StatusConflict, locale.Text("Conflict")},
	fault.Invalid:        {http.StatusUnprocessableEntity, locale.Text("Invalid input")},
	fault.TooLarge:       {http.StatusRequestEntityTooLarge, locale.Text("Too large")},
	fault.Limited:        {http.StatusTooManyRequests, locale.Text("Too many attempts")},
	fault.Unavailable:    {http.StatusServiceUnavailable, locale.Text("Not available")},
	fault.Internal:       {http.StatusInternalServerError, locale.Text("Something went wrong")},
	malformed:            {http.StatusBadRequest, locale.Text("Malformed address")},
	unsupportedMediaType: {http.StatusUnsupportedMediaType, locale.Text("Not a form")},
	methodNotAllowed:     {http.StatusMethodNotAllowed, locale.Text("Method not allowed")},
}

// toFault returns err as the error that both adapters render: a kind, a message
// and the problems of form fields.
func toFault(err error) *fault.Error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge)
	}
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			fields[i] = fault.FieldProblem{Field: p.Key, Code: p.Rule, Message: p.Message}
		}
		return invalidFields(fault.Invalid, fields)
	}
	if problems, ok := errors.AsType[project.FormProblems](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			fields[i] = fault.FieldProblem{Field: p.Field, Message: fault.Message(p.Err)}
		}
		return invalidFields(fault.KindOf(err), fields)
	}
	return fault.From(postgres.Classify(err))
}

func invalidFields(kind fault.Kind, fields []fault.FieldProblem) *fault.Error {
	messages := make([]string, len(fields))
	for i, p := range fields {
		messages[i] = p.Message
	}
	return &fault.Error{Kind: kind, Message: strings.Join(messages, " "), Fields: fields}
}

// localize returns f with the messages in the language of l.
func localize(l *locale.Locale, f *fault.Error) *fault.Error {
	local := *f
	local.Message = l.Message(f)
	local.Fields = slices.Clone(f.Fields)
	for i, p := range local.Fields {
		local.Fields[i].Message = l.FieldMessage(p)
	}
	return &local
}

// renderError writes an error as JSON to a client that asks for it, else as a
// page. The text of an internal error goes to the log only.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, err error) {
	f := localize(currentLocale(r), toFault(err))
	s.logError(r, f.Kind, err)
	if f.Kind == fault.Unavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeError := writeErrorPage
	if prefersJSON(r) {
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
	o := outcomes[f.Kind]
	d := page.ErrorPageData{Title: currentLocale(r).Translate(o.title), Message: f.Message, RequestID: requestID(r), Back: ui.Link{Path: "/", Text: currentLocale(r).T("Go to the start page")}, User: currentUser(r)}
	if f.Kind == fault.Unavailable {
		d.KeptForm, d.RetryPath = keepForm(w, r), r.URL.RequestURI()
	}
	return render(w, r, o.status, page.ErrorPage(d))
}
