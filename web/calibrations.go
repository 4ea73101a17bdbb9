package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// ledBatch returns the batch of the address, and its project.
func (s *Server) ledBatch(r *http.Request) (project.Project, project.Batch, error) {
	p, err := s.led(r)
	if err != nil {
		return p, project.Batch{}, err
	}
	b, err := s.db.Batch(r.Context(), p.ID, param(r, "name"))
	return p, b, err
}

// calibrations shows a lead how the annotators of a batch lean.
func (s *Server) calibrations(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.ledBatch(r)
	if err != nil {
		return err
	}
	return s.showCalibrations(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) showCalibrations(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch, wrong page.Wrong) error {
	all, err := s.db.Calibrations(r.Context(), p, b.ID)
	if err != nil {
		return err
	}
	talk, err := s.db.Discussion(r.Context(), b.ID)
	if err != nil {
		return err
	}
	d := page.CalibrationsData{Visitor: visitor(r), Project: p, Batch: b, Talk: talk.Open, Shown: asked(r, "item"), Wrong: wrong}
	for _, c := range all {
		d.Annotators = append(d.Annotators, page.CalibrationLine{AccountID: c.AccountID, Name: c.Name, Pseudonym: c.Pseudonym,
			Run: c.N, Answered: c.Answered, Of: c.Of, Passage: c.Passage, Leans: c.Leans, Reason: c.Reason})
	}
	items, err := s.db.CalibrationSet(r.Context(), b.ID)
	if err != nil {
		return err
	}
	said := remarks(talk)
	for _, i := range items {
		d.Items = append(d.Items, page.TalkedItem{ID: i.ID, SourceID: i.SourceID, Said: said[i.ID]})
	}
	return show(w, r, status, page.Calibrations(d))
}

// decideCalibration lets an annotator go on, or has them take the set again.
func (s *Server) decideCalibration(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.ledBatch(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	by, account := who(r).ID, formID(r, "account")
	if fields.Get("act") == "again" {
		err = s.db.AskAgain(r.Context(), by, p, b, account)
	} else {
		err = s.db.LetGoOn(r.Context(), by, p, b.ID, account, fields.Get("reason"))
	}
	if status := refusal(err); status != 0 {
		return s.showCalibrations(w, r, status, p, b, wrongOf(err, ""))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name, "calibration"))
}

// sayAsLead adds a lead's word to the discussion of a calibration item.
func (s *Server) sayAsLead(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.ledBatch(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	item := formID(r, "item")
	if err := s.db.SayAsLead(r.Context(), who(r).ID, b.ID, item, fields.Get("says")); err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "batches", b.Name, "calibration")+"?"+openItem(item))
}
