package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/web/page"
)

// work leads to what is next: the break or the item under way, or a page from
// which to begin. Asked for one batch, it speaks of that one.
func (s *Server) work(w http.ResponseWriter, r *http.Request) error {
	step, err := s.db.Step(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	if step.Break {
		return seeOther(w, r, "/work/break")
	}
	share, one := step.Share(askedID(r, "batch"))
	if !one && len(step.Shares) == 1 && asked(r, "all") == "" && asked(r, "batch") == "" {
		share, one = step.Shares[0], true
	}
	switch {
	case one && share.Token != "":
		return seeOther(w, r, "/work/"+share.Token)
	case one && share.Calibrated:
		return seeOther(w, r, calibrationPath(share.BatchID))
	case one && share.Finished() && share.Submitted > 0:
		return s.thank(w, r, share, step)
	}
	return s.workHome(w, r, step)
}

// thank ends a batch that somebody has nothing left of.
func (s *Server) thank(w http.ResponseWriter, r *http.Request, share labeling.Share, step labeling.Step) error {
	q := queueOf(share)
	return show(w, r, http.StatusOK, page.Done(page.DoneData{Visitor: visitor(r), Project: q.Project, Progress: q.Progress, Batch: q.Batch, See: q.See, Notice: s.stands(r, ""),
		More: slices.ContainsFunc(step.Shares, func(o labeling.Share) bool { return !o.Finished() })}))
}

// workHome lists what somebody has, and says so where the batch that led here
// has ended.
func (s *Server) workHome(w http.ResponseWriter, r *http.Request, step labeling.Step) (err error) {
	d := page.WorkHomeData{Visitor: visitor(r), Stands: s.stands(r, "")}
	if d.Habits, err = s.habitLinks(r); err != nil {
		return err
	}
	for _, share := range step.Shares {
		q := queueOf(share)
		if step.Several(share.Project) {
			q.Nth = share.Nth
		}
		d.Queues = append(d.Queues, q)
	}
	if _, open := step.Share(askedID(r, "batch")); !open && asked(r, "batch") != "" {
		d.Notice = "This batch is closed now. Thank you: everything you sent is kept."
	}
	return show(w, r, http.StatusOK, page.WorkHome(d))
}

func queueOf(share labeling.Share) page.Queue {
	q := page.Queue{
		Batch:    strconv.FormatInt(share.BatchID, 10),
		Project:  page.Project{Title: share.Title, SupportURL: share.SupportURL},
		Progress: page.Progress{Done: share.Submitted, Total: max(share.Total, share.Submitted)},
		Guide:    "/work/guide?project=" + share.Project,
	}
	switch {
	case share.Calibrated:
		q.Stage, q.See, q.Waits = "Calibration", calibrationPath(share.BatchID), "Your calibration is done. See how it lies to the reference, and what comes next."
	case share.Limit != labeling.NoLimit:
		q.Waits = share.Limit.Says()
	case share.Token == "" && !share.More:
		q.Waits = "There is nothing left for you in this batch. Thank you."
		q.Progress.Total = max(share.Submitted, 1)
	}
	if share.Calibrates {
		q.Stage = "Calibration"
	}
	if share.Reference {
		q.See = calibrationPath(share.BatchID)
	}
	return q
}

// begin opens the next item of a batch, or of any.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) error {
	batch, err := strconv.ParseInt(r.PostFormValue("batch"), 10, 64)
	if err != nil && r.PostFormValue("batch") != "" {
		return fault.NotFound
	}
	token, err := s.db.Begin(r.Context(), who(r).ID, batch)
	if err != nil {
		return err
	}
	return s.onTo(w, r, batch, token)
}

// pause is a quiet page after an item that distressed. Nothing more is shown
// before somebody asks for it.
func (s *Server) pause(w http.ResponseWriter, r *http.Request) error {
	step, err := s.db.Step(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	share, known := step.Share(askedID(r, "batch"))
	if step.Break || !known {
		return seeOther(w, r, "/work")
	}
	q := queueOf(share)
	return show(w, r, http.StatusOK, page.Pause(page.PauseData{Visitor: visitor(r), Project: q.Project, Batch: q.Batch}))
}

func (s *Server) guide(w http.ResponseWriter, r *http.Request) error {
	p, err := s.db.Guide(r.Context(), *who(r), r.URL.Query().Get("project"))
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Guide(page.GuideData{
		Protocol: p.Protocol, Project: page.Project{Title: p.Title, SupportURL: p.SupportURL}, Visitor: visitor(r)}))
}

func (s *Server) takeBreak(w http.ResponseWriter, r *http.Request) error {
	if err := s.takes(r); err != nil {
		return err
	}
	if err := s.keepTyped(r); err != nil {
		return err
	}
	if err := s.db.TakeBreak(r.Context(), who(r).ID, chi.URLParam(r, "token")); err != nil {
		return err
	}
	return seeOther(w, r, "/work/break")
}

// takeBreakIn begins a break in a batch, where no item is on the screen.
func (s *Server) takeBreakIn(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.TakeBreakIn(r.Context(), who(r).ID, formID(r, "batch")); err != nil {
		return err
	}
	return seeOther(w, r, "/work/break")
}

func (s *Server) breakPage(w http.ResponseWriter, r *http.Request) error {
	rest, err := s.db.Break(r.Context(), who(r).ID)
	if fault.KindOf(err) == fault.NotFound {
		return seeOther(w, r, "/work")
	}
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Break(page.BreakData{
		Visitor: visitor(r), Project: page.Project{Title: rest.Title, SupportURL: rest.SupportURL},
		Batch: strconv.FormatInt(rest.BatchID, 10), Left: max(time.Until(rest.EndsAt), 0), Early: "/work/break/end", Notice: s.stands(r, "")}))
}

// goOn ends the break and leads to the next item of its batch. Where it has
// ended already, in another tab or at a second press, the form names the batch.
func (s *Server) goOn(w http.ResponseWriter, r *http.Request) error {
	batch, err := s.db.GoOn(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	batch = cmp.Or(batch, formID(r, "batch"))
	token, err := s.db.Begin(r.Context(), who(r).ID, batch)
	if err != nil {
		return err
	}
	return s.onTo(w, r, batch, token)
}
