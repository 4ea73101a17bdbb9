package web

import (
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func adjudicationFilterFromQuery(r *http.Request) page.AdjudicationFilter {
	return page.AdjudicationFilter{Batch: queryParam(r, "batch"), TiedOnly: queryParam(r, "show") == "tied"}
}

// An adjudicationQueue lists the items with disagreements, largest first.
type adjudicationQueue struct {
	rows        []page.AdjudicationRow
	hiddenItems int // items whose answers the lead must not see yet
}

func (s *Server) loadAdjudicationQueue(r *http.Request, p project.Project, filter page.AdjudicationFilter) (adjudicationQueue, error) {
	disagreements, err := s.disagreements.get(r.Context(), s.db, p, filter.Batch)
	if err != nil {
		return adjudicationQueue{}, err
	}
	visible, err := s.db.AdjudicationQueue(r.Context(), currentAccount(r).ID, p, disagreements)
	if err != nil {
		return adjudicationQueue{}, err
	}
	queue := adjudicationQueue{hiddenItems: visible.HiddenItems}
	for _, v := range visible.Rows {
		if filter.TiedOnly && len(v.TiedFields) == 0 {
			continue
		}
		row := page.AdjudicationRow{DisagreementItem: v.DisagreementItem}
		if d := v.Decision; d != nil {
			row.Decision = &page.AdjudicationDecision{DecisionNo: d.DecisionNo, DecidedBy: d.DecidedBy, CreatedAt: d.CreatedAt, Cause: d.Cause, Reason: d.Reason, HasNewerLabels: d.HasNewerLabels}
		}
		queue.rows = append(queue.rows, row)
	}
	return queue, nil
}

// split returns the unresolved items, largest disagreement first, and the
// adjudicated ones, latest decision first.
func (q adjudicationQueue) split() (unresolved, adjudicated []page.AdjudicationRow) {
	for _, row := range q.rows {
		if row.Decision == nil {
			unresolved = append(unresolved, row)
		} else {
			adjudicated = append(adjudicated, row)
		}
	}
	slices.SortStableFunc(adjudicated, func(a, b page.AdjudicationRow) int { return b.Decision.CreatedAt.Compare(a.Decision.CreatedAt) })
	return unresolved, adjudicated
}

// nextUnresolved returns the unresolved item after itemID, else the first one, or 0
// if no other item is unresolved.
func (q adjudicationQueue) nextUnresolved(itemID project.ItemID) project.ItemID {
	index := slices.IndexFunc(q.rows, func(row page.AdjudicationRow) bool { return row.ItemID == itemID })
	for _, row := range slices.Concat(q.rows[index+1:], q.rows[:max(index, 0)]) {
		if row.Decision == nil {
			return row.ItemID
		}
	}
	return 0
}

func (s *Server) showAdjudication(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.AdjudicationData{User: currentUser(r), Project: p, AdjudicationFilter: adjudicationFilterFromQuery(r)}
	var err error
	if d.Batches, err = s.batchNames(r.Context(), p); err != nil {
		return err
	}
	queue, err := s.loadAdjudicationQueue(r, p, d.AdjudicationFilter)
	if err != nil {
		return err
	}
	d.Unresolved, d.Resolved = queue.split()
	d.HiddenItems = queue.hiddenItems
	if queryParam(r, "after") == "adjudicated" {
		d.Notice = "Decision saved. The report uses it from now on."
	}
	return render(w, r, http.StatusOK, page.Adjudication(d))
}

// redirectToNextUnresolved goes to the next unresolved item, or to the list.
func (s *Server) redirectToNextUnresolved(w http.ResponseWriter, r *http.Request, p project.Project) error {
	filter := adjudicationFilterFromQuery(r)
	queue, err := s.loadAdjudicationQueue(r, p, filter)
	if err != nil {
		return err
	}
	if next := queue.nextUnresolved(pathID[project.ItemID](r)); next != 0 {
		return redirect(w, r, page.AdjudicationPath(p.Key, filter, formatID(next)))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "adjudication")+"?after=adjudicated")
}
