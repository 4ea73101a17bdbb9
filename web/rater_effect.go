package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// setRaterEffectsVisibility sets whether annotators see their own rater effects.
func (s *Server) setRaterEffectsVisibility(w http.ResponseWriter, r *http.Request, p project.Project) error {
	visibility := r.PostFormValue("visible")
	if visibility != "yes" && visibility != "no" {
		return fault.Invalid.Errorf("Choose whether annotators see their own rater effects.")
	}
	if err := s.db.SetShowRaterEffects(r.Context(), currentAccount(r).ID, p, visibility == "yes"); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "report", string(page.AnnotatorsPart)))
}

// showRaterEffects shows annotators their own rater effects in a project that
// allows it.
func (s *Server) showRaterEffects(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.db.RaterEffectProjects(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(projects, func(p postgres.RaterEffectProject) bool {
		return p.Key == queryParam(r, "project")
	})
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

func (s *Server) loadOwnRaterEffects(w http.ResponseWriter, r *http.Request, p postgres.RaterEffectProject,
	d *page.RaterEffectsData) error {
	status, err := s.awaitReport(r.Context(), func(ctx context.Context) (postgres.ReportStatus, error) {
		return s.db.RaterEffectStatus(ctx, p)
	})
	if err != nil {
		return err
	}
	shared, err := s.db.ReadReport(r.Context(), status)
	if err != nil {
		return err
	}
	if shared == nil {
		d.IsComputing = true
		w.Header().Set("Refresh", "5")
		return nil
	}
	if own, ok := shared.Annotator(p.Pseudonym); ok {
		d.Annotator, d.Tests = &own, shared.RaterEffects
	}
	return nil
}

// raterEffectLinks returns links to the user's rater effects in each project.
func raterEffectLinks(l *locale.Locale, projects []postgres.RaterEffectProject) (links []ui.Link) {
	for _, p := range projects {
		if p.ClosedBatches > 0 {
			links = append(links, ui.Link{Path: "/work/rater-effects?project=" + p.Key,
				Text: l.T("Your rater effects in “%s”", p.Title)})
		}
	}
	return links
}
