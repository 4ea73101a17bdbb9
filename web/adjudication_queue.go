package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// adjudicationFilterFromQuery reads the filter of the queue that an address names.
func adjudicationFilterFromQuery(r *http.Request) page.AdjudicationFilter {
	f := page.FilterFromQuery(r.URL.Query())
	f.State = ""
	f.UnresolvedOnly, f.Sort = true, project.SortDisagreement
	switch {
	case queryParam(r, "show") == "decided":
		f.UnresolvedOnly, f.Sort = false, project.SortDecided
	case f.SpotCheckOnly:
		f.UnresolvedOnly, f.Sort = false, project.SortImported
	}
	return page.AdjudicationFilter{ItemFilter: f}
}

// showAdjudication lists the disagreements without a decision, largest first, the spot checks to do, or the
// decisions, latest first.
func (s *Server) showAdjudication(w http.ResponseWriter, r *http.Request, p project.Project) error {
	filter := adjudicationFilterFromQuery(r)
	d := page.AdjudicationData{User: currentUser(r), Project: p, AdjudicationFilter: filter,
		ShowsDecided: filter.Sort == project.SortDecided}
	var err error
	if d.SpotChecks, err = s.db.SpotChecks(r.Context(), currentAccount(r).ID, p); err != nil {
		return err
	}
	d.List, err = s.loadList(r, p, r.URL.Query(), func(l *page.ListData) {
		l.Path, l.Filter, l.IsFixed, l.Caption = page.ProjectPath(p.Key, "adjudication"), filter.ItemFilter, true,
			d.Caption(currentLocale(r))
		l.ItemPath = func(id project.ItemID) string { return page.AdjudicationPath(p.Key, filter, formatID(id)) }
		l.Empty = d.EmptyText(currentLocale(r))
		if d.ShowsDecided {
			l.ActionPath, l.Actions = page.ProjectPath(p.Key, "items"), []page.ListAction{{Value: actionCalibrate,
				Text: currentLocale(r).T("Use for calibration or as gold")}}
		}
	})
	if err != nil {
		return err
	}
	if err := s.addLabels(r, p, &d.List); err != nil {
		return err
	}
	for id, answers := range d.List.Labels {
		d.List.Labels[id] = page.LetterAnswers(id, answers)
	}
	if !d.SpotCheckOnly {
		if d.Unresolved, d.Resolved, err = s.countDisagreements(r, p, filter); err != nil {
			return err
		}
	}
	if d.ShowsDecided {
		if err := s.addDecisions(r, p, &d.List); err != nil {
			return err
		}
		if d.Causes, err = s.causeRows(r, p); err != nil {
			return err
		}
	}
	if queryParam(r, "after") == "adjudicated" {
		d.Notice = currentLocale(r).T("Decision saved. The report uses it from now on.")
	}
	return render(w, r, http.StatusOK, page.Adjudication(d))
}

// countDisagreements counts the disagreements, or the spot checks, without and with a decision.
func (s *Server) countDisagreements(r *http.Request, p project.Project, filter page.AdjudicationFilter) (unresolved,
	resolved project.ItemCount, err error) {
	f := filter.ItemFilter
	if f.SpotCheckOnly {
		unresolved, err = s.db.CountItems(r.Context(), currentAccount(r).ID, p, f, false)
		if err != nil {
			return unresolved, resolved, err
		}
		checks, err := s.db.SpotChecks(r.Context(), currentAccount(r).ID, p)
		return unresolved, project.ItemCount{Items: checks.Corrected.Total}, err
	}
	f.UnresolvedOnly, f.Sort = true, project.SortDisagreement
	if unresolved, err = s.db.CountItems(r.Context(), currentAccount(r).ID, p, f, false); err != nil {
		return unresolved, resolved, err
	}
	f.UnresolvedOnly, f.Sort = false, project.SortDecided
	resolved, err = s.db.CountItems(r.Context(), currentAccount(r).ID, p, f, false)
	return unresolved, resolved, err
}

// addDecisions adds the current decisions to a list.
func (s *Server) addDecisions(r *http.Request, p project.Project, d *page.ListData) error {
	decisions, err := s.db.CurrentDecisions(r.Context(), currentAccount(r).ID, p, listedIDs(d))
	d.Decisions = map[project.ItemID]page.AdjudicationDecision{}
	for id, c := range decisions {
		d.Decisions[id] = newAdjudicationDecision(c)
	}
	return err
}

// causeRows counts the causes of the decisions.
func (s *Server) causeRows(r *http.Request, p project.Project) (rows []ui.SummaryRow, err error) {
	counts, err := s.db.CauseCounts(r.Context(), currentAccount(r).ID, p)
	for _, c := range counts {
		rows = append(rows, ui.SummaryRow{Label: currentLocale(r).Translate(locale.Text(c.Cause.Text())),
			Value: currentLocale(r).Number(c.Count)})
	}
	return rows, err
}

func newAdjudicationDecision(d postgres.CurrentDecision) page.AdjudicationDecision {
	return page.AdjudicationDecision{DecisionNo: d.DecisionNo, DecidedBy: d.DecidedBy, CreatedAt: d.CreatedAt,
		Cause: d.Cause, Reason: d.Reason, HasNewerLabels: d.HasNewerLabels}
}

// redirectToNextUnresolved goes to the next unresolved item, or to the list.
func (s *Server) redirectToNextUnresolved(w http.ResponseWriter, r *http.Request, p project.Project) error {
	filter := adjudicationFilterFromQuery(r)
	neighbor, err := s.db.DisagreementNeighbor(r.Context(), currentAccount(r).ID, p, filter.ItemFilter,
		pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	if neighbor.Next != 0 {
		return redirect(w, r, page.AdjudicationPath(p.Key, filter, formatID(neighbor.Next)))
	}
	if filter.SpotCheckOnly {
		return redirect(w, r, page.SpotChecksPath(p.Key)+"&after=adjudicated")
	}
	return redirect(w, r, page.ProjectPath(p.Key, "adjudication")+"?after=adjudicated")
}

// drawSpotChecks draws agreed items and shows them.
func (s *Server) drawSpotChecks(w http.ResponseWriter, r *http.Request, p project.Project) error {
	count, err := readWholeNumber(r.PostForm, "count", locale.Text("The number of items"))
	if err != nil {
		return err
	}
	if _, err := s.db.DrawSpotChecks(r.Context(), currentAccount(r).ID, p, count); err != nil {
		return err
	}
	return redirect(w, r, page.SpotChecksPath(p.Key))
}
