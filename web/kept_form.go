package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/web/ui"
)

// keepForm returns the fields of a posted form that could not be stored for a moment, so
// that the error page can send them again. Passwords and files are not kept.
func keepForm(w http.ResponseWriter, r *http.Request) (kept []ui.HiddenField) {
	if r.Method != http.MethodPost {
		return nil
	}
	if r.PostForm == nil { // the error came before a handler read the form
		r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	}
	if err := parseForm(r); err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		if strings.Contains(name, "password") {
			return nil
		}
		for _, value := range r.PostForm[name] {
			kept = append(kept, ui.HiddenField{Name: name, Value: value})
		}
	}
	return kept
}
