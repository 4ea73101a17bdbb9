package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/page"
)

// reportSeed is that of every report, so that the same labels give the same
// intervals to everybody.
const reportSeed = 1

// showReport shows agreement, annotators and what was judged. A report that takes
// long is made behind the request, and the page says so.
func (s *Server) showReport(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadReport(w, r)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Report(d))
}

// loadReport returns what the pages of a report show.
func (s *Server) loadReport(w http.ResponseWriter, r *http.Request) (page.ReportData, error) {
	d, shared, err := s.loadSharedReport(w, r)
	if err == nil {
		d.Report, err = s.db.VisibleReport(r.Context(), currentAccount(r).ID, d.Project, shared)
	}
	return d, err
}

// loadSharedReport returns the data of a report page and the report itself, nil while
// it is being computed.
func (s *Server) loadSharedReport(w http.ResponseWriter, r *http.Request) (page.ReportData, *postgres.SharedReport, error) {
	p, err := s.projectFromPath(r)
	if err != nil {
		return page.ReportData{}, nil, err
	}
	d := page.ReportData{User: currentUser(r), Project: p, Batch: queryParam(r, "batch"), GroupColumn: queryParam(r, "by")}
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return d, nil, err
	}
	for _, b := range batches {
		d.Batches = append(d.Batches, b.Name)
	}
	if d.Batch != "" && !slices.Contains(d.Batches, d.Batch) {
		return d, nil, fault.NotFound.Errorf("There is no batch “%s” in this project.", d.Batch)
	}
	version, err := s.db.DataVersion(r.Context(), p)
	if err != nil {
		return d, nil, err
	}
	if d.RaterEffectsShown, err = s.db.ShowsRaterEffects(r.Context(), p); err != nil {
		return d, nil, err
	}
	key := reportKey{p.ID, d.Batch, d.GroupColumn}
	status, err := s.reports.get(r.Context(), key, version, reportTimeout, func(ctx context.Context, setProgress func(report.BuildProgress)) (*postgres.SharedReport, error) {
		return s.db.BuildReport(ctx, p, d.Batch, report.BuildOptions{Seed: reportSeed, Column: d.GroupColumn, OnProgress: setProgress})
	})
	if err == nil && status.isStale {
		w.Header().Set("Refresh", "5")
	}
	d.IsStale, d.Progress = status.isStale, page.ReportProgress(status.progress)
	return d, status.report, err
}

// showConsensus lists what people settled on, item by item.
func (s *Server) showConsensus(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadReport(w, r)
	if err != nil {
		return err
	}
	pageNo, err := pageNumber(r)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Consensus(page.ConsensusData{ReportData: d, Field: queryParam(r, "field"), Method: stats.ConsensusMethod(queryParam(r, "method")), PageNo: pageNo}))
}

// maxPageNo bounds which page of a list can be asked for.
const maxPageNo = 1_000_000

// pageNumber returns which page of a list is asked for, from 1.
func pageNumber(r *http.Request) (int, error) {
	pageNo, err := strconv.Atoi(cmp.Or(queryParam(r, "page"), "1"))
	if err != nil || pageNo < 1 || pageNo > maxPageNo {
		return 0, fault.NotFound
	}
	return pageNo, nil
}

// showDisagreements lists the answers on which people differ, the worst first.
func (s *Server) showDisagreements(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadReport(w, r)
	if err != nil {
		return err
	}
	pageNo, err := pageNumber(r)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Disagreements(page.DisagreementsData{ReportData: d, Field: queryParam(r, "field"), PageNo: pageNo}))
}

// showItemAnswers sets everybody's answers to one item side by side.
func (s *Server) showItemAnswers(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	item, err := s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	answers, err := s.db.ItemAnnotations(r.Context(), currentAccount(r).ID, p, item.ID)
	if err != nil {
		return err
	}
	d := page.SideBySideData{User: currentUser(r), Project: p, Item: item}
	for _, g := range answers {
		d.Answers = append(d.Answers, page.AnnotatorAnswers(g))
	}
	return render(w, r, http.StatusOK, page.SideBySide(d))
}

// showAnnotator shows what one person's labels say, under their pseudonym.
func (s *Server) showAnnotator(w http.ResponseWriter, r *http.Request) error {
	pseudonym := pathParam(r, "pseudonym")
	d, shared, err := s.loadSharedReport(w, r)
	if err != nil {
		return err
	}
	if d.Report, err = s.db.AnnotatorReport(r.Context(), currentAccount(r).ID, d.Project, pseudonym, shared); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Annotator(page.AnnotatorData{ReportData: d, Name: pseudonym}))
}
