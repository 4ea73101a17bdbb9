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

// closedBatchesKey stands for the batch in the key of a report of closed batches; no
// batch can have that name.
const closedBatchesKey = ".."

// setRaterEffectsVisibility lets annotators see their own habits, or no longer.
func (s *Server) setRaterEffectsVisibility(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	visibility := r.PostFormValue("visible")
	if visibility != "yes" && visibility != "no" {
		return fault.Invalid.Errorf("Please choose whether annotators see their own habits.")
	}
	if err := s.db.SetShowRaterEffects(r.Context(), currentAccount(r).ID, p, visibility == "yes"); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "report"))
}

// showRaterEffects shows somebody their own habits in a project that allows it.
func (s *Server) showRaterEffects(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.db.RaterEffectProjects(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(projects, func(p postgres.RaterEffectProject) bool { return p.Key == queryParam(r, "project") })
	if index < 0 {
		return fault.NotFound
	}
	p := projects[index]
	d := page.RaterEffectsData{User: currentUser(r), ProjectTitle: p.Title, HasClosedBatch: p.ClosedBatches > 0}
	if d.HasClosedBatch {
		if err := s.loadOwnRaterEffects(w, r, p, &d); err != nil {
			return err
		}
	}
	return render(w, r, http.StatusOK, page.RaterEffects(d))
}

func (s *Server) loadOwnRaterEffects(w http.ResponseWriter, r *http.Request, p postgres.RaterEffectProject, d *page.RaterEffectsData) error {
	version, err := s.db.DataVersion(r.Context(), p.Project())
	if err != nil {
		return err
	}
	status, err := s.reports.get(r.Context(), reportKey{projectID: p.ID, batch: closedBatchesKey}, version, reportTimeout, func(ctx context.Context, setProgress func(report.BuildProgress)) (*postgres.SharedReport, error) {
		return s.db.BuildRaterEffects(ctx, p, report.BuildOptions{Seed: reportSeed, OnProgress: setProgress})
	})
	if err != nil {
		return err
	}
	if status.report == nil {
		d.IsComputing = true
		w.Header().Set("Refresh", "5")
		return nil
	}
	if own, ok := p.OwnResult(status.report); ok {
		d.Annotator = &own
	}
	return nil
}

// raterEffectLinks lead an annotator to their habits.
func (s *Server) raterEffectLinks(r *http.Request) (links []ui.Link, err error) {
	projects, err := s.db.RaterEffectProjects(r.Context(), currentAccount(r).ID)
	for _, p := range projects {
		if p.ClosedBatches > 0 {
			links = append(links, ui.Link{Path: "/work/rater-effects?project=" + p.Key, Text: "Your habits in “" + p.Title + "”"})
		}
	}
	return links, err
}
