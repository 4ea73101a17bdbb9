package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// correctionsPerPage is how many items the page of slips offers at once.
const correctionsPerPage = 15

// showCorrections lets an annotator flag a slip in whatever they sent of a batch.
func (s *Server) showCorrections(w http.ResponseWriter, r *http.Request) error {
	return s.renderCorrections(w, r, http.StatusOK, queryID[project.BatchID](r, "batch"), nil)
}

func (s *Server) renderCorrections(w http.ResponseWriter, r *http.Request, status int, batchID project.BatchID, formErrors page.FormErrors) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	progress, isFound := overview.Batch(batchID)
	if !isFound && len(overview.Batches) > 0 {
		progress = overview.Batches[0]
	}
	q := queueFromProgress(progress)
	d := page.CorrectionsData{User: currentUser(r), Errors: formErrors, Project: q.Project, Batch: q.Batch, Number: queryParam(r, "number"),
		ChosenToken: r.PostFormValue("token"), Message: r.PostFormValue("message"), Now: time.Now()}
	for _, other := range overview.Batches {
		if other.BatchID != progress.BatchID {
			d.OtherBatches = append(d.OtherBatches, ui.Link{Path: correctionsPath(other.BatchID), Text: queueFromProgress(other).Project.Title})
		}
	}
	if err := s.addCorrections(r, progress.BatchID, &d); err != nil {
		return err
	}
	return render(w, r, status, page.Corrections(d))
}

// addCorrections reads the items to choose from, those at and before the place that
// is asked for, and what became of earlier flags.
func (s *Server) addCorrections(r *http.Request, batchID project.BatchID, d *page.CorrectionsData) error {
	beforeNo := 0
	if itemNo, err := strconv.Atoi(d.Number); err == nil && itemNo > 0 && itemNo < 1<<31-1 {
		beforeNo = itemNo + 1
	}
	items, err := s.db.SubmittedItems(r.Context(), currentAccount(r).ID, batchID, beforeNo, correctionsPerPage+1)
	if err != nil {
		return err
	}
	if len(items) > correctionsPerPage {
		items, d.EarlierPath = items[:correctionsPerPage], correctionsPath(batchID)+"&number="+strconv.Itoa(items[correctionsPerPage].ItemNo)
	}
	for _, item := range items {
		d.Items = append(d.Items, page.SubmittedItem{Token: item.Token, Number: item.ItemNo, SubmittedAt: item.SubmittedAt, HasRequest: item.HasOpenRequest})
	}
	requests, err := s.db.OwnCorrectionRequests(r.Context(), currentAccount(r).ID, batchID)
	for _, f := range requests {
		d.Requests = append(d.Requests, newOwnCorrection(f))
	}
	return err
}

func newOwnCorrection(f postgres.OwnCorrectionRequest) page.OwnCorrection {
	line := page.OwnCorrection{Number: f.ItemNo, Message: f.Message}
	switch {
	case f.ByLead:
		line.Outcome = "Your lead opened it once more: it comes to you next."
	case f.Reopened:
		line.Outcome = "Your lead opened it for you once more."
	case f.Resolved:
		line.Outcome = "Your lead left it as it is: " + f.Reply
	default:
		line.Outcome = "Your lead has been told."
	}
	return line
}

func correctionsPath(batchID project.BatchID) string {
	return "/work/corrections?batch=" + formatID(batchID)
}

// requestCorrection tells the lead of a slip.
func (s *Server) requestCorrection(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	batchID := formID[project.BatchID](r, "batch")
	err = s.db.RequestCorrection(r.Context(), currentAccount(r).ID, fields.Get("token"), fields.Get("message"))
	if status := formErrorStatus(err); status != 0 {
		return s.renderCorrections(w, r, status, batchID, toFormErrors(err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, correctionsPath(batchID))
}
