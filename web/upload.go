package web

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

var errFileTooLarge = fault.TooLarge.Errorf(
	"The file is larger than 50 MiB. Split it and import the parts one after the other.")

// How many files are received at once, in total and from one account, and how long
// an upload waits for its turn. Each takes less than 2 MiB of memory.
const (
	maxUploads        = 16
	maxAccountUploads = 2
	uploadWait        = 2 * time.Minute
)

// An uploadLimiter bounds how many files are received at once. The browser of an
// upload that waits sends nothing until then.
type uploadLimiter struct {
	slots     chan struct{}
	mu        *sync.Mutex
	byAccount map[account.ID]int // uploads that are received or wait
}

func newUploadLimiter() uploadLimiter {
	return uploadLimiter{make(chan struct{}, maxUploads), &sync.Mutex{}, map[account.ID]int{}}
}

// acquire waits for the turn of an upload and returns the function that ends it.
func (l uploadLimiter) acquire(ctx context.Context, id account.ID) (release func(), err error) {
	if !l.add(id) {
		return nil, fault.Unavailable.Errorf(
			"You are already uploading %d files. Wait until one is done, then upload this one again.",
			maxAccountUploads)
	}
	timeout := time.NewTimer(uploadWait)
	defer timeout.Stop()
	select {
	case l.slots <- struct{}{}:
		return func() { <-l.slots; l.remove(id) }, nil
	case <-timeout.C:
	case <-ctx.Done():
	}
	l.remove(id)
	return nil, fault.Unavailable.Errorf(
		"Many files are being uploaded right now. Wait a minute, then upload this one again.")
}

// add counts an upload of an account, if it may have another one.
func (l uploadLimiter) add(id account.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byAccount[id] == maxAccountUploads {
		return false
	}
	l.byAccount[id]++
	return true
}

func (l uploadLimiter) remove(id account.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byAccount[id]--; l.byAccount[id] == 0 {
		delete(l.byAccount, id)
	}
}

// discardBody reads the body of a rejected upload, because a browser shows the
// response only after it has sent everything.
func discardBody(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the client may be gone
}

// An uploadReader reads a file and rejects one with more than the remaining bytes.
type uploadReader struct {
	content   io.Reader
	remaining int
}

// Read reads from the file.
func (u *uploadReader) Read(buffer []byte) (int, error) {
	n, err := u.content.Read(buffer)
	if u.remaining -= n; u.remaining < 0 || fault.KindOf(err) == fault.TooLarge {
		return 0, uploadError{errFileTooLarge}
	}
	return n, err
}

// An uploadError is an error about the file of a form, shown at that field.
type uploadError struct{ error }

// Unwrap returns the error with its kind.
func (e uploadError) Unwrap() error { return e.error }

// readFileForm reads a form that may have a file in the field "file", which is
// passed to receive while it arrives. Nothing is kept on disk. The other fields
// together have at most fieldLimit bytes.
func readFileForm(r *http.Request, fieldLimit int, receive func(name string, content io.Reader) error) (url.Values,
	error) {
	if mediaType(r) != "multipart/form-data" {
		err := parseForm(r)
		return r.PostForm, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, classifyFormError(err)
	}
	form := fileForm{fields: url.Values{}, bytesLeft: fieldLimit, receive: receive}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form.fields, nil
		}
		if err != nil {
			return nil, classifyFormError(err)
		}
		if err := form.readPart(part); err != nil {
			return nil, err
		}
	}
}

// A fileForm is a form that is being read.
type fileForm struct {
	fields    url.Values
	bytesLeft int // for further fields
	hasFile   bool
	receive   func(name string, content io.Reader) error
}

// readPart reads one field, or passes on the file. A file input without a file
// has no name.
func (f *fileForm) readPart(part *multipart.Part) error {
	key, isFile := part.FormName(), part.FileName() != ""
	switch {
	case !plaintext.CanStore(key):
		return errUnstorableText
	case isFile && (key != "file" || f.hasFile):
		return uploadError{fault.Invalid.Errorf("The form contains more than one file. Choose one file.")}
	case isFile:
		f.hasFile = true
		return f.receive(cleanFileName(part.FileName()), bodyReader{part})
	}
	value, err := io.ReadAll(io.LimitReader(bodyReader{part}, int64(f.bytesLeft)+1))
	switch f.bytesLeft -= len(value) + len(key); {
	case err != nil:
		return err
	case f.bytesLeft < 0:
		return fault.TooLarge
	case !plaintext.CanStore(string(value)):
		return errUnstorableText
	}
	f.fields.Add(key, string(value))
	return nil
}

// A bodyReader reads from the body of a request. Its errors are those of a form,
// so that they are not taken for errors of the database.
type bodyReader struct{ io.Reader }

// Read reads from the body.
func (b bodyReader) Read(buffer []byte) (int, error) {
	n, err := b.Reader.Read(buffer)
	if err != nil && !errors.Is(err, io.EOF) {
		err = classifyFormError(err)
	}
	return n, err
}

// cleanFileName returns the base name of a file without control characters. A
// long name keeps its end, which has the extension.
func cleanFileName(original string) string {
	name := strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) || r == unicode.ReplacementChar {
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
