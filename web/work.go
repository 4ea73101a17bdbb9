package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showWork leads to what is next: the break or the item under way, or a page from
// which to begin. Asked for one batch, it speaks of that one.
func (s *Server) showWork(w http.ResponseWriter, r *http.Request) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	if overview.OnBreak {
		return redirect(w, r, "/work/break")
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
	case hasBatch && progress.IsFinished() && progress.Submitted > 0:
		return s.renderBatchDone(w, r, progress, overview)
	}
	return s.renderWorkHome(w, r, overview)
}

// renderBatchDone ends a batch that somebody has nothing left of.
func (s *Server) renderBatchDone(w http.ResponseWriter, r *http.Request, progress labeling.BatchProgress, overview labeling.WorkOverview) error {
	q := queueFromProgress(progress)
	return render(w, r, http.StatusOK, page.Done(page.DoneData{User: currentUser(r), Project: q.Project, Progress: q.Progress, Batch: q.Batch, CalibrationPath: q.CalibrationPath, Notice: s.alreadySubmittedNotice(r, ""),
		HasMore: slices.ContainsFunc(overview.Batches, func(o labeling.BatchProgress) bool { return !o.IsFinished() })}))
}

// renderWorkHome lists what somebody has, and says so where the batch that led here
// has ended.
func (s *Server) renderWorkHome(w http.ResponseWriter, r *http.Request, overview labeling.WorkOverview) (err error) {
	d := page.WorkHomeData{User: currentUser(r), AlreadySubmittedNotice: s.alreadySubmittedNotice(r, "")}
	if d.RaterEffectLinks, err = s.raterEffectLinks(r); err != nil {
		return err
	}
	for _, progress := range overview.Batches {
		q := queueFromProgress(progress)
		if overview.HasSeveralBatches(progress.ProjectKey) {
			q.BatchNo = progress.BatchNo
		}
		d.Queues = append(d.Queues, q)
	}
	if _, isOpen := overview.Batch(queryID[project.BatchID](r, "batch")); !isOpen && queryParam(r, "batch") != "" {
		d.Notice = "This batch is closed now. Thank you: everything you sent is kept."
	}
	return render(w, r, http.StatusOK, page.WorkHome(d))
}

func queueFromProgress(progress labeling.BatchProgress) page.Queue {
	q := page.Queue{
		Batch:     formatID(progress.BatchID),
		Project:   page.Project{Title: progress.ProjectTitle, SupportURL: progress.SupportURL},
		Progress:  page.Progress{Done: progress.Submitted, Total: max(progress.Total, progress.Submitted)},
		GuidePath: "/work/guide?project=" + progress.ProjectKey,
	}
	switch {
	case progress.NeedsCalibrationReview:
		q.Stage, q.CalibrationPath, q.BlockedReason = "Calibration", calibrationPath(progress.BatchID), "Your calibration is done. See how it lies to the reference, and what comes next."
	case progress.Limit != labeling.NoLimit:
		q.BlockedReason = progress.Limit.Text()
	case progress.OpenToken == "" && !progress.HasMore:
		q.BlockedReason = "There is nothing left for you in this batch. Thank you."
		q.Progress.Total = max(progress.Submitted, 1)
	}
	if progress.InCalibration {
		q.Stage = "Calibration"
	}
	if progress.HasCalibrationResult {
		q.CalibrationPath = calibrationPath(progress.BatchID)
	}
	return q
}

// openNext opens the next item of a batch, or of any.
func (s *Server) openNext(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if batchID == 0 && r.PostFormValue("batch") != "" {
		return fault.NotFound
	}
	token, err := s.db.OpenNext(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	return s.redirectToItem(w, r, batchID, token)
}

// showPause is a quiet page after an item that distressed. Nothing more is shown
// before somebody asks for it.
func (s *Server) showPause(w http.ResponseWriter, r *http.Request) error {
	overview, err := s.db.WorkOverview(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	progress, isFound := overview.Batch(queryID[project.BatchID](r, "batch"))
	if overview.OnBreak || !isFound {
		return redirect(w, r, "/work")
	}
	q := queueFromProgress(progress)
	return render(w, r, http.StatusOK, page.Pause(page.PauseData{User: currentUser(r), Project: q.Project, Batch: q.Batch}))
}

func (s *Server) showGuide(w http.ResponseWriter, r *http.Request) error {
	p, err := s.db.Guide(r.Context(), *currentAccount(r), r.URL.Query().Get("project"))
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Guide(page.GuideData{
		Protocol: p.Protocol, Project: page.Project{Title: p.Title, SupportURL: p.SupportURL}, User: currentUser(r)}))
}

func (s *Server) startBreakFromItem(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkOpen(r); err != nil {
		return err
	}
	if err := s.saveFormAsDraft(r); err != nil {
		return err
	}
	if err := s.db.StartBreak(r.Context(), currentAccount(r).ID, chi.URLParam(r, "token")); err != nil {
		return err
	}
	return redirect(w, r, "/work/break")
}

// startBreak begins a break in a batch, where no item is on the screen.
func (s *Server) startBreak(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.StartBreakInBatch(r.Context(), currentAccount(r).ID, formID[project.BatchID](r, "batch")); err != nil {
		return err
	}
	return redirect(w, r, "/work/break")
}

func (s *Server) showBreak(w http.ResponseWriter, r *http.Request) error {
	currentBreak, err := s.db.CurrentBreak(r.Context(), currentAccount(r).ID)
	if fault.KindOf(err) == fault.NotFound {
		return redirect(w, r, "/work")
	}
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Break(page.BreakData{
		User: currentUser(r), Project: page.Project{Title: currentBreak.ProjectTitle, SupportURL: currentBreak.SupportURL},
		Batch: formatID(currentBreak.BatchID), Remaining: max(time.Until(currentBreak.ScheduledEndAt), 0), EndPath: "/work/break/end", Notice: s.alreadySubmittedNotice(r, "")}))
}

// endBreak ends the break and leads to the next item of its batch. Where it has
// ended already, in another tab or at a second press, the form names the batch.
func (s *Server) endBreak(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.EndBreak(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	batchID = cmp.Or(batchID, formID[project.BatchID](r, "batch"))
	token, err := s.db.OpenNext(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	return s.redirectToItem(w, r, batchID, token)
}
