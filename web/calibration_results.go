package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func calibrationResultsPath(p project.Project, b project.Batch) string {
	return page.ProjectPath(p.Key, "batches", b.Name, "calibration")
}

// showCalibrationResults shows a lead the calibration results of a batch.
func (s *Server) showCalibrationResults(w http.ResponseWriter, r *http.Request, p project.Project,
	b project.Batch) error {
	return s.renderCalibrationResults(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) renderCalibrationResults(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	b project.Batch, formErrors page.FormErrors) error {
	results, err := s.db.CalibrationSummaries(r.Context(), p, b.ID)
	if err != nil {
		return err
	}
	discussion, err := s.db.CalibrationComments(r.Context(), b.ID)
	if err != nil {
		return err
	}
	items, err := s.db.CalibrationSet(r.Context(), b.ID)
	if err != nil {
		return err
	}
	d := page.BatchCalibrationData{User: currentUser(r), Project: p, Batch: b, CanComment: discussion.IsOpen,
		OpenItemID: queryParam(r, "item"), Errors: formErrors}
	for _, c := range results {
		row := page.CalibrationRow{AccountID: c.AccountID, Name: c.Name, Pseudonym: c.Pseudonym,
			AttemptNo: c.AttemptNo, AnsweredItems: c.AnsweredItems, TotalItems: c.TotalItems,
			Attempt: c.CalibrationAttempt, Biases: c.Biases, ApprovalReason: c.Reason,
			Differences: map[project.ItemID]map[string]int{}}
		for _, item := range c.Items {
			if item.Answered {
				row.Differences[item.ItemID] = answerDifferences(item)
			}
		}
		d.Annotators = append(d.Annotators, row)
	}
	commentsByItem := groupComments(discussion, currentAccount(r).ID)
	for _, i := range items {
		d.Items = append(d.Items, page.DiscussedItem{ID: i.ID, SourceID: i.SourceID, Title: i.Title,
			Comments: commentsByItem[i.ID]})
	}
	return render(w, r, status, page.BatchCalibration(d))
}

// answerDifferences returns own − reference by field.
func answerDifferences(item postgres.CalibrationItem) map[string]int {
	differences := map[string]int{}
	for key, reference := range item.Reference.Values {
		if own, ok := item.Own.Values[key]; ok {
			differences[key] = own - reference
		}
	}
	return differences
}

// decideCalibration approves an annotator for the work, or has them retake the
// calibration set.
func (s *Server) decideCalibration(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	var err error
	fields := r.PostForm
	actorID, accountID := currentAccount(r).ID, formID[account.ID](r, "account_id")
	if fields.Get("action") == "retake" {
		err = s.db.RequestRetake(r.Context(), actorID, p, b, accountID)
	} else {
		err = s.db.OverrideCalibration(r.Context(), actorID, p, b.ID, accountID, fields.Get("reason"))
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderCalibrationResults(w, r, status, p, b, toFormErrors(currentLocale(r), err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, calibrationResultsPath(p, b))
}
