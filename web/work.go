package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showWork goes to unread messages, the open break or item, or lists the batches. With
// the parameter "batch" it is about that batch only.
func (s *Server) showWork(w http.ResponseWriter, r *http.Request) error {
	start, err := s.db.WorkStart(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	overview := start.WorkOverview
	switch {
	case overview.OnBreak:
		return redirect(w, r, "/work/break")
	case len(start.Unread) > 0:
		return s.renderUnreadMessages(w, r, start.Unread)
	}
	progress, hasBatch := overview.Batch(queryID[project.BatchID](r, "batch"))
	if !hasBatch && len(overview.Batches) == 1 && queryParam(r, "all") == "" && queryParam(r, "batch") == "" {
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

func (s *Server) renderBatchDone(w http.ResponseWriter, r *http.Request, progress labeling.BatchProgress, overview labeling.WorkOverview) error {
	q := queueFromProgress(progress)
	return render(w, r, http.StatusOK, page.Done(page.DoneData{User: currentUser(r), Project: q.Project, Progress: q.Progress, Batch: q.Batch, CalibrationPath: q.CalibrationPath, Notice: s.alreadySubmittedNotice(r, ""),
		HasMore: slices.ContainsFunc(overview.Batches, func(o labeling.BatchProgress) bool { return !o.IsFinished() })}))
}

// renderWorkHome lists the batches of the user, and says so if the batch they
// come from has been closed.
func (s *Server) renderWorkHome(w http.ResponseWriter, r *http.Request, overview labeling.WorkOverview) error {
	d := page.WorkHomeData{User: currentUser(r), AlreadySubmittedNotice: s.alreadySubmittedNotice(r, "")}
	home, err := s.db.WorkHome(r.Context(), currentAccount(r).ID, time.Now().UTC().AddDate(0, 0, -30))
	if err != nil {
		return err
	}
	d.RaterEffectLinks, d.Days, d.Questions = raterEffectLinks(currentLocale(r), home.RaterEffects), pageWorkDays(home.Days), ownQuestions(home.Questions)
	for _, t := range home.ThankYous {
		d.ThankYous = append(d.ThankYous, page.ThankYou(t))
	}
	for _, n := range home.Notices {
		d.WorkNotices = append(d.WorkNotices, page.WorkNotice(n))
	}
	for _, progress := range overview.Batches {
		q := queueFromProgress(progress)
		if overview.HasSeveralBatches(progress.ProjectKey) {
			q.BatchNo = progress.BatchNo
		}
		d.Queues = append(d.Queues, q)
	}
	if _, isOpen := overview.Batch(queryID[project.BatchID](r, "batch")); !isOpen && queryParam(r, "batch") != "" {
		d.Notice = currentLocale(r).T("This batch is closed. Your labels are saved. Thank you.")
	}
	return render(w, r, http.StatusOK, page.WorkHome(d))
}

func queueFromProgress(progress labeling.BatchProgress) page.Queue {
	q := page.Queue{
		Batch:     formatID(progress.BatchID),
		Project:   page.Project{Title: progress.ProjectTitle, SupportURL: progress.SupportURL},
		Progress:  toPageProgress(progress.Progress, !progress.IsFinished() && !progress.NeedsCalibrationReview),
		GuidePath: guidePath(progress.ProjectKey, progress.BatchID),
	}
	switch {
	case progress.NeedsCalibrationReview:
		q.Stage, q.CalibrationPath, q.BlockedReason = "Calibration", calibrationPath(progress.BatchID), "Your calibration is complete. Review your result to continue."
	case progress.Limit != labeling.NoLimit:
		q.BlockedReason = progress.Limit.Text()
	case progress.OpenToken == "" && !progress.HasMore:
		q.BlockedReason = "No items are left for you in this batch. Thank you."
	}
	if progress.InCalibration {
		q.Stage = "Calibration"
	}
	if progress.HasCalibrationResult {
		q.CalibrationPath = calibrationPath(progress.BatchID)
	}
	return q
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
