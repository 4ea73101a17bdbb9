package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// A decisionForm is the form of a decision as it was posted.
type decisionForm struct {
	labelingForm
	decision    labeling.Decision
	seenVersion postgres.SeenVersion // what the page showed
	formKey     string               // identifies the lead whose form it is
}

func readDecisionForm(r *http.Request) decisionForm {
	fields := r.PostForm
	take := func(key string) string {
		value := fields.Get(key)
		fields.Del(key) // what is left is a labeling form
		return value
	}
	submitted := decisionForm{decision: labeling.Decision{Cause: labeling.DisagreementCause(take(labeling.CauseKey)),
		Reason: strings.ReplaceAll(take(labeling.ReasonKey), "\r\n", "\n")}}
	submitted.seenVersion.LastAnnotationID = parseVersion(take("decision.seen_version"))
	submitted.seenVersion.DecisionNo, _ = strconv.Atoi(take("decision.current_no"))
	submitted.formKey = take("decision.form_key")
	submitted.labelingForm = readLabelingForm(r)
	submitted.decision.Answers = submitted.Answers
	return submitted
}

// saveAdjudicationDraft stores the form of a decision while it is filled in.
func (s *Server) saveAdjudicationDraft(w http.ResponseWriter, r *http.Request, p project.Project) error {
	submitted := readDecisionForm(r)
	if err := s.saveShortcutSetting(r, submitted.labelingForm); err != nil {
		return err
	}
	return writeDraftResult(w, s.db.SaveAdjudicationDraft(r.Context(), currentAccount(r).ID, p,
		pathID[project.ItemID](r), postgres.AdjudicationDraft{
			Decision: submitted.decision, Version: submitted.draftVersion, BaseVersion: submitted.DraftVersion,
			Tab: submitted.Tab, DecisionNo: submitted.seenVersion.DecisionNo}))
}

// saveSignedOutDecision stores a decision, posted after the session ended, as a
// draft of the lead whose form it is.
func (s *Server) saveSignedOutDecision(r *http.Request) error {
	submitted := readDecisionForm(r)
	return s.db.SaveSignedOutDecision(r.Context(), pathParam(r, "key"), pathID[project.ItemID](r), submitted.formKey,
		submitted.draftVersion, submitted.decision)
}
