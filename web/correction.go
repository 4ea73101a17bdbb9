package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// correctionsPerPage is how many items the page offers to choose from.
const correctionsPerPage = 15

func correctionsPath(batchID project.BatchID) string {
	return "/work/corrections?batch=" + formatID(batchID)
}

// showCorrections lets an annotator report a mistake in an item they submitted.
func (s *Server) showCorrections(w http.ResponseWriter, r *http.Request) error {
	return s.renderCorrections(w, r, http.StatusOK, queryID[project.BatchID](r, "batch"), nil)
}

func (s *Server) renderCorrections(w http.ResponseWriter, r *http.Request, status int, batchID project.BatchID,
	formErrors page.FormErrors) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	progress, isFound := overview.Batch(batchID)
	if !isFound && len(overview.Batches) > 0 {
		progress = overview.Batches[0]
	}
	q := queueFromProgress(currentLocale(r), progress)
	d := page.CorrectionsData{User: currentUser(r), Errors: formErrors, Project: q.Project, Batch: q.Batch,
		Number:      queryParam(r, "number"),
		ChosenToken: cmp.Or(r.PostFormValue("token"), queryParam(r, "token")),
		Message:     r.PostFormValue("message"), Now: time.Now()}
	for _, other := range overview.Batches {
		if other.BatchID != progress.BatchID {
			d.OtherBatches = append(d.OtherBatches, ui.Link{Path: correctionsPath(other.BatchID),
				Text: queueFromProgress(currentLocale(r), other).Project.Title})
		}
	}
	if err := s.loadCorrections(r, progress.BatchID, &d); err != nil {
		return err
	}
	return render(w, r, status, page.Corrections(d))
}

// loadCorrections reads the items to choose from, up to the requested number,
// and the requests of the annotator.
func (s *Server) loadCorrections(r *http.Request, batchID project.BatchID, d *page.CorrectionsData) error {
	beforeNo := 0
	if itemNo, err := strconv.Atoi(d.Number); err == nil && itemNo > 0 && itemNo < 1<<31-1 {
		beforeNo = itemNo + 1
	}
	list, err := s.db.SubmittedItems(r.Context(), currentAccount(r).ID, batchID, beforeNo, correctionsPerPage+1)
	if err != nil {
		return err
	}
	items := list.Items
	if len(items) > correctionsPerPage {
		items, d.EarlierPath = items[:correctionsPerPage], correctionsPath(batchID)+"&number="+
			strconv.Itoa(items[correctionsPerPage].ItemNo)
	}
	for _, item := range items {
		d.Items = append(d.Items, page.SubmittedItem{Token: item.Token, Number: item.ItemNo,
			SubmittedAt: item.SubmittedAt, HasRequest: item.HasOpenRequest,
			Title: item.Title, Answers: item.Answers})
	}
	d.Protocol = list.Protocol.In(currentLocale(r).Tag())
	requests, err := s.db.OwnCorrectionRequests(r.Context(), currentAccount(r).ID, batchID)
	for _, request := range requests {
		d.Requests = append(d.Requests, page.OwnCorrection{Number: request.ItemNo, Message: request.Message,
			Outcome: ownOutcome(currentLocale(r), request)})
	}
	return err
}

// ownOutcome returns the outcome of a request for its annotator.
func ownOutcome(l *locale.Locale, request postgres.OwnCorrectionRequest) string {
	switch {
	case request.ByLead:
		return l.T("Your lead reopened this item. You get it next.")
	case request.Reopened:
		return l.T("Your lead reopened this item.")
	case request.Resolved:
		return l.T("Your lead left it unchanged: %s", request.Reply)
	}
	return l.T("Sent to your lead.")
}

func (s *Server) requestCorrection(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	err := s.db.RequestCorrection(r.Context(), currentAccount(r).ID, r.PostFormValue("token"),
		r.PostFormValue("message"))
	if status := formErrorStatus(err); status != 0 {
		return s.renderCorrections(w, r, status, batchID, toFormErrors(currentLocale(r), err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, correctionsPath(batchID))
}

// resolveCorrection accepts or declines a correction request, or reopens an item
// without one.
func (s *Server) resolveCorrection(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	var err error
	fields := r.PostForm
	actorID, requestID := currentAccount(r).ID, formID[labeling.CorrectionID](r, "request_id")
	switch fields.Get("action") {
	case "accept":
		err = s.db.AcceptCorrection(r.Context(), actorID, p, b, requestID)
	case "reopen":
		err = s.db.ReopenItem(r.Context(), actorID, p, b, fields.Get("annotator"),
			strings.TrimSpace(fields.Get("item")), fields.Get("reason"))
	default:
		err = s.db.DeclineCorrection(r.Context(), actorID, p, b, requestID, fields.Get("reply"))
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderProgress(w, r, status, p, b, toFormErrors(currentLocale(r), err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name, "progress"))
}

func newCorrectionRow(l *locale.Locale, request postgres.CorrectionRequest) page.CorrectionRow {
	row := page.CorrectionRow{ID: request.ID, Pseudonym: request.Pseudonym, OwnItemNo: request.OwnItemNo,
		SourceID: request.SourceID, ItemID: request.ItemID, Message: request.Message, Hidden: request.Hidden,
		CreatedAt: request.CreatedAt, Annotator: request.Annotator, ItemTitle: request.ItemTitle,
		Resolution: correctionOutcome(l, request)}
	if request.Answers != nil {
		row.Answers = &protocol.Answers{Values: request.Answers}
	}
	return row
}

// correctionOutcome says what became of a request; "" if it is not resolved.
func correctionOutcome(l *locale.Locale, request postgres.CorrectionRequest) string {
	switch {
	case request.Reopened && request.ByLead:
		return l.T("Reopened by a lead without a request.")
	case request.Reopened:
		return l.T("Reopened.")
	case request.ResolvedAt != nil:
		return l.T("Left unchanged: %s", cmp.Or(request.Reply, l.T("the reply is hidden.")))
	}
	return ""
}
