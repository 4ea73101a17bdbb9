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
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sheet"
	"github.com/labelwright/labelwright/web/page"
)

// reading bounds how many files are read at once, so that annotators never
// wait for an import.
var reading = semaphore.NewWeighted(2)

// specimens is how many items of a file are shown before it is stored.
const specimens = 10

func (s *Server) importPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Import(page.ImportData{Visitor: visitor(r), Project: p}))
}

// stageImport reads a file. With faults it comes back with all of them; in
// order, it waits for its items to be looked at.
func (s *Server) stageImport(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.ImportData{Visitor: visitor(r), Project: p}
	name, content, err := pickedFile(r)
	if refused, ok := errors.AsType[noFile](err); ok {
		d.Wrong = page.Wrong{{At: "file", Says: refused.says}}
		return show(w, r, refused.status, page.Import(d))
	}
	if err != nil {
		return err
	}
	_, err = readItems(r.Context(), p, name, content)
	if faults, ok := errors.AsType[sheet.Faults](err); ok {
		d.Faults = faults
		return show(w, r, http.StatusUnprocessableEntity, page.Import(d))
	}
	if err != nil {
		return err
	}
	token, err := s.db.StageUpload(r.Context(), who(r).ID, p.ID, name, content)
	if err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "import", token))
}

func readItems(ctx context.Context, p project.Project, name string, content []byte) ([]project.Item, error) {
	if err := reading.Acquire(ctx, 1); err != nil {
		return nil, fault.Busy.Says("Other files are being read. Please try again in a minute.")
	}
	defer reading.Release(1)
	return sheet.ReadItems(p.Protocol, name, bytes.NewReader(content))
}

// noFile says why a form holds no file that can be read.
type noFile struct {
	status int
	says   string
}

func (n noFile) Error() string { return n.says }

const tooLarge = "The file is larger than 50 MiB. Split it, and import the parts one after the other."

// pickedFile returns the file of a form, in the field "file".
func pickedFile(r *http.Request) (name string, content []byte, err error) {
	err = r.ParseMultipartForm(1 << 20) // what is more waits on disk
	if r.MultipartForm != nil {
		defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	}
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return "", nil, noFile{http.StatusRequestEntityTooLarge, tooLarge}
	case errors.Is(err, http.ErrNotMultipart):
		return "", nil, noFile{http.StatusUnsupportedMediaType, "No file came along. Choose one and send the form again."}
	case err != nil:
		return "", nil, malformed(err)
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return "", nil, noFile{http.StatusUnprocessableEntity, "Choose a file first."}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if header.Size > sheet.FileLimit {
		return "", nil, noFile{http.StatusRequestEntityTooLarge, tooLarge}
	}
	content, err = io.ReadAll(file)
	return fileName(header.Filename), content, err
}

// fileName returns the last part of a name, on one line and not too long; the
// end, which says what kind of file it is, stays.
func fileName(given string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, filepath.Base(strings.ToValidUTF8(given, "")))
	if runes := []rune(name); len(runes) > 200 {
		name = string(runes[len(runes)-200:])
	}
	if name == "" {
		return "file"
	}
	return name
}

// waiting returns the file of the address and its items.
func (s *Server) waiting(r *http.Request, p project.Project) (postgres.Upload, []project.Item, error) {
	u, err := s.db.Upload(r.Context(), who(r).ID, p.ID, param(r, "token"))
	if err != nil {
		return u, nil, err
	}
	items, err := readItems(r.Context(), p, u.File.Name, u.Content)
	return u, items, err
}

func (s *Server) importPreview(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	u, items, err := s.waiting(r, p)
	if err != nil {
		return err
	}
	err = s.db.Importable(r.Context(), p.ID, u.File, items)
	refused := importRefusal(err)
	if err != nil && refused == "" {
		return err
	}
	return s.showImport(w, r, http.StatusOK, p, u, items, refused)
}

func (s *Server) showImport(w http.ResponseWriter, r *http.Request, status int, p project.Project, u postgres.Upload, items []project.Item, refused string) error {
	return show(w, r, status, page.ImportPreview(page.ImportPreviewData{
		Visitor: visitor(r), Project: p, Path: page.ProjectPath(p.Key, "import", u.Token),
		File: u.File.Name, Count: len(items), Items: items[:min(specimens, len(items))],
		Meta: metaOf(items), Traces: project.PersonalTraces(items), Refused: refused}))
}

// metaOf returns the columns that are kept as metadata.
func metaOf(items []project.Item) []string {
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
	p, err := s.led(r)
	if err != nil {
		return err
	}
	u, items, err := s.waiting(r, p)
	if err != nil {
		return err
	}
	err = s.db.Import(r.Context(), who(r).ID, p, u.File, items)
	if says := importRefusal(err); says != "" {
		return s.showImport(w, r, http.StatusConflict, p, u, items, says)
	}
	if err != nil {
		return err
	}
	if err := s.db.DropUpload(r.Context(), who(r).ID, u.Token); err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key)+"?after=import")
}

// importRefusal says why items could not be stored, or nothing.
func importRefusal(err error) string {
	if errors.Is(err, postgres.ErrImported) {
		return "This very file was imported before, and its items are in the project. Nothing was added."
	}
	taken, ok := errors.AsType[postgres.TakenIDs](err)
	if !ok {
		return ""
	}
	return "This file cannot be stored: the project has items with these ids already: " + namedItems(taken.Items) +
		". Leave them out of the file, or give the new ones other ids."
}

// namedItems names the first of some items by their ids and rows.
func namedItems(items []project.Item) string {
	var names []string
	for _, item := range items[:min(len(items), 20)] {
		names = append(names, fmt.Sprintf("%s (row %d)", item.SourceID, item.Row))
	}
	if more := len(items) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
