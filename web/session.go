package web

import (
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// sessionPage shows what a project decides about its sessions.
func (s *Server) sessionPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.SessionData{Visitor: visitor(r), Project: p}
	if d.Session, err = s.db.SessionOf(r.Context(), p.ID); err != nil {
		return err
	}
	if asked(r, "after") == "kept" {
		d.Notice = "Kept. It holds from now on."
	}
	return show(w, r, http.StatusOK, page.SessionPage(d))
}

// setSession takes the form of it.
func (s *Server) setSession(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	session, wrong := readSession(fields)
	if len(wrong) == 0 {
		err = s.db.SetSession(r.Context(), who(r).ID, p, session)
	}
	status := refusal(err)
	if status != 0 {
		wrong = wrongOf(err, "")
	} else if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return show(w, r, max(status, http.StatusUnprocessableEntity), page.SessionPage(page.SessionData{Visitor: visitor(r), Project: p, Session: session, Wrong: wrong}))
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "session")+"?after=kept")
}

func readSession(fields url.Values) (project.Session, page.Wrong) {
	var wrong page.Wrong
	number := func(key, what string) int {
		n, err := whole(fields, key, what)
		if err != nil {
			wrong = append(wrong, wrongOf(err, key)...)
		}
		return n
	}
	return project.Session{
		AfterMiss: fields.Get("after_miss"), AsideNext: fields.Get("aside_next"),
		BreakAfter: number("break_after", "The time until a break"), DayItems: number("day_items", "The day's limit"),
		SittingMinutes: number("sitting_minutes", "The longest sitting"), ReturnAfter: number("return_after", "The time until an item goes back"),
		Warning: fields.Get("warning"), SupportURL: fields.Get("support_url"),
	}, wrong
}
