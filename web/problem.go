package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/problem"
)

// prefersJSON reports whether the client asks for JSON, as the scripts of the
// pages do when they save a draft.
func prefersJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// isAPI reports whether a request is to the API, which answers with JSON only.
func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, apiPath+"/") }

// writeProblem is the JSON adapter of errors.
func writeProblem(w http.ResponseWriter, r *http.Request, f *fault.Error) error {
	d := problem.New(f, requestID(r))
	d.Title = currentLocale(r).Translate(problem.Title(f.Kind))
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(d.Status)
	_, _ = w.Write(body) // the client may be gone
	return nil
}
