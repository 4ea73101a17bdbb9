package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) showImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderImport(w, r, http.StatusOK, page.ImportData{Project: p, IsNew: queryParam(r, "after") == "created"})
}

// renderImport shows the form, with the projects that the same file can fill. At first those
// that were created together are chosen.
func (s *Server) renderImport(w http.ResponseWriter, r *http.Request, status int, d page.ImportData) error {
	d.User = currentUser(r)
	shared, err := s.db.SharedImports(r.Context(), *currentAccount(r), d.Project)
	if err != nil {
		return err
	}
	for _, other := range shared {
		isChosen := other.CreatedTogether
		if r.Method == http.MethodPost {
			isChosen = slices.Contains(d.TargetKeys, other.Key)
		}
		d.Targets = append(d.Targets, ui.Option{Value: other.Key, Text: other.Title, Hint: other.Protocol, Chosen: isChosen})
	}
	return render(w, r, status, page.Import(d))
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
	d := page.ImportData{Project: p}
	token, err := s.receiveImport(r, p, &d.TargetKeys)
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		d.FileErrors = fileErrors
		return s.renderImport(w, r, http.StatusUnprocessableEntity, d)
	}
	if uploadErr, ok := errors.AsType[uploadError](err); ok {
		d.Errors = toFormErrors(uploadErr, "file")
		return s.renderImport(w, r, problem.Status(fault.KindOf(uploadErr)), d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "import", token))
}

// receiveImport stores the file of a form and returns the token of the upload. It sets the
// keys of the further projects that the file fills.
func (s *Server) receiveImport(r *http.Request, p project.Project, targetKeys *[]string) (token string, err error) {
	fields, err := readFileForm(r, formLimit, func(name string, content io.Reader) (err error) {
		content = &uploadReader{content, importer.FileLimit}
		token, err = s.db.StageUpload(r.Context(), currentAccount(r).ID, p, name, content)
		return err
	})
	switch {
	case err != nil && token != "": // what follows the file is not a form
		err = errors.Join(err, s.db.DeleteUpload(r.Context(), currentAccount(r).ID, token))
	case err == nil && token == "":
		err = uploadError{fault.Invalid.Errorf("The form contains no file. Choose a file and send the form again.")}
	case err == nil:
		*targetKeys = fields["target"]
		if err = s.addUploadTargets(r, p, token, *targetKeys); err != nil {
			err = errors.Join(err, s.db.DeleteUpload(r.Context(), currentAccount(r).ID, token))
		}
	}
	return token, err
}

// addUploadTargets lets an upload fill further projects, which the user leads, too.
func (s *Server) addUploadTargets(r *http.Request, p project.Project, token string, keys []string) error {
	targets := make([]project.Project, len(keys))
	for i, key := range keys {
		var err error
		if targets[i], err = s.db.Project(r.Context(), *currentAccount(r), key); err != nil {
			return err
		}
	}
	return s.db.AddUploadTargets(r.Context(), *currentAccount(r), p, token, targets)
}

func (s *Server) showImportPreview(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderImportPreview(w, r, http.StatusOK, p)
}

func (s *Server) renderImportPreview(w http.ResponseWriter, r *http.Request, status int, p project.Project) error {
	token := pathParam(r, "token")
	previews, err := s.db.PreviewUpload(r.Context(), *currentAccount(r), p, token)
	if err != nil {
		return err
	}
	u := previews[0]
	var targets []page.ImportTarget
	for _, t := range previews {
		targets = append(targets, page.ImportTarget{Project: t.Project, ItemCount: t.ItemCount, RefusalMessage: importConflictMessage(t.Refusal)})
	}
	return render(w, r, status, page.ImportPreview(page.ImportPreviewData{
		User: currentUser(r), Project: p, Path: page.ProjectPath(p.Key, "import", token),
		File: u.FileName, Targets: targets, ItemCount: u.ItemCount, Items: u.Items,
		MetadataColumns: u.MetadataColumns, PersonalData: u.PersonalData}))
}

// storeImport stores the previewed items: all of them or none.
func (s *Server) storeImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	err := s.db.ImportUpload(r.Context(), *currentAccount(r), p, pathParam(r, "token"))
	if importConflictMessage(err) != "" {
		return s.renderImportPreview(w, r, http.StatusConflict, p)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key)+"?"+url.Values{"after": {"import"}, "target": r.URL.Query()["target"]}.Encode())
}

// importedNotice names the projects that an import filled.
func (s *Server) importedNotice(r *http.Request, p project.Project) (string, error) {
	keys := r.URL.Query()["target"]
	if len(keys) == 0 {
		return "Items imported.", nil
	}
	shared, err := s.db.SharedImports(r.Context(), *currentAccount(r), p)
	titles := []string{p.Title}
	for _, other := range shared {
		if slices.Contains(keys, other.Key) {
			titles = append(titles, other.Title)
		}
	}
	return "Items imported into " + strings.Join(titles, ", ") + ".", err
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
