package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// batchFromPath returns the batch of the address, and its project.
func (s *Server) batchFromPath(r *http.Request) (project.Project, project.Batch, error) {
	p, err := s.projectFromPath(r)
	if err != nil {
		return p, project.Batch{}, err
	}
	b, err := s.db.Batch(r.Context(), p.ID, pathParam(r, "name"))
	return p, b, err
}

// showCalibrationResults shows a lead how the annotators of a batch lean.
func (s *Server) showCalibrationResults(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batchFromPath(r)
	if err != nil {
		return err
	}
	return s.renderCalibrationResults(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) renderCalibrationResults(w http.ResponseWriter, r *http.Request, status int, p project.Project, b project.Batch, formErrors page.FormErrors) error {
	results, err := s.db.CalibrationSummaries(r.Context(), p, b.ID)
	if err != nil {
		return err
	}
	discussion, err := s.db.CalibrationComments(r.Context(), b.ID)
	if err != nil {
		return err
	}
	d := page.BatchCalibrationData{User: currentUser(r), Project: p, Batch: b, CanComment: discussion.IsOpen, OpenItemID: queryParam(r, "item"), Errors: formErrors}
	for _, c := range results {
		d.Annotators = append(d.Annotators, page.CalibrationRow{AccountID: c.AccountID, Name: c.Name, Pseudonym: c.Pseudonym,
			AttemptNo: c.AttemptNo, AnsweredItems: c.AnsweredItems, TotalItems: c.TotalItems, Attempt: c.CalibrationAttempt, Biases: c.Biases, ApprovalReason: c.Reason})
	}
	items, err := s.db.CalibrationSet(r.Context(), b.ID)
	if err != nil {
		return err
	}
	commentsByItem := groupComments(discussion)
	for _, i := range items {
		d.Items = append(d.Items, page.DiscussedItem{ID: i.ID, SourceID: i.SourceID, Comments: commentsByItem[i.ID]})
	}
	return render(w, r, status, page.BatchCalibration(d))
}

// decideCalibration lets an annotator go on, or has them take the set again.
func (s *Server) decideCalibration(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batchFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	actorID, accountID := currentAccount(r).ID, formID[account.ID](r, "account_id")
	if fields.Get("action") == "retake" {
		err = s.db.RequestRetake(r.Context(), actorID, p, b, accountID)
	} else {
		err = s.db.OverrideCalibration(r.Context(), actorID, p, b.ID, accountID, fields.Get("reason"))
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderCalibrationResults(w, r, status, p, b, toFormErrors(err, ""))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name, "calibration"))
}

// postLeadComment adds a lead's word to the discussion of a calibration item.
func (s *Server) postLeadComment(w http.ResponseWriter, r *http.Request) error {
	p, b, err := s.batchFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	itemID := formID[project.ItemID](r, "item")
	if err := s.db.AddLeadCalibrationComment(r.Context(), currentAccount(r).ID, b.ID, itemID, fields.Get("message")); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "batches", b.Name, "calibration")+"?"+itemAnchor(itemID))
}
