package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return render(w, r, http.StatusOK, page.Import(page.ImportData{User: currentUser(r), Project: p}))
}

// stageImport receives a file. It shows all errors of the file, or goes to the
// preview of its items.
func (s *Server) stageImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	release, err := s.uploads.acquire(r.Context(), currentAccount(r).ID)
	if err != nil {
		discardBody(r)
		return err
	}
	defer release()
	d := page.ImportData{User: currentUser(r), Project: p}
	token, err := s.receiveImport(r, p)
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		d.FileErrors = fileErrors
		return render(w, r, http.StatusUnprocessableEntity, page.Import(d))
	}
	if uploadErr, ok := errors.AsType[uploadError](err); ok {
		d.Errors = toFormErrors(uploadErr, "file")
		return render(w, r, outcomes[fault.KindOf(uploadErr)].status, page.Import(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "import", token))
}

// receiveImport stores the file of a form and returns the token of the upload.
func (s *Server) receiveImport(r *http.Request, p project.Project) (token string, err error) {
	_, err = readFileForm(r, formLimit, func(name string, content io.Reader) (err error) {
		content = &uploadReader{content, importer.FileLimit}
		token, err = s.db.StageUpload(r.Context(), currentAccount(r).ID, p, name, content)
		return err
	})
	switch {
	case err != nil && token != "": // what follows the file is not a form
		err = errors.Join(err, s.db.DeleteUpload(r.Context(), currentAccount(r).ID, token))
	case err == nil && token == "":
		err = uploadError{fault.Invalid.Errorf("The form contains no file. Choose a file and send the form again.")}
	}
	return token, err
}

func (s *Server) showImportPreview(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderImportPreview(w, r, http.StatusOK, p)
}

func (s *Server) renderImportPreview(w http.ResponseWriter, r *http.Request, status int, p project.Project) error {
	token := pathParam(r, "token")
	u, err := s.db.PreviewUpload(r.Context(), currentAccount(r).ID, p, token)
	if err != nil {
		return err
	}
	return render(w, r, status, page.ImportPreview(page.ImportPreviewData{
		User: currentUser(r), Project: p, Path: page.ProjectPath(p.Key, "import", token),
		File: u.FileName, ItemCount: u.ItemCount, Items: u.Items,
		MetadataColumns: u.MetadataColumns, PersonalData: u.PersonalData, RefusalMessage: importConflictMessage(u.Refusal)}))
}

// storeImport stores the previewed items: all of them or none.
func (s *Server) storeImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	err := s.db.ImportUpload(r.Context(), currentAccount(r).ID, p, pathParam(r, "token"))
	if importConflictMessage(err) != "" {
		return s.renderImportPreview(w, r, http.StatusConflict, p)
	}
	if err != nil {
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
