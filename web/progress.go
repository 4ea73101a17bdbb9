package web

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// showProgress shows a lead how the work of a batch goes.
func (s *Server) showProgress(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batchFromPath(r)
	if err != nil {
		return err
	}
	return s.renderProgress(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) renderProgress(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch, formErrors page.FormErrors) error {
	ctx := r.Context()
	paces, err := s.db.AnnotatorPaces(ctx, b.ID)
	if err != nil {
		return err
	}
	coverage, err := s.db.Coverage(ctx, b.ID)
	if err != nil {
		return err
	}
	requests, err := s.db.CorrectionRequests(ctx, b.ID)
	if err != nil {
		return err
	}
	d := page.ProgressData{User: currentUser(r), Project: p, Batch: b, Errors: formErrors, Reopen: readReopenForm(r), Coverage: page.Coverage{
		Requested: b.Slots, Submitted: b.Submitted, Open: coverage.Open, Unclaimed: coverage.Free, Deferred: coverage.Deferred, Withheld: coverage.Withheld, Unassignable: coverage.Unassignable}}
	for _, reason := range coverage.SkipCounts {
		d.Coverage.SkipReasons = append(d.Coverage.SkipReasons, ui.SummaryRow{Label: reason.Reason.Text(), Value: page.Pluralize(reason.Count, "item")})
	}
	for _, l := range paces {
		d.Paces = append(d.Paces, newPaceLine(l))
	}
	for _, f := range requests {
		d.CorrectionRequests = append(d.CorrectionRequests, newCorrectionLine(f))
	}
	return render(w, r, status, page.ProgressPage(d))
}

func newPaceLine(l postgres.AnnotatorPace) page.PaceRow {
	line := page.PaceRow{Pseudonym: l.Pseudonym, Items: l.ItemCount, CompletedBreaks: l.CompletedBreaks, PlannedBreaks: l.PlannedBreaks, EarlyReturns: l.EarlyBreaks}
	for i, ms := range l.ActiveMSPercentiles {
		line.Percentiles[i] = int((ms + 500) / 1000)
	}
	return line
}

func newCorrectionLine(f postgres.CorrectionRequest) page.CorrectionRow {
	line := page.CorrectionRow{ID: f.ID, Pseudonym: f.Pseudonym, SourceID: f.SourceID, ItemID: f.ItemID, Message: f.Message, CreatedAt: f.CreatedAt}
	switch {
	case f.Reopened && f.ByLead:
		line.Resolution = "Opened once more by a lead, unasked."
	case f.Reopened:
		line.Resolution = "Opened once more."
	case f.ResolvedAt != nil:
		line.Resolution = "Left as it is: " + f.Reply
	}
	return line
}

// readReopenForm is which item is to be opened once more, as far as it is known.
func readReopenForm(r *http.Request) page.ReopenForm {
	fieldValue := func(key string) string { return cmp.Or(r.PostFormValue(key), queryParam(r, key)) }
	return page.ReopenForm{Annotator: fieldValue("annotator"), Item: fieldValue("item"), Reason: fieldValue("reason")}
}

// resolveCorrection opens an item once more, flagged or not, or leaves it as it is.
func (s *Server) resolveCorrection(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batchFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	actorID, requestID := currentAccount(r).ID, formID[labeling.CorrectionID](r, "request_id")
	switch fields.Get("action") {
	case "accept":
		err = s.db.AcceptCorrection(r.Context(), actorID, p, b, requestID)
	case "reopen":
		err = s.db.ReopenItem(r.Context(), actorID, p, b, fields.Get("annotator"), strings.TrimSpace(fields.Get("item")), fields.Get("reason"))
	default:
		err = s.db.DeclineCorrection(r.Context(), actorID, p, b, requestID, fields.Get("reply"))
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderProgress(w, r, status, p, b, toFormErrors(err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name, "progress"))
}
