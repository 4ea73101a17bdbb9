package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// showSheets lets leads download and submit the sheets of annotators.
func (s *Server) showSheets(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.renderSheets(w, r, http.StatusOK, p, b, page.SheetsData{})
}

func (s *Server) renderSheets(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch,
	d page.SheetsData) error {
	annotators, err := s.db.Board(r.Context(), currentAccount(r).ID, p.Protocol, b)
	if err != nil {
		return err
	}
	d.User, d.Project, d.Batch, d.Notice = currentUser(r), p, b, s.sessions.PopString(r.Context(), sessionSheetResult)
	for _, a := range annotators {
		text := a.Pseudonym
		if a.Name != "" && a.Name != a.Pseudonym {
			text = a.Name + " (" + a.Pseudonym + ")"
		}
		d.Annotators = append(d.Annotators, ui.Option{Value: a.Pseudonym, Text: text,
			Chosen: a.Pseudonym == d.Annotator})
	}
	return render(w, r, status, page.Sheets(d))
}

// downloadSheets makes the sheets of an annotator for a lead.
func (s *Server) downloadSheets(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	pseudonym := r.PostFormValue("annotator")
	owner, err := s.db.SheetOwner(r.Context(), currentAccount(r).ID, p, b.Name, pseudonym)
	if err == nil {
		err = s.sendSheet(w, r, owner.BatchID, owner.AccountID)
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderSheets(w, r, status, p, b, page.SheetsData{Annotator: pseudonym, Errors: toFormErrors(
			currentLocale(r), err,
			"annotator")})
	}
	return err
}

// submitSheet submits the sheet of an annotator for a lead.
func (s *Server) submitSheet(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	d := page.SheetsData{}
	result, err := s.receiveSheet(r, func(fields url.Values) (postgres.SheetOwner, error) {
		d.Annotator = fields.Get("sheet_of")
		return s.db.SheetOwner(r.Context(), currentAccount(r).ID, p, b.Name, d.Annotator)
	})
	status := s.sheetStatus(currentLocale(r), err, &d.FileErrors, &d.Errors)
	switch {
	case status != 0:
		return s.renderSheets(w, r, status, p, b, d)
	case err != nil:
		return err
	}
	s.sessions.Put(r.Context(), sessionSheetResult, page.SheetResultText(currentLocale(r), result.Submitted,
		result.Unchanged))
	return redirect(w, r, page.BatchPath(p, b, "sheets"))
}

// showOwnSheet lets annotators download and submit their sheets, once a lead made one.
func (s *Server) showOwnSheet(w http.ResponseWriter, r *http.Request) error {
	return s.renderOwnSheet(w, r, http.StatusOK, queryID[project.BatchID](r, "batch"), page.OwnSheetData{})
}

func (s *Server) renderOwnSheet(w http.ResponseWriter, r *http.Request, status int, batchID project.BatchID,
	d page.OwnSheetData) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	progress, isFound := overview.Batch(batchID)
	if !isFound || !progress.HasSheet {
		return fault.NotFound
	}
	q := queueFromProgress(currentLocale(r), progress)
	d.User, d.Project, d.Batch, d.Progress = currentUser(r), q.Project, q.Batch, q.Progress
	d.Notice = s.sessions.PopString(r.Context(), sessionSheetResult)
	return render(w, r, status, page.OwnSheet(d))
}

func (s *Server) downloadOwnSheet(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	err := s.sendSheet(w, r, batchID, currentAccount(r).ID)
	if status := formErrorStatus(err); status != 0 && fault.KindOf(err) != fault.NotFound {
		return s.renderOwnSheet(w, r, status, batchID,
			page.OwnSheetData{Errors: toFormErrors(currentLocale(r), err, "")})
	}
	return err
}

func (s *Server) submitOwnSheet(w http.ResponseWriter, r *http.Request) error {
	d, owner := page.OwnSheetData{}, postgres.SheetOwner{AccountID: currentAccount(r).ID}
	result, err := s.receiveSheet(r, func(fields url.Values) (postgres.SheetOwner, error) {
		owner.BatchID = parseID[project.BatchID](fields.Get("batch"))
		return owner, nil
	})
	status := s.sheetStatus(currentLocale(r), err, &d.FileErrors, &d.Errors)
	switch {
	case status != 0 && fault.KindOf(err) != fault.NotFound:
		return s.renderOwnSheet(w, r, status, owner.BatchID, d)
	case err != nil:
		return err
	}
	s.sessions.Put(r.Context(), sessionSheetResult, page.SheetResultText(currentLocale(r), result.Submitted,
		result.Unchanged))
	return redirect(w, r, page.OwnSheetPath(formatID(owner.BatchID)))
}

// sendSheet makes the sheets of an annotator and sends them as a zip file.
func (s *Server) sendSheet(w http.ResponseWriter, r *http.Request, batchID project.BatchID,
	annotatorID account.ID) error {
	sheet, err := s.db.CreateSheet(r.Context(), currentAccount(r).ID, batchID, annotatorID)
	if err != nil {
		return err
	}
	context, contextJSONL, annotations := sheet.FileNames()
	download := &zipDownload{w: w, name: fmt.Sprintf("%s-batch-%d-sheets.zip", sheet.Project, sheet.Batch)}
	files := []dataset.OtherFile{{Name: annotations, Write: sheet.WriteAnnotations},
		{Name: context, Write: sheet.WriteContext}, {Name: contextJSONL, Write: sheet.WriteContextJSONL}}
	for _, f := range files {
		if err := download.addFile(f.Name, f.Write); err != nil {
			return err
		}
	}
	return download.close()
}

// receiveSheet submits the file of a form for the annotator that its fields name.
func (s *Server) receiveSheet(r *http.Request, findOwner func(url.Values) (postgres.SheetOwner, error)) (
	result postgres.SheetResult, err error) {
	release, err := s.uploads.acquire(r.Context(), currentAccount(r).ID)
	if err != nil {
		discardBody(r)
		return result, err
	}
	defer release()
	file := postgres.SheetFile{}
	fields, err := readFileForm(r, formLimit, func(name string, content io.Reader) error {
		received, err := io.ReadAll(&uploadReader{content, sheetLimit})
		file.Name, file.Content = name, bytes.NewReader(received)
		return err
	})
	if err != nil {
		return result, err
	}
	owner, err := findOwner(fields)
	if err == nil && file.Content == nil {
		err = uploadError{fault.Invalid.Errorf("The form contains no file. Choose a file and send the form again.")}
	}
	if err != nil {
		return result, err
	}
	return s.db.SubmitSheet(r.Context(), currentAccount(r).ID, owner.BatchID, owner.AccountID, file)
}

// sheetLimit is how many bytes a filled sheet has at most.
const sheetLimit = 8 << 20

// sheetStatus sets the errors with which a form is shown again, and returns its status; 0 if the
// error is not about the form.
func (s *Server) sheetStatus(l *locale.Locale, err error, fileErrors *importer.FileErrors,
	formErrors *page.FormErrors) int {
	if errs, ok := errors.AsType[importer.FileErrors](err); ok {
		*fileErrors = errs
		return http.StatusUnprocessableEntity
	}
	status := formErrorStatus(err)
	if status != 0 {
		*formErrors = toFormErrors(l, err, "file")
	}
	return status
}
