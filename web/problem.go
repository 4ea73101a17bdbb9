package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A problemDetail is an error as RFC 9457 has it. Clients rely on Code, which
// does not change with the wording.
type problemDetail struct {
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Code      fault.Kind   `json:"code"`
	Errors    []fieldError `json:"errors,omitempty"`
	RequestID string       `json:"request_id,omitempty"` // as in the log
}

// A fieldError is what is wrong with one field of a form.
type fieldError struct {
	Field  string `json:"field,omitempty"` // empty for a problem of the whole form
	Code   string `json:"code,omitempty"`  // the rule it breaks
	Detail string `json:"detail"`
}

// prefersJSON reports whether the client asks for JSON, as the scripts of the
// pages do when they save a draft.
func prefersJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// writeProblem is the JSON adapter of errors.
func writeProblem(w http.ResponseWriter, r *http.Request, f *fault.Error) error {
	o := outcomes[f.Kind]
	d := problemDetail{Title: currentLocale(r).Translate(o.title), Status: o.status, Detail: f.Message, Code: f.Kind, RequestID: requestID(r)}
	for _, p := range f.Fields {
		d.Errors = append(d.Errors, fieldError{p.Field, p.Code, p.Message})
	}
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(o.status)
	_, _ = w.Write(body) // the client may be gone
	return nil
}
