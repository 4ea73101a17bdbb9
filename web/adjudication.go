package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// adjudicationFilterFromQuery reads which disputes somebody goes through.
func adjudicationFilterFromQuery(r *http.Request) page.AdjudicationFilter {
	return page.AdjudicationFilter{Batch: queryParam(r, "batch"), TiedOnly: queryParam(r, "show") == "tied"}
}

// A adjudicationQueue is what people differ on, the worst first.
type adjudicationQueue struct {
	lines       []page.AdjudicationRow
	hiddenItems int // items that stay closed to whoever looks
}

func (s *Server) loadAdjudicationQueue(r *http.Request, p project.Project, q page.AdjudicationFilter) (adjudicationQueue, error) {
	disagreements, err := s.disagreements.get(r.Context(), s.db, p, q.Batch)
	if err != nil {
		return adjudicationQueue{}, err
	}
	visible, err := s.db.AdjudicationQueue(r.Context(), currentAccount(r).ID, p, disagreements)
	if err != nil {
		return adjudicationQueue{}, err
	}
	queue := adjudicationQueue{hiddenItems: visible.HiddenItems}
	for _, row := range visible.Rows {
		if q.TiedOnly && len(row.TiedFields) == 0 {
			continue
		}
		line := page.AdjudicationRow{DisagreementItem: row.DisagreementItem}
		if decision := row.Decision; decision != nil {
			line.Decision = &page.AdjudicationDecision{DecisionNo: decision.DecisionNo, DecidedBy: decision.DecidedBy, CreatedAt: decision.CreatedAt, Cause: decision.Cause, Reason: decision.Reason, HasNewerLabels: decision.HasNewerLabels}
		}
		queue.lines = append(queue.lines, line)
	}
	return queue, nil
}

// split returns what is open, the worst first, and what is settled, the last
// first.
func (q adjudicationQueue) split() (open, adjudicated []page.AdjudicationRow) {
	for _, l := range q.lines {
		if l.Decision == nil {
			open = append(open, l)
		} else {
			adjudicated = append(adjudicated, l)
		}
	}
	slices.SortStableFunc(adjudicated, func(a, b page.AdjudicationRow) int { return b.Decision.CreatedAt.Compare(a.Decision.CreatedAt) })
	return open, adjudicated
}

// nextOpen returns the open item that follows one in the queue, or else the first
// that is open; 0: none but that one.
func (q adjudicationQueue) nextOpen(itemID project.ItemID) project.ItemID {
	index := slices.IndexFunc(q.lines, func(l page.AdjudicationRow) bool { return l.ItemID == itemID })
	for _, l := range slices.Concat(q.lines[index+1:], q.lines[:max(index, 0)]) {
		if l.Decision == nil {
			return l.ItemID
		}
	}
	return 0
}

// showAdjudication lists what is to be settled.
func (s *Server) showAdjudication(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	d := page.AdjudicationData{User: currentUser(r), Project: p, AdjudicationFilter: adjudicationFilterFromQuery(r)}
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return err
	}
	for _, b := range batches {
		d.Batches = append(d.Batches, b.Name)
	}
	queue, err := s.loadAdjudicationQueue(r, p, d.AdjudicationFilter)
	if err != nil {
		return err
	}
	d.Unresolved, d.Resolved = queue.split()
	d.HiddenItems = queue.hiddenItems
	if queryParam(r, "after") == "adjudicated" {
		d.Notice = "Settled. It counts in the report from now on."
	}
	return render(w, r, http.StatusOK, page.Adjudication(d))
}

// showAdjudicationItem asks for a decision on an item: with what was typed before,
// with what most say where that is asked for, as it was decided before, or with
// nothing filled in.
func (s *Server) showAdjudicationItem(w http.ResponseWriter, r *http.Request) error {
	return s.renderDecision(w, r, http.StatusOK, func(c postgres.AdjudicationItem, d *page.AdjudicateData) {
		switch {
		case queryParam(r, "prefill") == "majority":
			d.ConsensusFilled, d.Decision.Answers.Values = true, c.Consensus(d.Project.Protocol)
		case c.Draft.Version > 0 && queryParam(r, "prefill") != "none":
			d.DraftRestored, d.Decision = true, c.Draft.Decision
		case len(c.History) > 0:
			last := c.History[0]
			d.Decision.Answers = protocol.Answers{Values: last.Answers, Observations: last.Observations, Unsure: last.Unsure, Note: last.Note}
		}
	})
}

// renderDecision shows an item as it stands, with the form as fill has it.
func (s *Server) renderDecision(w http.ResponseWriter, r *http.Request, status int, fill func(postgres.AdjudicationItem, *page.AdjudicateData)) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	c, err := s.db.AdjudicationItem(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	d := page.AdjudicateData{User: currentUser(r), Project: p, AdjudicationFilter: adjudicationFilterFromQuery(r), Item: c.Item, Adjudicable: c.Adjudicable, MissingLabels: c.MissingLabels,
		SeenAnnotationID: c.LastAnnotationID(), DraftVersion: c.Draft.Version, FormKey: c.FormKey, ShortcutsDisabled: s.sessions.GetBool(r.Context(), sessionShortcutsDisabled)}
	for _, g := range c.Annotations {
		d.Answers = append(d.Answers, page.AnnotatorAnswers(g))
	}
	for _, h := range c.History {
		d.History = append(d.History, page.AdjudicationDecision{DecisionNo: h.DecisionNo, DecidedBy: h.DecidedBy, CreatedAt: h.CreatedAt, Cause: h.Cause, Reason: h.Reason})
	}
	queue, err := s.loadAdjudicationQueue(r, p, d.AdjudicationFilter)
	if err != nil {
		return err
	}
	open, adjudicated := queue.split()
	d.ResolvedCount, d.TotalCount, d.NextItemID = len(adjudicated), len(open)+len(adjudicated), queue.nextOpen(d.Item.ID)
	fill(c, &d)
	return render(w, r, status, page.Adjudicate(d))
}

// A decisionForm is the form of a decision as it was sent.
type decisionForm struct {
	labelingForm
	decision    labeling.Decision
	seenVersion postgres.SeenVersion
	formKey     string // whose form it is
}

func readDecisionForm(r *http.Request) (decisionForm, error) {
	fields, err := readFields(r)
	if err != nil {
		return decisionForm{}, err
	}
	submitted := decisionForm{decision: labeling.Decision{Cause: labeling.DisagreementCause(fields.Get(labeling.CauseKey)),
		Reason: strings.ReplaceAll(fields.Get(labeling.ReasonKey), "\r\n", "\n")}}
	submitted.seenVersion.LastAnnotationID = parseVersion(fields.Get("decision.seen_version"))
	submitted.seenVersion.DecisionNo, _ = strconv.Atoi(fields.Get("decision.current_no"))
	submitted.formKey = fields.Get("decision.form_key")
	for _, key := range []string{labeling.CauseKey, labeling.ReasonKey, "decision.seen_version", "decision.current_no", "decision.form_key"} {
		r.PostForm.Del(key)
	}
	submitted.labelingForm, err = readLabelingForm(r)
	submitted.decision.Answers = submitted.Answers
	return submitted, err
}

// adjudicate takes a decision, and leads on to the next item that is open.
func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	submitted, err := readDecisionForm(r)
	if err != nil {
		return err
	}
	s.saveShortcutSetting(r, submitted.labelingForm)
	if err = submitted.err(); err == nil {
		err = s.db.Adjudicate(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), submitted.seenVersion, submitted.decision)
	}
	problems, isInvalid := errors.AsType[protocol.Problems](err)
	switch isStale := errors.Is(err, postgres.ErrStale); {
	case isInvalid:
		return s.renderRejectedDecision(w, r, p, http.StatusUnprocessableEntity, submitted, func(d *page.AdjudicateData) { d.Problems = problems })
	case isStale:
		return s.renderRejectedDecision(w, r, p, http.StatusConflict, submitted, func(d *page.AdjudicateData) { d.ConflictMessage = fault.Message(err) })
	case err != nil:
		return err
	}
	return s.redirectToNextOpen(w, r, p)
}

// renderRejectedDecision shows what was sent and could not be taken, and keeps it.
func (s *Server) renderRejectedDecision(w http.ResponseWriter, r *http.Request, p project.Project, status int, submitted decisionForm, addReason func(*page.AdjudicateData)) error {
	version, err := s.db.SaveDecisionAsDraft(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), submitted.decision)
	if err != nil {
		return err
	}
	return s.renderDecision(w, r, status, func(_ postgres.AdjudicationItem, d *page.AdjudicateData) {
		d.Decision, d.DraftVersion = submitted.decision, version
		addReason(d)
	})
}

// saveAdjudicationDraft keeps what a lead types about an item, as it is typed.
func (s *Server) saveAdjudicationDraft(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	submitted, err := readDecisionForm(r)
	if err != nil {
		return err
	}
	s.saveShortcutSetting(r, submitted.labelingForm)
	return writeDraftResult(w, s.db.SaveAdjudicationDraft(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), postgres.AdjudicationDraft{
		Decision: submitted.decision, Version: submitted.draftVersion, BaseVersion: submitted.DraftVersion, Tab: submitted.Tab, DecisionNo: submitted.seenVersion.DecisionNo}))
}

// saveSignedOutDecision keeps what a lead sent whose session was over, for them.
func (s *Server) saveSignedOutDecision(r *http.Request) error {
	submitted, err := readDecisionForm(r)
	if err != nil {
		return err
	}
	return s.db.SaveSignedOutDecision(r.Context(), pathParam(r, "key"), pathID[project.ItemID](r), submitted.formKey, submitted.draftVersion, submitted.decision)
}

func (s *Server) redirectToNextOpen(w http.ResponseWriter, r *http.Request, p project.Project) error {
	q := adjudicationFilterFromQuery(r)
	queue, err := s.loadAdjudicationQueue(r, p, q)
	if err != nil {
		return err
	}
	if next := queue.nextOpen(pathID[project.ItemID](r)); next != 0 {
		return redirect(w, r, page.AdjudicationPath(p.Key, q, formatID(next)))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "adjudication")+"?"+url.Values{"after": {"adjudicated"}}.Encode())
}
