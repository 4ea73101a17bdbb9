package web

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
)

var errFileTooLarge = fault.TooLarge.Errorf("The file is larger than 50 MiB. Split it and import the parts one after the other.")

// An uploadError is an error about the file of a form, shown at that field.
type uploadError struct{ error }

// Unwrap returns the error with its kind.
func (e uploadError) Unwrap() error { return e.error }

// readUploadedFile returns the file in the form field "file".
func readUploadedFile(r *http.Request) (name string, content []byte, err error) {
	err = r.ParseMultipartForm(1 << 20) // the rest is stored on disk
	if r.MultipartForm != nil {
		defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	}
	switch _, isTooLarge := errors.AsType[*http.MaxBytesError](err); {
	case isTooLarge:
		return "", nil, uploadError{errFileTooLarge}
	case errors.Is(err, http.ErrNotMultipart):
		return "", nil, uploadError{fault.Invalid.Errorf("The form contains no file. Choose a file and send the form again.")}
	case err != nil:
		return "", nil, classifyFormError(err)
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return "", nil, uploadError{fault.Invalid.Errorf("Choose a file.")}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if header.Size > importer.FileLimit {
		return "", nil, uploadError{errFileTooLarge}
	}
	content, err = io.ReadAll(file)
	return cleanFileName(header.Filename), content, err
}

// cleanFileName returns the base name of a file without control characters. A
// long name keeps its end, which has the extension.
func cleanFileName(original string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, filepath.Base(strings.ToValidUTF8(original, "")))
	if runes := []rune(name); len(runes) > 200 {
		name = string(runes[len(runes)-200:])
	}
	if name == "" {
		return "file"
	}
	return name
}
