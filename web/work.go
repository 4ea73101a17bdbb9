package web

import (
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showWork goes to unread messages or the open break, or lists the batches. With the
// parameter "batch", or "start" for the only batch, it goes to what is next in that batch.
func (s *Server) showWork(w http.ResponseWriter, r *http.Request) error {
	start, err := s.db.WorkStart(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	overview := start.WorkOverview
	switch {
	case overview.OnBreak:
		return redirect(w, r, breakPath(queryID[project.BatchID](r, "batch")))
	case len(start.Unread) > 0:
		return s.renderUnreadMessages(w, r, start.Unread)
	}
	progress, hasBatch := overview.Batch(queryID[project.BatchID](r, "batch"))
	if !hasBatch && len(overview.Batches) == 1 && queryParam(r, "start") != "" {
		progress, hasBatch = overview.Batches[0], true
	}
	switch {
	case hasBatch && progress.OpenToken != "":
		return redirect(w, r, "/work/"+progress.OpenToken)
	case hasBatch && progress.NeedsCalibrationReview:
		return redirect(w, r, calibrationPath(progress.BatchID))
	case hasBatch && progress.IsFinished() && progress.CompletedItems > 0:
		return s.renderBatchDone(w, r, progress, overview)
	}
	return s.renderWorkHome(w, r, overview)
}

func (s *Server) renderBatchDone(w http.ResponseWriter, r *http.Request, progress labeling.BatchProgress,
	overview labeling.WorkOverview) error {
	q := queueFromProgress(currentLocale(r), progress)
	var next *page.Queue
	if i := slices.IndexFunc(overview.Batches, func(o labeling.BatchProgress) bool {
		return o.BatchID != progress.BatchID && !o.IsFinished() && blockedReason(currentLocale(r), o) == ""
	}); i >= 0 {
		queue := queueFromProgress(currentLocale(r), overview.Batches[i])
		next = &queue
	}
	return render(w, r, http.StatusOK, page.Done(page.DoneData{User: currentUser(r), Project: q.Project, Next: next,
		Progress: q.Progress, Batch: q.Batch, CanUndo: progress.CanUndo, CalibrationPath: q.CalibrationPath,
		Pace:   q.Pace,
		Notice: s.alreadySubmittedNotice(r, "")}))
}

// openNext opens the next item of a batch, or of any batch if the form names
// none.
func (s *Server) openNext(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if batchID == 0 && r.PostFormValue("batch") != "" {
		return fault.NotFound
	}
	hasUnread, err := s.db.HasUnreadMessages(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	if hasUnread {
		return redirectToItem(w, r, batchID, "")
	}
	return s.redirectToNext(w, r, batchID)
}
