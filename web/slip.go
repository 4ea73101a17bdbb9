package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// slipsAPage is how many items the page of slips offers at once.
const slipsAPage = 15

// slips lets an annotator flag a slip in whatever they sent of a batch.
func (s *Server) slips(w http.ResponseWriter, r *http.Request) error {
	return s.showSlips(w, r, http.StatusOK, askedID(r, "batch"), nil)
}

func (s *Server) showSlips(w http.ResponseWriter, r *http.Request, status int, batch int64, wrong page.Wrong) error {
	step, err := s.db.Step(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	share, known := step.Share(batch)
	if !known && len(step.Shares) > 0 {
		share = step.Shares[0]
	}
	q := queueOf(share)
	d := page.SlipsData{Visitor: visitor(r), Wrong: wrong, Project: q.Project, Batch: q.Batch, Place: asked(r, "place"),
		Chosen: r.PostFormValue("token"), Says: r.PostFormValue("says"), Now: time.Now()}
	for _, other := range step.Shares {
		if other.BatchID != share.BatchID {
			d.Others = append(d.Others, ui.Link{Path: slipPath(other.BatchID), Text: queueOf(other).Project.Title})
		}
	}
	if err := s.fillSlips(r, share.BatchID, &d); err != nil {
		return err
	}
	return show(w, r, status, page.Slips(d))
}

// fillSlips reads the items to choose from, those at and before the place that
// is asked for, and what became of earlier flags.
func (s *Server) fillSlips(r *http.Request, batch int64, d *page.SlipsData) error {
	before := 0
	if place, err := strconv.Atoi(d.Place); err == nil && place > 0 && place < 1<<31-1 {
		before = place + 1
	}
	slips, err := s.db.Slips(r.Context(), who(r).ID, batch, before, slipsAPage+1)
	if err != nil {
		return err
	}
	if len(slips) > slipsAPage {
		slips, d.Earlier = slips[:slipsAPage], slipPath(batch)+"&place="+strconv.Itoa(slips[slipsAPage].Place)
	}
	for _, slip := range slips {
		d.Slips = append(d.Slips, page.Slip{Token: slip.Token, Place: slip.Place, At: slip.At, Flagged: slip.Flagged})
	}
	flags, err := s.db.OwnFlags(r.Context(), who(r).ID, batch)
	for _, f := range flags {
		d.Flags = append(d.Flags, ownFlag(f))
	}
	return err
}

func ownFlag(f postgres.OwnFlag) page.OwnFlag {
	flag := page.OwnFlag{Place: f.Place, Says: f.Says}
	switch {
	case f.ByLead:
		flag.Became = "Your lead opened it once more: it comes to you next."
	case f.Reopened:
		flag.Became = "Your lead opened it for you once more."
	case f.Settled:
		flag.Became = "Your lead left it as it is: " + f.Reply
	default:
		flag.Became = "Your lead has been told."
	}
	return flag
}

func slipPath(batch int64) string { return "/work/slip?batch=" + strconv.FormatInt(batch, 10) }

// flagSlip tells the lead of a slip.
func (s *Server) flagSlip(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	batch := formID(r, "batch")
	err = s.db.Flag(r.Context(), who(r).ID, fields.Get("token"), fields.Get("says"))
	if status := refusal(err); status != 0 {
		return s.showSlips(w, r, status, batch, wrongOf(err, ""))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, slipPath(batch))
}
