package web

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/web/page"
)

// showReport shows the summary of the report. A report that takes long is
// computed in the background, and the page says so.
func (s *Server) showReport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d, err := s.loadReport(w, r, p)
	if err != nil {
		return err
	}
	if err := s.setBatches(r, p, &d); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Report(d))
}

// showReportPart returns the handler of a page of the report below the summary.
func (s *Server) showReportPart(part page.ReportPart) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, p project.Project) error {
		d, err := s.loadReport(w, r, p)
		if err != nil {
			return err
		}
		if err := s.setBatches(r, p, &d); err != nil {
			return err
		}
		return render(w, r, http.StatusOK, page.ReportDetails(d, part))
	}
}

// setBatches sets which batches are open, so that pages say what is not final.
func (s *Server) setBatches(r *http.Request, p project.Project, d *page.ReportData) error {
	batches, err := s.db.Batches(r.Context(), currentAccount(r).ID, p.ID)
	if err != nil {
		return err
	}
	d.SetBatches(batches)
	return nil
}

// downloadReport sends the report of the pages, as the command writes it. While it is computed, it shows the
// progress instead.
func (s *Server) downloadReport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d, status, err := s.loadReportStatus(r, p)
	if err != nil {
		return err
	}
	if !status.IsFinal() {
		w.Header().Set("Refresh", "5")
		return render(w, r, http.StatusAccepted, page.PendingReportFile(d))
	}
	full, err := s.db.ReadReport(r.Context(), status)
	if err != nil {
		return err
	}
	name := p.Key + "-report.json"
	if d.Batch != "" {
		name = p.Key + "-" + d.Batch + "-report.json"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return full.WriteJSON(w)
}

// loadReport returns what the pages of a report show. While a newer report is computed, they reload.
func (s *Server) loadReport(w http.ResponseWriter, r *http.Request, p project.Project) (page.ReportData, error) {
	d, status, err := s.loadReportStatus(r, p)
	if err != nil {
		return d, err
	}
	if d.IsStale {
		w.Header().Set("Refresh", "5")
	}
	if d.RaterEffectsShown, err = s.db.ShowsRaterEffects(r.Context(), p); err != nil {
		return d, err
	}
	d.Report, err = s.db.ReadReport(r.Context(), status)
	if d.Report != nil {
		d.Report.SetTitles(p.Protocol)
	}
	if d.Report != nil && !currentAccount(r).Role.CanLead() {
		d.Report = new(d.Report.ForViewers())
	}
	return d, err
}

// parseEpsilon returns ε of the test of judges; nil if text is empty or the default.
func parseEpsilon(text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	epsilon, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && epsilon == judging.DefaultEpsilon:
		return nil, nil
	case err == nil && epsilon >= 0 && epsilon <= 1:
		return &epsilon, nil
	}
	return nil, fault.NotFound.Errorf("ε is “%s”. Choose a number from 0 to 1, such as 0.15.", text)
}

func (s *Server) reportStatus(ctx context.Context, actorID account.ID, p project.Project,
	choice postgres.ReportChoice) (postgres.ReportStatus, error) {
	return s.awaitReport(ctx, func(ctx context.Context) (postgres.ReportStatus, error) {
		return s.db.ReportStatus(ctx, actorID, p, choice)
	})
}

// loadReportStatus returns the data of a report page without the report, and the status of the one it shows.
func (s *Server) loadReportStatus(r *http.Request, p project.Project) (d page.ReportData, status postgres.ReportStatus,
	err error) {
	d = page.ReportData{User: currentUser(r), Project: p, Batch: queryParam(r, "batch"),
		GroupColumn: queryParam(r, "by")}
	if d.Epsilon, err = parseEpsilon(queryParam(r, "epsilon")); err != nil {
		return d, status, err
	}
	if d.Batches, err = s.db.BatchNames(r.Context(), p.ID); err != nil {
		return d, status, err
	}
	choice := postgres.ReportChoice{Batch: d.Batch, Column: d.GroupColumn, Epsilon: judging.DefaultEpsilon}
	if d.Epsilon != nil {
		choice.Epsilon = *d.Epsilon
	}
	if status, err = s.reportStatus(r.Context(), currentAccount(r).ID, p, choice); err != nil {
		return d, status, err
	}
	d.IsStale, d.FinishedAt, d.LaterLabels, d.HiddenItems = !status.IsCurrent, status.ComputedAt, status.LaterLabels,
		status.HiddenItems
	d.Progress = page.ReportProgress{BuildProgress: status.Progress}
	if !status.StartedAt.IsZero() {
		d.Progress.Elapsed = time.Since(status.StartedAt)
	}
	return d, status, nil
}

// showConsensus lists the consensus by item, and counts it by method as far as the report is
// computed.
func (s *Server) showConsensus(w http.ResponseWriter, r *http.Request, p project.Project) error {
	list, err := s.loadList(r, p, r.URL.Query(), func(l *page.ListData) {
		l.Filter.LabeledOnly, l.OwnShow = true, "labeled"
		l.Path, l.Caption = page.ProjectPath(p.Key, "consensus"), locale.From(r.Context()).T("Consensus by item")
		l.ActionPath, l.Actions = page.ProjectPath(p.Key, "items"), itemActions(locale.From(r.Context()), l.Filter)
		l.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id)) }
		l.Empty = locale.From(r.Context()).T("No labels yet. The consensus starts with the first submitted label.")
	})
	if err != nil {
		return err
	}
	if err := s.addConsensus(r, p, &list); err != nil {
		return err
	}
	query := r.URL.Query()
	query.Del("model") // the list is by the rule
	query.Del("epsilon")
	r.URL.RawQuery = query.Encode()
	d, err := s.loadReport(w, r, p)
	if err != nil {
		return err
	}
	w.Header().Del("Refresh") // a reload would end a search
	return render(w, r, http.StatusOK, page.Consensus(page.ConsensusData{ReportData: d, List: list}))
}

// showDisagreements lists the disagreements, largest first.
func (s *Server) showDisagreements(w http.ResponseWriter, r *http.Request, p project.Project) error {
	list, err := s.loadList(r, p, r.URL.Query(), func(l *page.ListData) {
		l.Filter.State, l.Filter.Sort, l.IsFixed = "", project.SortDisagreement, true
		l.Path, l.Caption = page.ProjectPath(p.Key, "disagreements"),
			locale.From(r.Context()).T("Disagreements, largest first")
		l.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id)) }
		l.Empty = locale.From(r.Context()).T(
			"No disagreements yet. They appear here when annotators give different answers to the same item.")
	})
	if err != nil {
		return err
	}
	if err := s.addLabels(r, p, &list); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Disagreements(page.DisagreementsData{User: currentUser(r), Project: p,
		List: list}))
}

// showAnnotator shows the results of one annotator, by pseudonym.
func (s *Server) showAnnotator(w http.ResponseWriter, r *http.Request, p project.Project) error {
	pseudonym := pathParam(r, "pseudonym")
	if err := s.db.CheckAnnotatorReport(r.Context(), currentAccount(r).ID, p, pseudonym); err != nil {
		return err
	}
	d, err := s.loadReport(w, r, p)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Annotator(page.AnnotatorData{ReportData: d, Name: pseudonym}))
}
