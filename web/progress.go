package web

import (
	"cmp"
	"net/http"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// showProgress shows a lead the pace, the coverage and the correction requests
// of a batch.
func (s *Server) showProgress(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.renderProgress(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) renderProgress(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch,
	formErrors page.FormErrors) error {
	ctx, l := r.Context(), currentLocale(r)
	paces, err := s.db.AnnotatorPaces(ctx, b.ID)
	if err != nil {
		return err
	}
	skipCounts, err := s.db.SkipCounts(ctx, b.ID)
	if err != nil {
		return err
	}
	requests, err := s.db.CorrectionRequests(ctx, currentAccount(r).ID, b.ID)
	if err != nil {
		return err
	}
	d := page.ProgressData{User: currentUser(r), Project: p, Batch: b, Errors: formErrors, Reopen: readReopenForm(r)}
	for _, skipped := range skipCounts {
		d.SkipReasons = append(d.SkipReasons, ui.SummaryRow{Value: l.T("%d items", skipped.Count),
			Label: l.Translate(cmp.Or(locale.Text(skipped.Reason.LeadText()), locale.Text(
				"Personal: outside the annotator's expertise, or distressing")))})
	}
	for _, pace := range paces {
		d.Paces = append(d.Paces, newPaceRow(pace))
	}
	for _, request := range requests {
		d.CorrectionRequests = append(d.CorrectionRequests, newCorrectionRow(l, request))
	}
	return render(w, r, status, page.ProgressPage(d))
}

func newPaceRow(pace postgres.AnnotatorPace) page.PaceRow {
	row := page.PaceRow{Pseudonym: pace.Pseudonym, Label: pace.Label,
		Items: pace.ItemCount, CompletedBreaks: pace.CompletedBreaks,
		PlannedBreaks: pace.PlannedBreaks, EarlyReturns: pace.EarlyBreaks}
	for i, ms := range pace.ActiveMSPercentiles {
		row.Percentiles[i] = int((ms + 500) / 1000)
	}
	return row
}

// readReopenForm returns the item to reopen, from the form or from a link to
// this page.
func readReopenForm(r *http.Request) page.ReopenForm {
	fieldValue := func(key string) string { return cmp.Or(r.PostFormValue(key), queryParam(r, key)) }
	return page.ReopenForm{Annotator: fieldValue("annotator"), Item: fieldValue("item"), Reason: fieldValue("reason")}
}
