package web

import (
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showBoard shows the annotators of a batch and the items they skipped.
func (s *Server) showBoard(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	actorID := currentAccount(r).ID
	annotators, err := s.db.Board(r.Context(), actorID, p.Protocol, b)
	if err != nil {
		return err
	}
	state, err := s.db.BatchState(r.Context(), actorID, b.ID)
	if err != nil {
		return err
	}
	skips, err := s.db.SkippedItems(r.Context(), actorID, b.ID)
	if err != nil {
		return err
	}
	duplicates, err := s.db.DuplicateSummary(r.Context(), actorID, b.ID)
	if err != nil {
		return err
	}
	isDrawn, err := s.db.IsDrawnByDisagreement(r.Context(), b.ID)
	if err != nil {
		return err
	}
	incomplete, err := s.db.IncompleteItems(r.Context(), b.ID)
	if err != nil {
		return err
	}
	d := page.BoardData{User: currentUser(r), Project: p, Batch: b, State: state, IsDrawnByDisagreement: isDrawn,
		Duplicates: duplicates, Incomplete: incomplete, Now: time.Now()}
	for _, a := range annotators {
		d.Annotators = append(d.Annotators, page.AnnotatorRow(a))
	}
	for _, skipped := range skips {
		d.Skips = append(d.Skips, page.SkipRow{ItemID: skipped.ItemID, SourceID: skipped.SourceID,
			Reason: skipped.Reason, Comment: skipped.Comment})
	}
	l := currentLocale(r)
	switch queryParam(r, "after") {
	case "open":
		d.Notice = l.T("Batch opened. Its annotators see it under Work.")
	case "revision":
		d.Notice = l.T("The batch uses revision %d of the protocol.", b.ProtocolRevision)
	case "change":
		d.Notice = l.T("Batch changed.")
		if effect := s.sessions.PopString(r.Context(), sessionBatchEffect); effect != "" {
			d.Notice = l.T("Batch changed: %s.", effect)
		}
	case "reopen":
		d.Notice = l.T("Batch reopened. Its annotators can continue.")
	case "archive":
		d.Notice = l.T("Batch archived.")
	case "close":
		d.Notice = l.T("Batch closed. All submitted labels are saved.")
	}
	return render(w, r, http.StatusOK, page.Board(d))
}

func (s *Server) showCloseBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	if b.ClosedAt != nil {
		return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name))
	}
	return render(w, r, http.StatusOK, page.CloseBatch(page.CloseBatchData{User: currentUser(r), Project: p, Batch: b}))
}

func (s *Server) closeBatch(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	closing := project.BatchClosing{Reason: r.PostForm.Get("reason"), ReleaseOpen: r.PostForm.Get("release_open") != ""}
	err := s.db.CloseBatch(r.Context(), currentAccount(r).ID, p, b.Name, closing)
	if status := formErrorStatus(err); status != 0 {
		d := page.CloseBatchData{User: currentUser(r), Project: p, Batch: b, Form: closing,
			Errors: toFormErrors(currentLocale(r), err, "")}
		return render(w, r, status, page.CloseBatch(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name)+"?after=close")
}
