package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
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
// that were created together are chosen, and files are read as the last one was.
func (s *Server) renderImport(w http.ResponseWriter, r *http.Request, status int, d page.ImportData) error {
	d.User = currentUser(r)
	unfinished, err := s.db.UnfinishedUpload(r.Context(), currentAccount(r).ID, d.Project)
	if err != nil {
		return err
	}
	if unfinished != nil {
		d.UnfinishedFile, d.UnfinishedPercent = unfinished.FileName,
			int(100*unfinished.ReceivedBytes/unfinished.SizeBytes)
	}
	if r.Method == http.MethodGet {
		last, err := s.db.LastImportReading(r.Context(), d.Project)
		if err != nil {
			return err
		}
		d.Reading = last
	}
	shared, err := s.db.SharedImports(r.Context(), *currentAccount(r), d.Project)
	if err != nil {
		return err
	}
	for _, other := range shared {
		isChosen := other.CreatedTogether
		if r.Method == http.MethodPost {
			isChosen = slices.Contains(d.TargetKeys, other.Key)
		}
		d.Targets = append(d.Targets, ui.Option{Value: other.Key, Text: other.Title, Hint: other.Protocol,
			Chosen: isChosen})
	}
	return render(w, r, status, page.Import(d))
}

// stageImport receives a file, or takes one that arrived in pieces. It shows all errors of the
// file, or goes to the preview of its items.
func (s *Server) stageImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	release, err := s.uploads.acquire(r.Context(), currentAccount(r).ID)
	if err != nil {
		discardBody(r)
		return err
	}
	defer release()
	d := page.ImportData{Project: p}
	token, fields, err := s.receiveImport(r, p)
	d.TargetKeys, d.Reading = fields["target"], readingForm(fields)
	if err == nil {
		err = s.readImport(w, r, p, token, d.TargetKeys, d.Reading)
		// it cannot be read in another way
		if _, isUnread := errors.AsType[importer.FileErrors](err); err != nil && !isUnread &&
			fields.Get("upload") == "" {
			err = errors.Join(err, s.db.DeleteUpload(r.Context(), currentAccount(r).ID, token))
		}
	}
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		return s.renderUnreadImport(w, r, http.StatusUnprocessableEntity, p, token, fileErrors)
	}
	if problems, ok := errors.AsType[project.FormProblems](err); ok {
		d.Errors = toFormErrors(currentLocale(r), problems, "mapping")
		return s.renderImport(w, r, http.StatusUnprocessableEntity, d)
	}
	if uploadErr, ok := errors.AsType[uploadError](err); ok {
		d.Errors = toFormErrors(currentLocale(r), uploadErr, "file")
		return s.renderImport(w, r, problem.Status(fault.KindOf(uploadErr)), d)
	}
	return err
}

// receiveImport stores the file of a form, unless the form names an upload that arrived in pieces.
// It returns the token of the upload and the form's other fields.
func (s *Server) receiveImport(r *http.Request, p project.Project) (token string, fields url.Values, err error) {
	fields, err = readFileForm(r, formLimit, func(name string, content io.Reader) (err error) {
		content = &uploadReader{content, importer.FileLimit}
		token, err = s.db.ReceiveUpload(r.Context(), currentAccount(r).ID, p, name, content)
		return err
	})
	switch {
	case err != nil && token != "": // what follows the file is not a form
		err = errors.Join(err, s.db.DeleteUpload(r.Context(), currentAccount(r).ID, token))
	case err == nil && token == "" && fields.Get("upload") != "":
		token = fields.Get("upload")
	case err == nil && token == "":
		err = uploadError{fault.Invalid.Errorf("The form contains no file. Choose a file and send the form again.")}
	}
	return token, fields, err
}

// readingForm returns how a file is read. What is chosen in its record comes in the fields "path" and
// "column", in turn.
func readingForm(fields url.Values) importer.Reading {
	reading := importer.Reading{
		Preset: fields.Get("preset"), Mapping: fields.Get("mapping"), Encoding: fields.Get("encoding"),
		Records: fields.Get("records"), GroupBy: fields.Get("group_by"), Order: fields.Get("order"),
		Take: fields.Get("take"), SkipInvalid: fields.Get("skip_invalid") != "",
	}
	if paths, columns := fields["path"], fields["column"]; len(paths) == len(columns) && len(paths) > 0 {
		var o importer.Options
		for i, column := range columns {
			if paths[i] != "" {
				o.Map = append(o.Map, importer.Mapping{Column: column, Path: paths[i]})
			}
		}
		reading.Mapping = o.Reading().Mapping
	}
	return reading
}

// readImport reads an upload as the form says, a large one in the background, and goes to its
// preview. With importer.FileErrors it can be read in another way.
func (s *Server) readImport(w http.ResponseWriter, r *http.Request, p project.Project, token string,
	targetKeys []string, form importer.Reading) error {
	options, err := form.Options()
	if err != nil {
		return project.FormProblems{{Field: "mapping", Err: err}}
	}
	actor, targets := *currentAccount(r), make([]project.Project, len(targetKeys))
	for i, key := range targetKeys {
		if targets[i], err = s.db.Project(r.Context(), actor, key); err != nil {
			return err
		}
	}
	size, err := s.db.UploadSize(r.Context(), actor.ID, p, token)
	if err != nil {
		return err
	}
	if size > s.directBytes {
		if err := s.db.StartReading(r.Context(), actor.ID, p, token, options, targets,
			currentLocale(r).Tag()); err != nil {
			return err
		}
		return redirectToImportTask(w, r, p, token)
	}
	if err := s.db.ReadUpload(r.Context(), actor, p, token, options, targets); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "import", token))
}

// changeReading reads an upload in another way.
func (s *Server) changeReading(w http.ResponseWriter, r *http.Request, p project.Project) error {
	token, form := pathParam(r, "token"), readingForm(r.PostForm)
	err := s.readImport(w, r, p, token, nil, form)
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		return s.renderUnreadImport(w, r, http.StatusUnprocessableEntity, p, token, fileErrors)
	}
	if problems, ok := errors.AsType[project.FormProblems](err); ok {
		return s.renderReading(w, r, http.StatusUnprocessableEntity, p, token, page.ImportPreviewData{Reading: form,
			Errors: toFormErrors(currentLocale(r), problems, "mapping")})
	}
	return err
}

// renderUnreadImport shows the errors of an upload, and how it can be read in another way.
func (s *Server) renderUnreadImport(w http.ResponseWriter, r *http.Request, status int, p project.Project, token string,
	fileErrors importer.FileErrors) error {
	return s.renderReading(w, r, status, p, token, page.ImportPreviewData{FileErrors: fileErrors})
}

// renderReading shows d with how the upload is read, unless d has the values of a form.
func (s *Server) renderReading(w http.ResponseWriter, r *http.Request, status int, p project.Project, token string,
	d page.ImportPreviewData) error {
	reading, err := s.db.UploadReading(r.Context(), *currentAccount(r), p, token)
	if err != nil {
		return err
	}
	d.User, d.Project, d.Path, d.File, d.Outline = currentUser(r), p, page.ProjectPath(p.Key, "import", token),
		reading.FileName, reading.Outline
	if len(d.Errors) == 0 {
		d.Reading = reading.Reading
	}
	if len(d.Targets) == 0 {
		for _, t := range reading.Targets {
			d.Targets = append(d.Targets, page.ImportTarget{Project: t})
		}
	}
	return render(w, r, status, page.ImportPreview(d))
}

func (s *Server) showImportPreview(w http.ResponseWriter, r *http.Request, p project.Project) error {
	isDone, reason, err := s.showImportTask(w, r, p, pathParam(r, "token"))
	if isDone || err != nil {
		return err
	}
	return s.renderImportPreview(w, r, http.StatusOK, p, reason)
}

// renderImportPreview shows the items of an upload, with the reason why its last task failed.
func (s *Server) renderImportPreview(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	reason string) error {
	token := pathParam(r, "token")
	previews, err := s.db.PreviewUpload(r.Context(), *currentAccount(r), p, token)
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		return s.renderUnreadImport(w, r, status, p, token, fileErrors)
	}
	if errors.Is(err, postgres.ErrUploadUnread) && reason != "" {
		return s.renderReading(w, r, status, p, token, page.ImportPreviewData{Problem: reason})
	}
	if err != nil {
		return err
	}
	u := previews[0]
	d := page.ImportPreviewData{Problem: reason, ItemCount: u.ItemCount, Items: u.Items, PersonalData: u.PersonalData,
		Ledger: u.Ledger, InvalidRows: u.InvalidRows, SameTexts: u.SameTexts, Decomposed: u.Decomposed}
	for _, t := range previews {
		d.Targets = append(d.Targets, page.ImportTarget{Project: t.Project, ItemCount: t.ItemCount,
			RefusalMessage: importConflictMessage(currentLocale(r), t.Refusal)})
	}
	return s.renderReading(w, r, status, p, token, d)
}

// storeImport stores the previewed items: all of them or none, those of a large file in the
// background.
func (s *Server) storeImport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	actor, token := *currentAccount(r), pathParam(r, "token")
	size, err := s.db.UploadSize(r.Context(), actor.ID, p, token)
	if err != nil {
		return err
	}
	if size > s.directBytes {
		if err := s.db.StartImport(r.Context(), actor.ID, p, token, currentLocale(r).Tag()); err != nil {
			return err
		}
		return redirectToImportTask(w, r, p, token)
	}
	err = s.db.ImportUpload(r.Context(), actor, p, token)
	if importConflictMessage(currentLocale(r), err) != "" {
		return s.renderImportPreview(w, r, http.StatusConflict, p, "")
	}
	if err != nil {
		return err
	}
	return redirectToImported(w, r, p)
}

// importedNotice names the projects that an import filled.
func (s *Server) importedNotice(r *http.Request, p project.Project) (string, error) {
	keys := r.URL.Query()["target"]
	if len(keys) == 0 {
		return currentLocale(r).T("Items imported."), nil
	}
	shared, err := s.db.SharedImports(r.Context(), *currentAccount(r), p)
	titles := []string{p.Title}
	for _, other := range shared {
		if slices.Contains(keys, other.Key) {
			titles = append(titles, other.Title)
		}
	}
	return currentLocale(r).T("Items imported into %s.", strings.Join(titles, ", ")), err
}

// importConflictMessage says why the items cannot be stored, or is empty.
func importConflictMessage(l *locale.Locale, err error) string {
	if errors.Is(err, postgres.ErrAlreadyImported) {
		return l.T("This file has already been imported. Nothing was added.")
	}
	duplicates, ok := errors.AsType[postgres.DuplicateIDsError](err)
	if !ok {
		return ""
	}
	return l.T("The project already has items with these ids: %s. Remove them from the file, or change their ids.",
		joinItemNames(l, duplicates))
}

// joinItemNames lists the first items by id and row.
func joinItemNames(l *locale.Locale, duplicates postgres.DuplicateIDsError) string {
	var names []string
	for _, item := range duplicates.Items[:min(len(duplicates.Items), postgres.MaxListedIDs)] {
		names = append(names, l.T("%s (row %d)", item.SourceID, item.Row))
	}
	if more := duplicates.Count - len(names); more > 0 {
		names = append(names, l.T("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func (s *Server) showImports(w http.ResponseWriter, r *http.Request, p project.Project) error {
	imports, err := s.db.Imports(r.Context(), p)
	if err != nil {
		return err
	}
	d := page.ImportsData{User: currentUser(r), Project: p}
	for _, i := range imports {
		d.Imports = append(d.Imports, page.ImportEntry(i))
	}
	return render(w, r, http.StatusOK, page.Imports(d))
}

// downloadInvalidRows sends the rows that an import left out.
func (s *Server) downloadInvalidRows(w http.ResponseWriter, r *http.Request, p project.Project) error {
	text, err := s.db.InvalidRows(r.Context(), p, pathID[int64](r))
	if err != nil {
		return err
	}
	startInvalidDownload(w, p)
	_, err = io.WriteString(w, text) //nolint:gosec // a file to download, of another type than HTML
	return err
}

// downloadUploadErrors sends the rows of an upload that have errors.
func (s *Server) downloadUploadErrors(w http.ResponseWriter, r *http.Request, p project.Project) error {
	var text bytes.Buffer
	if err := s.db.UploadErrors(r.Context(), currentAccount(r).ID, p, pathParam(r, "token"), &text); err != nil {
		return err
	}
	startInvalidDownload(w, p)
	_, err := text.WriteTo(w)
	return err
}

func startInvalidDownload(w http.ResponseWriter, p project.Project) {
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+p.Key+`-rows-with-errors.jsonl"`)
}
