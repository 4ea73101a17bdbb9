package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// pathParam returns a parameter of the path, unescaped.
func pathParam(r *http.Request, key string) string {
	value := chi.URLParam(r, key)
	if r.URL.RawPath != "" { // then the router matched the escaped form
		if unescaped, err := url.PathUnescape(value); err == nil {
			value = unescaped
		}
	}
	return value
}

// queryParam returns a query parameter, or "".
func queryParam(r *http.Request, key string) string { return r.URL.Query().Get(key) }

// pathID returns the id in the path, or 0, which no row has.
func pathID[T ~int64](r *http.Request) T { return parseID[T](pathParam(r, "id")) }

// queryID returns the id in a query parameter, or 0.
func queryID[T ~int64](r *http.Request, key string) T { return parseID[T](queryParam(r, key)) }

// formID returns the id in a form field, or 0.
func formID[T ~int64](r *http.Request, key string) T { return parseID[T](r.PostFormValue(key)) }

func parseID[T ~int64](text string) T {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return T(id)
}

// formatID returns an id as text, for a path or a form.
func formatID[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }

// readWholeNumber reads a number of a form; an empty field is 0.
func readWholeNumber(values url.Values, key string, label locale.Text) (int, error) {
	text := strings.TrimSpace(values.Get(key))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.Invalid.Errorf("%s must be a whole number. “%s” is not.", label, text)
	}
	return n, nil
}

// toFormErrors returns err for a form: each problem at its field, any other
// error at the given field.
func toFormErrors(l *locale.Locale, err error, field string) (formErrors page.FormErrors) {
	problems, ok := errors.AsType[project.FormProblems](err)
	if !ok {
		return page.FormErrors{{FieldID: field, Message: l.Message(err)}}
	}
	for _, p := range problems {
		formErrors = append(formErrors, ui.FieldError{FieldID: p.Field, Message: l.Message(p.Err)})
	}
	return formErrors
}

// formErrorStatus returns the status with which a form is shown again for err,
// or 0 if the error is not about the form.
func formErrorStatus(err error) int {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound:
		return http.StatusUnprocessableEntity
	case fault.Conflict:
		return http.StatusConflict
	case fault.Forbidden:
		return http.StatusForbidden
	}
	return 0
}
