package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/page"
)

// reportSeed is that of every report, so that the same labels give the same
// intervals to everybody.
const reportSeed = 1

// report shows agreement, annotators and what was judged. A report that takes
// long is made behind the request, and the page says so.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	d, err := s.reported(w, r)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Report(d))
}

// reported returns what every page of a report shows.
func (s *Server) reported(w http.ResponseWriter, r *http.Request) (page.ReportData, error) {
	p, err := s.led(r)
	if err != nil {
		return page.ReportData{}, err
	}
	d := page.ReportData{Visitor: visitor(r), Project: p, Batch: asked(r, "batch"), By: asked(r, "by")}
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return d, err
	}
	for _, b := range batches {
		d.Batches = append(d.Batches, b.Name)
	}
	if d.Batch != "" && !slices.Contains(d.Batches, d.Batch) {
		return d, fault.NotFound.Says("There is no batch “%s” in this project.", d.Batch)
	}
	reach, err := s.db.Reach(r.Context(), p)
	if err != nil {
		return d, err
	}
	if d.HabitsShown, err = s.db.HabitsShown(r.Context(), p); err != nil {
		return d, err
	}
	key := reportKey{p.ID, d.Batch, d.By}
	got, err := s.reports.ask(r.Context(), key, reach, patience, func(ctx context.Context, tell func(report.Progress)) (report.Report, error) {
		return s.makeReport(ctx, p, d.Batch, d.By, tell)
	})
	if err == nil && got.stale {
		w.Header().Set("Refresh", "5")
	}
	d.Report, d.Stale, d.Making = got.report, got.stale, page.Making(got.making)
	return d, err
}

func (s *Server) makeReport(ctx context.Context, p project.Project, batch, by string, tell func(report.Progress)) (report.Report, error) {
	data, err := s.db.ReportData(ctx, p, batch)
	if err != nil {
		return report.Report{}, err
	}
	return report.Make(data, report.Options{Seed: reportSeed, By: by, Tell: tell})
}

// consensus lists what people settled on, item by item.
func (s *Server) consensus(w http.ResponseWriter, r *http.Request) error {
	d, err := s.reported(w, r)
	if err != nil {
		return err
	}
	if d.Report, err = s.unblinded(r, d); err != nil {
		return err
	}
	sheet, err := sheetOf(r)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Consensus(page.ConsensusData{ReportData: d, Field: asked(r, "field"), How: stats.Settling(asked(r, "how")), Sheet: sheet}))
}

// mostSheets bounds which page of a list can be asked for.
const mostSheets = 1_000_000

// sheetOf returns which page of a list is asked for, from 1.
func sheetOf(r *http.Request) (int, error) {
	sheet, err := strconv.Atoi(cmp.Or(asked(r, "page"), "1"))
	if err != nil || sheet < 1 || sheet > mostSheets {
		return 0, fault.NotFound
	}
	return sheet, nil
}

// disagreements lists the answers on which people differ, the worst first.
func (s *Server) disagreements(w http.ResponseWriter, r *http.Request) error {
	d, err := s.reported(w, r)
	if err != nil {
		return err
	}
	if d.Report, err = s.unblinded(r, d); err != nil {
		return err
	}
	sheet, err := sheetOf(r)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Disagreements(page.DisagreementsData{ReportData: d, Field: asked(r, "field"), Sheet: sheet}))
}

// disagreement sets everybody's answers to one item side by side.
func (s *Server) disagreement(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	item, err := s.db.Item(r.Context(), p.ID, numberOf(r))
	if err != nil {
		return err
	}
	blind, err := s.db.BlindItems(r.Context(), p, who(r).ID)
	if err != nil {
		return err
	}
	if slices.Contains(blind, item.ID) {
		return labeling.Blinded
	}
	givens, err := s.db.Givens(r.Context(), p, item.ID)
	if err != nil {
		return err
	}
	d := page.SideBySideData{Visitor: visitor(r), Project: p, Item: item}
	for _, g := range givens {
		d.Answers = append(d.Answers, page.Given(g))
	}
	return show(w, r, http.StatusOK, page.SideBySide(d))
}

// annotator shows what one person's labels say, under their pseudonym.
func (s *Server) annotator(w http.ResponseWriter, r *http.Request) error {
	name := param(r, "pseudonym")
	p, err := s.led(r)
	if err != nil {
		return err
	}
	members, err := s.db.Members(r.Context(), p.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(members, func(m postgres.Member) bool { return m.Pseudonym == name }) {
		return fault.NotFound.Says("Nobody in this project is called “%s”.", name)
	}
	blind, err := s.db.BlindItems(r.Context(), p, who(r).ID)
	if err != nil {
		return err
	}
	if len(blind) > 0 {
		return fault.Forbidden.Says("You label in a batch of this project that is still open, so what the others' answers say of them stays closed to you. Close the batch first, or let another lead look.")
	}
	d, err := s.reported(w, r)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.Annotator(page.AnnotatorData{ReportData: d, Name: name}))
}
