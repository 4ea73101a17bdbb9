package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// progress shows a lead how the work of a batch goes.
func (s *Server) progress(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.ledBatch(r)
	if err != nil {
		return err
	}
	return s.showProgress(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) showProgress(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch, wrong page.Wrong) error {
	ctx := r.Context()
	paces, err := s.db.Paces(ctx, b.ID)
	if err != nil {
		return err
	}
	coverage, err := s.db.Coverage(ctx, b.ID)
	if err != nil {
		return err
	}
	flags, err := s.db.Flags(ctx, b.ID)
	if err != nil {
		return err
	}
	d := page.ProgressData{Visitor: visitor(r), Project: p, Batch: b, Wrong: wrong, Coverage: page.Coverage{
		Asked: b.Slots, Given: b.Submitted, Open: coverage.Open, Free: coverage.Free, Later: coverage.Later, GivenUp: coverage.GivenUp, Stuck: coverage.Stuck}}
	for _, reason := range coverage.Reasons {
		d.Coverage.Reasons = append(d.Coverage.Reasons, ui.Term{Name: reason.Reason.Says(), Detail: page.Count(reason.N, "item")})
	}
	for _, l := range paces {
		d.Paces = append(d.Paces, paceLine(l))
	}
	for _, f := range flags {
		d.Flags = append(d.Flags, flagLine(f))
	}
	return show(w, r, status, page.ProgressPage(d))
}

func paceLine(l postgres.PaceLine) page.PaceLine {
	line := page.PaceLine{Pseudonym: l.Pseudonym, Items: l.Items, Breaks: l.Taken, Due: l.Due, EarlyReturns: l.Early}
	for i, ms := range l.MS {
		line.Seconds[i] = int((ms + 500) / 1000)
	}
	return line
}

func flagLine(f postgres.Flag) page.FlagLine {
	line := page.FlagLine{ID: f.ID, Pseudonym: f.Pseudonym, SourceID: f.SourceID, ItemID: f.ItemID, Says: f.Says, At: f.At}
	switch {
	case f.Reopened:
		line.Settled = "Opened once more."
	case f.SettledAt != nil:
		line.Settled = "Left as it is: " + f.Reply
	}
	return line
}

// settleSlip opens a flagged item once more, or leaves it as it is.
func (s *Server) settleSlip(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.ledBatch(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	by, flag := who(r).ID, formID(r, "flag")
	if fields.Get("act") == "reopen" {
		err = s.db.Reopen(r.Context(), by, p, b, flag)
	} else {
		err = s.db.LeaveAsIs(r.Context(), by, p, b, flag, fields.Get("reply"))
	}
	if status := refusal(err); status != 0 {
		return s.showProgress(w, r, status, p, b, wrongOf(err, ""))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name, "progress"))
}

// slips shows an annotator what they sent last.
func (s *Server) slips(w http.ResponseWriter, r *http.Request) error {
	return s.showSlips(w, r, http.StatusOK, nil)
}

func (s *Server) showSlips(w http.ResponseWriter, r *http.Request, status int, wrong page.Wrong) error {
	slips, err := s.db.Slips(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	d := page.SlipsData{Visitor: visitor(r), Wrong: wrong}
	for _, slip := range slips {
		d.Slips = append(d.Slips, page.Slip{Token: slip.Token, At: slip.At, Flagged: slip.Flagged, Reply: slip.Reply,
			Project: page.Project{Title: slip.Project, SupportURL: slip.SupportURL}})
	}
	return show(w, r, status, page.Slips(d))
}

// flagSlip tells the lead of a slip.
func (s *Server) flagSlip(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	err = s.db.Flag(r.Context(), who(r).ID, fields.Get("token"), fields.Get("says"))
	if status := refusal(err); status != 0 {
		return s.showSlips(w, r, status, wrongOf(err, ""))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, "/work/slip")
}
