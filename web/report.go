package web

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/page"
)

// reportSeed is the seed of every report, so that the same labels always give
// the same intervals.
const reportSeed = 1

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
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d.SetBatches(batches)
	return nil
}

// maxDownloadAge is the age up to which a report with earlier labels is downloaded, so that a
// download also ends while annotators submit.
const maxDownloadAge = time.Minute

// downloadReport sends the report with all its rows, as the command writes it. While a large
// report is computed, it shows the progress instead.
func (s *Server) downloadReport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d, v, err := s.loadReportView(r, p)
	if err != nil {
		return err
	}
	status, err := s.fullReport(r.Context(), v.view, v.data, p, reportChoice(d))
	if err != nil {
		return err
	}
	if status.report == nil || status.isStale && time.Since(status.finished) > maxDownloadAge {
		w.Header().Set("Refresh", "5")
		d.Progress = status.progress
		return render(w, r, http.StatusAccepted, page.PendingReportFile(d))
	}
	full, err := s.db.VisibleReport(r.Context(), currentAccount(r).ID, p, status.report)
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

// loadReport returns what the pages of a report show.
func (s *Server) loadReport(w http.ResponseWriter, r *http.Request, p project.Project) (page.ReportData, error) {
	d, shared, err := s.loadSharedReport(w, r, p)
	if err == nil {
		d.Report, err = s.db.VisibleReport(r.Context(), currentAccount(r).ID, p, shared)
	}
	return d, err
}

// loadSharedReport returns the data of a report page, and the report itself or
// nil while it is being computed.
func (s *Server) loadSharedReport(w http.ResponseWriter, r *http.Request, p project.Project) (page.ReportData, *postgres.SharedReport, error) {
	d, v, err := s.loadReportView(r, p)
	if err != nil {
		return d, nil, err
	}
	status, err := s.sharedReport(r.Context(), v.view, v.data, p, reportChoice(d))
	if err == nil && status.isStale {
		w.Header().Set("Refresh", "5")
		if status.report != nil {
			d.LaterLabels, err = s.db.CountLaterLabels(r.Context(), p, d.Batch, status.report, page.MaxLaterLabels)
		}
	}
	d.IsStale, d.FinishedAt, d.Progress = status.isStale, status.finished, status.progress
	return d, status.report, err
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

// reportChoice returns which report pages show.
func reportChoice(d page.ReportData) api.ReportChoice {
	choice := api.ReportChoice{Batch: d.Batch, Column: d.GroupColumn, Epsilon: judging.DefaultEpsilon}
	if d.Epsilon != nil {
		choice.Epsilon = *d.Epsilon
	}
	return choice
}

// A reportVersion is what of the project's data a report is computed from.
type reportVersion struct {
	data postgres.DataVersion
	view postgres.ReportView
}

// loadReportView returns the data of a report page without the report, and which one it shows.
func (s *Server) loadReportView(r *http.Request, p project.Project) (d page.ReportData, v reportVersion, err error) {
	d = page.ReportData{User: currentUser(r), Project: p, Batch: queryParam(r, "batch"), GroupColumn: queryParam(r, "by")}
	if d.Epsilon, err = parseEpsilon(queryParam(r, "epsilon")); err != nil {
		return d, v, err
	}
	if d.Batches, err = s.db.BatchNames(r.Context(), p.ID); err != nil {
		return d, v, err
	}
	if d.Batch != "" && !slices.Contains(d.Batches, d.Batch) {
		return d, v, fault.NotFound.Errorf("This project has no batch “%s”.", d.Batch)
	}
	if v.data, err = s.db.DataVersion(r.Context(), p); err != nil {
		return d, v, err
	}
	if d.RaterEffectsShown, err = s.db.ShowsRaterEffects(r.Context(), p); err != nil {
		return d, v, err
	}
	v.view, err = s.db.ReportView(r.Context(), currentAccount(r).ID, p.ID)
	d.HiddenItems = v.view.HiddenItems()
	return d, v, err
}

// showConsensus lists the consensus by item, and counts it by method as far as the report is
// computed.
func (s *Server) showConsensus(w http.ResponseWriter, r *http.Request, p project.Project) error {
	list, err := s.loadList(r, p, r.URL.Query(), func(l *page.ListData) {
		l.Filter.LabeledOnly, l.OwnShow = true, "labeled"
		l.Path, l.Caption = page.ProjectPath(p.Key, "consensus"), "Consensus by item"
		l.ActionPath, l.Actions = page.ProjectPath(p.Key, "items"), itemActions(l.Filter)
		l.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id), "answers") }
		l.Empty = "No labels yet. The consensus starts with the first submitted label."
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
		l.Path, l.Caption = page.ProjectPath(p.Key, "disagreements"), "Disagreements, largest first"
		l.ItemPath = func(id project.ItemID) string { return page.ProjectPath(p.Key, "items", formatID(id), "answers") }
		l.Empty = "No disagreements yet. They appear here when annotators give different answers to the same item."
	})
	if err != nil {
		return err
	}
	if err := s.addLabels(r, p, &list); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Disagreements(page.DisagreementsData{User: currentUser(r), Project: p, List: list}))
}

// showAnnotator shows the results of one annotator, by pseudonym.
func (s *Server) showAnnotator(w http.ResponseWriter, r *http.Request, p project.Project) error {
	pseudonym := pathParam(r, "pseudonym")
	d, shared, err := s.loadSharedReport(w, r, p)
	if err != nil {
		return err
	}
	if d.Report, err = s.db.AnnotatorReport(r.Context(), currentAccount(r).ID, p, pseudonym, shared); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Annotator(page.AnnotatorData{ReportData: d, Name: pseudonym}))
}
