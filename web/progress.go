package web

import (
	"cmp"
	"net/http"
	"strings"

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
	d := page.ProgressData{Visitor: visitor(r), Project: p, Batch: b, Wrong: wrong, Reopen: reopenForm(r), Coverage: page.Coverage{
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
	case f.Reopened && f.ByLead:
		line.Settled = "Opened once more by a lead, unasked."
	case f.Reopened:
		line.Settled = "Opened once more."
	case f.SettledAt != nil:
		line.Settled = "Left as it is: " + f.Reply
	}
	return line
}

// reopenForm is which item is to be opened once more, as far as it is known.
func reopenForm(r *http.Request) page.ReopenForm {
	of := func(key string) string { return cmp.Or(r.PostFormValue(key), asked(r, key)) }
	return page.ReopenForm{Annotator: of("annotator"), Item: of("item"), Why: of("why")}
}

// settleSlip opens an item once more, flagged or not, or leaves it as it is.
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
	switch fields.Get("act") {
	case "reopen":
		err = s.db.Reopen(r.Context(), by, p, b, flag)
	case "open":
		err = s.db.ReopenItem(r.Context(), by, p, b, fields.Get("annotator"), strings.TrimSpace(fields.Get("item")), fields.Get("why"))
	default:
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
