package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func calibrationPath(batchID project.BatchID) string {
	return "/work/calibration?batch=" + formatID(batchID)
}

// showCalibration shows an annotator the result of their calibration.
func (s *Server) showCalibration(w http.ResponseWriter, r *http.Request) error {
	batchID := queryID[project.BatchID](r, "batch")
	if isRendered, err := s.renderPendingReading(w, r, batchID, ""); isRendered || err != nil {
		return err
	}
	c, err := s.db.CalibrationResult(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	d, err := s.newCalibrationData(r, c)
	if err != nil {
		return err
	}
	d.User, d.OpenItemID = currentUser(r), queryParam(r, "item")
	return render(w, r, http.StatusOK, page.Calibration(d))
}

// showCalibrationReference shows the reference of a calibration item that the annotator just answered.
func (s *Server) showCalibrationReference(w http.ResponseWriter, r *http.Request) error {
	c, err := s.db.SubmittedCalibrationItem(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	d, err := s.newCalibrationData(r, c)
	if err != nil {
		return err
	}
	d.User = currentUser(r)
	return render(w, r, http.StatusOK, page.CalibrationReference(d))
}

func (s *Server) newCalibrationData(r *http.Request, c postgres.CalibrationResult) (page.CalibrationData, error) {
	ctx, p := r.Context(), c.Project.Protocol.In(currentLocale(r).Tag())
	for i, b := range c.Biases {
		c.Biases[i].Field, _ = p.Field(b.Field.Key)
	}
	discussion, err := s.db.CalibrationComments(ctx, c.BatchID)
	if err != nil {
		return page.CalibrationData{}, err
	}
	if !c.IsLast() {
		discussion = postgres.CalibrationComments{}
	}
	commentsByItem := groupComments(discussion, c.AccountID)
	d := page.CalibrationData{
		Project: page.Project{Title: c.Project.Title, SupportURL: c.Project.SupportURL,
			GuidePath: guidePath(c.Project.Key, c.BatchID)}, Batch: formatID(c.BatchID),
		Protocol: p, Attempt: c.CalibrationAttempt, Biases: c.Biases, CanComment: discussion.IsOpen,
		ApprovalReason: c.Reason,
	}
	shared, err := s.db.SharedCalibrationAnswers(ctx, c.AccountID, c.BatchID)
	if err != nil {
		return d, err
	}
	sharedByItem := map[project.ItemID][]page.SharedAnswers{}
	for _, a := range shared {
		sharedByItem[a.ItemID] = append(sharedByItem[a.ItemID], page.SharedAnswers{Pseudonym: a.Pseudonym,
			Values: a.Values})
	}
	for _, i := range c.Items {
		d.Items = append(d.Items, page.CalibrationItem{ID: formatID(i.ItemID), Content: i.Content, Facts: i.Facts,
			IsAnswered: i.Answered, OwnAnswers: i.Own, ReferenceAnswers: i.Reference, Reasons: i.Reasons,
			Comments: commentsByItem[i.ItemID], Others: sharedByItem[i.ItemID]})
	}
	return d, nil
}

// markSectionRead confirms a section of the guide. The page opens at what to do next.
func (s *Server) markSectionRead(w http.ResponseWriter, r *http.Request) error {
	batchID, section := formID[project.BatchID](r, "batch"), r.PostFormValue("section")
	if err := s.db.MarkSectionRead(r.Context(), currentAccount(r).ID, batchID, section); err != nil {
		return err
	}
	return redirect(w, r, calibrationPath(batchID)+"#"+page.NextSectionID)
}

// startWork ends the calibration and opens the first item of the work.
func (s *Server) startWork(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if err := s.db.StartWork(r.Context(), currentAccount(r).ID, batchID); err != nil {
		return err
	}
	return s.redirectToNext(w, r, batchID)
}

// retakeCalibration starts another attempt and opens its first item. A second
// post finds nothing to start and opens the same item.
func (s *Server) retakeCalibration(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	err := s.db.RetakeCalibration(r.Context(), currentAccount(r).ID, batchID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	return s.redirectToNext(w, r, batchID)
}
