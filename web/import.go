package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

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

// previewItems is how many items the preview of an import shows.
const previewItems = 10

func (s *Server) showImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return render(w, r, http.StatusOK, page.Import(page.ImportData{User: currentUser(r), Project: p}))
}

// stageImport reads an uploaded file. It shows all errors of the file, or stores
// the file and goes to the preview of its items.
func (s *Server) stageImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ImportData{User: currentUser(r), Project: p}
	name, content, err := readUploadedFile(r)
	if uploadErr, ok := errors.AsType[uploadError](err); ok {
		d.Errors = toFormErrors(uploadErr, "file")
		return render(w, r, outcomes[fault.KindOf(uploadErr)].status, page.Import(d))
	}
	if err != nil {
		return err
	}
	_, err = readItems(r.Context(), p, name, content)
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		d.FileErrors = fileErrors
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
		return nil, fault.Unavailable.Errorf("Other files are being imported. Try again in a minute.")
	}
	defer readerSlots.Release(1)
	return importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
}

// loadUpload returns the uploaded file that the path names, and its items.
func (s *Server) loadUpload(r *http.Request, p project.Project) (postgres.Upload, []project.Item, error) {
	u, err := s.db.Upload(r.Context(), currentAccount(r).ID, p.ID, pathParam(r, "token"))
	if err != nil {
		return u, nil, err
	}
	items, err := readItems(r.Context(), p, u.File.Name, u.Content)
	return u, items, err
}

func (s *Server) showImportPreview(w http.ResponseWriter, r *http.Request, p project.Project) error {
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

// listMetaKeys returns the columns that are stored as metadata.
func listMetaKeys(items []project.Item) []string {
	keys := map[string]bool{}
	for _, item := range items {
		for key := range item.Meta {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// storeImport stores the previewed items: all of them or none.
func (s *Server) storeImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
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

// importConflictMessage says why the items cannot be stored, or is empty.
func importConflictMessage(err error) string {
	if errors.Is(err, postgres.ErrAlreadyImported) {
		return "This file has already been imported. Nothing was added."
	}
	duplicates, ok := errors.AsType[postgres.DuplicateIDsError](err)
	if !ok {
		return ""
	}
	return "The project already has items with these ids: " + joinItemNames(duplicates.Items) +
		". Remove them from the file, or change their ids."
}

// joinItemNames lists up to 20 items by id and row.
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
