package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
)

// calibration shows an annotator how the set they finished lies to the
// reference.
func (s *Server) calibration(w http.ResponseWriter, r *http.Request) error {
	batch := askedID(r, "batch")
	if shown, err := s.warn(w, r, batch); shown || err != nil {
		return err
	}
	c, err := s.db.Calibration(r.Context(), who(r).ID, batch)
	if err != nil {
		return err
	}
	d, err := s.calibrationData(r.Context(), c)
	if err != nil {
		return err
	}
	d.Visitor, d.Shown = visitor(r), asked(r, "item")
	return show(w, r, http.StatusOK, page.Calibration(d))
}

func (s *Server) calibrationData(ctx context.Context, c postgres.Calibrated) (page.CalibrationData, error) {
	talk, err := s.db.Discussion(ctx, c.BatchID)
	if err != nil {
		return page.CalibrationData{}, err
	}
	said := remarks(talk)
	d := page.CalibrationData{
		Project: page.Project{Title: c.Project.Title, SupportURL: c.Project.SupportURL}, Batch: strconv.FormatInt(c.BatchID, 10),
		Protocol: c.Project.Protocol, Passage: c.Passage, Leans: c.Leans, Talk: talk.Open, Reason: c.Reason,
	}
	for _, i := range c.Items {
		d.Items = append(d.Items, page.CalibratedItem{ID: strconv.FormatInt(i.ItemID, 10), Content: i.Content, Facts: i.Facts,
			Answered: i.Answered, Own: i.Own, Reference: i.Reference, Why: i.Why, Said: said[i.ItemID]})
	}
	return d, nil
}

// remarks sorts what was said by item.
func remarks(d postgres.Discussion) map[int64][]page.Remark {
	said := map[int64][]page.Remark{}
	for _, r := range d.Remarks {
		said[r.ItemID] = append(said[r.ItemID], page.Remark{Who: r.Who, At: r.At, Says: r.Says})
	}
	return said
}

// warn shows the content warning of a batch's project, where it has not been
// read today, and reports whether it did.
func (s *Server) warn(w http.ResponseWriter, r *http.Request, batch int64) (shown bool, err error) {
	warning, err := s.db.Warning(r.Context(), who(r).ID, batch)
	if err != nil || warning.Text == "" {
		return false, err
	}
	return true, show(w, r, http.StatusOK, page.ContentWarning(page.ContentWarningData{Visitor: visitor(r), Batch: strconv.FormatInt(batch, 10),
		Project: page.Project{Title: warning.Title, SupportURL: warning.SupportURL}, Warning: warning.Text}))
}

// readWarningOf takes the warning as read where no item follows.
func (s *Server) readWarningOf(w http.ResponseWriter, r *http.Request) error {
	batch := formID(r, "batch")
	if err := s.db.ReadWarningOf(r.Context(), who(r).ID, batch); err != nil {
		return err
	}
	return s.onTo(w, r, batch, "")
}

// formID returns a number of a form, or 0, which is nobody's.
func formID(r *http.Request, key string) int64 {
	id, err := strconv.ParseInt(r.PostFormValue(key), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

func calibrationPath(batch int64) string {
	return "/work/calibration?batch=" + strconv.FormatInt(batch, 10)
}

// openItem has a page with a discussion open at an item.
func openItem(item int64) string {
	id := strconv.FormatInt(item, 10)
	return "item=" + id + "#item-" + id
}

func (s *Server) readSection(w http.ResponseWriter, r *http.Request) error {
	batch, section := formID(r, "batch"), r.PostFormValue("section")
	if !storable(section) {
		return errUnreadable
	}
	if err := s.db.ReadSection(r.Context(), who(r).ID, batch, section); err != nil {
		return err
	}
	return seeOther(w, r, calibrationPath(batch)+"#next")
}

// beginWork leads from the calibration to the first item.
func (s *Server) beginWork(w http.ResponseWriter, r *http.Request) error {
	batch := formID(r, "batch")
	if err := s.db.BeginWork(r.Context(), who(r).ID, batch); err != nil {
		return err
	}
	return s.nextOf(w, r, batch)
}

// takeAgain leads to the first item of the set, once more.
func (s *Server) takeAgain(w http.ResponseWriter, r *http.Request) error {
	batch := formID(r, "batch")
	err := s.db.TakeAgain(r.Context(), who(r).ID, batch)
	if err != nil && fault.KindOf(err) != fault.NotFound { // sent twice, the set is open already
		return err
	}
	return s.nextOf(w, r, batch)
}

func (s *Server) nextOf(w http.ResponseWriter, r *http.Request, batch int64) error {
	token, err := s.db.Begin(r.Context(), who(r).ID, batch)
	if err != nil {
		return err
	}
	return s.onTo(w, r, batch, token)
}

func (s *Server) say(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	batch, item := formID(r, "batch"), formID(r, "item")
	if err := s.db.Say(r.Context(), who(r).ID, batch, item, fields.Get("says")); err != nil {
		return err
	}
	return seeOther(w, r, calibrationPath(batch)+"&"+openItem(item))
}
