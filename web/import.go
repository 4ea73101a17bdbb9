package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sync/semaphore"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// readerSlots bounds how many files are read at once, so that annotators never
// wait for an import.
var readerSlots = semaphore.NewWeighted(2)

// previewItems is how many items of a file are shown before it is stored.
const previewItems = 10

func (s *Server) showImport(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Import(page.ImportData{User: currentUser(r), Project: p}))
}

// stageImport reads a file. With faults it comes back with all of them; in
// order, it waits for its items to be looked at.
func (s *Server) stageImport(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	d := page.ImportData{User: currentUser(r), Project: p}
	name, content, err := readUploadedFile(r)
	if uploadErr, ok := errors.AsType[uploadError](err); ok {
		d.Errors = page.FormErrors{{FieldID: "file", Message: uploadErr.message}}
		return render(w, r, uploadErr.status, page.Import(d))
	}
	if err != nil {
		return err
	}
	_, err = readItems(r.Context(), p, name, content)
	if faults, ok := errors.AsType[importer.FileErrors](err); ok {
		d.FileErrors = faults
		return render(w, r, http.StatusUnprocessableEntity, page.Import(d))
	}
	if err != nil {
		return err
	}
	token, err := s.db.StageUpload(r.Context(), currentAccount(r).ID, p.ID, name, content)
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "import", token))
}

func readItems(ctx context.Context, p project.Project, name string, content []byte) ([]project.Item, error) {
	if err := readerSlots.Acquire(ctx, 1); err != nil {
		return nil, fault.Busy.Errorf("Other files are being read. Please try again in a minute.")
	}
	defer readerSlots.Release(1)
	return importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
}

// uploadError says why a form holds no file that can be read.
type uploadError struct {
	status  int
	message string
}

func (n uploadError) Error() string { return n.message }

const tooLargeMessage = "The file is larger than 50 MiB. Split it, and import the parts one after the other."

// readUploadedFile returns the file of a form, in the field "file".
func readUploadedFile(r *http.Request) (name string, content []byte, err error) {
	err = r.ParseMultipartForm(1 << 20) // what is more waits on disk
	if r.MultipartForm != nil {
		defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	}
	switch _, isTooLarge := errors.AsType[*http.MaxBytesError](err); {
	case isTooLarge:
		return "", nil, uploadError{http.StatusRequestEntityTooLarge, tooLargeMessage}
	case errors.Is(err, http.ErrNotMultipart):
		return "", nil, uploadError{http.StatusUnsupportedMediaType, "No file came along. Choose one and send the form again."}
	case err != nil:
		return "", nil, classifyFormError(err)
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return "", nil, uploadError{http.StatusUnprocessableEntity, "Choose a file first."}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if header.Size > importer.FileLimit {
		return "", nil, uploadError{http.StatusRequestEntityTooLarge, tooLargeMessage}
	}
	content, err = io.ReadAll(file)
	return cleanFileName(header.Filename), content, err
}

// cleanFileName returns the last part of a name, on one line and not too long; the
// end, which says what kind of file it is, stays.
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

// loadUpload returns the file of the address and its items.
func (s *Server) loadUpload(r *http.Request, p project.Project) (postgres.Upload, []project.Item, error) {
	u, err := s.db.Upload(r.Context(), currentAccount(r).ID, p.ID, pathParam(r, "token"))
	if err != nil {
		return u, nil, err
	}
	items, err := readItems(r.Context(), p, u.File.Name, u.Content)
	return u, items, err
}

func (s *Server) showImportPreview(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	u, items, err := s.loadUpload(r, p)
	if err != nil {
		return err
	}
	err = s.db.CheckImport(r.Context(), p.ID, u.File, items)
	conflict := importConflictMessage(err)
	if err != nil && conflict == "" {
		return err
	}
	return s.renderImportPreview(w, r, http.StatusOK, p, u, items, conflict)
}

func (s *Server) renderImportPreview(w http.ResponseWriter, r *http.Request, status int, p project.Project, u postgres.Upload, items []project.Item, conflict string) error {
	return render(w, r, status, page.ImportPreview(page.ImportPreviewData{
		User: currentUser(r), Project: p, Path: page.ProjectPath(p.Key, "import", u.Token),
		File: u.File.Name, ItemCount: len(items), Items: items[:min(previewItems, len(items))],
		MetadataColumns: listMetaKeys(items), PersonalData: project.FindPersonalData(items), RefusalMessage: conflict}))
}

// listMetaKeys returns the columns that are kept as metadata.
func listMetaKeys(items []project.Item) []string {
	keys := map[string]bool{}
	for _, item := range items {
		for key := range item.Meta {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// storeImport stores the items that have been looked at: all, or none.
func (s *Server) storeImport(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	u, items, err := s.loadUpload(r, p)
	if err != nil {
		return err
	}
	err = s.db.Import(r.Context(), currentAccount(r).ID, p, u.File, items)
	if conflict := importConflictMessage(err); conflict != "" {
		return s.renderImportPreview(w, r, http.StatusConflict, p, u, items, conflict)
	}
	if err != nil {
		return err
	}
	if err := s.db.DeleteUpload(r.Context(), currentAccount(r).ID, u.Token); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key)+"?after=import")
}

// importConflictMessage says why items could not be stored, or nothing.
func importConflictMessage(err error) string {
	if errors.Is(err, postgres.ErrAlreadyImported) {
		return "This very file was imported before, and its items are in the project. Nothing was added."
	}
	taken, ok := errors.AsType[postgres.DuplicateIDsError](err)
	if !ok {
		return ""
	}
	return "This file cannot be stored: the project has items with these ids already: " + joinItemNames(taken.Items) +
		". Leave them out of the file, or give the new ones other ids."
}

// joinItemNames names the first of some items by their ids and rows.
func joinItemNames(items []project.Item) string {
	var names []string
	for _, item := range items[:min(len(items), 20)] {
		names = append(names, fmt.Sprintf("%s (row %d)", item.SourceID, item.Row))
	}
	if more := len(items) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
