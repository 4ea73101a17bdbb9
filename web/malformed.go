package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/web/problem"
)

var (
	errMalformedAddress = problem.Malformed.Errorf(
		"This address contains characters that no page has, such as a null character. Check the link.")
	errUnstorableText = fault.Invalid.Errorf(
		"The form contains characters that cannot be stored, such as a null character. Remove them and send the form again.")
	errNotAForm = problem.UnsupportedMediaType.Errorf(
		"This address takes a form. Open its page on this site and send the form there.")
)

// rejectMalformedAddress rejects paths and queries with text that cannot be stored,
// so that no handler has to. Forms are checked by parseForm and readFileForm.
func (s *Server) rejectMalformedAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil || !plaintext.CanStore(r.URL.Path) || !canStoreValues(query) {
			s.renderError(w, r, errMalformedAddress)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// parseForm parses the form of a request into r.PostForm, and rejects text that
// cannot be stored. A request without a body has an empty form.
func parseForm(r *http.Request) error {
	if mediaType(r) != "application/x-www-form-urlencoded" {
		if r.ContentLength != 0 {
			return errNotAForm
		}
		r.PostForm = url.Values{}
		return nil
	}
	if err := r.ParseForm(); err != nil {
		return classifyFormError(err)
	}
	if !canStoreValues(r.PostForm) {
		return errUnstorableText
	}
	return nil
}

// mediaType returns the type of a request's body, or "".
func mediaType(r *http.Request) string {
	name, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // a name without valid parameters, or ""
	return name
}

func canStoreValues(values url.Values) bool {
	for key, texts := range values {
		if !plaintext.CanStore(key) || !plaintext.CanStore(texts...) {
			return false
		}
	}
	return true
}

// classifyFormError distinguishes a body that is too large from one that is not
// a form.
func classifyFormError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.TooLarge
	}
	return fault.Invalid.Errorf("The form could not be read. Reload the page and send it again.")
}
