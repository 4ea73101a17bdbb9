package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// startBreakFromItem saves the form of the item as a draft and starts a break.
func (s *Server) startBreakFromItem(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkOpen(r); err != nil {
		return err
	}
	if err := s.saveFormAsDraft(r); err != nil {
		return err
	}
	if err := s.db.StartBreak(r.Context(), currentAccount(r).ID, itemToken(r)); err != nil {
		return err
	}
	return redirect(w, r, "/work/break")
}

// startBreak starts a break in a batch, from a page without an item.
func (s *Server) startBreak(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.StartBreakInBatch(r.Context(), currentAccount(r).ID, formID[project.BatchID](r,
		"batch")); err != nil {
		return err
	}
	return redirect(w, r, "/work/break")
}

// breakPath is the page of the annotator's break, for work that resumes in a batch; 0: where
// the break became due.
func breakPath(batchID project.BatchID) string {
	if batchID == 0 {
		return "/work/break"
	}
	return "/work/break?batch=" + formatID(batchID)
}

// redirectToBreak goes to the break that prevents work on the item in the path.
func (s *Server) redirectToBreak(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.BatchIDByToken(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	return redirect(w, r, breakPath(batchID))
}

// showBreak shows the annotator's break. A break holds for all batches: the work resumes in the
// batch of the query, where the annotator was, or else where the break became due.
func (s *Server) showBreak(w http.ResponseWriter, r *http.Request) error {
	currentBreak, err := s.db.CurrentBreak(r.Context(), currentAccount(r).ID)
	if fault.KindOf(err) == fault.NotFound {
		return redirect(w, r, "/work")
	}
	if err != nil {
		return err
	}
	batchID := cmp.Or(queryID[project.BatchID](r, "batch"), currentBreak.BatchID)
	return render(w, r, http.StatusOK, page.Break(page.BreakData{
		User: currentUser(r), Project: page.Project{Title: currentBreak.ProjectTitle,
			SupportURL: currentBreak.SupportURL},
		Pace:  currentBreak.Pace,
		Batch: formatID(batchID), Remaining: max(time.Until(currentBreak.ScheduledEndAt), 0),
		EndsAt: currentBreak.ScheduledEndAt, EndPath: "/work/break/end", Notice: s.alreadySubmittedNotice(r, "")}))
}

// endBreak ends the break and opens the next item of the batch that the form names, or else of
// the batch of the break.
func (s *Server) endBreak(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.EndBreak(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	return s.redirectToNext(w, r, cmp.Or(formID[project.BatchID](r, "batch"), batchID))
}
