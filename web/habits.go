package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// closedKey stands for the batch in the key of a report of closed batches; no
// batch can have that name.
const closedKey = ".."

// showHabits lets annotators see their own habits, or no longer.
func (s *Server) showHabits(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	show := r.PostFormValue("show")
	if show != "yes" && show != "no" {
		return fault.Invalid.Says("Please choose whether annotators see their own habits.")
	}
	if err := s.db.ShowHabits(r.Context(), who(r).ID, p, show == "yes"); err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "report"))
}

// habits shows somebody their own habits in a project that allows it.
func (s *Server) habits(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.db.HabitProjects(r.Context(), who(r).ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(projects, func(p postgres.HabitProject) bool { return p.Key == asked(r, "project") })
	if at < 0 {
		return fault.NotFound
	}
	p := projects[at]
	d := page.HabitsData{Visitor: visitor(r), Project: p.Title, Closed: p.Closed > 0}
	if d.Closed {
		if err := s.ownHabits(w, r, p, &d); err != nil {
			return err
		}
	}
	return show(w, r, http.StatusOK, page.Habits(d))
}

func (s *Server) ownHabits(w http.ResponseWriter, r *http.Request, p postgres.HabitProject, d *page.HabitsData) error {
	reach, err := s.db.Reach(r.Context(), p.Project())
	if err != nil {
		return err
	}
	got, err := s.reports.ask(r.Context(), reportKey{project: p.ID, batch: closedKey}, reach, patience, func(ctx context.Context, tell func(report.Progress)) (report.Report, error) {
		data, err := s.db.HabitData(ctx, p)
		if err != nil {
			return report.Report{}, err
		}
		return report.Make(data, report.Options{Seed: reportSeed, Tell: tell})
	})
	if err != nil {
		return err
	}
	if got.report == nil {
		d.Computing = true
		w.Header().Set("Refresh", "5")
		return nil
	}
	if own, ok := got.report.Annotator(p.Pseudonym); ok {
		d.Own = &own
	}
	return nil
}

// habitLinks lead an annotator to their habits.
func (s *Server) habitLinks(r *http.Request) (links []ui.Link, err error) {
	projects, err := s.db.HabitProjects(r.Context(), who(r).ID)
	for _, p := range projects {
		if p.Closed > 0 {
			links = append(links, ui.Link{Path: "/work/habits?project=" + p.Key, Text: "Your habits in “" + p.Title + "”"})
		}
	}
	return links, err
}
