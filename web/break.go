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

func (s *Server) showBreak(w http.ResponseWriter, r *http.Request) error {
	currentBreak, err := s.db.CurrentBreak(r.Context(), currentAccount(r).ID)
	if fault.KindOf(err) == fault.NotFound {
		return redirect(w, r, "/work")
	}
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Break(page.BreakData{
		User: currentUser(r), Project: page.Project{Title: currentBreak.ProjectTitle,
			SupportURL: currentBreak.SupportURL},
		Batch: formatID(currentBreak.BatchID), Remaining: max(time.Until(currentBreak.ScheduledEndAt), 0),
		EndPath: "/work/break/end", Notice: s.alreadySubmittedNotice(r, "")}))
}

// endBreak ends the break and opens the next item of its batch. If another tab
// has already ended it, the form names the batch.
func (s *Server) endBreak(w http.ResponseWriter, r *http.Request) error {
	batchID, err := s.db.EndBreak(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	return s.redirectToNext(w, r, cmp.Or(batchID, formID[project.BatchID](r, "batch")))
}
