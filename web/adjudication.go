package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// showAdjudicationItem shows the form for a decision. It starts with the
// majority if the query asks for it, else with the draft, the agreed answers of a spot check, the current decision or
// nothing.
func (s *Server) showAdjudicationItem(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderDecision(w, r, http.StatusOK, p, func(item postgres.AdjudicationItem, d *page.AdjudicateData) error {
		prefill := queryParam(r, "prefill")
		switch {
		case prefill == "majority":
			d.ConsensusFilled, d.Decision.Answers.Values = true, item.Majority(p.Protocol)
		case item.Draft.Version > 0 && prefill != "none":
			d.DraftRestored, d.Decision = true, item.Draft.Decision
		case d.SpotCheckOnly && len(item.History) == 0 && isAgreed(item.Annotations):
			first := item.Annotations[0]
			d.IsAgreedFilled, d.Decision.Answers = true, protocol.Answers{Values: first.Values,
				Observations: first.Observations, Unsure: first.Unsure, Note: first.Note}
		case len(item.History) > 0:
			current := item.History[0]
			d.Decision.Answers = protocol.Answers{Values: current.Answers, Observations: current.Observations,
				Unsure: current.Unsure, Note: current.Note}
		}
		return nil
	})
}

// isAgreed reports whether there are labels, with equal answers.
func isAgreed(labels []postgres.ItemAnnotation) bool {
	return len(labels) > 0 && !slices.ContainsFunc(labels, func(n postgres.ItemAnnotation) bool {
		return !maps.Equal(n.Values, labels[0].Values)
	})
}

// renderDecision shows an item with the form that fill completes.
func (s *Server) renderDecision(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	fill func(postgres.AdjudicationItem, *page.AdjudicateData) error) error {
	item, err := s.db.AdjudicationItem(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	p.Protocol = item.Protocol.In(currentLocale(r).Tag())
	d := page.AdjudicateData{User: currentUser(r), Project: p, AdjudicationFilter: adjudicationFilterFromQuery(r),
		Item: item.Item, Adjudicable: item.Adjudicable, MissingLabels: item.MissingLabels,
		SeenAnnotationID: item.LastAnnotationID(), DraftVersion: item.Draft.Version, FormKey: item.FormKey,
		ShortcutsDisabled: currentSettings(r).ShortcutsDisabled}
	for _, a := range item.Annotations {
		d.Answers = append(d.Answers, toPageAnswers(a))
	}
	d.Answers = page.LetterAnswers(d.Item.ID, d.Answers)
	for _, h := range item.History {
		d.History = append(d.History, page.AdjudicationDecision{DecisionNo: h.DecisionNo, DecidedBy: h.DecidedBy,
			CreatedAt: h.CreatedAt, Cause: h.Cause, Reason: h.Reason})
	}
	neighbor, err := s.db.DisagreementNeighbor(r.Context(), currentAccount(r).ID, p, d.AdjudicationFilter.ItemFilter,
		d.Item.ID)
	if err != nil {
		return err
	}
	d.PreviousItemID, d.NextItemID = neighbor.Previous, neighbor.Next
	if d.Unresolved, d.Resolved, err = s.countDisagreements(r, p, d.AdjudicationFilter); err != nil {
		return err
	}
	if err := fill(item, &d); err != nil {
		return err
	}
	return render(w, r, status, page.Adjudicate(d))
}

// adjudicate stores a decision and goes to the next unresolved item.
func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request, p project.Project) error {
	submitted := readDecisionForm(r)
	if err := s.saveShortcutSetting(r, submitted.labelingForm); err != nil {
		return err
	}
	err := submitted.err()
	if err == nil {
		err = s.db.Adjudicate(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r), submitted.seenVersion,
			submitted.decision)
	}
	problems, isInvalid := errors.AsType[protocol.Problems](err)
	switch {
	case isInvalid:
		return s.renderRejectedDecision(w, r, http.StatusUnprocessableEntity, p, submitted,
			func(d *page.AdjudicateData) { d.Problems = d.Project.Protocol.TranslateProblems(problems) })
	case errors.Is(err, postgres.ErrStale):
		return s.renderRejectedDecision(w, r, http.StatusConflict, p, submitted,
			func(d *page.AdjudicateData) { d.ConflictMessage = currentLocale(r).Message(err) })
	case err != nil:
		return err
	}
	return s.redirectToNextUnresolved(w, r, p)
}

// renderRejectedDecision saves a rejected decision as a draft and shows it again
// with the reason.
func (s *Server) renderRejectedDecision(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	submitted decisionForm, addReason func(*page.AdjudicateData)) error {
	version, err := s.db.SaveDecisionAsDraft(r.Context(), currentAccount(r).ID, p, pathID[project.ItemID](r),
		submitted.decision)
	if err != nil {
		return err
	}
	return s.renderDecision(w, r, status, p, func(_ postgres.AdjudicationItem, d *page.AdjudicateData) error {
		d.Decision, d.DraftVersion = submitted.decision, version
		addReason(d)
		return nil
	})
}
