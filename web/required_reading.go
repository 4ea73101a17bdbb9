package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// renderPendingReading shows the document that the user must read before the items of a
// batch, and reports whether there is one. Afterwards the user continues with the item of
// token, or with what is next in the batch.
func (s *Server) renderPendingReading(w http.ResponseWriter, r *http.Request, batchID project.BatchID,
	token string) (isRendered bool, err error) {
	reading, err := s.db.RequiredReading(r.Context(), currentAccount(r).ID, batchID)
	if err != nil || reading.Document == "" {
		return false, err
	}
	session, err := s.db.SessionFacts(r.Context(), batchID)
	if err != nil {
		return false, err
	}
	language := currentLocale(r).Tag()
	if reading.Document == project.ContentWarningDocument {
		reading.Text = reading.Protocol.TranslateWarning(reading.Text, language)
	}
	return true, render(w, r, http.StatusOK, page.RequiredReading(page.RequiredReadingData{
		User: currentUser(r), Batch: formatID(batchID), Token: token,
		Project:  page.Project{Title: reading.ProjectTitle, SupportURL: reading.SupportURL, Session: &session},
		Document: reading.Document, Version: reading.Version, DocumentNo: reading.DocumentNo,
		Documents: reading.Documents,
		Text:      reading.Text, Protocol: reading.Protocol.In(language),
		LastReadAt: reading.LastReadAt}))
}

// acknowledgeReading records that the user read a document, and continues.
func (s *Server) acknowledgeReading(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 is no version of a text
	err := s.db.AcknowledgeReading(r.Context(), currentAccount(r).ID, batchID,
		project.RequiredDocument(r.PostFormValue("document")), version)
	if err != nil {
		return err
	}
	return redirectToItem(w, r, batchID, url.PathEscape(r.PostFormValue("item")))
}
